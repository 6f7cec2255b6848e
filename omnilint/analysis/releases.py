"""Conditions by which code asks which release of JAX or Python runs it, or which names a library has there.

Those that the target releases answer alike are decided. Of the others nothing is certain, on either side.
"""

from __future__ import annotations

import re
from typing import Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import Ext
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import options
from omnilint.analysis.lowering import parts
from omnilint.analysis.values import NONE, Const, Either, Release, Seq, Static, Unknown, Value, Version

_VERSIONS = ("__version__", "__version_info__", "version_info", "hexversion")
_OF_JAX = frozenset(f"jax.{v}{n}" for v in ("", "version.") for n in ("__version__", "__version_info__"))
_PROBES = ("hasattr", "getattr")
# What gives only a part of a version, which is compared otherwise.
_PARTS = ("major", "minor", "micro", "hexversion", "base_version")
_NUMBERS = re.compile(r"\d+(\.\d+)*")
# Python releases before this one run no JAX of today.
_OLDEST_PYTHON = (3, 7)


def told(it: Interp, frame: Frame, node: cst.CSTNode, value: Value) -> Value:
    """The `value` of an expression, or what is known better of it where it speaks of the release that runs."""
    if not isinstance(value, _VAGUE) or isinstance(value, (Release, Version)):
        return value
    if type(node) not in _SPEAKING or not speaks(frame, node):
        return value
    if type(node) is cst.Comparison:
        known = _compared(it, frame, node)
        return Release() if known is None else Const(known)
    if _word(node) == "hasattr":
        known = _probed(it, frame, node)
        return Release() if known is None else Const(known)
    if type(node) is cst.BooleanOperation or (type(node) is cst.UnaryOperation and type(node.operator) is cst.Not):
        return Release()
    return Version(_is_whole(frame, node)) if speaks(frame, node, probes=False) else value


_VAGUE = (Unknown, Static, Seq)
_SPEAKING = (cst.Comparison, cst.Call, cst.BooleanOperation, cst.Subscript, cst.Attribute, cst.UnaryOperation)


def kept(it: Interp, frame: Frame, node: cst.CSTNode, value: Value) -> Value:
    """The same of what is kept in a name or given back, in a module that has words for it."""
    if type(node) not in _SPEAKING or not frame.state.speaks_of_releases:
        return value
    return told(it, frame, node, value)


def open_ended(value: Value | None) -> bool:
    """Is it a condition that the target releases don't answer alike?"""
    return value is not None and any(isinstance(v, Release) for v in options(value))


