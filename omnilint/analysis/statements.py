"""What a statement does: assignments, branches, loops, definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from omnilint.analysis import classes, effects, indexing, objects, turns
from omnilint.analysis import nodes as cst
from omnilint.analysis.code import Code
from omnilint.analysis.definitions import Ext, Func
from omnilint.analysis.deleting import delete
from omnilint.analysis.expressions import evaluate, index_value, iterate, test
from omnilint.analysis.guards import (
    asks,
    asks_for_none,
    asks_for_tracers,
    concrete_when,
    made_concrete,
    note_skipped,
)
from omnilint.analysis.handling import run_try, run_with
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.joins import join, join_all
from omnilint.analysis.lowering import parts, same
from omnilint.analysis.matching import bind_pattern, matches_class
from omnilint.analysis.narrowing import narrowing
from omnilint.analysis.operators import binary
from omnilint.analysis.releases import answers, kept, open_ended, speaks
from omnilint.analysis.values import NONE, Answer, Either, Flag, Seq, Static, Tup, Value
from omnilint.analysis.wanted import claim

# How control leaves a block: None falls through, anything else says why it doesn't.
Exit = str | None
_AUGMENTED = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.PowerAssign: cst.Power,
    cst.MatrixMultiplyAssign: cst.MatrixMultiply,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
}
_BLOCKS = (cst.IndentedBlock, cst.BaseCompoundStatement, cst.SimpleStatementLine)


def run_block(it: Interp, frame: Frame, body: Any) -> Exit:
    """Run the statements of a block."""
    guarded = doubted = 0
    doubts, frame.doubts = frame.doubts, False
    try:
        for statement in body.body:
            leaving = run_statement(it, frame, statement)
            if leaving is not None:
                return leaving
            if frame.cares:  # "if it is a tracer: return": the rest is for what isn't
                frame.cares = False
                guarded += 1
                it.care += 1
            if frame.doubts:  # "if it is a new release: return": the rest may be for none that matters
                frame.doubts = False
                doubted += 1
                it.guard += 1
        return None
    finally:
        it.care -= guarded
        it.guard -= doubted
        frame.doubts = doubts or doubted > 0


def run_statement(it: Interp, frame: Frame, node: cst.CSTNode) -> Exit:
    """Run one statement."""
    it.tick()
    if type(node) is cst.SimpleStatementLine:  # lowered, it holds one small statement
        small = node.body[0]
        frame.statement = small
        handler = _SMALL.get(type(small))
        return handler(it, frame, small) if handler is not None else None
    frame.statement = node
    handler = _COMPOUND.get(type(node)) or _SMALL.get(type(node))
    return handler(it, frame, node) if handler is not None else None


# -- assignments ------------------------------------------------------------------------------------


def assign(it: Interp, frame: Frame, target: Any, value: Value, node: cst.CSTNode, rmw: bool = False) -> None:
    """Bind `target` to `value`."""
    if type(target) is cst.Name:
        _assign_name(it, frame, target.value, value, target, rmw)
    elif type(target) is cst.Attribute:
        base = evaluate(it, frame, target.value)
        objects.set_attribute(it, frame, base, target.attr.value, value, target, rmw)
    elif type(target) is cst.Subscript:
        base = evaluate(it, frame, target.value)
        indexing.set_item(it, frame, base, index_value(it, frame, target.slice), value, target, rmw)
    elif type(target) is cst.Tuple or type(target) is cst.List:
        _unpack(it, frame, target, value, node, rmw)
    elif type(target) is cst.StarredElement:
        assign(it, frame, target.value, value, node, rmw)


def _assign_name(it: Interp, frame: Frame, name: str, value: Value, node: cst.CSTNode, rmw: bool) -> None:
    scope = frame.scope
    if name in scope.globals:
        holder = frame.state.scope
        value = effects.write(it, frame, "global", holder, name, frame.state.get(name), value, node, rmw, name)
    elif name in scope.nonlocals:
        found = scope.parent.holder(name) if scope.parent is not None else None
        if found is None:
            return
        holder = found
        value = effects.write(it, frame, "closure", holder, name, holder.vars.get(name), value, node, rmw, name)
    else:
        if it.frozen and it.trace is None and (id(scope), name) in it.frozen:
            effects.write(it, frame, "closure", scope, name, scope.vars.get(name), value, node, rmw, name)
        scope.vars[name] = value
        return
    old = holder.vars.get(name)
    holder.vars[name] = join(old, value) if it.uncertain and old is not None else value


def _unpack(it: Interp, frame: Frame, target: Any, value: Value, node: cst.CSTNode, rmw: bool) -> None:
    elements = target.elements
    items, elem = iterate(it, frame, value, node, len(elements) if type(value) is Tup else 0)
    star = next((i for i, e in enumerate(elements) if type(e) is cst.StarredElement), None)
    if isinstance(value, Either):
        parts = [iterate(it, frame, v, node)[0] for v in value.options]
        if star is None and all(p is not None and len(p) == len(elements) for p in parts):
            items = [join_all(p[i] for p in parts if p is not None) for i in range(len(elements))]
    if items is None or (star is None and len(items) != len(elements)):
        elem = elem if items is None else join_all(items)
        for i, e in enumerate(elements):
            v: Value = Seq("list", None, elem, it.trace) if i == star else elem
            assign(it, frame, e.value, v, node, rmw)
        return
    if star is None:
        for e, v in zip(elements, items, strict=True):
            assign(it, frame, e.value, v, node, rmw)
        return
    after = len(elements) - star - 1
    for e, v in zip(elements[:star], items, strict=False):
        assign(it, frame, e.value, v, node, rmw)
    middle = items[star : len(items) - after]
    assign(it, frame, elements[star].value, Seq("list", middle, None, it.trace), node, rmw)
    if after:
        for e, v in zip(elements[star + 1 :], items[-after:], strict=False):
            assign(it, frame, e.value, v, node, rmw)


def _assign(it: Interp, frame: Frame, node: cst.Assign) -> Exit:
    value = _answer(it, frame, node.value)
    for t in node.targets:
        assign(it, frame, t.target, value, node, type(t.target) is not cst.Name and _rewrites(frame, node, t.target))
    return None


def _rewrites(frame: Frame, node: cst.Assign, target: cst.BaseExpression) -> bool:
    """Does a new value of an attribute or item come from the old one?"""
    known = frame.unit.asking.get(id(target))
    if known is None:
        compared = type(target) in (cst.Attribute, cst.Subscript)
        known = frame.unit.asking[id(target)] = compared and _mentions(node.value, target)
    return known


def _mentions(expression: cst.CSTNode, target: cst.CSTNode) -> bool:
    if type(expression) is type(target) and same(expression, target):
        return True
    return any(_mentions(c, target) for c in parts(expression))


def _answer(it: Interp, frame: Frame, node: cst.BaseExpression) -> Value:
    """What is kept in a name or given back: an answer of unknown outcome is one for whoever asks for it later."""
    value = evaluate(it, frame, node)
    if type(value) is Static and value.kind == "bool" and asks(frame, node):
        return Answer()
    return kept(it, frame, node, value)


def _ann_assign(it: Interp, frame: Frame, node: cst.AnnAssign) -> Exit:
    if node.value is not None:
        assign(it, frame, node.target, _answer(it, frame, node.value), node)
    return None


def _aug_assign(it: Interp, frame: Frame, node: cst.AugAssign) -> Exit:
    old = evaluate(it, frame, node.target)
    value = evaluate(it, frame, node.value)
    if isinstance(old, Seq) and type(node.operator) is cst.AddAssign:
        effects.write(it, frame, "container", old, None, None, value, node, False, indexing.label_of(node.target))
        effects.adopt(it, old, value)
        items, elem = iterate(it, frame, value, node)
        if old.items is not None and items is not None and not it.uncertain:
            old.items.extend(items)
        else:
            old.elem = join_all([*(old.items or []), *([old.elem] if old.elem is not None else []), elem])
            old.items = None
        old.version += 1
        return None
    new = binary(it, frame, _AUGMENTED[type(node.operator)], old, value, node)
    assign(it, frame, node.target, new, node, rmw=True)
    return None


# -- branches ---------------------------------------------------------------------------------------


def _if(it: Interp, frame: Frame, node: cst.If) -> Exit:
    if _is_for_type_checkers(it, frame, node.test):
        _only_imports(it, frame, node.body)
        return _arm(it, frame, node.orelse)
    known = test(it, frame, node.test, "if")
    if known is not None:
        if it.staging and asks(frame, node.test):
            note_skipped(frame, node.test, node.orelse if known else node.body)
        frame.scope.vars.update(narrowing(it, frame, node.test, known))
        return _arm(it, frame, node.body if known else node.orelse)
    start = dict(frame.scope.vars)
    frame.scope.vars.update(narrowing(it, frame, node.test, True))
    # What a library does in one of its ways is its own care: it runs in the other when something is traced.
    either = open_ended(it.tested)
    careful = isinstance(it.tested, Flag) or either or asks(frame, node.test)
    absent = asks_for_none(node.test)
    free = concrete_when(it, frame, node.test, True) if careful else []
    with it.branch(), it.guarded((careful and not free) or absent is True), it.caring(bool(free)):
        frame.scope.vars.update(made_concrete(frame, free))
        left = _arm(it, frame, node.body)
    then = frame.scope.vars
    frame.scope.vars = start
    frame.scope.vars.update(narrowing(it, frame, node.test, False))
    free = concrete_when(it, frame, node.test, False) if careful else []
    with it.branch(), it.guarded((careful and not free) or absent is False), it.caring(bool(free)):
        frame.scope.vars.update(made_concrete(frame, free))
        right = _arm(it, frame, node.orelse)
    frame.cares = careful and not either and (left is None) != (right is None)
    leaves = (left is None) != (right is None) and "raise" not in (left, right)
    frame.turns += leaves
    frame.doubts = frame.doubts or (either and leaves)
    if either and left is right is None:
        then.update(found := answers(then, frame.scope.vars))
        frame.scope.vars.update(found)
    return _merge(frame, then, left, right)


def _is_for_type_checkers(it: Interp, frame: Frame, node: Any) -> bool:
    """`TYPE_CHECKING`, which is false wherever code runs."""
    last = node.attr if type(node) is cst.Attribute else node
    if type(last) is not cst.Name or last.value != "TYPE_CHECKING":
        return False
    value = evaluate(it, frame, node)
    return isinstance(value, Ext) and value.dotted in ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING")


def _only_imports(it: Interp, frame: Frame, body: Any) -> None:
    """Imports for annotations: the names say what parameters are, though nothing else runs."""
    for line in body.body:
        small = line.body[0] if type(line) is cst.SimpleStatementLine else line
        if type(small) in (cst.Import, cst.ImportFrom):
            run_statement(it, frame, line)


def _arm(it: Interp, frame: Frame, arm: Any) -> Exit:
    if arm is None:
        return None
    if type(arm) is cst.If:
        frame.statement = arm
        return _if(it, frame, arm)
    if type(arm) is cst.Else or type(arm) is cst.Finally:
        return run_block(it, frame, arm.body)
    return run_block(it, frame, arm)


def _merge(frame: Frame, then: dict[str, Value], left: Exit, right: Exit) -> Exit:
    """Join the names of two branches; the current scope holds those of the second."""
    other = frame.scope.vars
    if left is not None and right is not None:
        return left if left == right else "mixed"
    if left is not None:
        return None
    if right is not None:
        frame.scope.vars = then
        return None
    frame.scope.vars = join_names(then, other)
    return None


def join_names(a: dict[str, Value], b: dict[str, Value]) -> dict[str, Value]:
    """Join two states of the same scope."""
    out = dict(a)
    for name, value in b.items():
        old = out.get(name)
        out[name] = value if old is None or old is value else join(old, value)
    return out


def _match(it: Interp, frame: Frame, node: cst.Match) -> Exit:
    subject = evaluate(it, frame, node.subject)
    start = dict(frame.scope.vars)
    merged: dict[str, Value] | None = None
    exits: list[Exit] = []
    complete = False
    either = open_ended(subject) or speaks(frame, node.subject)
    careful = either or any(asks_for_tracers(c.pattern) for c in node.cases)
    for case in node.cases:
        known = matches_class(it, frame, case.pattern, subject)
        if known is False:
            continue
        frame.scope.vars = dict(start)
        frame.statement = node
        bind_pattern(it, frame, case.pattern, subject)
        if case.guard is not None:
            test(it, frame, case.guard, "a case guard")
        with it.branch(), it.guarded(careful and known is None):
            leaving = run_block(it, frame, case.body)
        exits.append(leaving)
        if leaving is None:
            merged = frame.scope.vars if merged is None else join_names(merged, frame.scope.vars)
        complete = complete or (type(case.pattern) is cst.MatchAs and case.pattern.pattern is None and not case.guard)
    if complete and merged is None and exits:
        return exits[0] if len(set(exits)) == 1 else "mixed"
    frame.doubts = frame.doubts or (either and any(e not in (None, "raise") for e in exits))
    frame.scope.vars = start if merged is None else (merged if complete else join_names(start, merged))
    return None


# -- loops ------------------------------------------------------------------------------------------


def _for(it: Interp, frame: Frame, node: cst.For) -> Exit:
    value = evaluate(it, frame, node.iter)
    items, elem = iterate(it, frame, value, node.iter, 12)
    if items is not None and len(items) <= 12:
        return _unrolled(it, frame, node, items)

    first = True

    def body() -> Exit:
        nonlocal first
        # Only where something is compiled by now, as functions that get another value are analysed anew.
        same = first or not it.frozen or it.trace is not None
        first = False
        assign(it, frame, node.target, elem if same else turns.in_next_turn(elem), node.target)
        return run_block(it, frame, node.body)

    return _repeat(it, frame, body, node.orelse)


def _unrolled(it: Interp, frame: Frame, node: cst.For, items: list[Value]) -> Exit:
    for item in items:
        assign(it, frame, node.target, item, node.target)
        leaving = run_block(it, frame, node.body)
        if leaving in ("return", "raise"):
            return leaving
        if leaving in ("break", "mixed"):
            return None
    if node.orelse is not None:
        return run_block(it, frame, node.orelse.body)
    return None


def _repeat(it: Interp, frame: Frame, body: Callable[[], Exit], orelse: Any) -> Exit:
    """Run a loop's body until its names settle (two passes: joins widen fast)."""
    state = dict(frame.scope.vars)
    for _ in range(2):
        frame.settled += 1
        try:
            with it.branch():
                body()
        finally:
            frame.settled -= 1
        state = join_names(state, frame.scope.vars)
        frame.scope.vars = dict(state)
    if orelse is not None:
        with it.branch():
            run_block(it, frame, orelse.body)
        frame.scope.vars = join_names(state, frame.scope.vars)
    return None


