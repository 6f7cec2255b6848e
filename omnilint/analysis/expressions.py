"""What an expression evaluates to, and where it demands a concrete value."""

from __future__ import annotations

import operator as op
from collections.abc import Callable
from typing import Any

import libcst as cst

from omnilint.analysis import calls, objects
from omnilint.analysis.code import Code, Scope
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.values import (
    CONCRETE,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    ClassVal,
    Const,
    Either,
    Ext,
    Func,
    Instance,
    JaxArray,
    Mapping,
    ModuleVal,
    Seq,
    SliceVal,
    Static,
    Tup,
    Unknown,
    Value,
    arrays_in,
    children,
    join,
    join_all,
    options,
)

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
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
_DUNDER = {
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
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    cst.Equal: op.eq,
    cst.NotEqual: op.ne,
    cst.LessThan: op.lt,
    cst.LessThanEqual: op.le,
    cst.GreaterThan: op.gt,
    cst.GreaterThanEqual: op.ge,
}
_NUMERIC = (int, float, complex, bool)


def evaluate(it: Interp, frame: Frame, node: cst.BaseExpression) -> Value:
    """The value of an expression."""
    it.tick()
    handler = _HANDLERS.get(type(node))
    return UNKNOWN if handler is None else handler(it, frame, node)


def lookup(it: Interp, frame: Frame, name: str) -> Value:
    """The value of a name: local, enclosing, module level, builtin."""
    scope = frame.scope
    if name in scope.globals:
        return _module_name(it, frame, name)
    holder = scope.holder(name)
    if holder is not None:
        if holder is not scope and name in frame.state.index.rebound:
            it.note_read(frame, holder, name, holder.vars[name])
        return holder.vars[name]
    return _module_name(it, frame, name)


def _module_name(it: Interp, frame: Frame, name: str) -> Value:
    value = frame.state.get(name)
    if value is not None:
        if name in frame.state.index.rebound:
            it.note_read(frame, frame.state.scope, name, value)
        return value
    return calls.builtin(name)


def _name(it: Interp, frame: Frame, node: cst.Name) -> Value:
    return lookup(it, frame, node.value)


def _attribute(it: Interp, frame: Frame, node: cst.Attribute) -> Value:
    return objects.get_attribute(it, frame, evaluate(it, frame, node.value), node.attr.value, node)


def _integer(it: Interp, frame: Frame, node: cst.Integer) -> Value:
    return Const(int(node.value.replace("_", ""), 0))


def _float(it: Interp, frame: Frame, node: cst.Float) -> Value:
    return Const(float(node.value.replace("_", "")))


def _string(it: Interp, frame: Frame, node: cst.SimpleString | cst.ConcatenatedString) -> Value:
    value = node.evaluated_value
    return Const(value) if value is not None and len(value) < 2000 else Static("str")


def _concatenated(it: Interp, frame: Frame, node: cst.ConcatenatedString) -> Value:
    evaluate(it, frame, node.left)
    evaluate(it, frame, node.right)
    return _string(it, frame, node)


def _formatted(it: Interp, frame: Frame, node: cst.FormattedString) -> Value:
    text: str | None = ""
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            text = None if text is None else text + part.value
            continue
        if not isinstance(part, cst.FormattedStringExpression):
            continue
        value = evaluate(it, frame, part.expression)
        if part.format_spec and part.conversion is None:
            it.demand(frame, value, "format", part.expression, "a format specification", "TypeError")
        if isinstance(value, Const) and not part.format_spec and text is not None:
            text += str(value.value)
        else:
            text = None
    return Static("str") if text is None else Const(text)


def _elements(it: Interp, frame: Frame, elements: Any) -> tuple[list[Value], bool]:
    """Values of the elements of a display, and whether their number is known."""
    out: list[Value] = []
    known = True
    for e in elements:
        value = evaluate(it, frame, e.value)
        if isinstance(e, cst.StarredElement):
            items, elem = iterate(it, frame, value, e.value)
            if items is None:
                known = False
                out.append(elem)
            else:
                out.extend(items)
        else:
            out.append(value)
    return out, known


def _tuple(it: Interp, frame: Frame, node: cst.Tuple) -> Value:
    items, known = _elements(it, frame, node.elements)
    if not known:
        return Seq("tuple", None, join_all(items), it.trace)
    return Tup(items)


