"""Which codes a run reports: by code, prefix, hazard or rule name. The most specific word wins."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from omnilint import knowledge
from omnilint.config import Settings
from omnilint.errors import ConfigError, did_you_mean
from omnilint.model import Hazard, Severity
from omnilint.sources.globs import Patterns

PREFIX = "OMN"

HAZARD_OF_DIGIT = {str(i): hazard for i, hazard in enumerate(list(Hazard)[:-1], 1)} | {"9": Hazard.META}
PREFIX_OF_HAZARD = {hazard.value: PREFIX + digit for digit, hazard in HAZARD_OF_DIGIT.items()}


@dataclass(frozen=True, slots=True)
class Selection:
    """Prefixes of the codes that are reported and left out; an empty `select` takes the default rules."""

    select: tuple[str, ...] = ()
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()
    severities: tuple[tuple[str, Severity], ...] = ()
    _ignored_in: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def reports(self, code: str, file: str | None = None) -> bool:
        """Whether findings of this code are reported (in this file): the longer prefix wins, `ignore` at a draw."""
        wanted = _longest((*self.select, *self.extend), code)
        if wanted is None:
            if self.select or not _on_by_default(code):
                return False
            wanted = 0
        unwanted = _longest(self.ignore, code)
        if unwanted is not None and wanted <= unwanted:
            return False
        return file is None or _longest(self._ignored(file), code) is None

    def ignores(self, code: str, file: str) -> bool:
        """Whether the user named just this code to be left out, everywhere or in this file: no prefix of it."""
        return code in (*self.ignore, *self._ignored(file))

    def severity(self, code: str) -> Severity | None:
        """The severity that the settings give to a code; None when they leave it to the rule."""
        found = [(len(prefix), severity) for prefix, severity in self.severities if code.startswith(prefix)]
        return max(found, key=lambda pair: pair[0])[1] if found else None

    def _ignored(self, file: str) -> tuple[str, ...]:
        if file not in self._ignored_in:
            matching = (prefixes for patterns, prefixes in self.per_file if patterns.match(file))
            self._ignored_in[file] = tuple(prefix for prefixes in matching for prefix in prefixes)
        return self._ignored_in[file]


def selection(settings: Settings) -> Selection:
    """The Selection that the settings stand for; raises ConfigError for a word that names no rule."""

    def prefixes(words: Iterable[str], field: str) -> tuple[str, ...]:
        key, origin = field.replace("_", "-"), settings.origins.get(field, "")
        option = f"{os.path.relpath(origin)}: {key}" if os.path.isabs(origin) else f"--{key}"
        return tuple(prefix_of(word, option) for word in words)

    return Selection(
        select=prefixes(settings.select, "select"),
        extend=prefixes(settings.extend_select, "extend_select"),
        ignore=prefixes(settings.ignore, "ignore"),
        per_file=tuple((p, prefixes(words, "per_file_ignores")) for p, words in settings.per_file_ignores),
        severities=tuple((prefixes([word], "severity")[0], value) for word, value in settings.severity),
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