def answers(one: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
    """Names that two ways of a program leave true in one and false in the other: they say which it went."""
    out: dict[str, Value] = {}
    for name, value in one.items():
        instead = other.get(name)
        if not isinstance(instead, Const) or value is instead:
            continue
        if isinstance(value, Const) and isinstance(value.value, bool) and instead.value is (not value.value):
            out[name] = Release()
        elif isinstance(value, Ext) and instead.value is None:
            out[name] = Either((value, NONE))
    return out


def may_be_missing(value: Value | None) -> bool:
    """Is it a name of JAX, or None where there is none?"""
    names = [v.dotted for v in value.options if isinstance(v, Ext)] if isinstance(value, Either) else []
    none = any(isinstance(v, Const) and v.value is None for v in options(value)) if value is not None else False
    return none and any(n.startswith(("jax.", "jaxlib.")) for n in names)


def asks(it: Interp, frame: Frame, node: cst.CSTNode, value: Value) -> Value:
    """`told` of a condition: what may be there or not decides too."""
    if isinstance(value, Either):
        return Release() if may_be_missing(value) else value
    value = told(it, frame, node, value)
    return Release() if isinstance(value, Version) else value


def speaks(frame: Frame, node: cst.CSTNode, probes: bool = True) -> bool:
    """Does an expression ask for a version, or whether something outside has a name?"""
    if type(node) is cst.Name:
        value = _value(frame, node)
        return isinstance(value, (Release, Version)) or (isinstance(value, Ext) and names_version(value.dotted))
    if type(node) is cst.Attribute:
        if node.attr.value in _VERSIONS:
            return isinstance(_value(frame, node.value), Ext)
        return speaks(frame, node.value, probes)
    if type(node) is cst.Call:
        word = _word(node)
        if word in _PROBES and len(node.args) > 1:
            return probes and isinstance(_value(frame, node.args[0].value), Ext)
        if word == "version" and node.args and type(node.args[0].value) is cst.SimpleString:
            return True
    if type(node) is cst.Comparison and _asks_for_none(node):
        return may_be_missing(_value(frame, node.left)) or speaks(frame, node.left)
    return any(speaks(frame, c, probes) for c in parts(node))


def may_miss(it: Interp, frame: Frame, node: cst.CSTNode) -> bool:
    """Does a block import names of JAX that some of the target releases don't have, as far as is known?"""
    if type(node) is cst.ImportFrom and node.module is not None and not node.relative:
        module = _dotted(node.module)
        if module.partition(".")[0] != "jax" or isinstance(node.names, cst.ImportStar):
            return False
        return any(_has(it, module, _dotted(a.name)) is not True for a in node.names)
    if type(node) is cst.Import:
        dotted = [d.rpartition(".") for d in (_dotted(a.name) for a in node.names) if d.startswith("jax.")]
        return any(_has(it, module, name) is not True for module, _, name in dotted)
    return any(may_miss(it, frame, c) for c in parts(node))


def _dotted(node: Any) -> str:
    if type(node) is cst.Attribute:
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if type(node) is cst.Name else ""


def names_version(dotted: str) -> bool:
    """Is it the version of a library, or of Python?"""
    return dotted.rpartition(".")[2] in _VERSIONS


def _value(frame: Frame, node: Any) -> Value | None:
    """The value of a dotted name, where that is to be had without running anything."""
    if type(node) is cst.Name:
        scope = frame.scope.holder(node.value)
        return scope.vars[node.value] if scope is not None else frame.state.get(node.value)
    base = _value(frame, node.value) if type(node) is cst.Attribute else None
    return base.member(node.attr.value) if isinstance(base, Ext) else None


def _word(node: Any) -> str:
    """The last part of the name of what is called."""
    if type(node) is not cst.Call:
        return ""
    func = node.func.attr if type(node.func) is cst.Attribute else node.func
    return func.value if type(func) is cst.Name else ""


def _asks_for_none(node: cst.Comparison) -> bool:
    from omnilint.analysis.guards import asks_for_none

    return asks_for_none(node) is not None


# -- decisions --------------------------------------------------------------------------------------


def _compared(it: Interp, frame: Frame, node: cst.Comparison) -> bool | None:
    """`Version(jax.__version__) >= Version("0.4.1")` and its kin, where the target releases agree."""
    if len(node.comparisons) != 1:
        return None
    c = node.comparisons[0]
    left, right, flipped = node.left, c.comparator, False
    if not _is_whole(frame, left) and not _is_python(frame, left):
        left, right, flipped = right, left, True
    above = type(c.operator) in (cst.GreaterThan, cst.GreaterThanEqual)
    if not above and type(c.operator) not in (cst.LessThan, cst.LessThanEqual):
        return None
    number = _number(right)
    if number is None or len(number) < 2:
        return None
    if _is_python(frame, left):
        return (above != flipped) if number < _OLDEST_PYTHON else None
    if not _is_whole(frame, left) or _is_text(frame, left):
        return None
    # Of releases that share two numbers with the one that is asked for, `<` and `<=` may differ.
    newer = {_newer(v, number) for v in it.releases}
    answer = newer.pop() if len(newer) == 1 else None
    return None if answer is None else answer == (above != flipped)


def _newer(release: tuple[int, ...], number: tuple[int, ...]) -> bool | None:
    n = 3 if len(number) >= 3 and len(release) >= 3 else 2
    return None if release[:n] == number[:n] else release[:n] > number[:n]


def _is_python(frame: Frame, node: Any) -> bool:
    value = _value(frame, node)
    return isinstance(value, Ext) and value.dotted == "sys.version_info"


def _is_text(frame: Frame, node: Any) -> bool:
    """Versions that are compared as texts, letter by letter."""
    value = _value(frame, node)
    return isinstance(value, Ext) and value.dotted.endswith("__version__")


def _is_whole(frame: Frame, node: Any) -> bool:
    """Is it JAX's version, however it is written, with nothing left out but what comes last?"""
    found = False
    pending = [node]
    while pending:
        n = pending.pop()
        if type(n) in (cst.Name, cst.Attribute):
            value = _value(frame, n)
            found = found or (isinstance(value, Version) and value.whole)
            if isinstance(value, Ext) and names_version(value.dotted):
                if value.dotted not in _OF_JAX:
                    return False
                found = True
                continue
            if type(n) is cst.Attribute and n.attr.value in _PARTS:
                return False
        if type(n) in (cst.Index, cst.Comparison):
            return False
        pending += parts(n)
    return found


def _number(node: Any) -> tuple[int, ...] | None:
    """The version that a side of a comparison is: `(0, 4)`, `Version("0.4")`, `tuple(map(int, "0.4".split(".")))`."""
    if type(node) is cst.Tuple:
        items = [e.value for e in node.elements]
        if not items or not all(type(i) is cst.Integer for i in items):
            return None
        return tuple(int(i.value, 0) for i in items if type(i) is cst.Integer)
    texts: list[str] = []
    pending = [node]
    while pending:
        n = pending.pop()
        if type(n) is cst.SimpleString:
            texts.append(str(n.evaluated_value))
        pending += parts(n)
    found = [t for t in texts if _NUMBERS.fullmatch(t)]
    return tuple(map(int, found[0].split("."))) if len(found) == 1 else None


def _probed(it: Interp, frame: Frame, node: Any) -> bool | None:
    """`hasattr(jax.core, "name")`, where the target releases agree."""
    owner, name = _value(frame, node.args[0].value), node.args[1].value
    if not isinstance(owner, Ext) or type(name) is not cst.SimpleString or not owner.dotted.startswith("jax"):
        return None
    return _has(it, owner.dotted, str(name.evaluated_value))


def _has(it: Interp, module: str, name: str) -> bool | None:
    """Whether a module of JAX has a name in all target releases, or in none; None when that isn't known."""
    from omnilint.api import history

    known: set[bool] = set()
    if not it.releases:
        return None
    first, last = (history.index_of(".".join(map(str, v))) for v in it.releases)
    for index in range(first, last + 1):
        if not history.is_module(module, index):
            return None
        found = history.resolve(f"{module}.{name}", index, module.count(".") + 1)
        if not found.known:
            return None
        known.add(not found.missing)
    return known.pop() if len(known) == 1 else None
