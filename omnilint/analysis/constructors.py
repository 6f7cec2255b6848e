"""Pytree classes whose constructors inspect their leaves, which JAX rebuilds from placeholders."""

from __future__ import annotations

from omnilint.analysis import nodes as cst
from omnilint.analysis.code import Unit
from omnilint.analysis.definitions import ClassVal, Func, Instance, Transformed
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.lowering import parts


def inspect_constructor(it: Interp, frame: Frame, made: Transformed, value: Instance) -> None:
    """Note where `__init__` uses a leaf that `tree_unflatten` hands it, if it does without a guard."""
    from omnilint.analysis.objects import find

    unflatten = find(value.cls, "tree_unflatten")
    init = find(value.cls, "__init__")
    if not isinstance(unflatten, Func) or not isinstance(init, Func) or it.guard or it.care:
        return
    if not _calls_class(unflatten.code.node, value.cls):
        return
    leaf_names = set(init.code.params.positional[1:]) - set(init.code.params.defaults)
    found = _inspecting(init.code.unit, init.code.node.body, leaf_names)
    if found is None:
        return
    inner = Frame(it.modules[init.code.module.path], init.code.unit, frame.scope)
    it.event(
        inner,
        "constructor",
        found,
        what=value.cls.name,
        link=made.links[0],
        transform=made.name.rpartition(".")[2],
    )


def _calls_class(node: cst.CSTNode, cls: ClassVal) -> bool:
    if type(node) is cst.Call and type(node.func) is cst.Name and node.func.value in ("cls", cls.name):
        return True
    return any(_calls_class(c, cls) for c in parts(node))


def _inspecting(unit: Unit, body: cst.CSTNode, names: set[str]) -> cst.CSTNode | None:
    """The first condition or assertion that reads an attribute of one of `names`, outside of a guard."""
    for statement in getattr(body, "body", ()):
        if type(statement) is cst.If:
            if _guards(unit.text(statement.test)):
                continue
            if _reads(statement.test, names):
                return statement.test
        if type(statement) is cst.SimpleStatementLine:
            for small in statement.body:
                if type(small) is cst.Assert and _reads(small.test, names):
                    return small.test
    return None


def _guards(test: str) -> bool:
    return any(word in test for word in ("isinstance", "hasattr", "is None", "is not None", "type("))


def _reads(node: cst.CSTNode, names: set[str]) -> bool:
    if type(node) is cst.Attribute and type(node.value) is cst.Name and node.value.value in names:
        return node.attr.value in ("shape", "ndim", "dtype", "size")
    return any(_reads(c, names) for c in parts(node))
