"""What an expression evaluates to, and where it demands a concrete value."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from typing import Any

from omnilint.analysis import calls, indexing, objects
from omnilint.analysis import nodes as cst
from omnilint.analysis.choosing import or_another
from omnilint.analysis.code import Code, Scope
from omnilint.analysis.definitions import Ext, Func, Instance, ModuleVal
from omnilint.analysis.guards import asks_for_none
from omnilint.analysis.held import held, part_of
from omnilint.analysis.interp import BudgetSpentError, Frame, Interp
from omnilint.analysis.joins import children, join, join_all, options
from omnilint.analysis.narrowing import narrowed
from omnilint.analysis.operators import NUMERIC, binary, compare, merge, truth
from omnilint.analysis.releases import asks, names_version, open_ended, told
from omnilint.analysis.traces import Link
from omnilint.analysis.values import (
    CONCRETE,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Answer,
    Const,
    Either,
    Flag,
    JaxArray,
    Mapping,
    Release,
    Seq,
    SliceVal,
    Static,
    Tup,
    Unknown,
    Value,
    Version,
)


def evaluate(it: Interp, frame: Frame, node: cst.BaseExpression) -> Value:
    """The value of an expression."""
    it.steps += 1
    if it.steps > it.limit:
        raise BudgetSpentError
    if type(node) is cst.Name:  # half of all expressions
        scope = frame.scope
        known = scope.vars.get(node.value)
        if known is not None and not scope.globals:
            return known
    handler = _HANDLERS.get(type(node))
    return UNKNOWN if handler is None else handler(it, frame, node)


def lookup(it: Interp, frame: Frame, name: str) -> Value:
    """The value of a name: local, enclosing, module level, builtin."""
    scope = frame.scope
    holder = scope.holder(name) if name not in scope.globals else None
    if holder is not None:
        if name in scope.nonlocals and _only_reads(frame, holder.vars[name], name):
            it.note_read(holder, name, holder.vars[name], (frame.unit, frame.statement))
            return Flag()
        if it.trace is not None and holder is not scope and holder.trace is not it.trace:
            it.note_read(holder, name, holder.vars[name], (frame.unit, frame.statement))
            return held(it, holder.vars[name], holder.trace, name)
        return holder.vars[name]
    return _module_name(it, frame, name)


def _only_reads(frame: Frame, value: Value, name: str) -> bool:
    """Is it a switch that the functions beside this one set?"""
    if not isinstance(value, Const) or not isinstance(value.value, bool) or frame.code is None:
        return False
    return re.search(rf"\b{re.escape(name)}\s*[-+*/|&^]?=[^=]", frame.code.unit.text(frame.code.node)) is None


def _module_name(it: Interp, frame: Frame, name: str) -> Value:
    value = frame.state.get(name)
    if value is None:
        return calls.builtin(name)
    if it.trace is None:
        return value
    rebound = name in frame.state.index.rebound
    if rebound and isinstance(value, (Ext, ModuleVal)):
        return UNKNOWN  # which library it is was chosen elsewhere
    if rebound or isinstance(value, (Const, JaxArray)):
        it.note_read(frame.state.scope, name, value, (frame.unit, frame.statement))
    if rebound and isinstance(value, Const) and isinstance(value.value, bool):
        return Flag()
    if rebound:
        value = or_another(value)
    return held(it, value, None, name)


def _attribute(it: Interp, frame: Frame, node: cst.Attribute) -> Value:
    return objects.get_attribute(it, frame, evaluate(it, frame, node.value), node.attr.value, node)


def _literal(it: Interp, frame: Frame, node: cst.Integer | cst.Float | cst.SimpleString) -> Value:
    known = frame.unit.constants.get(id(node))
    if known is None:
        known = frame.unit.constants[id(node)] = _read(frame, node)
    return known


def _read(frame: Frame, node: cst.Integer | cst.Float | cst.SimpleString) -> Value:
    origin = frame.unit.origins.get(id(node))
    if type(node) is cst.SimpleString:
        value = origin.value if isinstance(origin, ast.Constant) else node.evaluated_value
        return Const(value) if isinstance(value, (str, bytes)) and len(value) < 2000 else Static("str")
    text = node.value.replace("_", "")
    return Const(int(text, 0)) if type(node) is cst.Integer else Const(float(text))


def _formatted(it: Interp, frame: Frame, node: cst.FormattedString) -> Value:
    text: str | None = ""
    for part in node.parts:
        if type(part) is cst.FormattedStringText:
            text = None if text is None else text + part.value
            continue
        if type(part) is not cst.FormattedStringExpression:
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
        if type(e) is cst.StarredElement:
            items, elem = iterate(it, frame, value, e.value, sys.maxsize)
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
    kind = "list" if type(node) is cst.List else "set"
    if kind == "set":
        for v, e in zip(items, node.elements, strict=False):
            it.demand(frame, v, "hash", e.value, "a set", "TypeError", True)
    if not known or len(items) > 64:
        return Seq(kind, None, join_all(items), it.trace)
    return Seq(kind, items, None, it.trace)


def _dict(it: Interp, frame: Frame, node: cst.Dict) -> Value:
    out = Mapping({}, None, it.trace)
    for e in node.elements:
        value = evaluate(it, frame, e.value)
        if type(e) is cst.StarredDictElement:
            merge(out, value)
            continue
        assert type(e) is cst.DictElement
        key = evaluate(it, frame, e.key)
        if it.demand(frame, key, "hash", e.key, "a dict key", "TypeError"):
            continue
        if isinstance(key, Const) and len(out.items) < 200:
            out.items[key.value] = value
        else:
            out.elem = value if out.elem is None else join(out.elem, value)
    return out


# -- operators --------------------------------------------------------------------------------------


def _binary(it: Interp, frame: Frame, node: cst.BinaryOperation) -> Value:
    left = evaluate(it, frame, node.left)
    right = evaluate(it, frame, node.right)
    return binary(it, frame, type(node.operator), left, right, node)


def _unary(it: Interp, frame: Frame, node: cst.UnaryOperation) -> Value:
    value = evaluate(it, frame, node.expression)
    if type(node.operator) is cst.Not:
        if it.demand(frame, value, "bool", node, "not", "TracerBoolConversionError"):
            return Static("bool")
        known = truth(value)
        if known is None:
            return Release() if isinstance(value, Release) else Static("bool")
        return Const(not known)
    out: list[Value] = []
    for v in options(value):
        if isinstance(v, JaxArray):
            out.append(it.operation(frame, node, (v,), v.dtype, python=True))
        elif isinstance(v, Const) and isinstance(v.value, NUMERIC):
            if type(node.operator) is cst.Minus:
                out.append(Const(-v.value))
            elif type(node.operator) is cst.Plus:
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
    is_and = type(node.operator) is cst.And
    left = told(it, frame, node.left, evaluate(it, frame, node.left))
    word = "and" if is_and else "or"
    fails = it.demand(frame, left, "bool", node.left, word, "TracerBoolConversionError")
    if fails:
        left = Static("bool")
    known = truth(left)
    if known is not None:
        if known != is_and:
            return left
        with narrowed(it, frame, node.left, is_and):
            return evaluate(it, frame, node.right)
    switch = isinstance(left, Flag) and not isinstance(left, Answer)
    fails = fails or switch or (not is_and and isinstance(left, JaxArray) and left.profile != CONCRETE)
    with it.branch(), it.guarded(fails), narrowed(it, frame, node.left, is_and):
        right = evaluate(it, frame, node.right)
    return join(left, right)


def _comparison(it: Interp, frame: Frame, node: cst.Comparison) -> Value:
    left = evaluate(it, frame, node.left)
    out: Value = TRUE
    for i, c in enumerate(node.comparisons):
        right = evaluate(it, frame, c.comparator)
        result = compare(it, frame, type(c.operator), left, right, node)
        inner = i < len(node.comparisons) - 1
        if inner and it.demand(frame, result, "bool", node, "a chained comparison", "TracerBoolConversionError"):
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


def test(it: Interp, frame: Frame, node: cst.BaseExpression, what: str) -> bool | None:
    """The truth of a condition; demands that it be concrete, part by part."""
    if type(node) is cst.BooleanOperation:
        return _test_both(it, frame, node, what)
    if type(node) is cst.UnaryOperation and type(node.operator) is cst.Not:
        known = test(it, frame, node.expression, "not")
        return None if known is None else not known
    value = evaluate(it, frame, node)
    if isinstance(value, (Unknown, Static, Either)):
        value = asks(it, frame, node, value)
    it.tested = value
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
    is_and = type(node.operator) is cst.And
    word = "and" if is_and else "or"
    left = test(it, frame, node.left, word)
    if left is not None and left != is_and:
        return left
    if left is None:
        switch = it.tested if isinstance(it.tested, Flag) else None
        guards = switch is not None and not isinstance(switch, Answer)
        with it.branch(), it.guarded(guards), narrowed(it, frame, node.left, is_and):
            right = test(it, frame, node.right, word)
        it.tested = switch or it.tested
        return right if right is not None and right != is_and else None
    with narrowed(it, frame, node.left, is_and):
        return test(it, frame, node.right, word)


def _ifexp(it: Interp, frame: Frame, node: cst.IfExp) -> Value:
    known = test(it, frame, node.test, "a conditional expression")
    if known is not None:
        with narrowed(it, frame, node.test, known):
            return evaluate(it, frame, node.body if known else node.orelse)
    absent = asks_for_none(node.test)
    either = open_ended(it.tested)
    with it.branch(), it.guarded(absent is True or either), narrowed(it, frame, node.test, True):
        a = evaluate(it, frame, node.body)
    with it.branch(), it.guarded(absent is False or either), narrowed(it, frame, node.test, False):
        b = evaluate(it, frame, node.orelse)
    return join(a, b)


# -- subscripts, calls, functions -------------------------------------------------------------------


def index_value(it: Interp, frame: Frame, elements: Any) -> Value:
    """The value between the brackets of a subscript."""
    parts: list[Value] = []
    for e in elements:
        if type(e.slice) is cst.Slice:
            bounds = (e.slice.lower, e.slice.upper, e.slice.step)
            parts.append(SliceVal(tuple(NONE if b is None else evaluate(it, frame, b) for b in bounds)))
        else:
            parts.append(evaluate(it, frame, e.slice.value))
    return parts[0] if len(parts) == 1 else Tup(parts)


def _subscript(it: Interp, frame: Frame, node: cst.Subscript) -> Value:
    base = evaluate(it, frame, node.value)
    index = index_value(it, frame, node.slice)
    return indexing.get_item(it, frame, base, index, node)


def _lambda(it: Interp, frame: Frame, node: cst.Lambda) -> Value:
    prefix = frame.symbol + "." if frame.symbol else ""
    return Func(Code(frame.state.index, "<lambda>", prefix + "<lambda>", unit=frame.unit, node=node), frame.scope)


def _named(it: Interp, frame: Frame, node: cst.NamedExpr) -> Value:
    value = evaluate(it, frame, node.value)
    if type(node.target) is cst.Name:
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


def iterate(
    it: Interp, frame: Frame, value: Value, node: cst.CSTNode, few: int = 0
) -> tuple[list[Value] | None, Value]:
    """What iterating over a value gives: its items when their number is known, else None; and their join.

    Up to `few` items aren't joined: whoever asks uses them one by one.
    """
    if isinstance(value, Tup):
        return list(value.items), UNKNOWN if len(value.items) <= few else join_all(value.items)
    if isinstance(value, Seq):
        if value.kind == "iterator" and it.is_outer(value.trace) and it.staging:
            return None, _drawn(it, frame, join_all(children(value)), node)
        if it.trace is not None and value.kind == "list" and value.items is not None:
            it.note_read(value, "#", Const(len(value.items)), (frame.unit, node))
        if value.items is not None:
            return list(value.items), UNKNOWN if len(value.items) <= few else join_all(value.items)
        return None, value.elem if value.elem is not None else UNKNOWN
    if isinstance(value, Mapping):
        keys: list[Value] = [Const(k) for k in value.items]
        if value.elem is None:
            return keys, join_all(keys)
        return None, Static("object")
    if isinstance(value, Const) and isinstance(value.value, range):
        return None, Static("int")
    if isinstance(value, Const) and isinstance(value.value, str) and len(value.value) <= 16:
        return [Const(c) for c in value.value], Static("str")
    if isinstance(value, JaxArray):
        if value.tree or value.maybe:
            return None, value.but(param=None, dtype=None, source=())
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
        return None, Version(False) if isinstance(value, Version) else UNKNOWN
    if isinstance(value, Instance):
        if value.cls.record == "namedtuple":
            items = [value.attrs.get(f.name, UNKNOWN) for f in value.cls.fields]
            return items, join_all(items)
        if objects.find(value.cls, "__iter__") is not None:
            return iterate(it, frame, objects.call_method(it, frame, value, "__iter__", [], node), node)
    if isinstance(value, Unknown):
        return None, part_of(value)
    if isinstance(value, Either):
        return None, join_all(iterate(it, frame, v, node)[1] for v in value.options)
    if isinstance(value, Ext) and names_version(value.dotted):
        return None, Version(False)
    return None, UNKNOWN


def _drawn(it: Interp, frame: Frame, value: Value, node: cst.CSTNode) -> Value:
    """What a trace takes from an outer iterator is taken once, not on each call."""
    if not isinstance(value, (Const, Static)):
        return value
    kind = value.kind if isinstance(value, Static) else type(value.value).__name__
    link = Link(frame.unit, node, "iteration", it.trace.link if it.trace else None, "iterator")
    return Static(kind, taint=link)


def _comprehension(it: Interp, frame: Frame, node: Any) -> Value:
    scope = Scope(frame.scope, it.trace)
    inner = Frame(frame.state, frame.unit, scope, frame.symbol, frame.code)
    inner.statement, inner.cls, inner.self_value = frame.statement, frame.cls, frame.self_value
    inner.settled, inner.turns = frame.settled, frame.turns
    results: list[Value] = []
    exact = _comp_loop(it, inner, node.for_in, node, results)
    inner_yields = inner.yields
    frame.yields.extend(inner_yields)
    if type(node) is cst.DictComp:
        out = Mapping({}, None, it.trace)
        for pair in results:
            assert isinstance(pair, Tup)
            k, v = pair.items
            if exact and isinstance(k, Const):
                out.items[k.value] = v
            else:
                out.elem = v if out.elem is None else join(out.elem, v)
        return out
    kinds: dict[Any, str] = {cst.ListComp: "list", cst.SetComp: "set", cst.GeneratorExp: "iterator"}
    kind = kinds[type(node)]
    if exact and len(results) <= 32:
        return Seq(kind, results, None, it.trace)
    return Seq(kind, None, join_all(results) if results else UNKNOWN, it.trace)


def _comp_loop(it: Interp, frame: Frame, loop: cst.CompFor, node: Any, results: list[Value]) -> bool:
    from omnilint.analysis.statements import assign

    items, elem = iterate(it, frame, evaluate(it, frame, loop.iter), loop.iter, 16)
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
        elif type(node) is cst.DictComp:
            key = evaluate(it, frame, node.key)
            it.demand(frame, key, "hash", node.key, "a dict key", "TypeError", True)
            results.append(Tup((key, evaluate(it, frame, node.value))))
        else:
            element = evaluate(it, frame, node.elt)
            if type(node) is cst.SetComp:
                it.demand(frame, element, "hash", node.elt, "a set", "TypeError", True)
            results.append(element)
    return exact


_CONSTANT_NAMES = {"True": TRUE, "False": FALSE, "None": NONE}


def _name(it: Interp, frame: Frame, node: cst.Name) -> Value:
    return _CONSTANT_NAMES.get(node.value) or lookup(it, frame, node.value)


_HANDLERS: dict[type, Callable[[Interp, Frame, Any], Value]] = {
    cst.Name: _name,
    cst.Attribute: _attribute,
    cst.Integer: _literal,
    cst.Float: _literal,
    cst.Imaginary: lambda it, frame, node: Static("complex"),
    cst.Ellipsis: lambda it, frame, node: Const(...),
    cst.SimpleString: _literal,
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
    cst.Call: calls.call_node,
}
