"""INTERNAL: arguments get their new name, are passed by position, or go where they had no effect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.arguments import parameters_at
from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.pure import is_pure
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
        if "since" in row and book.indices[0] < history.index_of(row["since"]):
            raise Refusal(f"`{argument}` has an effect before JAX {row['since']}")
        if "only" not in row or ast.unparse(keyword.value) in row["only"]:
            if not is_pure(keyword.value):
                raise Refusal(f"what is given for `{argument}` may do something")
            from omnilint.fixes.calls import without  # LibCST is loaded for what it edits

            return _repair(page, [without(page, call, argument)], f"drop `{argument}`, which has no effect")
    order = sorted((row["at"], row["argument"]) for row in _rows("position", function))
    names = [name for _, name in order]
    if argument not in names and not finding.data.get("replacement"):
        names = _positions(function, argument, book.indices)
    if argument in names:
        from omnilint.fixes.calls import by_position

        return _repair(page, [by_position(page, call, names)], f"pass `{argument}` by position")
    new = re.fullmatch(r"`?([A-Za-z_]\w*)`?", str(finding.data.get("replacement") or ""))
    if new is None:
        raise Refusal(f"nothing can simply be written for `{argument}` of `{function}`")
    if any(k.arg == new[1] for k in call.keywords):
        raise Refusal(f"`{new[1]}` is given too")
    if f"{function}({argument})" not in knowledge.table("repairs")["renamed"]:
        raise Refusal(f"`{new[1]}` may take other values than `{argument}`")
    known = [parameters_at(function, i) for i in book.indices]
    if any(p is not None and new[1] not in p.keywords and not p.open for p in known):
        raise Refusal(f"not all of the target's releases know `{new[1]}`")
    start, _ = page.text.span(keyword)
    return _repair(page, [Span(start, start + len(argument), new[1])], f"`{argument}` is called `{new[1]}` now")


def _positions(function: str, argument: str, indices: Sequence[int]) -> list[str]:
    """The parameters up to one that every release of the target takes by position, as the oldest calls them."""
    known = [parameters_at(function, i) for i in indices]
    if not known or any(p is None or p.open for p in known):
        return []
    named = next((p.positional for p in known if p is not None and argument in p.positional), ())
    rest = named[: named.index(argument) + 1] if named else ()
    return list(rest) if all(p is not None and len(p.positional) >= len(rest) for p in known) else []


def _repair(page: Page, spans: list[Span], description: str) -> Repair:
    return Repair(Applicability.SAFE, description, [(page, s) for s in spans])


def _rows(kind: str, function: str, argument: str | None = None) -> Iterator[Mapping[str, Any]]:
    for row in knowledge.table("repairs")[kind]:
        if function in row["functions"] and argument in (None, row["argument"]):
            yield row
