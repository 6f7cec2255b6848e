"""The verdict on a call's arguments: parameters that the target releases don't have, refuse or warn of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.methods import changing, signature

REMOVED, DEPRECATED = "OMN405", "OMN408"
_TABLE = "internal_arguments"


# From a value to which of JAX's objects it is (see the table of attributes), "" for none that is known.
KindOf = Callable[[ast.expr], str]


@dataclass(frozen=True, slots=True)
class Parameters:
    """A signature, taken apart: names in order with how they may be given; `open` when it takes any keyword."""

    positional: tuple[str, ...]
    keywords: frozenset[str]
    positional_only: frozenset[str]
    deprecated: frozenset[str]
    many: bool
    open: bool

    @property
    def names(self) -> frozenset[str]:
        return self.keywords | self.positional_only


@dataclass(frozen=True, slots=True)
class ArgumentVerdict:
    """What is wrong with one argument of a call of `function`."""

    code: str
    function: str
    argument: str
    message: str
    instead: str | None = None
    since: str | None = None
    gone: str | None = None


@cache
def parameters(text: str) -> Parameters:
    """Take a signature text apart (see omnilint.api.build.signature)."""
    positional: list[str] = []
    keywords: set[str] = set()
    only: set[str] = set()
    deprecated: set[str] = set()
    many = opened = after_star = False
    for part in text.split(",") if text else []:
        name = part.rstrip("=!")
        if part == "/":
            only.update(positional)
            keywords -= only
        elif part.startswith("**"):
            opened = True
        elif part.startswith("*"):
            after_star = True
            many = many or len(part) > 1
        else:
            if not after_star:
                positional.append(name)
            keywords.add(name)
            if part.endswith("!"):
                deprecated.add(name)
    return Parameters(tuple(positional), frozenset(keywords), frozenset(only), frozenset(deprecated), many, opened)


@cache
def _rules() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    out: dict[str, list[Mapping[str, Any]]] = {}
    for row in knowledge.table(_TABLE)["argument"]:
        for function in row["functions"]:
            out.setdefault(function, []).append(row)
    return out


@cache
def methods() -> frozenset[str]:
    """The methods of JAX's objects that the tables know something of, as `object.method`."""
    return changing() | {f for f in _rules() if not f.startswith("jax.")}


def note_on(function: str, argument: str) -> str | None:
    """What the hand table says of an argument that nothing replaces."""
    rows = (r for r in _rules().get(function, ()) if r.get("argument") == argument)
    return next((str(r["note"]) for r in rows if "note" in r), None)


@cache
def _needs() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    out: dict[str, list[Mapping[str, Any]]] = {}
    for row in knowledge.table(_TABLE).get("needed", ()):
        for function in row["functions"]:
            out.setdefault(function, []).append(row)
    return out


@cache
def parameters_at(function: str, index: int) -> Parameters | None:
    """The parameters of a dotted function, or of a method as `Array.clip`, in a release; None for unknown ones."""
    if not function.startswith("jax."):
        text = signature(function, index)
        return None if text is None else parameters(text)
    found = history.resolve(function, index, function.count("."))
    if found.missing or not found.known or not found.attribute:
        return None
    text = history.signature(found.module, found.attribute, index)
    return None if text is None else parameters(text)


