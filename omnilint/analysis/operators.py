"""Operators: arithmetic, comparisons, identity and truth of abstract values."""

from __future__ import annotations

import operator as op
import re
from collections.abc import Callable
from typing import Any

from omnilint.analysis import calls, objects, turns
from omnilint.analysis import nodes as cst
from omnilint.analysis.definitions import ClassVal, Ext, Func, Instance, ModuleVal
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import arrays_in, children, join, join_all, options
from omnilint.analysis.tables import canonical
from omnilint.analysis.traces import Link
from omnilint.analysis.values import UNKNOWN, Const, Either, JaxArray, Mapping, Seq, Static, Tup, Unknown, Value

_BINARY: dict[Any, Callable[[Any, Any], Any]] = {
    cst.Add: op.add,
    cst.Subtract: op.sub,
    cst.Multiply: op.mul,
    cst.Divide: op.truediv,
    cst.FloorDivide: op.floordiv,
    cst.Modulo: op.mod,
    cst.BitAnd: op.and_,
    cst.BitOr: op.or_,
    cst.BitXor: op.xor,
    cst.LeftShift: op.lshift,
    cst.RightShift: op.rshift,
}
_DUNDER: dict[Any, str] = {
    cst.Add: "add",
    cst.Subtract: "sub",
    cst.Multiply: "mul",
    cst.Divide: "truediv",
    cst.FloorDivide: "floordiv",
    cst.Modulo: "mod",
    cst.Power: "pow",
    cst.MatrixMultiply: "matmul",
    cst.BitAnd: "and",
    cst.BitOr: "or",
    cst.BitXor: "xor",
    cst.LeftShift: "lshift",
    cst.RightShift: "rshift",
}
_COMPARE: dict[Any, Callable[[Any, Any], Any]] = {
    cst.Equal: op.eq,
    cst.NotEqual: op.ne,
    cst.LessThan: op.lt,
    cst.LessThanEqual: op.le,
    cst.GreaterThan: op.gt,
    cst.GreaterThanEqual: op.ge,
}
NUMERIC = (int, float, complex, bool)


def merge(out: Mapping, value: Value) -> None:
    """`out.update(value)` for a fresh mapping."""
    if isinstance(value, Mapping):
        out.items.update(value.items)
        if value.elem is not None:
            out.elem = value.elem if out.elem is None else join(out.elem, value.elem)
    else:
        elem = UNKNOWN
        if isinstance(value, JaxArray):
            out.elem = value if out.elem is None else join(out.elem, value)
        else:
            out.elem = elem


_SETWISE = (cst.Subtract, cst.BitAnd, cst.BitOr, cst.BitXor)


def binary(it: Interp, frame: Frame, operator: type, left: Value, right: Value, node: cst.CSTNode) -> Value:
    """`left <operator> right`."""
    if isinstance(left, Either) or isinstance(right, Either):
        return join_all(binary(it, frame, operator, a, b, node) for a in options(left)[:4] for b in options(right)[:4])
    if isinstance(left, Const) and isinstance(left.value, str) and operator is cst.Modulo:
        _percent(it, frame, left.value, right, node)
        return Static("str")
    if isinstance(left, JaxArray) or isinstance(right, JaxArray):
        return _array_binary(it, frame, operator, left, right, node)
    if isinstance(left, Const) and isinstance(right, Const):
        return _const_binary(operator, left, right)
    if isinstance(left, Instance) or isinstance(right, Instance):
        return objects.dunder(it, frame, _DUNDER.get(operator, ""), left, right, node)
    if operator is cst.BitOr and isinstance(left, (Ext, Tup, ClassVal)) and isinstance(right, (Ext, ClassVal)):
        return Tup((*(left.items if isinstance(left, Tup) else (left,)), right))  # a union of types
    if operator in _SETWISE and isinstance(left, Seq) and isinstance(right, (Seq, Mapping)):  # sets, keys of dicts
        return Seq("set", None, join_all(children(left)) if children(left) else UNKNOWN, it.trace)
    sequence = _sequence_binary(it, operator, left, right)
    if sequence is not None:
        return sequence
    if isinstance(left, Mapping) and isinstance(right, Mapping) and operator is cst.BitOr:
        out = Mapping(dict(left.items), left.elem, it.trace)
        merge(out, right)
        return out
    return turns.made_of(_static_binary(operator, left, right), left, right)