def _while(it: Interp, frame: Frame, node: cst.While) -> Exit:
    if test(it, frame, node.test, "while") is False:
        return None
    either = open_ended(it.tested)

    def body() -> Exit:
        frame.statement = node
        test(it, frame, node.test, "while")
        with it.guarded(either):
            return run_block(it, frame, node.body)

    return _repeat(it, frame, body, node.orelse)


# -- definitions ------------------------------------------------------------------------------------


def _function(it: Interp, frame: Frame, node: cst.FunctionDef) -> Exit:
    prefix = frame.symbol + "." if frame.symbol else ""
    code = Code(frame.state.index, node.name.value, prefix + node.name.value, unit=frame.unit, node=node)
    value = decorate(it, frame, Func(code, frame.scope), node.decorators)
    _assign_name(it, frame, node.name.value, value, node, False)
    return None


def decorate(it: Interp, frame: Frame, func: Value, decorators: Any) -> Value:
    """Apply decorators, innermost first; an unknown one is taken to give back what it gets."""
    for d in reversed(decorators):
        decorator = evaluate(it, frame, d.decorator)
        func = classes.apply_decorator(it, frame, decorator, func, d.decorator)
    return func


def _class(it: Interp, frame: Frame, node: cst.ClassDef) -> Exit:
    value = classes.from_statement(it, frame, node)
    _assign_name(it, frame, node.name.value, value, node, False)
    return None