def judge_call(
    function: str,
    positional: Sequence[ast.expr],
    keywords: Mapping[str, ast.expr | None],
    is_open: bool,
    indices: Sequence[int],
    kind_of: KindOf = lambda _: "",
) -> Iterator[tuple[str | int | None, ArgumentVerdict]]:
    """What is wrong with a call of a dotted function, with the keyword or position that it is about (None: the call).

    A keyword's value is None where it can't be told. `is_open`: the call has `*args` or `**kwargs`, so that
    positions mean nothing. `kind_of` says which of JAX's objects a value is, "" for none that is known.
    """
    function = _origin(function, indices[-1])
    ruled: set[str] = set()
    placed = False
    for row in _rules().get(function, ()):
        if "position" in row:
            at = row["position"]
            if not is_open and len(positional) > at and _given(positional[at], row.get("given"), kind_of):
                verdict = _by_rule(function, row["name"], row, indices)
                if verdict:
                    placed = True
                    yield at, verdict
            continue
        argument = row["argument"]
        if argument not in keywords or not _given(keywords[argument], row.get("given"), kind_of):
            continue
        if not _harmless(keywords[argument], row.get("unless", ())):
            verdict = _by_rule(function, argument, row, indices)
            if verdict:
                ruled.add(argument)
                yield argument, verdict
    for row in _needs().get(function, ()):
        if not is_open and len(positional) <= row["position"] and row["argument"] not in keywords:
            verdict = _left_out(function, row, indices)
            if verdict:
                yield None, verdict
    surplus = None if is_open or placed else _too_many(function, len(positional), indices)
    if surplus:
        yield surplus
    for argument in keywords:
        if argument not in ruled:
            verdict = _by_signature(function, argument, indices)
            if verdict:
                yield argument, verdict


@cache
def _origin(function: str, index: int) -> str:
    """The function that rules speak of, where it is called by way of a module that passes JAX's own on."""
    if function in _rules() or function in _needs():
        return function
    found = history.resolve(function, index, function.count("."))
    origin = f"{found.module}.{found.attribute}"
    return origin if origin in _rules() or origin in _needs() else function


def _given(value: ast.expr | None, kinds: Sequence[str] | None, kind_of: KindOf) -> bool:
    """Whether a value is of a kind that a rule is about: a syntax node's name, a literal, or one of JAX's objects."""
    if kinds is None or value is None:
        return kinds is None
    return type(value).__name__ in kinds or ast.unparse(value) in kinds or kind_of(value) in kinds


def _left_out(function: str, row: Mapping[str, Any], indices: Sequence[int]) -> ArgumentVerdict | None:
    argument = row["argument"]
    there = [i for i in indices if not history.resolve(function, i, function.count(".")).missing]
    if "before" in row and any(i < history.index_of(row["before"]) for i in there):
        message = f"`{function}` needs `{argument}` before JAX {row['before']}; {row['note']}"
        return ArgumentVerdict(REMOVED, function, argument, message, None, row["before"])
    if "warns" in row and any(i >= history.index_of(row["warns"]) for i in there):
        message = f"leaving out `{argument}` of `{function}` is deprecated since JAX {row['warns']}; {row['note']}"
        return ArgumentVerdict(DEPRECATED, function, argument, message, None, row["warns"])
    return None


def _harmless(value: ast.expr | None, unless: Sequence[str]) -> bool:
    """Whether a value may be one of those that stay fine."""
    return bool(unless) and (value is None or ast.unparse(value) in unless)


def _by_rule(function: str, argument: str, row: Mapping[str, Any], indices: Sequence[int]) -> ArgumentVerdict | None:
    until = history.index_of(row["until"]) if "until" in row else len(history.releases())
    within = [i for i in indices if i < until]
    fails = [i for i in within if "fails" in row and i >= history.index_of(row["fails"])]
    warns = [i for i in within if "warns" in row and i >= history.index_of(row["warns"])]
    # A function that the release doesn't have is reported as such; methods of objects are known by the row alone.
    of_jax = function.startswith("jax.")
    if not any(not of_jax or not history.resolve(function, i, function.count(".")).missing for i in fails or warns):
        return None
    instead = _instead(function, row.get("instead", ()), indices)
    advice = f"; use {instead}" if instead else f"; {row['note']}" if "note" in row else ""
    how = f" as {row['as']}" if "as" in row else " by position" if "position" in row else ""
    shown = f"`{argument}` of `{function}`{how}"
    if fails:
        gone = row["fails"]
        when = f"before JAX {row['until']}" if "until" in row else f"since JAX {gone}"
        when = "by every JAX" if gone == history.releases()[0] else when
        message = f"argument {shown} is refused {when}{advice}"
        return ArgumentVerdict(REMOVED, function, argument, message, instead, row.get("warns"), gone)
    since = row["warns"]
    later = f" and is refused since JAX {row['fails']}" if "fails" in row else ""
    message = f"argument {shown} is deprecated since JAX {since}{later}{advice}"
    return ArgumentVerdict(DEPRECATED, function, argument, message, instead, since, row.get("fails"))


