"""INTERNAL: arguments get their new name, are passed by position, or go where they had no effect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from omnilint import knowledge
from omnilint.fixes import calls
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a finding about an argument of one of JAX's functions."""
    page = book.of(finding)
    keyword = next((n for n in page.at(finding.place) if isinstance(n, ast.keyword)), None)
    function, argument = str(finding.data.get("name") or ""), str(finding.data.get("argument") or "")
    if keyword is None or keyword.arg != argument:
        raise Refusal("the argument isn't given by name")
    call = page.parent(keyword)
    if not isinstance(call, ast.Call) or page.frozen(call):
        raise Refusal("the call can't be edited where it stands")
    for row in _rows("drop", function, argument):
        if "only" not in row or ast.unparse(keyword.value) in row["only"]:
            return _repair(page, [calls.without(page, call, argument)], f"drop `{argument}`, which has no effect")
    order = sorted((row["at"], row["argument"]) for row in _rows("position", function))
    if any(name == argument for _, name in order):
        span = calls.by_position(page, call, [name for _, name in order])
        return _repair(page, [span], f"pass `{argument}` by position")
    new = re.fullmatch(r"`?([A-Za-z_]\w*)`?", str(finding.data.get("replacement") or ""))
    if new is None:
        raise Refusal(f"nothing can simply be written for `{argument}` of `{function}`")
    if any(k.arg == new[1] for k in call.keywords):
        raise Refusal(f"`{new[1]}` is given too")
    if function in ("jax.pure_callback", "jax.ffi.ffi_call", "jax.extend.ffi.ffi_call", "jax.checkpoint", "jax.remat"):
        raise Refusal(f"`{new[1]}` takes other values than `{argument}`")
    start, _ = page.text.span(keyword)
    return _repair(page, [Span(start, start + len(argument), new[1])], f"`{argument}` is called `{new[1]}` now")


def _repair(page: Page, spans: list[Span], description: str) -> Repair:
    return Repair(Applicability.SAFE, description, [(page, s) for s in spans])


def _rows(kind: str, function: str, argument: str | None = None) -> Iterator[Mapping[str, Any]]:
    for row in knowledge.table("repairs")[kind]:
        if function in row["functions"] and argument in (None, row["argument"]):
            yield row