def _list(it: Interp, frame: Frame, node: cst.List | cst.Set) -> Value:
    items, known = _elements(it, frame, node.elements)
    kind = "list" if isinstance(node, cst.List) else "set"
    if kind == "set":
        for v, e in zip(items, node.elements, strict=False):
            it.demand(frame, v, "hash", e.value, "a set", "TypeError")
    if not known or len(items) > 64:
        return Seq(kind, None, join_all(items), it.trace)
    return Seq(kind, items, None, it.trace)


def _dict(it: Interp, frame: Frame, node: cst.Dict) -> Value:
    out = Mapping({}, None, it.trace)
    for e in node.elements:
        value = evaluate(it, frame, e.value)
        if isinstance(e, cst.StarredDictElement):
            merge(out, value)
            continue
        assert isinstance(e, cst.DictElement)
        key = evaluate(it, frame, e.key)
        if it.demand(frame, key, "hash", e.key, "a dict key", "TypeError"):
            continue
        if isinstance(key, Const) and len(out.items) < 200:
            out.items[key.value] = value
        else:
            out.elem = value if out.elem is None else join(out.elem, value)
    return out


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


# -- operators --------------------------------------------------------------------------------------


def _binary(it: Interp, frame: Frame, node: cst.BinaryOperation) -> Value:
    left = evaluate(it, frame, node.left)
    right = evaluate(it, frame, node.right)
    return binary(it, frame, type(node.operator), left, right, node)


def binary(it: Interp, frame: Frame, operator: type, left: Value, right: Value, node: cst.CSTNode) -> Value:
    """`left <operator> right`."""
    if isinstance(left, Either) or isinstance(right, Either):
        return join_all(binary(it, frame, operator, a, b, node) for a in options(left)[:4] for b in options(right)[:4])
    if isinstance(left, JaxArray) or isinstance(right, JaxArray):
        return _array_binary(it, frame, operator, left, right, node)
    if isinstance(left, Const) and isinstance(right, Const):
        return _const_binary(operator, left, right)
    if isinstance(left, Instance) or isinstance(right, Instance):
        return objects.dunder(it, frame, _DUNDER.get(operator, ""), left, right, node)
    sequence = _sequence_binary(it, operator, left, right)
    if sequence is not None:
        return sequence
    if isinstance(left, Mapping) and isinstance(right, Mapping) and operator is cst.BitOr:
        out = Mapping(dict(left.items), left.elem, it.trace)
        merge(out, right)
        return out
    return _static_binary(operator, left, right)


def _array_binary(it: Interp, frame: Frame, operator: type, left: Value, right: Value, node: cst.CSTNode) -> Value:
    if isinstance(left, Const) and isinstance(left.value, str):
        if operator is cst.Modulo and any(c in left.value for c in ("f", "d", "e", "g")):
            it.demand(frame, right, "format", node, "% formatting", "TypeError")
        return Static("str")
    if isinstance(left, Instance) or isinstance(right, Instance):
        return objects.dunder(it, frame, _DUNDER.get(operator, ""), left, right, node)
    for side in (left, right):
        if isinstance(side, Seq) and side.kind in ("list", "tuple"):
            return UNKNOWN
    dtype = None
    if operator in (cst.BitAnd, cst.BitOr, cst.BitXor):
        kinds = {v.dtype for v in (left, right) if isinstance(v, JaxArray)}
        dtype = kinds.pop() if len(kinds) == 1 else ("bool" if "bool" in kinds else None)
    return it.operation(frame, node, (left, right), dtype, python=True)


def _const_binary(operator: type, left: Const, right: Const) -> Value:
    a, b = left.value, right.value
    f = _BINARY.get(operator)
    try:
        if isinstance(a, _NUMERIC) and isinstance(b, _NUMERIC):
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
        seq = next((s for s in sides if isinstance(s, Tup | Seq)), None)
        if seq is None:
            return None
        times = right if seq is left else left
        if isinstance(seq, Tup) and isinstance(times, Const) and isinstance(times.value, int):
            if 0 <= times.value * len(seq.items) <= 32:
                return Tup(seq.items * times.value)
        if isinstance(seq, Tup | Seq) and children(seq):
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
    if all(isinstance(s, Tup | Seq) for s in sides):
        return Seq("tuple", None, join_all(c for s in sides for c in children(s)), it.trace)
    shape = next((s for s in sides if isinstance(s, Static) and s.kind == "shape"), None)
    other = right if shape is left else left
    if shape is not None and isinstance(other, Tup | Seq):
        if any(True for _ in arrays_in(other)):
            return Seq("tuple", None, join_all([Static("int", True), *children(other)]), it.trace)
        return Static("shape", True)
    if any(isinstance(s, Tup | Seq) for s in sides):
        return Seq("tuple", None, join_all([UNKNOWN, *(c for s in sides for c in children(s))]), it.trace)
    return None


