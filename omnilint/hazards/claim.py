"""What a hazard module makes of an event, before it becomes a finding."""

from __future__ import annotations

from dataclasses import dataclass, field

from omnilint.analysis.code import Unit
from omnilint.analysis.events import Event
from omnilint.analysis.traces import Link
from omnilint.model import Finding, Place, Related


@dataclass(slots=True)
class Claim:
    """A finding to be. Claims of equal `root` have one cause: the first stands for all of them.

    `after` is the root that it follows from where a claim of that one needs a number known while tracing.
    Where a root speaks of lines it does so by a Place: an answer that is kept follows moved lines.
    """

    event: Event
    code: str
    message: str
    place: Place
    root: tuple[object, ...]
    short: str
    link: Link | None = None
    unit: Unit | None = None
    extra: list[Related] = field(default_factory=list)
    after: tuple[object, ...] | None = None


@dataclass(frozen=True)
class Draft:
    """A claim that outlives the analysis it came from: `event` says what was seen where, `root` is its cause."""

    event: tuple[object, ...]
    root: tuple[object, ...]
    short: str
    hypothetical: bool
    finding: Finding
    after: tuple[object, ...] | None = None


def start_of(place: Place) -> Place:
    """Where a place begins."""
    return Place(place.path, place.line, place.column, place.line, place.column, place.cell)


def transform_of(event: Event) -> str:
    """The transform that traces here, the way people write it."""
    name = event.trace.name if event.trace is not None else ""
    return name.replace("jax.numpy.", "jnp.").replace("jax.lax.", "lax.")
