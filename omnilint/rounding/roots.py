"""Where interpretation starts: test functions and whatever else compares, with the cases of their decorators."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from omnilint.index.module import FunctionNode, ModuleIndex
from omnilint.index.project import Project
from omnilint.rounding import calls, fixtures, objects, relevance, scope
from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.table import Table
from omnilint.rounding.values import (
    FAR,
    Array,
    ClassRef,
    Const,
    Function,
    Instance,
    Opaque,
    Record,
    Seq,
    Symbol,
    Value,
    arrays,
)

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Cases of a parametrised test that are looked at.
CASES = 6
# What runs before each test of a class.
SETUP = ("setUp", "setup_method")


@dataclass(frozen=True, slots=True)
class Root:
    """A function to interpret by itself, and the class it is a method of; the module's own body has no node."""

    body: Sequence[ast.stmt]
    qualname: str = ""
    node: FunctionNode | None = None
    cls: ast.ClassDef | None = None


def roots(module: ModuleIndex, project: Project, table: Table) -> Iterator[Root]:
    """The functions of a module that compare numbers or call something that does, and its body, if that does."""
    relevant = relevance.comparing(module, project, table)
    if relevant is None:
        return
    if relevant.body:
        yield Root(module.tree.body)
    for definition in module.definitions.values():
        node = definition.node
        if definition.qualname not in relevant.functions or isinstance(node, ast.ClassDef):
            continue
        owner = module.definitions.get(definition.owner)
        cls = owner.node if owner is not None and isinstance(owner.node, ast.ClassDef) else None
        yield Root(node.body, definition.qualname, node, cls)


def frames(m: Machine, root: Root, module: ModuleIndex, mode: str) -> Iterator[Frame]:
    """One frame for each case of the root's parametrisation, its parameters bound; unknown ones stay unknown."""
    if root.node is None:
        yield Frame(module, {}, x64=mode)
        return
    key = m.key("root", id(root.node))
    outer = Frame(module, {}, x64=_mode(m, root.node, mode, m.module_frame(module)), node=root.node)
    owner = _owner(m, root, outer)
    function = Function(key=key, form=key, module=module, node=root.node, owner=owner)
    for case in _cases(m, root.node, m.module_frame(module)):
        names = calls.bind(m, function, [owner] if owner is not None else [], case, 0)
        for name in names:
            if isinstance(names[name], Opaque) and name not in case:
                names[name] = fixtures.supplied(m, name, outer) or names[name]
        yield replace(outer, names=names, returns=[])


def _mode(m: Machine, node: FunctionNode, mode: str, frame: Frame) -> str:
    """The mode that a function runs in: its module's, unless a decorator switches it."""
    lines = frame.module.lines
    for decorator in node.decorator_list:
        if not any("x64" in line for line in lines[decorator.lineno - 1 : decorator.end_lineno]):
            continue
        value = m.evaluate(decorator, frame)
        known = isinstance(value, Symbol) and value.dotted.startswith("x64.")
        mode = value.dotted.removeprefix("x64.") if known and isinstance(value, Symbol) else "unknown"
    return mode


def _owner(m: Machine, root: Root, frame: Frame) -> Value | None:
    """`self` of a method, after its class's `setUp`, which may also switch the mode of `frame`."""
    if root.cls is None or root.node is None:
        return None
    if any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in root.node.decorator_list):
        return None
    key = m.key("self", id(root.cls))
    cls = ClassRef(key=key, form=key, module=frame.module, node=root.cls)
    instance = Instance(key=key, form=key, depth=FAR, cls=cls, attributes={})
    if root.node.name != "__init__" and root.node.name not in SETUP:
        _set_up(m, instance, root.node, frame)
    return instance


def _set_up(m: Machine, instance: Instance, node: FunctionNode, frame: Frame) -> None:
    """Run what runs before each test of a class: once, when nothing that it leaves can be changed by a test."""
    at = (instance.cls.node, frame.x64)
    if at in m.set_up:
        attributes, frame.x64 = m.set_up[at]
        instance.attributes.update(attributes)
        return
    for name in SETUP:
        method = objects.class_member(m, instance.cls, name, instance, node, frame)
        if isinstance(method, Function) and isinstance(method.node, ast.FunctionDef):
            m.call(method, [], {}, node, frame)
    attributes = {name: scope.far(value) for name, value in instance.attributes.items()}
    instance.attributes.update(attributes)
    leaves = (leaf for value in attributes.values() for leaf in arrays(value, limit=1 << 20))
    if m.fuel >= 0 and all(isinstance(leaf, (Array, Const, Opaque, Symbol)) for leaf in leaves):
        m.set_up[at] = (attributes, frame.x64)


def _cases(m: Machine, node: FunctionNode, frame: Frame) -> Iterator[dict[str, Value]]:
    axes = [axis for decorator in node.decorator_list for axis in _axes(m, decorator, node, frame) if axis]
    # Each value of each axis once rather than their product: one bad dtype is enough to find.
    for i in range(min(CASES, max((len(axis) for axis in axes), default=1))):
        # What the decorator supplies is the function's own: no call frame supplied it.
        yield {name: scope.far(value) for axis in axes for name, value in axis[i % len(axis)].items()}


def _axes(m: Machine, decorator: ast.expr, node: FunctionNode, frame: Frame) -> list[list[dict[str, Value]]]:
    """The axes of cases of one decorator: pytest.mark.parametrize, absl's parameters, named_parameters, product."""
    if not isinstance(decorator, ast.Call):
        return []
    callee = m.evaluate(decorator.func, frame)
    if not isinstance(callee, Symbol):
        return []
    kind = callee.dotted.rpartition(".")[2]
    arguments = [m.evaluate(a, frame) for a in decorator.args if not isinstance(a, ast.Starred)]
    if kind == "parametrize" and len(arguments) >= 2:
        first = decorator.args[0]
        return [_parametrize(first, arguments[1])]
    names = [p.arg for p in node.args.args if p.arg != "self"]
    if kind in ("parameters", "named_parameters"):
        listed = arguments[0].items if len(arguments) == 1 and isinstance(arguments[0], Seq) else tuple(arguments)
        return [[case for value in listed if (case := _absl(value, names, kind == "named_parameters"))]]
    if kind == "product":
        keywords = {k.arg: m.evaluate(k.value, frame) for k in decorator.keywords if k.arg}
        return [[{name: v} for v in value.items] for name, value in keywords.items() if isinstance(value, Seq)]
    return []


def _parametrize(names: ast.expr, values: Value) -> list[dict[str, Value]]:
    if isinstance(names, ast.Constant) and isinstance(names.value, str):
        listed = [n.strip() for n in names.value.split(",")]
    elif isinstance(names, (ast.Tuple, ast.List)):
        listed = [e.value for e in names.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    else:
        return []
    if not isinstance(values, Seq) or values.open:
        return []
    if len(listed) == 1 and isinstance(names, ast.Constant):
        return [{listed[0]: v} for v in values.items]
    return [
        dict(zip(listed, v.items, strict=True))
        for v in values.items
        if isinstance(v, Seq) and len(v.items) == len(listed)
    ]


def _absl(value: Value, names: list[str], named: bool) -> dict[str, Value]:
    if isinstance(value, Record):
        return {k: v for k, v in value.items.items() if k in names}
    if isinstance(value, Seq):
        return dict(zip(names, value.items[1:] if named else value.items, strict=False))
    return dict(zip(names, [value], strict=False)) if not named else {}
