"""CONC: a branch on a traced value becomes `jnp.where`, or `lax.cond` where a branch calls what may not run."""

from __future__ import annotations

import ast

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.host import twins
from omnilint.fixes.imports import module_alias
from omnilint.fixes.needs import what, where
from omnilint.fixes.operands import argument
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_SAYS = "compute both branches and choose"


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of an `if`, a conditional expression or a `not`; refuses what has effects or more than one value."""
    page, node = where(finding, book)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and what(finding) == "not":
        return _not(page, node)
    holder = next((n for n in (page.parent(node), *page.above(node)) if isinstance(n, (ast.If, ast.IfExp))), None)
    if holder is None or not _tests(page, holder, node):
        if isinstance(page.parent(node), ast.UnaryOp) and what(finding) == "not":
            return _not(page, page.parent(node))  # type: ignore[arg-type]
        raise Refusal("the condition decides about more than a value")
    if isinstance(holder, ast.IfExp):
        return _expression(page, holder)
    return _statement(page, holder)


def _tests(page: Page, holder: ast.If | ast.IfExp, node: ast.expr) -> bool:
    """Whether the need is for the condition as a whole, not for a part that `and` or `or` puts together."""
    if any(isinstance(n, ast.BoolOp) for n in ast.walk(holder.test)):
        return False
    return any(n is node for n in ast.walk(holder.test))


def _not(page: Page, node: ast.UnaryOp) -> Repair:
    alias, added = module_alias(page, "jax.numpy")
    start, end = page.text.span(node)
    a, b = page.text.span(node.operand)
    inner = page.text.text[start + len("not") : a].strip()
    if inner not in ("", "("):
        raise Refusal("a comment stands inside")
    spans = [Span(start, a, f"{alias}.logical_not("), Span(b, end, ")"), *added]
    return Repair(Applicability.UNSAFE, "negate the array", [(page, s) for s in spans])


def _expression(page: Page, node: ast.IfExp) -> Repair:
    text, added = _chosen(page, node.test, node.body, node.orelse)
    start, end = page.text.span(node)
    return Repair(Applicability.UNSAFE, _SAYS, [(page, Span(start, end, text)), *((page, s) for s in added)])


def _statement(page: Page, node: ast.If) -> Repair:
    """`if c: return a` before `return b`, or `if c: x = a` with or without an `else`."""
    parent = page.parent(node)
    block = next(
        (b for f in ("body", "orelse", "finalbody") if isinstance(b := getattr(parent, f, None), list) and node in b),
        None,
    )
    if block is None or len(node.body) != 1 or len(node.orelse) > 1:
        raise Refusal("the branches do more than give one value")
    start, end = page.text.span(node)
    if "#" in page.text.text[page.text.span(node.test)[1] : end]:
        raise Refusal("comments stand in the branches")
    first = node.body[0]
    following = block[block.index(node) + 1 : block.index(node) + 2]
    other = node.orelse[0] if node.orelse else None
    if isinstance(first, ast.Return) and first.value is not None:
        if other is None and following and isinstance(following[0], ast.Return):
            other, end = following[0], page.text.span(following[0])[1]
            if "#" in page.text.text[page.text.span(node)[1] : page.text.span(other)[0]]:
                raise Refusal("comments stand between the branches")
        if not (isinstance(other, ast.Return) and other.value is not None):
            raise Refusal("one branch returns, the other goes on")
        text, added = _chosen(page, node.test, first.value, other.value)
        new = f"return {text}"
    elif isinstance(first, ast.Assign) and len(first.targets) == 1 and isinstance(first.targets[0], ast.Name):
        target = first.targets[0]
        if other is None:
            if not _bound_before(page, node, target.id):
                raise Refusal(f"`{target.id}` may have no value before")
            alternative: ast.expr = ast.Name(target.id, ast.Load())
        elif isinstance(other, ast.Assign) and [ast.unparse(t) for t in other.targets] == [target.id]:
            alternative = other.value
        else:
            raise Refusal("the branches assign different things")
        text, added = _chosen(page, node.test, first.value, alternative)
        new = f"{target.id} = {text}"
    else:
        raise Refusal("the branches do more than give one value")
    if page.text.text[start : start + 2] != "if":
        raise Refusal("it is an elif")
    return Repair(Applicability.UNSAFE, _SAYS, [(page, Span(start, end, new)), *((page, s) for s in added)])


def _bound_before(page: Page, node: ast.If, name: str) -> bool:
    """Whether a name surely has a value before the statement: a parameter, or assigned earlier in the same block."""
    function = page.function(node)
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        a = function.args
        if name in {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}:
            return True
        for statement in function.body:
            if statement is node:
                return False
            if isinstance(statement, ast.Assign) and any(name == getattr(t, "id", "") for t in statement.targets):
                return True
    return False


def _chosen(page: Page, test: ast.expr, yes: ast.expr, no: ast.expr) -> tuple[str, list[Span]]:
    for value in (yes, no):
        if not _is_value(value):
            raise Refusal("a branch gives something else than one array")
    parts = [argument(page, n) if hasattr(n, "lineno") else ast.unparse(n) for n in (test, yes, no)]
    if any("\n" in p for p in parts):
        raise Refusal("the branches stand on several lines")
    if all(_is_cheap(page, n) for n in (yes, no)):
        alias, added = module_alias(page, "jax.numpy")
        return f"{alias}.where({', '.join(parts)})", added
    alias, added = module_alias(page, "jax.lax")
    return f"{alias}.cond({parts[0]}, lambda: {parts[1]}, lambda: {parts[2]})", added


def _is_value(node: ast.expr) -> bool:
    """Whether an expression can be one array: no container, text, None, lambda, and nothing that is awaited."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float, complex, bool))
    containers = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Lambda, ast.JoinedStr, ast.GeneratorExp, ast.ListComp)
    if isinstance(node, (*containers, ast.DictComp, ast.SetComp, ast.Await, ast.Yield, ast.YieldFrom)):
        return False
    return not any(isinstance(n, (ast.NamedExpr, ast.Await, ast.Yield)) for n in ast.walk(node))


def _is_cheap(page: Page, node: ast.expr) -> bool:
    """Whether an expression may as well be computed when it isn't chosen: arithmetic, and functions of JAX."""
    for n in ast.walk(node):
        if isinstance(n, ast.Call):
            of_jax = (page.dotted(n.func) or "").startswith(("jax.numpy.", "jax.lax.", "jax.nn."))
            if not of_jax and not (isinstance(n.func, ast.Attribute) and n.func.attr in twins()["methods"]):
                return False
    return True
