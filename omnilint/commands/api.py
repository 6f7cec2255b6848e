"""`omnilint api`: the life of a JAX name, argument or module across its releases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from omnilint.api import history
from omnilint.api.life import (
    DOCUMENTED,
    MISSING,
    STUB,
    THERE,
    UNDOCUMENTED,
    UNTOLD,
    Life,
    Period,
    QueryError,
    life_of,
    near,
    near_arguments,
    parse,
)

_WORDS = {THERE: "there", MISSING: "not there"}
_DOCUMENTED = {
    DOCUMENTED: "documented",
    UNDOCUMENTED: "without a docstring",
    UNTOLD: "documented or not: can't be told",
}
_DOCUMENTED_OR_NOT = {DOCUMENTED: True, UNDOCUMENTED: False, UNTOLD: None}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
def command(name: str, form: str) -> int:
    """Tell when JAX had NAME, when it warned of it and had it documented, and what to use instead.

    NAME is a dotted name (jax.tree_map, jnp.clip), a module (jax.experimental.maps), an argument
    (jnp.clip(a_min)), or an attribute or option of an object (Array.device_buffer, jax.config.jax_array).

    Exit codes: 0 told, 2 no release has that name; JSON then lists the names that are close to it.
    """
    try:
        dotted, argument = parse(name)
    except QueryError as e:
        raise click.BadParameter(str(e), param_hint="NAME") from e
    life = life_of(dotted, argument)
    if not life.known:
        asked = f"{dotted}({argument})" if argument else dotted
        close = (near_arguments(dotted, argument) if argument else []) or near(dotted)
        hint = f"; close to it: {', '.join(close)}" if close else ""
        first, last = history.releases()[0], history.releases()[-1]
        if form == "json":
            click.echo(json.dumps(_unknown(life, close), indent=2, ensure_ascii=False))
        raise click.UsageError(f"no JAX from {first} to {last} is known to have {asked}{hint}")
    click.echo(json.dumps(_document(life), indent=2, ensure_ascii=False) if form == "json" else _text(life))
    return 0


def _document(life: Life) -> dict[str, Any]:
    return {
        "version": 1,
        "name": life.name,
        "argument": life.argument,
        "kind": life.kind,
        "tier": life.tier,
        "signature": life.signature,
        "periods": _periods(life.periods),
        "imports": _periods(life.imports),
        "documented": [
            {"from": p.first, "to": p.last, "documented": _DOCUMENTED_OR_NOT[p.state]} for p in life.documented
        ],
        "instead": life.instead,
        "note": life.note,
        "known": True,
        "near": [],
        "releases": _covered(),
    }


def _unknown(life: Life, close: list[str]) -> dict[str, Any]:
    return {
        "version": 1,
        "name": life.name,
        "argument": life.argument,
        "known": False,
        "near": close,
        "releases": _covered(),
    }


def _covered() -> dict[str, str]:
    return {"first": history.releases()[0], "last": history.releases()[-1]}


def _periods(periods: Sequence[Period]) -> list[dict[str, Any]]:
    return [{"from": p.first, "to": p.last, "state": p.state, "message": p.message} for p in periods]


def _text(life: Life) -> str:
    title = f"{life.name}({life.argument}=)" if life.argument else life.name
    lines = [f"{title} · {life.tier} {life.kind}"]
    if life.signature:
        lines.append(f"  {life.signature} in JAX {history.releases()[-1]}")
    lines += _told(life.periods)
    if life.documented:
        lines.append(f"  {_documentation(life.documented)}")
    if life.imports:
        lines += [f"  as a module (import {life.name}):", *_told(life.imports)]
    if life.instead:
        lines.append(f"  use {life.instead}")
    elif life.note:
        lines.append(f"  {life.note}")
    return "\n".join(lines)


def _documentation(periods: Sequence[Period]) -> str:
    """One line on a name's docstring; with releases, where that changed."""
    if len({p.state for p in periods}) == 1:
        return _DOCUMENTED[periods[0].state]
    return "; ".join(f"{_DOCUMENTED[p.state]} {_span(p)}" for p in periods)


def _span(p: Period) -> str:
    if p.first == p.last:
        return f"in {p.first}"
    return f"since {p.first}" if p.last is None else f"from {p.first} to {p.last}"


def _told(periods: Sequence[Period]) -> Iterator[str]:
    first = history.releases()[0]
    for p in periods:
        start = f"{p.first} or before" if p.first == first else p.first
        end = "" if p.first == p.last else " on" if p.last is None else f" to {p.last}"
        if p.state == STUB:
            yield f"  {start + end:<26} there, but {p.message}"
            continue
        yield f"  {start + end:<26} {_WORDS.get(p.state, p.state)}"
        if p.message:
            yield f"  {'':<26} {' '.join(p.message.split())}"