# -- small statements -------------------------------------------------------------------------------


def _return(it: Interp, frame: Frame, node: cst.Return) -> Exit:
    value = NONE if node.value is None else _answer(it, frame, node.value)
    frame.returns.append(value)
    return "return"


def _raise(it: Interp, frame: Frame, node: cst.Raise) -> Exit:
    if node.exc is not None:
        with it.branch():
            evaluate(it, frame, node.exc)
    return "raise"


def _assert(it: Interp, frame: Frame, node: cst.Assert) -> Exit:
    known = test(it, frame, node.test, "assert")
    claim(it, frame, node.test)
    if known is not False:
        frame.scope.vars.update(narrowing(it, frame, node.test, True))
    return None


def _expr(it: Interp, frame: Frame, node: cst.Expr) -> Exit:
    evaluate(it, frame, node.value)
    claim(it, frame, node.value)
    return None


def _del(it: Interp, frame: Frame, node: cst.Del) -> Exit:
    delete(it, frame, node.target)
    return None


def _global(it: Interp, frame: Frame, node: cst.Global) -> Exit:
    names = [n.name.value for n in node.names]
    frame.scope.globals |= set(names)
    frame.scope.declared = {**frame.scope.declared, **dict.fromkeys(names, node)}
    return None


def _nonlocal(it: Interp, frame: Frame, node: cst.Nonlocal) -> Exit:
    names = [n.name.value for n in node.names]
    frame.scope.nonlocals |= set(names)
    frame.scope.declared = {**frame.scope.declared, **dict.fromkeys(names, node)}
    return None


