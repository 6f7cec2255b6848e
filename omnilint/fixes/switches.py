"""INTERNAL: switches of omnistaging that nothing reads any more are taken out."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from omnilint.fixes import script_switches
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.import_parts import statement_gone
from omnilint.fixes.text import Span, Text
from omnilint.model import Applicability, Finding

_DESCRIPTION = "take out the switch, which nothing reads any more"
# Reads of the variable in Python: without what sets it they would find nothing.
_READ = re.compile(
    r"""(?:getenv\(|environ\.get\(|(?<!del os\.)environ\[|\bin\s+)\s*["']JAX_OMNISTAGING["'](?!\s*\]\s*=(?!=))"""
)


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a finding about a dead switch: the statement, line, flag or variable goes."""
    page = book.page(finding.place.path)
    if page is not None:
        return _in_python(finding, book, page)
    text = Text(book.sources[finding.place.path])
    span, kind = script_switches.propose(text, finding.place)
    return Repair(kind, _DESCRIPTION, [(text, span)])


def _in_python(finding: Finding, book: Book, page: Page) -> Repair:
    nodes = page.at(finding.place)
    if not nodes:
        raise Refusal("the switch can't be found in the code")
    node = nodes[-1]
    if isinstance(node, ast.keyword):
        return _keyword(page, node)
    if isinstance(node, ast.Attribute) and node.attr == "omnistaging_enabled":
        start, end = page.text.span(node)
        if not isinstance(node.ctx, ast.Load):
            raise Refusal("it is assigned to")
        return Repair(Applicability.SAFE, "it has been true since JAX 0.2.12", [(page, Span(start, end, "True"))])
    if isinstance(node, ast.Attribute) and node.attr == "jax_omnistaging" and isinstance(node.ctx, ast.Load):
        raise Refusal("its value is used")
    statement = page.statement(node)
    if not _only_sets(page, statement, node):
        raise Refusal("the statement does more than set the switch")
    if isinstance(node, ast.Constant) and any(
        _READ.search(s.text) for s in book.sources.values() if s.kind != "text" and "JAX_OMNISTAGING" in s.text
    ):
        raise Refusal("its value is read as well")
    return Repair(Applicability.SAFE, _DESCRIPTION, [(page, statement_gone(page, statement))])


def _keyword(page: Page, node: ast.keyword) -> Repair:
    """`dict(os.environ, JAX_OMNISTAGING="0")`: any other function may need the argument."""
    call = page.parent(node)
    builds = isinstance(call, ast.Call) and (
        (isinstance(call.func, ast.Name) and call.func.id == "dict")
        or (isinstance(call.func, ast.Attribute) and call.func.attr == "update" and _holds_variables(call.func.value))
    )
    if not isinstance(call, ast.Call) or not builds or not node.arg or not _does_nothing(node.value):
        raise Refusal("what takes the argument may need it")
    from omnilint.fixes.calls import without

    return Repair(Applicability.SAFE, _DESCRIPTION, [(page, without(page, call, node.arg))])


def _only_sets(page: Page, statement: ast.stmt, node: ast.AST) -> bool:
    """Whether a statement sets, or takes away, this one switch and does nothing else."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if call.func is node:
            return not call.args and not call.keywords
        if not isinstance(call.func, ast.Attribute) or call.args[:1] != [node]:
            return False
        others = [*call.args[1:], *(k.value for k in call.keywords)]
        known = _SETS.get(call.func.attr)
        return known is not None and known(call.func.value) and all(map(_does_nothing, others))
    if isinstance(statement, ast.Assign):
        (target, *others) = statement.targets
        if others or not _does_nothing(statement.value):
            return False
        if isinstance(target, ast.Subscript):
            return target.slice is node and _holds_variables(target.value)
        return target is node
    if isinstance(statement, ast.Delete) and len(statement.targets) == 1:
        (target,) = statement.targets
        return isinstance(target, ast.Subscript) and target.slice is node and _holds_variables(target.value)
    return False


def _holds_variables(node: ast.expr) -> bool:
    """Whether an expression is called like the environment, or like a copy of it."""
    name = ast.unparse(node).lower()
    return isinstance(node, (ast.Name, ast.Attribute)) and bool(re.search(r"(^|[._])env(iron(ment)?|s)?$", name))


def _is_config(node: ast.expr) -> bool:
    name = ast.unparse(node).lower()
    return isinstance(node, (ast.Name, ast.Attribute)) and name.endswith(("config", "flags"))


# Methods that set or take away what their first argument names, and what they have to be methods of.
_SETS: dict[str, Callable[[ast.expr], bool]] = {
    "update": _is_config,
    "pop": _holds_variables,
    "setdefault": _holds_variables,
    "putenv": lambda node: isinstance(node, ast.Name) and node.id == "os",
    "unsetenv": lambda node: isinstance(node, ast.Name) and node.id == "os",
}


def _does_nothing(node: ast.expr) -> bool:
    """Whether evaluating an expression has no effect: constants, names, attributes, and `str` and the like of them."""
    if isinstance(node, ast.Call):
        plain = isinstance(node.func, ast.Name) and node.func.id in ("str", "int", "bool") and not node.keywords
        return plain and all(isinstance(a, (ast.Name, ast.Constant)) for a in node.args)
    if isinstance(node, ast.IfExp):
        return all(map(_does_nothing, (node.test, node.body, node.orelse)))
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, (ast.Name, ast.Constant))
