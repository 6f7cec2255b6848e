"""CONC: a loop over a traced number of steps becomes `lax.fori_loop`."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.imports import module_alias
from omnilint.fixes.needs import builtin_call, where
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a `for` over `range`: one assignment in a lambda; several in a function, which is only shown."""
    return written(*where(finding, book))


def written(page: Page, node: ast.expr) -> Repair:
    """The same for a `range` that is known to count in vain."""
    call = builtin_call(page, node, "range")
    loop = page.parent(node)
    if call is None or call.keywords or len(call.args) not in (1, 2) or not isinstance(loop, ast.For):
        raise Refusal("it isn't the loop count of a `for`")
    if loop.orelse or loop.iter is not call or not isinstance(loop.target, ast.Name):
        raise Refusal("the loop does more than count")
    whole = page.text.cut(loop)
    if "#" in whole:
        raise Refusal("comments stand in the loop")
    bad = (
        ast.Break,
        ast.Continue,
        ast.Return,
        ast.Yield,
        ast.YieldFrom,
        ast.Await,
        ast.FunctionDef,
        ast.For,
        ast.While,
    )
    if any(isinstance(n, bad) for s in loop.body for n in ast.walk(s)):
        raise Refusal("the loop ends early, or holds another")
    carried = _carried(page, loop)
    bounds = ", ".join(page.text.cut(a) for a in (call.args if len(call.args) == 2 else [None, *call.args]) if a)
    bounds = bounds if len(call.args) == 2 else f"0, {bounds}"
    lax, added = module_alias(page, "jax.lax")
    if len(loop.body) == 1:
        new = f"{carried[0]} = {lax}.fori_loop({bounds}, lambda {loop.target.id}, {carried[0]}: "
        new += f"{_value(page, loop.body[0])}, {carried[0]})"
        kind = Applicability.UNSAFE
    else:
        new, kind = _function(page, loop, carried, bounds, lax), Applicability.DISPLAY
    start, end = page.text.span(loop)
    spans = [Span(start, end, new), *added]
    return Repair(
        kind, "let XLA loop; the carried values must keep their shapes and dtypes", [(page, s) for s in spans]
    )


def _carried(page: Page, loop: ast.For) -> list[str]:
    """The names that go from one round to the next; what a round makes for itself stays in it."""
    assert isinstance(loop.target, ast.Name)
    carried: list[str] = []
    made: list[str] = []
    for statement in loop.body:
        name = _target(statement)
        reads = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        reads |= {name} if isinstance(statement, ast.AugAssign) else set()
        carried += [n for n in reads if n in {_target(s) for s in loop.body} and n not in (*carried, *made)]
        made.append(name)
    function = page.function(loop)
    last = loop.end_lineno or loop.lineno
    for node in ast.walk(function) if function is not None else ():
        later = isinstance(node, ast.Name) and node.lineno > last and isinstance(node.ctx, ast.Load)
        if later and node.id == loop.target.id:  # type: ignore[attr-defined]
            raise Refusal("the count is used after the loop")
        if later and node.id in made and node.id not in carried:  # type: ignore[attr-defined]
            raise Refusal("what the last round made is used after the loop")
    if not carried:
        raise Refusal("no round needs what the one before made")
    return [n for n in dict.fromkeys(made) if n in carried]


def _target(statement: ast.stmt) -> str:
    """The one name that a statement of the loop assigns."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    raise Refusal("the loop does more than assign names")


def _value(page: Page, statement: ast.stmt) -> str:
    assert isinstance(statement, (ast.Assign, ast.AugAssign))
    text = page.text.cut(statement.value)
    if "\n" in text:
        raise Refusal("the loop's expression stands on several lines")
    if isinstance(statement, ast.Assign):
        return text
    assert isinstance(statement.target, ast.Name)
    sign = ast.unparse(statement).split("=")[0].split()[-1]
    plain = isinstance(statement.value, (ast.Name, ast.Call, ast.Subscript, ast.Attribute, ast.Constant))
    return f"{statement.target.id} {sign} {text if plain else f'({text})'}"


def _function(page: Page, loop: ast.For, carried: list[str], bounds: str, lax: str) -> str:
    indent = page.text.line(loop.lineno)[: loop.col_offset]
    deeper = page.text.line(loop.body[0].lineno)[: loop.body[0].col_offset]
    assert isinstance(loop.target, ast.Name)
    first, last = page.text.span(loop.body[0])[0], page.text.span(loop.body[-1])[1]
    state = ", ".join(carried) if len(carried) > 1 else carried[0]
    held = f"({state})" if len(carried) > 1 else state
    lines = [f"def body({loop.target.id}, state):", f"{deeper}{state} = state"]
    lines += [f"{deeper}{page.text.text[first:last]}", f"{deeper}return {state}", ""]
    lines += [f"{indent}{state} = {lax}.fori_loop({bounds}, body, {held})"]
    return "\n".join(lines)
