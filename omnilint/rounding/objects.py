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
    least,
)

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# What says how fine a dtype is; attributes of an array that hold the same numbers.
LIMITS = frozenset({"eps", "epsilon", "resolution"})
SAME = frozenset({"T", "mT", "H", "real", "imag", "at", "flat", "value"})


def attribute(m: Machine, value: Value, name: str, node: ast.AST, frame: Frame) -> Value:
    """`value.name`."""
    if isinstance(value, Symbol):
        limit = _limit(m, value.dotted, name) if name in LIMITS else None
        if limit is not None:
            return m.const(limit, FAR)
        return scope.resolve(m, frame.module, f"{value.dotted}.{name}")
    if isinstance(value, Array):
        if name in SAME:
            key, form = m.both(name, of=value)
            return replace(value, key=key, form=form)
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
    if isinstance(value, (Record, Check, Seq)):
        return method(m, value, name)
    key, form = m.both("attribute", name, of=value)
    return Opaque(key=key, form=form, depth=min(frame.depth, value.depth))


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
    key, form = m.both("method", name, of=value)
    return Partial(
        key=key, form=form, depth=value.depth, callee=m.symbol(f"method.{name}"), arguments=(value,), keywords={}
    )


def class_member(
    m: Machine, cls: ClassRef, name: str, owner: Value | None, node: ast.AST, frame: Frame
) -> Value | None:
    """A method (bound to `owner`), property value or class attribute, looked up through the project's bases."""
    for holder in lineage(m, cls):
        statement = _members(m, holder.node).get(name)
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return _method(m, holder, statement, owner, node, frame)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            return scope.fixed(m, statement.value, holder.module)
    return None


def _members(m: Machine, node: ast.ClassDef) -> dict[str, ast.stmt]:
    """The methods and class attributes that a class defines itself; the first of a name."""
    found = m.members.get(node)
    if found is None:
        found = m.members[node] = {}
        for statement in node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(statement.name, statement)
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, statement)
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
                found.setdefault(statement.target.id, statement)
    return found


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
    pending, seen = [cls], set[ast.ClassDef]()
    while pending and len(seen) < limit:
        top = pending.pop(0)
        if top.node in seen:
            continue
        seen.add(top.node)
        yield top
        pending += _bases(m, top)


def _bases(m: Machine, cls: ClassRef) -> list[ClassRef]:
    found = m.bases.get(cls.node)
    if found is None:
        values = [m.evaluate(base, m.module_frame(cls.module)) for base in cls.node.bases]
        found = m.bases[cls.node] = [v for v in values if isinstance(v, ClassRef)]
    return found


def instantiate(
    m: Machine, cls: ClassRef, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Instance:
    """An instance of a project class: `__init__` run, or the fields of a dataclass or NamedTuple bound."""
    key = m.key("instance", id(cls.node), *(v.key for v in arguments), *((k, v.key) for k, v in keywords.items()))
    depth = least(least(frame.depth, arguments), keywords.values())
    instance = Instance(key=key, form=key, depth=depth, cls=cls, attributes={})
    for holder in lineage(m, cls):
        found = _members(m, holder.node).get("__init__")
        if isinstance(found, ast.FunctionDef):
            init = Function(key=key, form=key, module=holder.module, node=found, owner=instance)
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
