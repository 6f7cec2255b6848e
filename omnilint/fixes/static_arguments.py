"""CONC: the argument becomes static, in the style that the file has; each new value of it compiles anew."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from omnilint import knowledge
from omnilint.fixes import callers
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.imports import member
from omnilint.fixes.parameters import by_position, parameter
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding, Place

_JIT = ("jax.jit", "jax.pmap", "jax.checkpoint", "jax.remat", "jax.experimental.pjit.pjit")
_ONLY_NUMBERS = ("jax.checkpoint", "jax.remat", "jax.pmap")
# What is computed from an argument is needed here as it is; elsewhere an array will do.
_LAYOUT = ("shape", "slice", "static")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def propose(finding: Finding, book: Book) -> Repair:
    """The repair that makes the needed arguments static; refuses where the transform isn't written out."""
    needs = finding.data["needs"]
    names = list(dict.fromkeys(name for n in needs for name in n["arguments"]))
    places = {t for n in needs for t in n["transforms"][-1:]}
    alone = len({n["place"] for n in needs}) == 1 and needs[0]["kind"] not in _LAYOUT
    if len(places) != 1 or not all(n["arguments"] for n in needs) or (alone and needs[0]["param"] is None):
        raise Refusal("the value isn't an argument of the traced function itself")
    ((place, _),) = places
    return made_static(place, names, book)


def made_static(place: Place, names: Sequence[str], book: Book) -> Repair:
    """The repair that makes parameters static where a function is traced; refuses where one of them can't be."""
    page = book.page(place.path)
    node = page.expression(place) if page is not None else None
    if page is None or node is None:
        raise Refusal("where it is traced can't be found in the code")
    transform, given, function = _transform(page, node)
    for name in names:
        if _is_array(page, function, name):
            raise Refusal(f"`{name}` is used as an array, which can't be static")
        why = callers.breaks(_jitted(page, node, given, function, name), book)
        if why is not None:
            raise Refusal(f"`{name}` can't be static: {why}")
    spans = _spans(page, node, transform, given, function, names)
    listed = " and ".join(f"`{n}`" for n in names)
    description = f"make {listed} static: each new value of {'it' if len(names) == 1 else 'them'} compiles anew"
    return Repair(Applicability.UNSAFE, description, [(page, s) for s in spans], names)


# Attributes that arrays have and what may be static hasn't, unlike `size`, `dtype`, `real`, `copy()` or `sort()`.
_OF_ARRAYS = frozenset({"T", "at", "aval", "mT", "nbytes", "ndim", "shape", "weak_type"})
_ARRAYS = re.compile(r"\b(Array|ArrayLike|ndarray|DeviceArray|Tracer)\b")
_OF_BOTH = frozenset({"conj", "conjugate", "copy", "sort", "view"})
_SEQUENCES = re.compile(r"\b([Tt]uple|[Ll]ist|Sequence|NamedTuple|str|[Dd]ict|Mapping|range)\b")


def _is_array(page: Page, function: Definition, name: str) -> bool:
    """Whether the function treats a parameter as an array: `x.sum()`, `x.ndim`, `x[:, 0]`, `x[0]`, `jnp.sum(x)`."""
    if _is_annotated(function, name, _ARRAYS):
        return True
    sequence = _is_annotated(function, name, _SEQUENCES)
    methods = knowledge.table("array_members")["methods"].keys() - _OF_BOTH
    for node in ast.walk(function):
        if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Load):
            continue
        parent = page.parent(node)
        if isinstance(parent, ast.Attribute):
            above = page.parent(parent)
            called = isinstance(above, ast.Call) and above.func is parent
            if parent.attr in _OF_ARRAYS or (called and parent.attr in methods):
                return True
        elif isinstance(parent, ast.Subscript) and parent.value is node:
            if isinstance(parent.slice, ast.Tuple) or not (sequence or _is_key(parent.slice)):
                return True
        elif isinstance(parent, ast.Call) and parent.args[:1] == [node]:
            home, _, leaf = (page.dotted(parent.func) or "").rpartition(".")
            if home == "jax.numpy" and leaf in methods:
                return True
    return False


def _is_annotated(function: Definition, name: str, words: re.Pattern[str]) -> bool:
    """Whether a parameter's annotation has one of these words."""
    own = parameter(function, name)
    return own is not None and own.annotation is not None and bool(words.search(ast.unparse(own.annotation)))


def _is_key(index: ast.expr) -> bool:
    """Whether an index is one of a mapping's."""
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def _jitted(page: Page, node: ast.expr, given: ast.Call | None, function: Definition, name: str) -> callers.Jitted:
    """The parameter with the place where the jitted function is bound."""
    parameters = _positions(page, given, function)
    if parameters[:1] == ["self"] and isinstance(page.parent(function), ast.ClassDef):
        parameters = parameters[1:]
    decorated = page.parent(node) is function
    at = parameters.index(name) if name in parameters else None
    return callers.Jitted(page, function if decorated else node, name, at)


