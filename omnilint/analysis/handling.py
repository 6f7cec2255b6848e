"""`try` and `with`: what is handled, folded or undone around a block."""

from __future__ import annotations

from typing import Any

from omnilint.analysis import nodes as cst
from omnilint.analysis import objects
from omnilint.analysis.definitions import Ext, ExtInstance, Func, Instance
from omnilint.analysis.expressions import evaluate
from omnilint.analysis.interp import Frame, HandledError, Interp
from omnilint.analysis.joins import children, options
from omnilint.analysis.lowering import parts
from omnilint.analysis.releases import answers, may_miss
from omnilint.analysis.restoring import undoes, yields
from omnilint.analysis.values import NONE, UNKNOWN, Seq, Value
from omnilint.analysis.wanted import LEAKED, expect

# How control leaves a block: None falls through, anything else says why it doesn't.
Exit = str | None
_BLOCKS = (cst.IndentedBlock, cst.BaseCompoundStatement, cst.SimpleStatementLine)
_HANDLED = {
    "Exception",
    "BaseException",
    "TypeError",
    "ConcretizationTypeError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "TracerArrayConversionError",
    "NonConcreteBooleanIndexError",
    "UnexpectedTracerError",
    "JAXTypeError",
    "JAXIndexError",
}


def _names_in(node: Any) -> set[str]:
    if type(node) is cst.Name:
        return {node.value}
    if type(node) is cst.Attribute:
        return {node.attr.value}
    if isinstance(node, (cst.Tuple, cst.List)):
        return {n for e in node.elements for n in _names_in(e.value)}
    return set()


def exception_words(it: Interp, frame: Frame, node: Any) -> set[str]:
    """Names of exceptions: as written, and what the names stand for."""
    words = _names_in(node)
    if words & _HANDLED:
        return words
    with it.guarded(), it.branch():
        value = evaluate(it, frame, node)
    for v in (value, *children(value)):
        if isinstance(v, Ext):
            words.add(v.dotted.rpartition(".")[2])
    return words


def _handles(it: Interp, frame: Frame, handlers: Any) -> bool:
    """Do the handlers catch the errors that tracers raise?"""
    return any(h.type is None or exception_words(it, frame, h.type) & _HANDLED for h in handlers)


def _told(func: Func) -> set[str]:
    """Names of the parameters of a function."""
    p = func.code.params
    return {*p.names, *([p.vararg] if p.vararg else [])}


def _handles_around_yield(it: Interp, frame: Frame, node: cst.CSTNode, given: set[str]) -> bool:
    """Is it a context manager that handles what its block raises, or what it is told to (one of `given`)?"""
    if type(node) is cst.Try:
        told = any(h.type is not None and _names_in(h.type) & given for h in node.handlers)
        if told or _handles(it, frame, node.handlers):
            return yields(node.body)
    return any(_handles_around_yield(it, frame, c, given) for c in parts(node) if isinstance(c, _BLOCKS))


def _folds_around_yield(node: cst.CSTNode) -> bool:
    """Is it a context manager that folds what its block computes?"""
    if type(node) is cst.With:
        calls = [i.item.func for i in node.items if type(i.item) is cst.Call]
        if any("ensure_compile_time_eval" in _names_in(f) for f in calls):
            return yields(node.body)
    return any(_folds_around_yield(c) for c in parts(node) if isinstance(c, _BLOCKS))


def run_try(it: Interp, frame: Frame, node: cst.Try | cst.TryStar) -> Exit:
    from omnilint.analysis.statements import join_names, run_block

    before = dict(frame.scope.vars)
    words = [_names_in(h.type) if h.type is not None else {"Exception"} for h in node.handlers]
    imports_only = bool(words) and all(w and w <= {"ImportError", "ModuleNotFoundError"} for w in words)
    handling = _handles(it, frame, node.handlers)
    if it.trace is None and any(LEAKED in w for w in words):
        expect(it, frame, node.body)
    raised = False
    with it.guarded(handling):
        if handling:
            it.trying.append(it.uncertain)
        try:
            leaving = run_block(it, frame, node.body)
        except HandledError:
            raised = True
            leaving = "raise"
        finally:
            if handling:
                it.trying.pop()
    after = frame.scope.vars
    if raised:
        return _handled(it, frame, node)
    if node.orelse is not None and leaving is None:
        leaving = run_block(it, frame, node.orelse.body)
        after = frame.scope.vars
    merged: dict[str, Value] | None = after if leaving is None else None
    exits: list[Exit] = [leaving]
    fallback: dict[str, Value] = {}
    for h in node.handlers:
        frame.scope.vars = join_names(before, after)
        if h.name is not None and type(h.name.name) is cst.Name:
            frame.scope.vars[h.name.name.value] = UNKNOWN
        with it.branch():
            out = run_block(it, frame, h.body)
        exits.append(out)
        if out is None:
            fallback = frame.scope.vars
            merged = frame.scope.vars if merged is None else join_names(merged, frame.scope.vars)
    if imports_only and leaving is None:
        # What a fallback for a missing import binds isn't what runs where the import works.
        switches = answers(after, fallback) if may_miss(it, frame, node.body) else {}
        merged = {**(merged or {}), **after, **switches}
    frame.scope.vars = merged if merged is not None else after
    if node.finalbody is not None:
        final = run_block(it, frame, node.finalbody.body)
        if final is not None:
            return final
    if merged is None:
        return exits[0] if len(set(exits)) == 1 else "mixed"
    return None