def _static_binary(operator: type, left: Value, right: Value) -> Value:
    kinds = [_kind_of(v) for v in (left, right)]
    if None in kinds:
        return UNKNOWN
    shaped = any(isinstance(v, Static) and v.from_shape for v in (left, right))
    taint = next((v.taint for v in (left, right) if isinstance(v, Static) and v.taint is not None), None)
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


def _unary(it: Interp, frame: Frame, node: cst.UnaryOperation) -> Value:
    value = evaluate(it, frame, node.expression)
    if isinstance(node.operator, cst.Not):
        if it.demand(frame, value, "bool", node, "not", "TracerBoolConversionError"):
            return Static("bool")
        known = truth(value)
        return Static("bool") if known is None else Const(not known)
    out: list[Value] = []
    for v in options(value):
        if isinstance(v, JaxArray):
            out.append(it.operation(frame, node, (v,), v.dtype, python=True))
        elif isinstance(v, Const) and isinstance(v.value, _NUMERIC):
            if isinstance(node.operator, cst.Minus):
                out.append(Const(-v.value))
            elif isinstance(node.operator, cst.Plus):
                out.append(v)
            else:
                out.append(Const(~int(v.value)) if isinstance(v.value, int) else UNKNOWN)
        elif isinstance(v, Static):
            out.append(v)
        elif isinstance(v, Instance):
            name = {cst.Minus: "__neg__", cst.Plus: "__pos__", cst.BitInvert: "__invert__"}[type(node.operator)]
            out.append(objects.call_method(it, frame, v, name, [], node))
        else:
            out.append(UNKNOWN)
    return join_all(out)


def _boolean(it: Interp, frame: Frame, node: cst.BooleanOperation) -> Value:
    is_and = isinstance(node.operator, cst.And)
    left = evaluate(it, frame, node.left)
    word = "and" if is_and else "or"
    if it.demand(frame, left, "bool", node.left, word, "TracerBoolConversionError"):
        left = Static("bool")
    known = truth(left)
    if known is not None:
        if known != is_and:
            return left
        with narrowed(it, frame, node.left, is_and):
            return evaluate(it, frame, node.right)
    with it.branch(), narrowed(it, frame, node.left, is_and):
        right = evaluate(it, frame, node.right)
    return join(left if not isinstance(left, Static | Unknown) else _falsy(left), right)


def _falsy(v: Value) -> Value:
    return v


def _comparison(it: Interp, frame: Frame, node: cst.Comparison) -> Value:
    left = evaluate(it, frame, node.left)
    out: Value = TRUE
    for i, c in enumerate(node.comparisons):
        right = evaluate(it, frame, c.comparator)
        result = compare(it, frame, type(c.operator), left, right, node)
        if i < len(node.comparisons) - 1:
            if it.demand(frame, result, "bool", node, "a chained comparison", "TracerBoolConversionError"):
                result = Static("bool")
        out = result if i == 0 else _both(out, result)
        left = right
    return out


def _both(a: Value, b: Value) -> Value:
    ka, kb = truth(a), truth(b)
    if ka is False or kb is False:
        return FALSE
    if ka and kb is True:
        return TRUE
    return b if isinstance(b, JaxArray) else Static("bool")