def dotted_name(node: Any) -> str:
    """The text of a dotted name."""
    if type(node) is cst.Name:
        return node.value
    if type(node) is cst.Attribute:
        return f"{dotted_name(node.value)}.{node.attr.value}"
    return ""


def _import(it: Interp, frame: Frame, node: cst.Import) -> Exit:
    for a in node.names:
        name = dotted_name(a.name)
        if a.asname is not None and type(a.asname.name) is cst.Name:
            frame.scope.vars[a.asname.name.value] = frame.state.imported(name)
        else:
            root = name.partition(".")[0]
            frame.scope.vars[root] = frame.state.imported(root)
    return None


def _import_from(it: Interp, frame: Frame, node: cst.ImportFrom) -> Exit:
    from omnilint.index.module import absolute

    module = absolute(frame.state.index.package, dotted_name(node.module) or None, len(node.relative))
    if isinstance(node.names, cst.ImportStar):
        frame.scope.vars.update(frame.state.star(module))
        return None
    for a in node.names:
        name = dotted_name(a.name)
        bound = a.asname.name.value if a.asname is not None and type(a.asname.name) is cst.Name else name
        frame.scope.vars[bound] = frame.state.imported_from(module, name)
    return None


_SMALL: dict[type, Callable[[Interp, Frame, Any], Exit]] = {
    cst.Assign: _assign,
    cst.AnnAssign: _ann_assign,
    cst.AugAssign: _aug_assign,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Expr: _expr,
    cst.Del: _del,
    cst.Global: _global,
    cst.Nonlocal: _nonlocal,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.Break: lambda it, frame, node: "break",
    cst.Continue: lambda it, frame, node: "continue",
}
_COMPOUND: dict[type, Callable[[Interp, Frame, Any], Exit]] = {
    cst.If: _if,
    cst.For: _for,
    cst.While: _while,
    cst.Try: run_try,
    cst.TryStar: run_try,
    cst.With: run_with,
    cst.Match: _match,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
}