def _array_binary(it: Interp, frame: Frame, operator: type, left: Value, right: Value, node: cst.CSTNode) -> Value:
    if isinstance(left, Const) and isinstance(left.value, str):
        if operator is cst.Modulo:
            _percent(it, frame, left.value, right, node)
        elif operator is cst.Multiply:
            it.demand(frame, right, "index", node, "repeating a string", "TypeError")
        return Static("str")
    if isinstance(left, Instance) or isinstance(right, Instance):
        return objects.dunder(it, frame, _DUNDER.get(operator, ""), left, right, node)
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Tup) or (isinstance(side, Seq) and side.kind in ("list", "tuple")):
            if operator is cst.Multiply and not any(True for _ in arrays_in(side)):
                it.demand(frame, other, "index", node, "repeating a list", "TypeError")
            return UNKNOWN
    dtype = None
    if operator in (cst.BitAnd, cst.BitOr, cst.BitXor):
        kinds = {v.dtype for v in (left, right) if isinstance(v, JaxArray)}
        dtype = kinds.pop() if len(kinds) == 1 else ("bool" if "bool" in kinds else None)
    return it.operation(frame, node, (left, right), dtype, python=True)


_FORMAT = re.compile(r"%(?:\([^)]*\))?[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?([a-zA-Z%])")


def _percent(it: Interp, frame: Frame, template: str, right: Value, node: cst.CSTNode) -> None:
    """`template % right`: numbers are converted, %s and %r show a tracer as it is."""
    letters = [c for c in _FORMAT.findall(template) if c != "%"]
    values = list(right.items) if isinstance(right, Tup) else [right]
    for letter, value in zip(letters, values, strict=False):
        if letter not in "sra" and it.demand(frame, value, "format", node, "% formatting", "TypeError"):
            return


def _const_binary(operator: type, left: Const, right: Const) -> Value:
    a, b = left.value, right.value
    f = _BINARY.get(operator)
    try:
        if type(a) in NUMERIC and type(b) in NUMERIC:
            if operator is cst.Power:
                if abs(b) <= 64 and abs(a) <= 1 << 32:
                    return Const(a**b)
                return Static("float" if isinstance(a, float) or isinstance(b, float) else "int")
            if operator is cst.LeftShift and isinstance(b, int) and b > 64:
                return Static("int")
            if f is not None:
                return Const(f(a, b))
        if isinstance(a, str) and isinstance(b, str) and operator is cst.Add:
            return Const(a + b)
        if isinstance(a, str):
            return Static("str")
    except (ArithmeticError, ValueError, TypeError):
        return UNKNOWN
    return UNKNOWN


def _sequence_binary(it: Interp, operator: type, left: Value, right: Value) -> Value | None:
    sides = (left, right)
    if operator is cst.Multiply:
        seq = next((s for s in sides if isinstance(s, (Tup, Seq))), None)
        if seq is None:
            return None
        times = right if seq is left else left
        count = times.value if isinstance(times, Const) and isinstance(times.value, int) else None
        if isinstance(seq, Tup) and count is not None and 0 <= count * len(seq.items) <= 32:
            return Tup(seq.items * count)
        if isinstance(seq, (Tup, Seq)) and children(seq):
            kind = "tuple" if isinstance(seq, Tup) else seq.kind
            return Seq(kind, None, join_all(children(seq)), it.trace)
        return None
    if operator is not cst.Add:
        return None
    if isinstance(left, Tup) and isinstance(right, Tup):
        return Tup((*left.items, *right.items))
    if isinstance(left, Seq) and isinstance(right, Seq):
        if left.items is not None and right.items is not None:
            return Seq(left.kind, [*left.items, *right.items], None, it.trace)
        return Seq(left.kind, None, join_all([*children(left), *children(right)]), it.trace)
    if all(isinstance(s, (Tup, Seq)) for s in sides):
        kind = left.kind if isinstance(left, Seq) else "tuple"
        return Seq(kind, None, join_all(c for s in sides for c in children(s)), it.trace)
    shape = next((s for s in sides if isinstance(s, Static) and s.kind == "shape"), None)
    other = right if shape is left else left
    if shape is not None and isinstance(other, (Tup, Seq)):
        if any(True for _ in arrays_in(other)):
            return Seq("tuple", None, join_all([Static("int", True), *children(other)]), it.trace)
        return Static("shape", True)
    if any(isinstance(s, (Tup, Seq)) for s in sides):
        return Seq("tuple", None, join_all([UNKNOWN, *(c for s in sides for c in children(s))]), it.trace)
    return None