def _instead(function: str, options: Sequence[str], indices: Sequence[int]) -> str | None:
    for option in options:
        if "`" in option:
            return option
        known = [parameters_at(function, i) for i in indices]
        if all(p is not None and option in p.keywords for p in known):
            return f"`{option}`"
    return None


def _by_signature(function: str, argument: str, indices: Sequence[int]) -> ArgumentVerdict | None:
    for i in indices:
        now = parameters_at(function, i)
        if now is None or now.open or argument in now.keywords:
            continue
        return _absent(function, argument, i, now)
    marked = [i for i in indices if (p := parameters_at(function, i)) is not None and argument in p.deprecated]
    if not marked:
        return None
    start = marked[0]
    while start > 0 and (p := parameters_at(function, start - 1)) is not None and argument in p.deprecated:
        start -= 1
    since = history.releases()[start]
    message = f"argument `{argument}` of `{function}` is deprecated since JAX {since}"
    return ArgumentVerdict(DEPRECATED, function, argument, message, None, since)


def _room(function: str, index: int) -> int | None:
    """How many arguments a release takes by position; None where that isn't known, or there is no end to it."""
    now = parameters_at(function, index)
    return None if now is None or now.many or now.open else len(now.positional)


def _too_many(function: str, given: int, indices: Sequence[int]) -> tuple[int, ArgumentVerdict] | None:
    """The first argument by position that a release has no room for, and what is wrong with it."""
    rooms = [(i, room) for i in indices if (room := _room(function, i)) is not None and given > room]
    if not rooms:
        return None
    index, room = rooms[0]
    releases = history.releases()
    took = [p for i in range(index) if (p := parameters_at(function, i)) and len(p.positional) > room]
    argument = took[-1].positional[room] if took else ""
    start = index
    while start > 0 and (before := _room(function, start - 1)) is not None and before <= room:
        start -= 1
    gone = releases[start] if took else None
    when = f"since JAX {gone}" if gone else f"in JAX {releases[index]}"
    now = parameters_at(function, index)
    ruled = any(
        r.get("argument") == argument and _by_rule(function, argument, r, indices) for r in _rules().get(function, ())
    )
    advice = f"; pass `{argument}` by keyword" if now and argument in now.keywords and not ruled else ""
    count = "1 argument" if room == 1 else f"{room} arguments" if room else "no argument"
    message = f"`{function}` takes {count} by position {when}, and {given} are given{advice}"
    return room, ArgumentVerdict(REMOVED, function, argument, message, None, None, gone)


def _absent(function: str, argument: str, index: int, now: Parameters) -> ArgumentVerdict | None:
    """The verdict on a parameter that a release doesn't take by keyword; None unless another release does."""
    releases = history.releases()
    takes = [
        i
        for i in range(len(releases))
        if (p := parameters_at(function, i)) is not None and (p.open or argument in p.keywords)
    ]
    before, after = [i for i in takes if i < index], [i for i in takes if i > index]
    named = [i for i in takes if argument in (parameters_at(function, i) or now).keywords]
    if not named:
        return None
    if argument in now.positional_only:
        message = f"argument `{argument}` of `{function}` is positional-only since JAX {{}}; pass it by position"
    else:
        message = f"argument `{argument}` of `{function}` was removed in JAX {{}}"
    if before and any(i < index for i in named):
        gone = releases[before[-1] + 1]
        back = f"; it is back since JAX {releases[after[0]]}" if after else ""
        return ArgumentVerdict(REMOVED, function, argument, message.format(gone) + back, None, None, gone)
    if after and argument not in now.positional_only:
        came = releases[min(i for i in named if i > index)]
        message = f"argument `{argument}` of `{function}` isn't in JAX {releases[index]}: it came with JAX {came}"
        return ArgumentVerdict(REMOVED, function, argument, message, None, came)
    return None