def compare(it: Interp, frame: Frame, operator: type, left: Value, right: Value, node: cst.CSTNode) -> Value:
    """`left <operator> right`, one link of a comparison."""
    if operator in (cst.Is, cst.IsNot):
        same = identical(left, right)
        return Static("bool") if same is None else Const(same == (operator is cst.Is))
    if operator in (cst.In, cst.NotIn):
        return _contains(it, frame, left, right, node, operator is cst.NotIn)
    if isinstance(left, Either) or isinstance(right, Either):
        return join_all(compare(it, frame, operator, a, b, node) for a in options(left)[:4] for b in options(right)[:4])
    if isinstance(left, JaxArray) or isinstance(right, JaxArray):
        other = right if isinstance(left, JaxArray) else left
        if isinstance(other, Const) and (other.value is None or isinstance(other.value, str)):
            array = left if isinstance(left, JaxArray) else right
            assert isinstance(array, JaxArray)
            return Static("bool") if array.tree or array.maybe else Const(operator is cst.NotEqual)
        if isinstance(other, Tup | Seq | Mapping | Func | ClassVal):
            return Static("bool") if not isinstance(other, Tup | Seq) else UNKNOWN
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
    if isinstance(left, Tup) and isinstance(right, Tup) and operator in (cst.Equal, cst.NotEqual):
        if len(left.items) != len(right.items):
            return Const(operator is cst.NotEqual)
        for a, b in zip(left.items, right.items, strict=True):
            r = compare(it, frame, cst.Equal, a, b, node)
            it.demand(frame, r, "bool", node, "comparing tuples", "TracerBoolConversionError")
    kinds = {_kind_of(left), _kind_of(right)}
    if "ndarray" in kinds and None not in kinds:
        return Static("ndarray")
    if None in kinds and any(isinstance(v, Unknown) for v in (left, right)):
        return UNKNOWN
    same = identical(left, right)
    if same is not None and operator in (cst.Equal, cst.NotEqual):
        return Const(same == (operator is cst.Equal))
    shaped = any(isinstance(v, Static) and v.from_shape for v in (left, right))
    return Static("bool", shaped)


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
            return calls.canonical(left.dotted) == calls.canonical(right.dotted)
        return left.key() == right.key()
    if (isinstance(left, named) and isinstance(right, Const)) or (isinstance(left, Const) and isinstance(right, named)):
        return False
    return None


def _contains(it: Interp, frame: Frame, left: Value, right: Value, node: cst.CSTNode, negate: bool) -> Value:
    if isinstance(right, Mapping):
        if it.demand(frame, left, "hash", node, "a dict lookup", "TypeError"):
            return Static("bool")
        if isinstance(left, Const) and right.elem is None and not it.uncertain:
            return Const((left.value in right.items) != negate)
        return Static("bool")
    if isinstance(right, JaxArray) and not right.tree and not right.maybe:
        it.demand(frame, right, "bool", node, "in", "TracerBoolConversionError")
        return Static("bool")
    if isinstance(left, JaxArray) and isinstance(right, Tup | Seq):
        if isinstance(right, Seq) and right.kind == "set":
            it.demand(frame, left, "hash", node, "a set lookup", "TypeError")
        elif any(isinstance(c, Const) and isinstance(c.value, _NUMERIC) for c in children(right)):
            r = it.operation(frame, node, (left,), "bool", python=True)
            it.demand(frame, r, "bool", node, "in", "TracerBoolConversionError")
        return Static("bool")
    if isinstance(left, Const) and isinstance(right, Tup) and all(isinstance(c, Const) for c in right.items):
        return Const((left.value in [c.value for c in right.items if isinstance(c, Const)]) != negate)
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
    if isinstance(value, Func | ClassVal | ModuleVal):
        return True
    if isinstance(value, Instance):
        if value.open or objects.find(value.cls, "__bool__") or objects.find(value.cls, "__len__"):
            return None
        return True
    if isinstance(value, Either):
        known = {truth(v) for v in value.options}
        return known.pop() if len(known) == 1 else None
    return None


def test(it: Interp, frame: Frame, node: cst.BaseExpression, what: str) -> bool | None:
    """The truth of a condition; demands that it be concrete, part by part."""
    if isinstance(node, cst.BooleanOperation):
        return _test_both(it, frame, node, what)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        known = test(it, frame, node.expression, "not")
        return None if known is None else not known
    value = evaluate(it, frame, node)
    if it.demand(frame, value, "bool", node, what, "TracerBoolConversionError"):
        return None
    if isinstance(value, Instance):
        method = objects.find(value.cls, "__bool__")
        if method is not None:
            result = objects.call_method(it, frame, value, "__bool__", [], node)
            it.demand(frame, result, "bool", node, what, "TracerBoolConversionError")
            return truth(result)
    return truth(value)