def _static_binary(operator: type, left: Value, right: Value) -> Value:
    kinds = [_kind_of(v) for v in (left, right)]
    if None in kinds:
        return UNKNOWN
    shaped = any(isinstance(v, Static) and v.from_shape for v in (left, right))
    # Of a difference of two times the first reading, which is subtracted, explains most.
    sides = (right, left) if operator is cst.Subtract else (left, right)
    taint = next((v.taint for v in sides if isinstance(v, Static) and v.taint is not None), None)
    if "ndarray" in kinds:
        return Static("ndarray", shaped, taint)
    if "str" in kinds:
        return Static("str")
    if "shape" in kinds:
        return Static("shape", shaped)
    if not all(k in ("int", "float", "bool", "complex", "number") for k in kinds):
        return Static("object", shaped, taint)
    if operator is cst.Divide or "float" in kinds:
        return Static("float", shaped, taint)
    if "complex" in kinds or "number" in kinds:
        return Static("number", shaped, taint)
    return Static("int", shaped, taint)


def _kind_of(v: Value) -> str | None:
    if isinstance(v, Static):
        return v.kind
    if isinstance(v, Const) and v.value is not None:
        return type(v.value).__name__
    return None


def _is_shape(v: Value) -> bool:
    if isinstance(v, Seq) and v.items is None:
        v = v.elem or UNKNOWN
        return isinstance(v, Static) and v.from_shape
    return isinstance(v, Static) and v.kind == "shape"


def compare(it: Interp, frame: Frame, operator: type, left: Value, right: Value, node: cst.CSTNode) -> Value:
    """`left <operator> right`, one link of a comparison."""
    if operator in (cst.Is, cst.IsNot):
        same = identical(left, right)
        return Static("bool") if same is None else Const(same == (operator is cst.Is))
    if operator in (cst.In, cst.NotIn):
        if isinstance(left, Either):
            return join_all(_contains(it, frame, v, right, node, operator is cst.NotIn) for v in left.options)
        return _contains(it, frame, left, right, node, operator is cst.NotIn)
    if isinstance(left, Either) or isinstance(right, Either):
        return join_all(compare(it, frame, operator, a, b, node) for a in options(left)[:4] for b in options(right)[:4])
    if isinstance(left, JaxArray) or isinstance(right, JaxArray):
        other = right if isinstance(left, JaxArray) else left
        if isinstance(other, Const) and (other.value is None or isinstance(other.value, str)):
            array = left if isinstance(left, JaxArray) else right
            assert isinstance(array, JaxArray)
            return Static("bool") if array.tree or array.maybe else Const(operator is cst.NotEqual)
        if isinstance(other, (Tup, Seq, Mapping, Func, ClassVal)):
            return Static("bool") if not isinstance(other, (Tup, Seq)) else UNKNOWN
        if isinstance(other, Instance):
            return objects.compare(it, frame, operator, left, right, node)
        return it.operation(frame, node, (left, right), "bool", python=True)
    if isinstance(left, Const) and isinstance(right, Const):
        try:
            return Const(bool(_COMPARE[operator](left.value, right.value)))
        except TypeError:
            return Static("bool")
    if isinstance(left, Instance) or isinstance(right, Instance):
        return objects.compare(it, frame, operator, left, right, node)
    a_items = left.items if isinstance(left, (Tup, Seq)) else None
    b_items = right.items if isinstance(right, (Tup, Seq)) else None
    if a_items is not None and b_items is not None and operator in (cst.Equal, cst.NotEqual):
        if len(a_items) != len(b_items):
            return Const(operator is cst.NotEqual)
        for a, b in zip(a_items, b_items, strict=True):
            if a is not b:
                r = compare(it, frame, cst.Equal, a, b, node)
                it.demand(frame, r, "bool", node, "comparing tuples", "TracerBoolConversionError")
    elif operator in (cst.Equal, cst.NotEqual) and (_is_shape(left) or _is_shape(right)):
        for v in children(right if _is_shape(left) else left):
            if isinstance(v, JaxArray):
                r = compare(it, frame, cst.Equal, Static("int", True), v, node)
                it.demand(frame, r, "bool", node, "comparing tuples", "TracerBoolConversionError")
    kinds = {_kind_of(left), _kind_of(right)}
    if "ndarray" in kinds and None not in kinds:
        return Static("ndarray", False, _taint_of(left, right))
    if None in kinds and any(isinstance(v, Unknown) for v in (left, right)):
        return UNKNOWN
    same = identical(left, right)
    if same is not None and operator in (cst.Equal, cst.NotEqual):
        return Const(same == (operator is cst.Equal))
    shaped = any(isinstance(v, Static) and v.from_shape for v in (left, right))
    return Static("bool", shaped, _taint_of(left, right))


