"""The facts of `rules/tables/tolerance.toml` as nouns: dtypes, comparisons, operations, finite differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from omnilint import knowledge


@dataclass(frozen=True, slots=True)
class Comparison:
    """A function that compares two sides: where its arguments are, and what its tolerances mean (`form`)."""

    name: str
    parameters: tuple[str, ...]
    form: str
    defaults: Mapping[str, float] = field(hash=False)
    result: str = "assert"


@dataclass(frozen=True, slots=True)
class Operation:
    """How much one operation rounds, in eps of its result's dtype, and what kind of operation it is."""

    kind: str
    spread: float


@dataclass(frozen=True, slots=True)
class FiniteDifference:
    """A function that differentiates numerically: its default step, and where step, function and point are given."""

    name: str
    parameters: tuple[str, ...]
    function: str
    arguments: str
    step: float
    step_parameter: str
    sides: int
    compares: bool
    residual: bool


@dataclass(frozen=True, slots=True)
class Creation:
    """A function that makes an array: its value, or where it comes from."""

    value: float | None = None
    fill: int | None = None
    like: bool = False
    grid: bool = False
    operands: bool = False
    rounds: bool = False
    ends: bool = False
    convert: bool = False
    dtype: int | None = None


@dataclass(frozen=True, slots=True)
class Draws:
    """Random functions by last name component, valid in the modules whose names, dot included, start like this."""

    prefixes: tuple[str, ...]
    keys: frozenset[str]
    integers: frozenset[str]
    shuffles: frozenset[str]
    generators: frozenset[str]


@dataclass(frozen=True, slots=True)
class Fusion:
    """Which operations round differently when they are compiled together with the one before."""

    products: frozenset[str]
    quotients: frozenset[str]
    sums: frozenset[str]
    weighted: frozenset[str]
    inverted: frozenset[str]
    folded: tuple[frozenset[str], ...]
    summed: frozenset[str]
    centred: frozenset[str]
    steep: frozenset[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Everything the rounding analysis knows about libraries."""

    eps: Mapping[str, float]
    dtypes: Mapping[str, str]
    comparisons: Mapping[str, Comparison]
    keywords: Mapping[str, str]
    operations: Mapping[str, Operation]
    differences: Mapping[str, FiniteDifference]
    transforms: Mapping[str, str]
    control: Mapping[str, str]
    creations: Mapping[str, Creation]
    draws: Draws
    fusion: Fusion
    near_one: frozenset[str]
    results: Mapping[str, tuple[str, ...]]
    x64_packages: frozenset[str]

    # By last name components: all that compare or differentiate, those that ask for equality, those that
    # answer instead of asserting, default tolerances, sides that are arguments.
    vocabulary: frozenset[str]
    exact_vocabulary: frozenset[str]
    answer_vocabulary: frozenset[str]
    loosest_default: Mapping[str, float]
    sides: Mapping[str, int]


@cache
def load() -> Table:
    """The table, read once; raises KnowledgeError when it is missing."""
    raw = knowledge.table("tolerance")
    dtypes = {alias: name for name, entry in raw["dtype"].items() for alias in (name, *entry["aliases"])}
    keywords = {word: meaning for meaning, words in raw["keywords"].items() for word in words}
    comparisons = {name: _comparison(name, entry, keywords) for entry in raw["comparison"] for name in entry["names"]}
    operations = {
        name: Operation(entry["kind"], entry["spread"]) for entry in raw["operation"] for name in entry["names"].split()
    }
    differences = {name: _difference(name, entry) for entry in raw["finite_difference"] for name in entry["names"]}
    return Table(
        eps={name: entry["eps"] for name, entry in raw["dtype"].items()},
        dtypes=dtypes,
        comparisons=comparisons,
        keywords=keywords,
        operations=operations,
        differences=differences,
        transforms={name: kind for kind, names in raw["transform"].items() for name in names.split()},
        control={name: kind for kind, names in raw["control"].items() for name in names}
        | {name: f"tree-{kind}" for kind, names in raw["tree"].items() for name in names.split()},
        creations={name: Creation(**entry) for name, entry in raw["create"].items()},
        draws=Draws(
            tuple(f"{module}." for module in raw["random"]["modules"]),
            *(frozenset(raw["random"][key].split()) for key in ("keys", "integers", "shuffles", "generators")),
        ),
        fusion=Fusion(
            products=frozenset(raw["fusion"]["products"]),
            quotients=frozenset(raw["fusion"]["quotients"]),
            sums=frozenset(raw["fusion"]["sums"]),
            weighted=frozenset(raw["fusion"]["weighted"]),
            inverted=frozenset(raw["fusion"]["inverted"]),
            folded=tuple(frozenset(chain) for chain in raw["fusion"]["folded"]),
            summed=frozenset(raw["fusion"]["summed"]),
            centred=frozenset(raw["fusion"]["centred"]),
            steep=frozenset(raw["fusion"]["steep"]),
        ),
        results={name: tuple(parts) for name, parts in raw["results"].items()},
        near_one=frozenset(raw["near_one"]["names"]),
        x64_packages=frozenset(raw["x64"]["packages"]),
        vocabulary=frozenset(name.rpartition(".")[2] for name in (*comparisons, *differences)),
        exact_vocabulary=frozenset(name.rpartition(".")[2] for name, c in comparisons.items() if c.form == "exact"),
        answer_vocabulary=frozenset(name.rpartition(".")[2] for name, c in comparisons.items() if c.result == "bool"),
        sides={name.rpartition(".")[2]: 1 if c.result == "approx" else 2 for name, c in comparisons.items()},
        loosest_default=_loosest(comparisons),
    )


def _loosest(comparisons: Mapping[str, Comparison]) -> dict[str, float]:
    """The default relative tolerance behind each last name component, 0 where one of that name has none."""
    found: dict[str, float] = {}
    for name, comparison in comparisons.items():
        last = name.rpartition(".")[2]
        found[last] = min(comparison.defaults.get("rtol", 0.0), found.get(last, 1.0))
    return found


def _comparison(name: str, entry: Mapping[str, Any], keywords: Mapping[str, str]) -> Comparison:
    meanings = set(keywords.values())
    defaults = {key: float(value) for key, value in entry.items() if key in meanings}
    return Comparison(name, tuple(entry["parameters"]), entry["form"], defaults, entry.get("result", "assert"))


def _difference(name: str, entry: Mapping[str, Any]) -> FiniteDifference:
    return FiniteDifference(
        name,
        tuple(entry["parameters"]),
        entry["function"],
        entry["arguments"],
        entry["step"],
        entry["step_parameter"],
        entry["sides"],
        entry.get("compares", False),
        entry.get("residual", False),
    )
