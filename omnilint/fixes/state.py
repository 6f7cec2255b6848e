"""STATE: state in, state out. The rewrite of the function is shown, and never made: its callers change with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.import_parts import statement_gone
from omnilint.fixes.in_out import FunctionNode, parameter, results
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

_SAYS = "state in, state out: callers pass it and take the new one"
_ONLY_OUT = "state out: callers take it and keep it"
_TRACER = re.compile(r"while `?([\w.]+)`? traces")


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
    if _is_called_by_python(page, function):
        raise Refusal("Python calls it, so it can't take or return more; a method in its place can")
    if page.inside(function).yields:
        raise Refusal("a generator can't return its state")
    tracer = _TRACER.search(finding.message)
    if tracer is not None and tracer[1].startswith(("lax.", "jax.lax.")):
        raise Refusal(f"it has to go into what `{tracer[1]}` carries")
    if finding.code in ("OMN201", "OMN202"):
        spans = _variables(page, statement, function)
    elif finding.code in ("OMN203", "OMN204"):
        spans = _member(page, statement, function, finding.code)
    else:
        raise Refusal("where the value should come from instead is for people to say")
    is_in = any(s.content.startswith(",") or s.end == s.start for s in spans[:1])
    says = _SAYS if is_in else _ONLY_OUT
    if tracer is not None and tracer[1].rpartition(".")[2] in ("grad", "value_and_grad"):
        says += f"; tell `{tracer[1]}` of it with has_aux=True"
    return Repair(Applicability.DISPLAY, says, [(page, s) for s in spans])


def _is_called_by_python(page: Page, function: FunctionNode) -> bool:
    """Whether what a function takes and returns is fixed: a property, or a special method other than `__call__`."""
    for decorator in function.decorator_list:
        name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
        word = name.rpartition(".")[2].lower()
        if word.endswith("property") or ("." in name and word in ("setter", "getter", "deleter")):
            return True
    special = function.name.startswith("__") and function.name.endswith("__") and function.name != "__call__"
    return special and isinstance(page.parent(function), ast.ClassDef)


# Variables


def _variables(page: Page, statement: ast.stmt, function: FunctionNode) -> list[Span]:
    """The outer names that the statement writes become parameters, and are returned as well."""
    stores = [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    found = [
        (s, n) for s in page.inside(function).declared for n in s.names if n in stores and page.function(s) is function
    ]
    if not found:
        raise Refusal("which variable is written can't be told")
    names = ", ".join(dict.fromkeys(n for _, n in found))
    spans = [parameter(page, function, names)]
    for declaration in {id(s): s for s, _ in found}.values():
        rest = [n for n in declaration.names if (declaration, n) not in found]
        if rest:
            word = "global" if isinstance(declaration, ast.Global) else "nonlocal"
            spans.append(Span(*page.text.span(declaration), f"{word} {', '.join(rest)}"))
        else:
            spans.append(statement_gone(page, declaration))
    return [*spans, *results(page, function, names, names)]


# Attributes and entries


def _member(page: Page, statement: ast.stmt, function: FunctionNode, code: str) -> list[Span]:
    """The attribute or entry becomes a local variable, which is returned; a parameter too, where it is read before."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if code == "OMN204" and isinstance(call, ast.Call):
        return _added(page, statement, call, function)
    targets = list(_targets(statement))
    wanted = ast.Attribute if code == "OMN203" else ast.Subscript
    found = [t for t in targets if isinstance(t, wanted) and _is_plain(t)]
    if len(found) != 1:
        raise Refusal("the write has no simple form")
    old = ast.unparse(found[0])
    uses = [n for n in page.inside(function).written(old) if isinstance(n, wanted)]
    if any(isinstance(n.ctx, ast.Del) or page.frozen(n) for n in uses):
        raise Refusal("it is deleted, or stands in an f-string")
    if any(isinstance(n.ctx, ast.Store) and page.function(n) is not function for n in uses):
        raise Refusal("a function inside writes it too")
    name = _free(page, function, _name(found[0]))
    spans = [Span(*page.text.span(n), name) for n in uses]
    if _read_before(page, statement, function, uses):
        spans.insert(0, parameter(page, function, name))
    return [*spans, *results(page, function, name, old)]


def _targets(statement: ast.stmt) -> Iterator[ast.expr]:
    """What a statement assigns, tuples taken apart."""
    pending: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        pending = list(statement.targets)
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        pending = [statement.target]
    while pending:
        target = pending.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            pending += target.elts
        else:
            yield target


def _is_plain(target: ast.Attribute | ast.Subscript) -> bool:
    """`self.key`, `cache["last"]`, `self.cache[0]`: the same thing wherever it is written so."""
    if isinstance(target, ast.Attribute):
        return isinstance(target.value, ast.Name) and target.value.id == "self"
    return isinstance(target.slice, ast.Constant) and isinstance(target.value, (ast.Name, ast.Attribute))


def _name(target: ast.Attribute | ast.Subscript) -> str:
    if isinstance(target, ast.Attribute):
        return target.attr.strip("_")
    key = target.slice.value if isinstance(target.slice, ast.Constant) else None
    if isinstance(key, str) and key.isidentifier():
        return key.lower()
    return f"{_base(target.value)}_{key}" if isinstance(key, int) and key >= 0 else "kept"


def _base(node: ast.expr) -> str:
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "kept")).strip("_").lower()


def _free(page: Page, function: FunctionNode, name: str) -> str:
    """The name, or one like it, that the function doesn't use yet."""
    used = page.inside(function).names
    for choice in (name, f"new_{name}"):
        if choice.isidentifier() and choice not in used:
            return choice
    raise Refusal(f"`{name}` is taken")


def _read_before(page: Page, statement: ast.stmt, function: FunctionNode, uses: Sequence[ast.expr]) -> bool:
    """Whether the function reads, or may read, what was there before its first write."""
    if isinstance(statement, ast.AugAssign) or statement not in function.body:
        return True
    loads = [n for n in uses if isinstance(getattr(n, "ctx", None), ast.Load)]
    return any(n.lineno <= (statement.end_lineno or statement.lineno) for n in loads)


# What is put into a container


def _added(page: Page, statement: ast.stmt, call: ast.Call, function: FunctionNode) -> list[Span]:
    """What `append` or `add` puts into the container is returned instead, for the caller to put there."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("append", "add") or len(call.args) != 1:
        raise Refusal("what changes in the container can't be told")
    if statement not in function.body:
        raise Refusal("the write happens in a branch or a loop only")
    container = ast.unparse(call.func.value)
    if len(page.inside(function).written(container)) != 1:
        raise Refusal("the function uses the container elsewhere too")
    value = call.args[0]
    if isinstance(value, ast.Name):
        return [statement_gone(page, statement), *results(page, function, value.id, value.id)]
    name = _free(page, function, f"new_{_base(call.func.value)}")
    (start, end), (first, last) = page.text.span(statement), page.text.span(value)
    if "," in page.text.text[last:end]:
        raise Refusal("a comma stands behind what is stored")
    if "#" in page.text.text[start:end]:  # its parentheses stay, with what is said in them
        spans = [Span(start, page.text.span(call.func)[1], f"{name} = ")]
    else:
        spans = [Span(start, first, f"{name} = "), Span(last, end)]
    return [*spans, *results(page, function, name, name)]