def _transform(page: Page, node: ast.expr) -> tuple[str, ast.Call | None, Definition]:
    """(the transform, the call that has its options, the function that it is applied to)."""
    decorated = page.parent(node)
    if page.dotted(node) in _JIT and isinstance(decorated, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return str(page.dotted(node)), None, decorated
    if not isinstance(node, ast.Call):
        raise Refusal("it is traced by a function of the project")
    if page.dotted(node.func) == "functools.partial" and node.args and page.dotted(node.args[0]) in _JIT:
        if isinstance(decorated, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return str(page.dotted(node.args[0])), node, decorated
        raise Refusal("what the transform is applied to can't be told")
    name = page.dotted(node.func)
    if name not in _JIT:
        raise Refusal("it isn't traced by jit")
    if isinstance(decorated, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.args:
        return str(name), node, decorated
    function = _function(page, node.args[0]) if node.args else None
    if function is None:
        raise Refusal("what the transform is applied to can't be told")
    return str(name), node, function


def _function(page: Page, node: ast.expr) -> Definition | None:
    if isinstance(node, ast.Lambda):
        return node
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    found = [d.node for q, d in page.module.definitions.items() if q.rpartition(".")[2].partition("@")[0] == name]
    if len(found) == 1 and isinstance(found[0], (ast.FunctionDef, ast.AsyncFunctionDef)):
        return found[0]
    return None


def _spans(
    page: Page,
    node: ast.expr,
    transform: str,
    given: ast.Call | None,
    function: Definition,
    names: Sequence[str],
) -> list[Span]:
    parameters = _positions(page, given, function)
    every = [*parameters, *(a.arg for a in function.args.kwonlyargs)]
    for name in names:
        if name not in every:
            raise Refusal(f"`{name}` isn't a parameter of the traced function")
    old = {k.arg: k.value for k in given.keywords} if given is not None else {}
    keyword = _keyword(page, transform, old, all(name in parameters for name in names))
    if keyword != "static_argnames":
        for name in names:
            if name not in parameters:
                raise Refusal(f"`{name}` has no position")
        entries = [str(i) for i in sorted(parameters.index(name) for name in names)]
    else:
        entries = [f"{_quote(page)}{name}{_quote(page)}" for name in names]
    if keyword in old:
        return [_extended(page, old[keyword], entries)]
    single = len(entries) == 1 and transform not in _ONLY_NUMBERS
    option = f"{keyword}={entries[0] if single else _tuple(entries)}"
    if given is None:
        partial, added = member(page, "functools.partial")
        start, end = page.text.span(node)
        return [Span(start, start, f"{partial}("), Span(end, end, f", {option})"), *added]
    last = max((*given.args, *(k.value for k in given.keywords)), key=lambda n: page.text.span(n)[1], default=None)
    at = page.text.span(last)[1] if last is not None else page.text.span(given)[1] - 1
    return [Span(at, at, f", {option}" if last is not None else option)]


def _keyword(page: Page, transform: str, old: Collection[str | None], numbered: bool) -> str:
    """The option that says what is static: the one that is there, else as the file does it."""
    if transform == "jax.pmap":
        return "static_broadcasted_argnums"
    if transform in _ONLY_NUMBERS:
        return "static_argnums"
    there = next((k for k in ("static_argnames", "static_argnums") if k in old), None)
    return there or ("static_argnums" if numbered and _counts(page) else "static_argnames")


def _tuple(entries: Sequence[str]) -> str:
    return f"({entries[0]},)" if len(entries) == 1 else f"({', '.join(entries)})"


def _positions(page: Page, given: ast.Call | None, function: Definition) -> list[str]:
    """The parameters by position, as the transform counts them."""
    parameters = [p.arg for p in by_position(function)]
    bound = parameters[:1] in (["self"], ["cls"]) and _bound_method(page, given)
    return parameters[1:] if bound else parameters


def _bound_method(page: Page, given: ast.Call | None) -> bool:
    """Whether a transform is applied to a method of an object, which has its first argument already."""
    first = given.args[0] if given is not None and given.args else None
    return isinstance(first, ast.Attribute) and (page.dotted(first) or "") not in _JIT


def _extended(page: Page, value: ast.expr, entries: Sequence[str]) -> Span:
    """More entries in a tuple, list or single value; None and nothing at all become what is added."""
    start, end = page.text.span(value)
    text = page.text.text[start:end]
    if isinstance(value, ast.Constant) and value.value is None:
        return Span(start, end, entries[0] if len(entries) == 1 else _tuple(entries))
    mark = "'" if "'" in text else '"' if '"' in text else _quote(page)
    entries = [f"{mark}{e[1:-1]}{mark}" if e[0] in "'\"" else e for e in entries]
    if isinstance(value, (ast.Tuple, ast.List)):
        there = {ast.unparse(e) for e in value.elts}
        entries = [e for e in entries if ast.unparse(ast.parse(e, mode="eval").body) not in there]
        if not entries:
            raise Refusal("it is static already")
        if not value.elts:
            return Span(start, end, _tuple(entries) if isinstance(value, ast.Tuple) else f"[{', '.join(entries)}]")
        at = page.text.span(value.elts[-1])[1]
        added = f", {', '.join(entries)}"
        if len(value.elts) == 1 and text.endswith(",)"):
            return Span(at, at + 1, added)
        return Span(at, at, added)
    if isinstance(value, ast.Constant):
        return Span(start, end, f"({text}, {', '.join(entries)})")
    raise Refusal("the static arguments aren't written out")


def _quote(page: Page) -> str:
    """The quote that the file prefers."""
    return "'" if page.text.text.count("'") > page.text.text.count('"') else '"'


def _counts(page: Page) -> bool:
    """Whether the file says static arguments by position, and never by name."""
    return "static_argnums" in page.text.text and "static_argnames" not in page.text.text
