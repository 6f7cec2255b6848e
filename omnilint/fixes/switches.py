"""INTERNAL: switches of omnistaging that nothing reads any more are taken out."""

from __future__ import annotations

import ast
import re

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.import_lines import statement_gone
from omnilint.fixes.text import Span, Text
from omnilint.model import Applicability, Finding

_DESCRIPTION = "take out the switch, which nothing reads any more"
# A line that does nothing but set the variable, in the languages of shells, containers, make, YAML and .env files.
_ALONE = re.compile(
    r"""^\s*(?:(?:export|ENV|ARG|setenv|set|setx|unset|-e|-)\s+)?["']?JAX_OMNISTAGING["']?\s*(?:[=:?]?[=:]|\s)?\s*"""
    r"""(?:"[^"]*"|'[^']*'|[\w.$\{\}]*)\s*(?:\#.*|//.*)?;?\s*$""",
    re.X,
)
_BEFORE_COMMAND = re.compile(r"JAX_OMNISTAGING=\S*[ \t]+(?=\S)")


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a finding about a dead switch: the statement, line, flag or variable goes."""
    page = book.page(finding.place.path)
    if page is not None:
        return _in_python(finding, page)
    source = book.sources[finding.place.path]
    return _in_text(finding, Text(source))


def _in_text(finding: Finding, text: Text) -> Repair:
    p = finding.place
    line = text.line(p.line)
    start, end = text.offset(p.line, p.column), text.offset(p.end_line, p.end_column)
    what = text.text[start:end]
    kind = Applicability.SAFE
    if what.startswith("--"):
        before = start - len(line[: p.column - 1]) + len(line[: p.column - 1].rstrip(" \t"))
        if line.strip() in (what, f"{what} \\"):
            span = _line(text, p.line)
            if not line.rstrip().endswith("\\") and text.line(p.line - 1).rstrip().endswith("\\"):
                raise Refusal("it ends a command of several lines")
        elif before < start and text.text[end : end + 1] in ("", " ", "\t", "\r", "\n", '"', "'"):
            span = Span(before, end)
        else:
            raise Refusal("how it hangs together with the rest of the line can't be told")
    elif _ALONE.match(line):
        span, kind = _line(text, p.line), _kind_of_line(text, p.line)
    elif (found := _BEFORE_COMMAND.match(line, p.column - 1)) is not None and text.source.path.endswith(_SHELLS):
        span = Span(start, start + len(found.group()))
    else:
        raise Refusal("how it hangs together with the rest of the line can't be told")
    return Repair(kind, _DESCRIPTION, [(text, span)])


_SHELLS = (
    ".sh",
    ".bash",
    ".zsh",
    ".ksh",
    ".slurm",
    ".sbatch",
    ".pbs",
    ".qsub",
    ".lsf",
    ".mk",
    "Makefile",
    "Dockerfile",
)


def _line(text: Text, number: int) -> Span:
    start, end = text.whole_lines(text.starts[number - 1], text.starts[number - 1])
    return Span(start, end)


def _kind_of_line(text: Text, number: int) -> Applicability:
    """A mapping or list of YAML that would be left empty changes its meaning: a person should look."""
    if not text.source.path.endswith((".yml", ".yaml")):
        return Applicability.SAFE
    own = _depth(text.line(number))
    for step in (-1, 1):
        at = number + step
        while 0 < at <= len(text.starts) and (not text.line(at).strip() or text.line(at).lstrip().startswith("#")):
            at += step
        if 0 < at <= len(text.starts) and _depth(text.line(at)) == own and text.line(at).strip():
            return Applicability.SAFE
    return Applicability.UNSAFE


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _in_python(finding: Finding, page: Page) -> Repair:
    nodes = page.at(finding.place)
    if not nodes:
        raise Refusal("the switch can't be found in the code")
    node = nodes[-1]
    if isinstance(node, ast.keyword):
        call = page.parent(node)
        if isinstance(call, ast.Call) and node.arg:
            from omnilint.fixes.calls import without

            return Repair(Applicability.SAFE, _DESCRIPTION, [(page, without(page, call, node.arg))])
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
    return Repair(Applicability.SAFE, _DESCRIPTION, [(page, statement_gone(page, statement))])


def _only_sets(page: Page, statement: ast.stmt, node: ast.AST) -> bool:
    """Whether a statement sets, or takes away, this one switch and does nothing else."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if call.func is node:
            return not call.args
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("update", "pop", "setdefault", "putenv"):
            return bool(call.args) and call.args[0] is node
        return False
    if isinstance(statement, ast.Assign):
        (target, *others) = statement.targets
        if others or isinstance(statement.value, (ast.Call, ast.Await)):
            return False
        return target is node or (isinstance(target, ast.Subscript) and target.slice is node)
    if isinstance(statement, ast.Delete):
        return len(statement.targets) == 1 and any(n is node for n in ast.walk(statement))
    return False