def _test_both(it: Interp, frame: Frame, node: cst.BooleanOperation, what: str) -> bool | None:
    is_and = isinstance(node.operator, cst.And)
    word = "and" if is_and else "or"
    left = test(it, frame, node.left, word)
    if left is not None and left != is_and:
        return left
    if left is None:
        with it.branch(), narrowed(it, frame, node.left, is_and):
            right = test(it, frame, node.right, word)
        return right if right is not None and right != is_and else None
    with narrowed(it, frame, node.left, is_and):
        return test(it, frame, node.right, word)


def _ifexp(it: Interp, frame: Frame, node: cst.IfExp) -> Value:
    known = test(it, frame, node.test, "a conditional expression")
    if known is not None:
        with narrowed(it, frame, node.test, known):
            return evaluate(it, frame, node.body if known else node.orelse)
    with it.branch(), narrowed(it, frame, node.test, True):
        a = evaluate(it, frame, node.body)
    with it.branch(), narrowed(it, frame, node.test, False):
        b = evaluate(it, frame, node.orelse)
    return join(a, b)


class narrowed:
    """Within the block, names that the condition tests have what it says of them."""

    def __init__(self, it: Interp, frame: Frame, node: cst.BaseExpression, outcome: bool) -> None:
        self.frame = frame
        self.saved: dict[str, Value] = {}
        self.new = narrowing(it, frame, node, outcome)

    def __enter__(self) -> None:
        for name, value in self.new.items():
            self.saved[name] = self.frame.scope.vars[name]
            self.frame.scope.vars[name] = value

    def __exit__(self, *exc: object) -> None:
        for name, value in self.saved.items():
            if self.frame.scope.vars.get(name) is self.new[name]:
                self.frame.scope.vars[name] = value


