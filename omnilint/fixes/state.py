"""STATE: state in, state out. The rewrite of the function is shown, and never made: its callers change with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.import_lines import statement_gone
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_SAYS = "state in, state out: callers pass it and take the new one"


def propose(finding: Finding, book: Book) -> Repair:
    """The rewrite of a write to a global, an outer variable, an attribute of self or a container, to be looked at."""
    page = book.of(finding)
    nodes = page.at(finding.place)
    if not nodes:
        raise Refusal("the write can't be found in the code")
    statement = page.statement(nodes[-1])
    function = page.function(statement)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise Refusal("the write isn't in a function")
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(function)):
        raise Refusal("a generator can't return its state")
    if statement not in function.body:
        raise Refusal("the write happens in a branch or a loop only")
    if finding.code in ("OMN201", "OMN202"):
        spans = _variable(page, statement, function)
    elif finding.code == "OMN203":
        spans = _attribute(page, statement, function)
    elif finding.code == "OMN204":
        spans = _container(page, statement, function)
    else:
        raise Refusal("where the value should come from instead is for people to say")
    return Repair(Applicability.DISPLAY, _SAYS, [(page, s) for s in spans])


def _variable(page: Page, statement: ast.stmt, function: FunctionNode) -> list[Span]:
    """The name becomes a parameter, and is returned as well."""
    stores = [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    declared = [s for s in function.body if isinstance(s, (ast.Global, ast.Nonlocal))]
    names = [(s, n) for s in declared for n in s.names if n in stores]
    if len(names) != 1:
        raise Refusal("which variable is written can't be told")
    declaration, name = names[0]
    if len(declaration.names) != 1:
        raise Refusal("several outer variables are declared together")
    return [_parameter(page, function, name), statement_gone(page, declaration), *_returns(page, function, name)]


def _attribute(page: Page, statement: ast.stmt, function: FunctionNode) -> list[Span]:
    """The attribute becomes a local variable, which is returned as well."""
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        raise Refusal("the write has no simple form")
    target = statement.targets[0]
    if not (isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"):
        raise Refusal("the attribute isn't one of self")
    name = f"new_{target.attr}"
    if name in page.names:
        raise Refusal(f"`{name}` is taken")
    start, end = page.text.span(target)
    later = [
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Attribute) and n.attr == target.attr and ast.unparse(n.value) == "self"
        and isinstance(n.ctx, ast.Load) and n.lineno > statement.lineno
    ]  # fmt: skip
    spans = [Span(*page.text.span(n), name) for n in later]
    return [Span(start, end, name), *spans, *_returns(page, function, name)]


def _container(page: Page, statement: ast.stmt, function: FunctionNode) -> list[Span]:
    """What is put into the container is returned instead."""
    value: ast.expr | None = None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "add") and len(call.args) == 1:
            value = call.args[0]
    elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        value = statement.value
    if not isinstance(value, ast.Name):
        raise Refusal("what is stored has no name of its own")
    return [statement_gone(page, statement), *_returns(page, function, value.id)]


def _parameter(page: Page, function: FunctionNode, name: str) -> Span:
    a = function.args
    if a.vararg or a.kwarg or a.kwonlyargs or a.defaults:
        raise Refusal("where the new parameter belongs can't be told")
    before = [*a.posonlyargs, *a.args]
    if before:
        at = page.text.span(before[-1])[1]
        return Span(at, at, f", {name}")
    start = page.text.span(function)[0]
    at = page.text.text.index("(", page.text.text.index(function.name, start)) + 1
    return Span(at, at, name)


def _own(function: FunctionNode) -> Iterator[ast.Return]:
    """The function's own return statements."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            pending += ast.iter_child_nodes(node)


def _returns(page: Page, function: FunctionNode, name: str) -> Iterator[Span]:
    """Each return also gives the new state; a function without one ends with it."""
    returns = list(_own(function))
    for node in returns:
        if node.value is None:
            end = page.text.span(node)[1]
            yield Span(end, end, f" {name}")
            continue
        start, end = page.text.span(node.value)
        if isinstance(node.value, ast.Tuple) and page.text.text[start] != "(":
            yield Span(start, start, "(")
            yield Span(end, end, f"), {name}")
        else:
            yield Span(end, end, f", {name}")
    if not returns:
        last = function.body[-1]
        end = page.text.span(last)[1]
        indent = page.text.line(last.lineno)[: last.col_offset]
        yield Span(end, end, f"\n{indent}return {name}")
