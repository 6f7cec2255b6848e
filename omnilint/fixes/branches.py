"""CONC: a branch on a traced value becomes `jnp.where`, or `lax.cond` where the branches may not both be computed."""

from __future__ import annotations

import ast
from collections.abc import Collection

from omnilint.fixes.conditions import Condition, is_cheap, of_one_value
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.imports import module_alias
from omnilint.fixes.kinds import SCALAR, Kind, kind
from omnilint.fixes.needs import builtin_call, where
from omnilint.fixes.operands import argument
from omnilint.fixes.parameters import parameter
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_WHERE = "compute both branches and choose"
_WIDENED = f"{_WHERE}: what comes of it has the dtype that holds both"
_COND = "let XLA choose; both branches must give the same shape and dtype"


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of an `if`, a conditional expression or a condition; refuses effects and more than one value."""
    page, node = where(finding, book)
    test = _whole(page, node)
    holder = page.parent(test)
    if isinstance(holder, ast.IfExp) and holder.test is test:
        return _expression(page, holder, node)
    if isinstance(holder, ast.If) and holder.test is test:
        return _statement(page, holder, node)
    if isinstance(holder, (ast.While, ast.Assert, ast.comprehension)):
        raise Refusal("the condition decides about more than a value")
    return _alone(page, test, node)


def _whole(page: Page, node: ast.expr) -> ast.expr:
    """The whole condition that an expression is a part of."""
    while True:
        parent = page.parent(node)
        negated = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
        called = isinstance(parent, ast.Call) and builtin_call(page, parent, "bool") is not None
        if not (negated or called or isinstance(parent, (ast.BoolOp, ast.Compare))):
            return node
        assert isinstance(parent, ast.expr)
        node = parent


def _alone(page: Page, test: ast.expr, node: ast.expr) -> Repair:
    """A condition whose value is kept: `y = 0 < x < 3`, `y = not c`."""
    if not isinstance(test, (ast.BoolOp, ast.Compare, ast.UnaryOp)):
        raise Refusal("the condition decides about more than a value")
    condition = Condition(page, node)
    text = condition.written(test)
    start, end = page.text.span(test)
    if "\n" in text or "#" in page.text.text[start:end]:
        raise Refusal("the condition stands on several lines")
    loose = isinstance(page.parent(test), (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Compare))
    text = f"({text})" if loose and isinstance(test, (ast.BoolOp, ast.Compare)) else text
    says = "negate the array" if isinstance(test, ast.UnaryOp) else "put the conditions together element by element"
    return Repair(Applicability.UNSAFE, says, [(page, s) for s in (Span(start, end, text), *condition.added)])


def _expression(page: Page, node: ast.IfExp, needed: ast.expr) -> Repair:
    text, says, added = _chosen(page, node.test, needed, node.body, node.orelse)
    start, end = page.text.span(node)
    return Repair(Applicability.UNSAFE, says, [(page, Span(start, end, text)), *((page, s) for s in added)])


def _statement(page: Page, node: ast.If, needed: ast.expr) -> Repair:
    """`if c: return a` before `return b`, or `if c: x = a` with or without an `else`."""
    parent = page.parent(node)
    block = next(
        (b for f in ("body", "orelse", "finalbody") if isinstance(b := getattr(parent, f, None), list) and node in b),
        None,
    )
    if block is None or len(node.body) != 1 or len(node.orelse) > 1:
        raise Refusal("the branches do more than give one value")
    start, end = page.text.span(node)
    if page.text.text[start : start + 2] != "if":
        raise Refusal("it is an elif")
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
        text, says, added = _chosen(page, node.test, needed, first.value, other.value)
        new = f"return {text}"
    elif isinstance(first, ast.Assign) and len(first.targets) == 1 and isinstance(first.targets[0], ast.Name):
        target = first.targets[0]
        if other is None:
            alternative: ast.expr = _value_before(page, node, target.id)
        elif isinstance(other, ast.Assign) and [ast.unparse(t) for t in other.targets] == [target.id]:
            alternative = other.value
        else:
            raise Refusal("the branches assign different things")
        text, says, added = _chosen(page, node.test, needed, first.value, alternative, target.id if not other else None)
        new = f"{target.id} = {text}"
    else:
        raise Refusal("the branches do more than give one value")
    return Repair(Applicability.UNSAFE, says, [(page, Span(start, end, new)), *((page, s) for s in added)])


def _value_before(page: Page, node: ast.If, name: str) -> ast.expr:
    """What a name surely holds before the statement: its number, written out, or itself; refuses where it may not."""
    function = page.function(node)
    found: ast.expr | None = None
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if parameter(function, name) is not None:
            found = ast.Name(name, ast.Load())
        for statement in function.body:
            if statement is node:
                break
            own = isinstance(statement, ast.Assign) and any(name == getattr(t, "id", "") for t in statement.targets)
            if own and isinstance(statement, ast.Assign):
                found = statement.value if isinstance(statement.value, ast.Constant) else ast.Name(name, ast.Load())
            elif any(
                isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
                for n in ast.walk(statement)
            ):
                found = ast.Name(name, ast.Load()) if found is not None else None
    if found is None:
        raise Refusal(f"`{name}` may have no value before")
    return found


def _chosen(
    page: Page, test: ast.expr, needed: ast.expr, yes: ast.expr, no: ast.expr, written: str | None = None
) -> tuple[str, str, list[Span]]:
    """(the text, its description, the imports); `written` stands for `no` where it was assigned before."""
    for value in (yes, no):
        if not _is_value(value):
            raise Refusal("a branch gives something else than one array")
    condition = Condition(page, needed)
    parts = [condition.written(test), argument(page, yes), written or argument(page, no)]
    if any("\n" in p for p in parts):
        raise Refusal("the branches stand on several lines")
    kinds = [_kind(page, n, frozenset(of_one_value(test))) for n in (yes, no)]
    alike = _alike(*kinds)
    if alike and is_cheap(page, yes) and is_cheap(page, no):
        alias, added = module_alias(page, "jax.numpy")
        return (
            f"{alias}.where({', '.join(parts)})",
            _WHERE if _of_one_dtype(*kinds) else _WIDENED,
            [*condition.added, *added],
        )
    alias, added = module_alias(page, "jax.lax")
    return f"{alias}.cond({parts[0]}, lambda: {parts[1]}, lambda: {parts[2]})", _COND, [*condition.added, *added]


def _kind(page: Page, node: ast.expr, scalars: Collection[str]) -> Kind:
    if hasattr(node, "lineno"):
        return kind(page, node, scalars)
    text = ast.unparse(node)
    return Kind(SCALAR if text in scalars else text, f"that of {text}")


def _alike(a: Kind, b: Kind) -> bool:
    """Whether two values have one shape and dtype, as far as the code shows; refuses where they surely have not."""
    for one, other in ((a, b), (b, a)):
        if one.number and (other.dtype in ("bool", "int", "float") or other.number):
            order = ("bool", "int", "float")
            fits = one.dtype == other.dtype or (not other.number and (one.dtype, other.dtype) == ("int", "float"))
            if not fits and order.index(str(one.dtype)) >= order.index(str(other.dtype)):
                raise Refusal("the branches give different kinds of numbers")
    if a.number != b.number:
        number, array = (a, b) if a.number else (b, a)
        if number.dtype == "bool" and array.dtype != "bool":
            raise Refusal("the branches give different kinds of numbers")
        if array.shape == SCALAR:
            return True
        raise Refusal("the branches may have different shapes")
    if a.dtype != b.dtype and {a.dtype, b.dtype} & {"bool", "int"} and None not in (a.dtype, b.dtype):
        raise Refusal("the branches give different kinds of numbers")
    if SCALAR in (a.shape, b.shape) and None not in (a.shape, b.shape) and a.shape != b.shape:
        raise Refusal("the branches may have different shapes")
    kept = a.dtype == b.dtype or "float" in (a.dtype, b.dtype)
    return a.shape is not None and a.shape == b.shape and kept


def _of_one_dtype(a: Kind, b: Kind) -> bool:
    """Whether both surely have the dtype that `jnp.where` gives: Python's integers follow the arrays."""
    if a.number != b.number and "int" in (a.dtype if a.number else None, b.dtype if b.number else None):
        return True
    return a.dtype is not None and a.dtype == b.dtype


def _is_value(node: ast.expr) -> bool:
    """Whether an expression can be one array: no container, text, None, lambda, and nothing that is awaited."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float, complex, bool))
    containers = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Lambda, ast.JoinedStr, ast.GeneratorExp, ast.ListComp)
    if isinstance(node, (*containers, ast.DictComp, ast.SetComp, ast.Await, ast.Yield, ast.YieldFrom)):
        return False
    return not any(isinstance(n, (ast.NamedExpr, ast.Await, ast.Yield)) for n in ast.walk(node))
