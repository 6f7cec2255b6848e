"""The table of what stands in for a jax.numpy function on the host, and whether a call fits it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from omnilint import knowledge


@cache
def twins() -> Mapping[str, Any]:
    """The table of host twins."""
    return knowledge.table("host_twins")


@cache
def parameters(name: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The parameters that both functions share: by position only, by position or name, by name only."""
    parts: list[list[str]] = [[], [], []]
    at = 1
    for word in (w.strip() for w in twins()["signatures"][name].split(",")):
        if word == "/":
            parts[0], parts[1] = parts[1], []
        elif word.startswith("*"):
            parts[1] += [word] if len(word) > 1 else []
            at = 2
        else:
            parts[at].append(word)
    return tuple(parts[0]), tuple(parts[1]), tuple(parts[2])


def unshared(name: str, call: ast.Call) -> Iterator[str]:
    """The arguments of a call that NumPy's function of this name doesn't take, or takes in another way."""
    if name not in twins()["signatures"]:
        yield from (keyword.arg or "**" for keyword in call.keywords)
        return
    first, either, named = parameters(name)
    for keyword in call.keywords:
        if keyword.arg not in (*either, *named):
            yield keyword.arg or "**"
    many = any(word.startswith("*") for word in either)
    if not many and len(call.args) > len(first) + len(either):
        yield f"argument {len(first) + len(either) + 1}"
    if len(call.args) < twins()["needs"].get(name, 0):
        yield f"argument {len(call.args) + 1}"


def given(name: str, call: ast.Call) -> Mapping[str, ast.expr]:
    """The arguments of a call by the names of their parameters, as far as they are known."""
    found: dict[str, ast.expr] = {}
    if name in twins()["signatures"]:
        first, either, _ = parameters(name)
        for word, value in zip((*first, *either), call.args, strict=False):
            if isinstance(value, ast.Starred) or word.startswith("*"):
                break
            found[word] = value
    return found | {k.arg: k.value for k in call.keywords if k.arg is not None}
