"""JAX's parameters that refuse what NumPy has for Python's numbers and tuples: `tuple(…)` and `int(…)` around those."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache

from omnilint import knowledge
from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.flow import argument_for
from omnilint.fixes.host_forms import Form, Forms
from omnilint.fixes.text import Span

_WRITTEN = {Form.ARRAY: "tuple", Form.SCALAR: "int", Form.ZERO: "int"}

_WORDS = {"array": "array of NumPy", "scalar": "scalar of NumPy", "zero": "array without dimensions"}


@cache
def _table() -> Mapping[str, frozenset[str]]:
    """The forms that a "function(parameter)" refuses."""
    return {name: frozenset(str(forms).split()) for name, forms in knowledge.table("host_arguments").items()}


def refuses(page: Page, call: ast.Call, parameter: str) -> frozenset[str]:
    """The forms that a parameter of a called function, or of a method of arrays, refuses."""
    dotted = page.dotted(call.func)
    if dotted is None and isinstance(call.func, ast.Attribute):
        dotted = f"jax.Array.{call.func.attr}"
    return _table().get(f"{dotted}({parameter})", frozenset())


def adapted(page: Page, call: ast.Call, parameter: str, forms: Forms) -> Iterator[Span | str]:
    """What has to stand around the argument, as spans; in words, where it isn't seen whether anything has to."""
    refused = refuses(page, call, parameter)
    argument = argument_for(page, call, parameter) if refused else None
    if argument is None:
        return
    if isinstance(argument, (ast.Tuple, ast.List)):
        for element in argument.elts if "zeros" in refused else ():
            if forms.of(page, element) is Form.ZERO:
                yield from _within(page, element, "int")
        return
    form = forms.of(page, argument)
    if form.value in refused:
        yield from _within(page, argument, _WRITTEN[form])
    elif form is Form.UNKNOWN and (what := next((w for f, w in _WORDS.items() if f in refused), None)):
        yield f"`{ast.unparse(call.func)}` takes no {what} as `{parameter}`"


def _within(page: Page, node: ast.expr, builtin: str) -> Iterator[Span]:
    if page.module.stars or not page.shadows.is_builtin(builtin, node):
        raise Refusal(f"`{builtin}` means something else there")
    start, end = page.text.span(node)
    yield Span(start, start, f"{builtin}(")
    yield Span(end, end, ")")