def _handled(it: Interp, frame: Frame, node: cst.Try | cst.TryStar) -> Exit:
    """The body certainly raises what one of the handlers catches: only that one runs."""
    from omnilint.analysis.statements import run_block

    leaving: Exit = None
    for h in node.handlers:
        if h.type is None or exception_words(it, frame, h.type) & _HANDLED:
            if h.name is not None and type(h.name.name) is cst.Name:
                frame.scope.vars[h.name.name.value] = UNKNOWN
            leaving = run_block(it, frame, h.body)
            break
    if node.finalbody is not None:
        final = run_block(it, frame, node.finalbody.body)
        leaving = final if final is not None else leaving
    return leaving


def run_with(it: Interp, frame: Frame, node: cst.With) -> Exit:
    from omnilint.analysis.statements import assign, run_block

    guard = folding = disabled = False
    entered: list[Instance] = []
    for item in node.items:
        word, value, manager = _context(it, frame, item.item)
        if isinstance(manager, Instance):
            entered.append(manager)
        guard = guard or word == "guard"
        folding = folding or word == "folding"
        disabled = disabled or word == "disabled"
        if item.asname is not None:
            assign(it, frame, item.asname.name, value, node)
    trace, before = it.trace, it.folding
    if disabled:
        it.trace = None
    it.disabled += disabled
    it.folding += folding
    if guard and it.trace is None and any(_expects_leak(it, frame, i.item) for i in node.items):
        expect(it, frame, node.body)
    try:
        with it.guarded(guard):
            leaving = run_block(it, frame, node.body)
    finally:
        it.trace, it.folding = trace, before
        it.disabled -= disabled
    for manager in reversed(entered):
        _leave(it, frame, manager, node)
    return None if guard and leaving == "raise" else leaving


def _expects_leak(it: Interp, frame: Frame, node: cst.BaseExpression) -> bool:
    """`pytest.raises(jax.errors.UnexpectedTracerError)`, `self.assertRaisesRegex(…)`."""
    return type(node) is cst.Call and any(LEAKED in exception_words(it, frame, a.value) for a in node.args[:1])


def _context(it: Interp, frame: Frame, node: cst.BaseExpression) -> tuple[str, Value, Value]:
    """What a context manager does to tracing, what it gives, and the manager itself."""
    if type(node) is not cst.Call:
        value = evaluate(it, frame, node)
        made = {v.dotted for v in options(value) if isinstance(v, ExtInstance)}
        word = "guard" if "pytest.raises" in made else "folding" if "jax.ensure_compile_time_eval" in made else ""
        return word, _entered(it, frame, value, node), value
    attr = node.func.attr.value if type(node.func) is cst.Attribute else getattr(node.func, "value", "")
    func = evaluate(it, frame, node.func)
    dotted = next((v.dotted for v in options(func) if isinstance(v, Ext)), "")
    word = ""
    if dotted.endswith(("ensure_compile_time_eval", "eval_context")):
        word = "folding"
    elif dotted.endswith(("disable_jit", "fake_jit", "fake_pmap", "fake_pmap_and_jit")):
        word = "disabled"
    elif isinstance(attr, str) and (attr.startswith("assertRaises") or dotted in ("pytest.raises", "pytest.warns")):
        word = "guard"
    elif dotted == "contextlib.suppress":
        word = "guard" if {n for a in node.args for n in exception_words(it, frame, a.value)} & _HANDLED else ""
    elif isinstance(func, Func) and _handles_around_yield(it, frame, func.code.node, _told(func)):
        word = "guard"
    elif isinstance(func, Func) and _folds_around_yield(func.code.node):
        word = "folding"
    value = evaluate(it, frame, node)
    return word, _entered(it, frame, value, node), value


def _leave(it: Interp, frame: Frame, manager: Instance, node: cst.CSTNode) -> None:
    """The end of a `with` block: what was put into outer state on the way in is taken out again."""
    if not isinstance(objects.find(manager.cls, "__exit__"), Func):
        return
    it.restoring += 1
    try:
        objects.call_method(it, frame, manager, "__exit__", [NONE, NONE, NONE], node)
    finally:
        it.restoring -= 1


def _entered(it: Interp, frame: Frame, value: Value, node: cst.CSTNode) -> Value:
    if isinstance(value, Instance) and objects.find(value.cls, "__enter__") is not None:
        leaving = objects.find(value.cls, "__exit__")
        restores = isinstance(leaving, Func) and undoes([leaving.code.node.body])
        it.restoring += restores
        try:
            return objects.call_method(it, frame, value, "__enter__", [], node)
        finally:
            it.restoring -= restores
    if isinstance(value, Seq) and value.kind == "iterator":
        return value.elem if value.elem is not None else UNKNOWN
    return UNKNOWN if isinstance(value, Seq) else value
