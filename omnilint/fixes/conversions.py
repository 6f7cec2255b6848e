"""CONC: `float()`, `bool()`, `.item()` go, and `int()` becomes a dtype, where a traced value does as well."""

from __future__ import annotations

import ast
import re

from omnilint.fixes.context import Book, Refusal, Repair
from omnilint.fixes.kinds import kind
from omnilint.fixes.needs import builtin_call, where
from omnilint.fixes.operands import operand
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding


def propose(finding: Finding, book: Book) -> Repair:
    """The repair that keeps the value an array; refuses where a Python number is needed further on."""
    page, node = where(finding, book)
    start, end = page.text.span(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("item", "tolist"):
        if node.func.attr == "tolist" or node.args or node.keywords:
            raise Refusal("a list of Python numbers is needed")
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
    if wanted == "int" or (wanted == "bool" and found != "bool") or (wanted == "float" and found in ("bool", "int")):
        text = f"{inner}.astype({wanted})"
    else:
        says += "; whole numbers stay whole" if wanted == "float" and found != "float" else ""
        text = inner if isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Attribute)) else page.text.cut(call.args[0])
        if isinstance(call.args[0], (ast.GeneratorExp, ast.NamedExpr)) or "\n" in text:
            text = inner
    return Repair(Applicability.UNSAFE, says, [(page, Span(start, end, text))])


def _needs_python(parent: ast.AST | None, node: ast.expr) -> bool:
    if isinstance(parent, (ast.If, ast.While, ast.Assert)):
        return True
    return isinstance(parent, ast.IfExp) and parent.test is node
