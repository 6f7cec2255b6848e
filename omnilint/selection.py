"""Which codes a run reports: by code, prefix, hazard or rule name. The most specific word wins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from omnilint import knowledge
from omnilint.errors import ConfigError, did_you_mean
from omnilint.model import Hazard

PREFIX = "OMN"

HAZARD_OF_DIGIT = {str(i): hazard for i, hazard in enumerate(list(Hazard)[:-1], 1)} | {"9": Hazard.META}
PREFIX_OF_HAZARD = {hazard.value: PREFIX + digit for digit, hazard in HAZARD_OF_DIGIT.items()}


@dataclass(frozen=True, slots=True)
class Selection:
    """Prefixes of the codes that are reported and left out; an empty `select` takes the default rules."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def reports(self, code: str) -> bool:
        """Whether findings of this code are reported: the longer prefix wins, `ignore` at a draw."""
        wanted = _longest(self.select, code)
        if wanted is None:
            if self.select or not _on_by_default(code):
                return False
            wanted = 0
        unwanted = _longest(self.ignore, code)
        return unwanted is None or wanted > unwanted


def selection(select: Iterable[str], ignore: Iterable[str]) -> Selection:
    """The Selection that the given words stand for; raises ConfigError for a word that names no rule."""
    return Selection(
        tuple(prefix_of(word, "select") for word in select),
        tuple(prefix_of(word, "ignore") for word in ignore),
    )


def prefix_of(word: str, option: str) -> str:
    """The prefix of codes that a user's word stands for: `OMN1`, `omn101`, `SHAPE`, `global-write`, `ALL`.

    Raises ConfigError, with a near match, for any other word.
    """
    upper = word.strip().upper()
    if upper == "ALL":
        return PREFIX
    if upper in PREFIX_OF_HAZARD:
        return PREFIX_OF_HAZARD[upper]
    if upper.startswith(PREFIX) and any(code.startswith(upper) for code in knowledge.codes()):
        return upper
    code_of_name = {rule.name: code for code, rule in knowledge.rules().items()}
    name = word.strip().lower()
    if name in code_of_name:
        return code_of_name[name]
    known = code_of_name if len(name) > 8 else {*knowledge.codes(), *PREFIX_OF_HAZARD, "ALL"}
    hint = did_you_mean(name if known is code_of_name else upper, sorted(known), otherwise="`omnilint rule` lists them")
    raise ConfigError(f"{option}: no rule, hazard or prefix is called {word!r}; {hint}")


def split_words(values: Iterable[str]) -> tuple[str, ...]:
    """The words of a repeatable option that also takes several at once, separated by commas."""
    return tuple(word for value in values for word in value.replace(",", " ").split())


def _on_by_default(code: str) -> bool:
    try:
        return knowledge.rule(code).default
    except KeyError:
        return True


def _longest(prefixes: Iterable[str], code: str) -> int | None:
    return max((len(p) for p in prefixes if code.startswith(p)), default=None)
