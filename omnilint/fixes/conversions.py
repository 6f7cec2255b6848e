"""CONC: `float()`, `bool()`, `.item()` go, and `int()` becomes a dtype, where a traced value does as well."""

from __future__ import annotations

import ast
import re

from omnilint.fixes import loops
from omnilint.fixes.context import Book, Page, Refusal, Repair, Settled
from omnilint.fixes.kinds import kind
from omnilint.fixes.needs import builtin_call, where
from omnilint.fixes.operands import operand
from omnilint.fixes.takers import DTYPE, Takers
from omnilint.fixes.text import Span
from omnilint.fixes.widths import width
from omnilint.model import Applicability, Finding


def propose(finding: Finding, book: Book) -> Repair:
    """The repair that keeps the value an array; refuses where a Python number is needed further on."""
    page, node = where(finding, book)
    start, end = page.text.span(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("item", "tolist"):
        if node.func.attr == "tolist" or node.args or node.keywords:
            raise Refusal("a list of Python numbers is needed")
        _taken(page, node, "float", width(page, node.func.value))
        at = page.text.span(node.func.value)[1]
        return Repair(Applicability.UNSAFE, "keep it an array, with its gradient", [(page, Span(at, end))])
    call = builtin_call(page, node, "int", "float", "bool")
    if call is None or len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        raise Refusal("no conversion is written out here")
    parent = page.parent(call)
    function = page.function(call)
    if isinstance(function, ast.FunctionDef) and re.fullmatch(r"__\w+__", function.name):
        raise Refusal(f"Python wants what `{function.name}` gives")
    if isinstance(parent, (ast.Subscript, ast.Slice)) or _needs_python(parent, call):
        raise Refusal("the Python number is needed where it goes")
    if "#" in page.text.cut(call):
        raise Refusal("a comment stands inside the call")
    assert isinstance(call.func, ast.Name)
    inner = operand(page, call.args[0])
    wanted, found = call.func.id, kind(page, call.args[0]).dtype
    says = f"keep it an array, without `{wanted}()`"
    becomes = (
        wanted == "int" or (wanted == "bool" and found != "bool") or (wanted == "float" and found in ("bool", "int"))
    )
    own = {"float": "float32"}.get(wanted, wanted) if becomes else width(page, call.args[0])
    widens = not _counts(page, call) and _taken(page, call, wanted, own)
    if becomes:
        says += "; integers of less than 32 bits that it meets become int32" if widens else ""
        text = f"{inner}.astype({wanted})"
    else:
        says += "; whole numbers stay whole" if wanted == "float" and found != "float" else ""
        text = inner if isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Attribute)) else page.text.cut(call.args[0])
        if isinstance(call.args[0], (ast.GeneratorExp, ast.NamedExpr)) or "\n" in text:
            text = inner
    return Repair(Applicability.UNSAFE, says, [(page, Span(start, end, text))])


def _counts(page: Page, call: ast.Call) -> bool:
    """Whether it is the number of steps of a loop that JAX can do."""
    steps = page.parent(call)
    loop = page.parent(steps) if isinstance(steps, ast.Call) else None
    if not isinstance(steps, ast.Call) or builtin_call(page, steps, "range") is None or not isinstance(loop, ast.For):
        return False
    if len(loop.body) != 1:
        raise Refusal("the Python number is needed by the loop, which does more than one thing")
    loops.written(page, steps)
    return True


def _taken(page: Page, node: ast.expr, wanted: str, own: str | None) -> bool:
    """Refuses where something that uses the value wants the Python number; gives whether its dtype may tell."""
    takers = Takers(wanted, own)
    told = takers.refusal(page, node)
    if told is not None:
        raise Settled(told) if told == DTYPE else Refusal(told)
    return takers.meets_unknown


def _needs_python(parent: ast.AST | None, node: ast.expr) -> bool:
    if isinstance(parent, (ast.If, ast.While, ast.Assert)):
        return True
    return isinstance(parent, ast.IfExp) and parent.test is node