def _taint_of(*values: Value) -> Link | None:
    return next((v.taint for v in values if isinstance(v, Static) and v.taint is not None), None)


def identical(left: Value, right: Value) -> bool | None:
    """Is `left` the same object as `right`? None when not known."""
    if isinstance(left, Either) or isinstance(right, Either):
        answers = {identical(a, b) for a in options(left) for b in options(right)}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    for a, b in ((left, right), (right, left)):
        if isinstance(a, Const) and a.value is None:
            if isinstance(b, Const):
                return b.value is None
            if isinstance(b, Static):
                return False if b.kind not in ("object",) else None
            if isinstance(b, JaxArray):
                return None if b.maybe or (b.tree and b.param is None) else False
            if isinstance(b, Ext):
                return False if calls.is_known(b.dotted) else None
            return False
    if isinstance(left, Const) and isinstance(right, Const):
        return bool(left.value == right.value) if type(left.value) is type(right.value) else False
    named = (Ext, Func, ClassVal, ModuleVal)
    if isinstance(left, named) and isinstance(right, named):
        if isinstance(left, Ext) and isinstance(right, Ext):
            return canonical(left.dotted) == canonical(right.dotted)
        return bool(left.key() == right.key())
    if (isinstance(left, named) and isinstance(right, Const)) or (isinstance(left, Const) and isinstance(right, named)):
        return False
    return None


def _contains(it: Interp, frame: Frame, left: Value, right: Value, node: cst.CSTNode, negate: bool) -> Value:
    if isinstance(right, Instance) and isinstance(objects.find(right.cls, "__contains__"), Func):
        before = len(it.events)
        answer = objects.call_method(it, frame, right, "__contains__", [left], node)
        if len(it.events) == before:
            it.demand(frame, answer, "bool", node, "in", "TracerBoolConversionError")
        return Static("bool")
    if isinstance(right, Mapping):
        if objects.demand_hash(it, frame, left, node, "a dict lookup"):
            return Static("bool")
        if isinstance(left, Const) and right.elem is None and not it.uncertain:
            return Const((left.value in right.items) != negate)
        return Static("bool")
    if isinstance(right, JaxArray) and not right.tree and not right.maybe:
        if _kind_of(left) != "str":  # who looks for a word knows that it is a dict
            it.demand(frame, right, "bool", node, "in", "TracerBoolConversionError")
        return Static("bool")
    if isinstance(left, JaxArray) and isinstance(right, (Tup, Seq)):
        if isinstance(right, Seq) and right.kind == "set":
            it.demand(frame, left, "hash", node, "a set lookup", "TypeError")
        elif any(isinstance(c, Const) and isinstance(c.value, NUMERIC) for c in children(right)):
            r = it.operation(frame, node, (left,), "bool", python=True)
            it.demand(frame, r, "bool", node, "in", "TracerBoolConversionError")
        return Static("bool")
    if isinstance(left, Const) and isinstance(right, Tup) and all(isinstance(c, Const) for c in right.items):
        return Const((left.value in [c.value for c in right.items if isinstance(c, Const)]) != negate)
    if isinstance(left, Ext) and isinstance(right, Tup) and all(isinstance(c, Ext) for c in right.items):
        return Const(any(identical(left, c) for c in right.items) != negate)
    if isinstance(left, Const) and isinstance(right, Const) and isinstance(right.value, str):
        return Const((str(left.value) in right.value) != negate)
    return Static("bool")


def truth(value: Value) -> bool | None:
    """What `bool(value)` gives, None when not known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Tup):
        return bool(value.items)
    if isinstance(value, Seq):
        return bool(value.items) if value.items is not None else None
    if isinstance(value, Mapping):
        return bool(value.items) if value.items or value.elem is None else None
    if isinstance(value, (Func, ClassVal, ModuleVal)):
        return True
    if isinstance(value, Instance):
        if value.open or objects.find(value.cls, "__bool__") or objects.find(value.cls, "__len__"):
            return None
        return True
    if isinstance(value, Either):
        known = {truth(v) for v in value.options}
        return known.pop() if len(known) == 1 else None
    return None
