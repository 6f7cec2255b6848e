"""Context managers that undo on the way out what they did to outer state on the way in."""

from __future__ import annotations

from collections.abc import Iterable

from omnilint.analysis import nodes as cst
from omnilint.analysis.lowering import every

_REMOVING = frozenset(["pop", "popleft", "popitem", "remove", "discard", "clear", "reset"])


def undoes(nodes: Iterable[cst.CSTNode]) -> bool:
    """Do these statements take something out of a container, or set something anew?"""
    return any(_takes_back(n) for node in nodes for n in every(node))


def restores(function: cst.FunctionDef | cst.Lambda) -> bool:
    """Is it the generator of a context manager that undoes something once its block has run?"""
    if type(function) is not cst.FunctionDef or not any(map(_makes_manager, function.decorators)):
        return False
    for node in every(function):
        if type(node) is cst.Try and node.finalbody is not None and yields(node.body):
            if undoes([node.finalbody]):
                return True
        elif type(node) is cst.IndentedBlock:
            at = next((i for i, s in enumerate(node.body) if yields(s)), None)
            if at is not None and undoes(node.body[at + 1 :]):
                return True
    return False


def _makes_manager(decorator: cst.Decorator) -> bool:
    target = decorator.decorator
    word = target.attr.value if type(target) is cst.Attribute else getattr(target, "value", "")
    return word in ("contextmanager", "asynccontextmanager")


def yields(node: cst.CSTNode) -> bool:
    """Is there a `yield` in it?"""
    return any(type(n) is cst.Yield for n in every(node))


def _takes_back(node: cst.CSTNode) -> bool:
    if type(node) is cst.Call:
        return type(node.func) is cst.Attribute and node.func.attr.value in _REMOVING
    if type(node) is cst.Assign:
        return any(isinstance(t.target, (cst.Attribute, cst.Subscript)) for t in node.targets)
    return type(node) is cst.Del
