"""Attributes, classes and instances of the project."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from omnilint.rounding import scope
from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.values import (
    FAR,
    Array,
    Check,
    ClassRef,
    Function,
    Instance,
    Opaque,
    Partial,
    Record,
    Seq,
    Symbol,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Attributes of an array that hold the same numbers.
SAME = frozenset({"T", "mT", "H", "real", "imag", "at", "flat", "value"})


def attribute(m: Machine, value: Value, name: str, node: ast.AST, frame: Frame) -> Value:
    """`value.name`."""
    if isinstance(value, Symbol):
        limit = _limit(m, value.dotted, name)
        if limit is not None:
            return m.const(limit, FAR)
        return scope.resolve(m, frame.module, f"{value.dotted}.{name}")
    depth = min(frame.depth, value.depth)
    if isinstance(value, Array):
        if name in SAME:
            return replace(value, key=m.key(name, value.key), form=m.key(name, value.form))
        if name == "dtype" and value.dtype is not None:
            return m.const(value.dtype, value.depth)
        return method(m, value, name)
    if isinstance(value, Instance):
        found = value.attributes.get(name)
        if found is not None:
            return found
        found = class_member(m, value.cls, name, value, node, frame)
        if found is not None:
            return found
        return method(m, value, name)
    if isinstance(value, ClassRef):
        found = class_member(m, value, name, None, node, frame)
        if found is not None:
            return found
    if isinstance(value, Wrapped) and name == "__wrapped__":
        return value.callee
    if isinstance(value, Record | Check | Seq):
        return method(m, value, name)
    key, form = m.key("attribute", name, value.key), m.key("attribute", name, value.form)
    return Opaque(key=key, form=form, depth=depth)


def _limit(m: Machine, dotted: str, name: str) -> float | None:
    """`finfo(...).eps`, `finfo(...).resolution` and `sys.float_info.epsilon` as numbers."""
    if dotted == "sys.float_info" and name == "epsilon":
        return m.table.eps["float64"]
    eps = m.table.eps.get(dotted.removeprefix("finfo.")) if dotted.startswith("finfo.") else None
    if eps and name == "eps":
        return eps
    if eps and name == "resolution":
        return 10.0 ** math.ceil(math.log10(eps))
    return None


def method(m: Machine, value: Value, name: str) -> Partial:
    """A method that no project class defines, bound to its object: the library step knows some of them."""
    key, form = m.key("method", name, value.key), m.key("method", name, value.form)
    return Partial(
        key=key, form=form, depth=value.depth, callee=m.symbol(f"method.{name}"), arguments=(value,), keywords={}
    )


def class_member(
    m: Machine, cls: ClassRef, name: str, owner: Value | None, node: ast.AST, frame: Frame
) -> Value | None:
    """A method (bound to `owner`), property value or class attribute, looked up through the project's bases."""
    for holder in lineage(m, cls):
        module_frame = m.module_frame(holder.module)
        for statement in holder.node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
                return _method(m, holder, statement, owner, node, frame)
            if isinstance(statement, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == name for t in statement.targets
            ):
                return scope.far(m.evaluate(statement.value, module_frame))
            match statement:
                case ast.AnnAssign(ast.Name(target), _, ast.expr() as given) if target == name:
                    return scope.far(m.evaluate(given, module_frame))
    return None


def _method(
    m: Machine,
    cls: ClassRef,
    definition: ast.FunctionDef | ast.AsyncFunctionDef,
    owner: Value | None,
    node: ast.AST,
    frame: Frame,
) -> Value:
    names = {_name(d) for d in definition.decorator_list}
    key = m.key("bound", id(definition), owner.key if owner is not None else 0)
    bound = None if "staticmethod" in names else cls if "classmethod" in names else owner
    function = Function(key=key, form=key, module=cls.module, node=definition, owner=bound)
    if names & {"property", "cached_property"} and owner is not None:
        return m.call(function, [], {}, node, frame)
    value: Value = function
    for decorator in reversed(definition.decorator_list):
        if _name(decorator) in ("staticmethod", "classmethod", "abstractmethod", "override"):
            continue
        value = m.call(m.evaluate(decorator, m.module_frame(cls.module)), [value], {}, decorator, frame)
    return value


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def lineage(m: Machine, cls: ClassRef, limit: int = 12) -> Iterator[ClassRef]:
    """The class and its bases that the project defines, nearest first."""
    pending, seen = [cls], set[int]()
    while pending and len(seen) < limit:
        top = pending.pop(0)
        if id(top.node) in seen:
            continue
        seen.add(id(top.node))
        yield top
        for base in top.node.bases:
            value = m.evaluate(base, m.module_frame(top.module))
            if isinstance(value, ClassRef):
                pending.append(value)


def instantiate(
    m: Machine, cls: ClassRef, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Instance:
    """An instance of a project class: `__init__` run, or the fields of a dataclass or NamedTuple bound."""
    key = m.key("instance", id(cls.node), *(v.key for v in arguments), *((k, v.key) for k, v in keywords.items()))
    depth = min([frame.depth, *(v.depth for v in arguments), *(v.depth for v in keywords.values())])
    instance = Instance(key=key, form=key, depth=depth, cls=cls, attributes={})
    for holder in lineage(m, cls):
        for statement in holder.node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                init = Function(key=key, form=key, module=holder.module, node=statement, owner=instance)
                m.call(init, arguments, keywords, node, frame)
                return instance
    fields = [
        s.target.id
        for holder in reversed(list(lineage(m, cls)))
        for s in holder.node.body
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    ]
    instance.attributes.update(zip(fields, arguments, strict=False))
    instance.attributes.update({k: v for k, v in keywords.items() if k in fields})
    return instance