def narrowing(it: Interp, frame: Frame, node: cst.BaseExpression, outcome: bool) -> dict[str, Value]:
    """Better values for local names, given the outcome of a condition."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return narrowing(it, frame, node.expression, not outcome)
    if isinstance(node, cst.BooleanOperation):
        if isinstance(node.operator, cst.And) == outcome:
            return {**narrowing(it, frame, node.left, outcome), **narrowing(it, frame, node.right, outcome)}
        return {}
    if isinstance(node, cst.Name):
        return _keep(frame, node.value, lambda v: truth(v) in (outcome, None))
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1 and isinstance(node.left, cst.Call):
        return _narrow_type(it, frame, node, outcome)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1 and isinstance(node.left, cst.Name):
        c = node.comparisons[0]
        if isinstance(c.operator, cst.Is | cst.IsNot) and isinstance(c.comparator, cst.Name):
            if c.comparator.value == "None":
                want = outcome == isinstance(c.operator, cst.Is)
                return _keep(frame, node.left.value, lambda v: identical(v, NONE) in (want, None))
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "hasattr":
        return _narrow_hasattr(frame, node, outcome)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "isinstance":
        if len(node.args) == 2 and isinstance(node.args[0].value, cst.Name):
            name = node.args[0].value.value
            with it.guarded():
                cls = evaluate(it, frame, node.args[1].value)
            kept = _keep(frame, name, lambda v: calls.is_instance(v, cls) in (outcome, None))
            value = kept.get(name, frame.scope.vars.get(name))
            if outcome and isinstance(value, JaxArray) and value.tree:
                kept[name] = calls.as_container(it, value, cls)
            return kept
    return {}


def _narrow_type(it: Interp, frame: Frame, node: cst.Comparison, outcome: bool) -> dict[str, Value]:
    """`type(x) is bool`."""
    call, c = node.left, node.comparisons[0]
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Name) or call.func.value != "type":
        return {}
    if len(call.args) != 1 or not isinstance(call.args[0].value, cst.Name):
        return {}
    want = outcome == isinstance(c.operator, cst.Is | cst.Equal)
    cls = evaluate(it, frame, c.comparator)
    return _keep(frame, call.args[0].value.value, lambda v: calls.is_instance(v, cls) in (want, None))


def _narrow_hasattr(frame: Frame, node: cst.Call, outcome: bool) -> dict[str, Value]:
    """`hasattr(x, "shape")`: an array, or certainly none."""
    if len(node.args) != 2 or not isinstance(node.args[0].value, cst.Name):
        return {}
    name, text = node.args[0].value.value, node.args[1].value
    word = text.evaluated_value if isinstance(text, cst.SimpleString) else None
    value = frame.scope.vars.get(name)
    if word in ("shape", "dtype", "ndim", "aval") and isinstance(value, JaxArray) and value.tree:
        return {name: value.but(tree=False) if outcome else UNKNOWN}
    return {}


def _keep(frame: Frame, name: str, wanted: Callable[[Value], bool]) -> dict[str, Value]:
    value = frame.scope.vars.get(name)
    if not isinstance(value, Either):
        return {}
    kept = [v for v in value.options if wanted(v)]
    if not kept or len(kept) == len(value.options):
        return {}
    return {name: kept[0] if len(kept) == 1 else Either(tuple(kept))}


# -- subscripts, calls, functions -------------------------------------------------------------------


def index_value(it: Interp, frame: Frame, elements: Any) -> Value:
    """The value between the brackets of a subscript."""
    parts: list[Value] = []
    for e in elements:
        if isinstance(e.slice, cst.Slice):
            bounds = (e.slice.lower, e.slice.upper, e.slice.step)
            parts.append(SliceVal(tuple(NONE if b is None else evaluate(it, frame, b) for b in bounds)))
        else:
            parts.append(evaluate(it, frame, e.slice.value))
    return parts[0] if len(parts) == 1 else Tup(parts)


def _subscript(it: Interp, frame: Frame, node: cst.Subscript) -> Value:
    base = evaluate(it, frame, node.value)
    index = index_value(it, frame, node.slice)
    return objects.get_item(it, frame, base, index, node)


def _lambda(it: Interp, frame: Frame, node: cst.Lambda) -> Value:
    prefix = frame.symbol + "." if frame.symbol else ""
    return Func(Code(frame.state.index, "<lambda>", prefix + "<lambda>", unit=frame.unit, node=node), frame.scope)


def _named(it: Interp, frame: Frame, node: cst.NamedExpr) -> Value:
    value = evaluate(it, frame, node.value)
    if isinstance(node.target, cst.Name):
        frame.scope.vars[node.target.value] = value
    return value


def _await(it: Interp, frame: Frame, node: cst.Await) -> Value:
    evaluate(it, frame, node.expression)
    return UNKNOWN


def _yield(it: Interp, frame: Frame, node: cst.Yield) -> Value:
    if node.value is None:
        frame.yields.append(NONE)
    elif isinstance(node.value, cst.From):
        items, elem = iterate(it, frame, evaluate(it, frame, node.value.item), node)
        frame.yields.extend(items if items is not None else [elem])
    else:
        frame.yields.append(evaluate(it, frame, node.value))
    return UNKNOWN


def iterate(it: Interp, frame: Frame, value: Value, node: cst.CSTNode) -> tuple[list[Value] | None, Value]:
    """What iterating over a value gives: its items when their number is known, else None; and their join."""
    if isinstance(value, Tup):
        return list(value.items), join_all(value.items)
    if isinstance(value, Seq):
        if value.items is not None:
            return list(value.items), join_all(value.items)
        return None, value.elem if value.elem is not None else UNKNOWN
    if isinstance(value, Mapping):
        keys: list[Value] = [Const(k) for k in value.items]
        if value.elem is None:
            return keys, join_all(keys)
        return None, Static("object")
    if isinstance(value, Const) and isinstance(value.value, str) and len(value.value) <= 16:
        return [Const(c) for c in value.value], Static("str")
    if isinstance(value, JaxArray):
        if value.tree or value.maybe:
            return None, value.but(param=None, dtype=None)
        if value.profile == CONCRETE and not it.staging:
            return None, value
        return None, it.operation(frame, node, (value,), value.dtype)
    if isinstance(value, Static):
        if value.kind == "shape":
            return None, Static("int", value.from_shape)
        if value.kind in ("ndarray", "range"):
            return None, Static("ndarray" if value.kind == "ndarray" else "int", value.from_shape, value.taint)
        if value.kind == "str":
            return None, Static("str")
        return None, UNKNOWN
    if isinstance(value, Instance):
        if value.cls.record == "namedtuple":
            items = [value.attrs.get(f.name, UNKNOWN) for f in value.cls.fields]
            return items, join_all(items)
        if objects.find(value.cls, "__iter__") is not None:
            return iterate(it, frame, objects.call_method(it, frame, value, "__iter__", [], node), node)
    if isinstance(value, Either):
        return None, join_all(iterate(it, frame, v, node)[1] for v in value.options)
    return None, UNKNOWN


def _comprehension(it: Interp, frame: Frame, node: Any) -> Value:
    scope = Scope(frame.scope, it.trace)
    inner = Frame(frame.state, frame.unit, scope, frame.symbol, frame.code)
    inner.statement, inner.cls, inner.self_value = frame.statement, frame.cls, frame.self_value
    results: list[Value] = []
    exact = _comp_loop(it, inner, node.for_in, node, results)
    inner_yields = inner.yields
    frame.yields.extend(inner_yields)
    if isinstance(node, cst.DictComp):
        out = Mapping({}, None, it.trace)
        for pair in results:
            assert isinstance(pair, Tup)
            k, v = pair.items
            if exact and isinstance(k, Const):
                out.items[k.value] = v
            else:
                out.elem = v if out.elem is None else join(out.elem, v)
        return out
    kind = {cst.ListComp: "list", cst.SetComp: "set", cst.GeneratorExp: "iterator"}[type(node)]
    if exact and len(results) <= 32:
        return Seq(kind, results, None, it.trace)
    return Seq(kind, None, join_all(results) if results else UNKNOWN, it.trace)


def _comp_loop(it: Interp, frame: Frame, loop: cst.CompFor, node: Any, results: list[Value]) -> bool:
    from omnilint.analysis.statements import assign

    items, elem = iterate(it, frame, evaluate(it, frame, loop.iter), loop.iter)
    exact = items is not None and len(items) <= 16
    for item in items if exact and items is not None else [elem]:
        assign(it, frame, loop.target, item, loop.target)
        taken: bool | None = True
        for condition in loop.ifs:
            known = test(it, frame, condition.test, "a comprehension's condition")
            taken = known if taken is True else taken and known
            if known is False:
                break
        if taken is False:
            continue
        if taken is None:
            exact = False
        if loop.inner_for_in is not None:
            exact = _comp_loop(it, frame, loop.inner_for_in, node, results) and exact
        elif isinstance(node, cst.DictComp):
            key = evaluate(it, frame, node.key)
            it.demand(frame, key, "hash", node.key, "a dict key", "TypeError")
            results.append(Tup((key, evaluate(it, frame, node.value))))
        else:
            results.append(evaluate(it, frame, node.elt))
    return exact


def _call(it: Interp, frame: Frame, node: cst.Call) -> Value:
    return calls.call_node(it, frame, node)


_CONSTANT_NAMES = {"True": TRUE, "False": FALSE, "None": NONE}


def _constant_or_name(it: Interp, frame: Frame, node: cst.Name) -> Value:
    constant = _CONSTANT_NAMES.get(node.value)
    return constant if constant is not None else _name(it, frame, node)


_HANDLERS: dict[type, Callable[[Interp, Frame, Any], Value]] = {
    cst.Name: _constant_or_name,
    cst.Attribute: _attribute,
    cst.Integer: _integer,
    cst.Float: _float,
    cst.Imaginary: lambda it, frame, node: Static("complex"),
    cst.Ellipsis: lambda it, frame, node: Const(...),
    cst.SimpleString: _string,
    cst.ConcatenatedString: _concatenated,
    cst.FormattedString: _formatted,
    cst.Tuple: _tuple,
    cst.List: _list,
    cst.Set: _list,
    cst.Dict: _dict,
    cst.BinaryOperation: _binary,
    cst.UnaryOperation: _unary,
    cst.BooleanOperation: _boolean,
    cst.Comparison: _comparison,
    cst.IfExp: _ifexp,
    cst.Subscript: _subscript,
    cst.Lambda: _lambda,
    cst.NamedExpr: _named,
    cst.Await: _await,
    cst.Yield: _yield,
    cst.ListComp: _comprehension,
    cst.SetComp: _comprehension,
    cst.GeneratorExp: _comprehension,
    cst.DictComp: _comprehension,
    cst.Call: _call,
}
