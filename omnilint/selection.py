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
# Found by confirm alone: a run without it can't find them, and can't call what speaks of them out of date.
CONFIRM_ONLY = "OMN6"

HAZARD_OF_DIGIT = {str(i): hazard for i, hazard in enumerate(list(Hazard)[:-1], 1)} | {"9": Hazard.META}
PREFIX_OF_HAZARD = {hazard.value: PREFIX + digit for digit, hazard in HAZARD_OF_DIGIT.items()}


@dataclass(frozen=True, slots=True)
class Selection:
    """Prefixes of the codes that are reported and left out; an empty `select` takes the default rules.

    `below` is the selection that this one comes on top of: it decides on the codes that this one says nothing of.
    """

    select: tuple[str, ...] = ()
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()
    severities: tuple[tuple[str, Severity], ...] = ()
    below: Selection | None = None
    _ignored_in: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def reports(self, code: str, file: str | None = None) -> bool:
        """Whether findings of this code are reported (in this file): the longer prefix wins, `ignore` at a draw."""
        if not self._takes(code):
            return False
        return file is None or _longest(self._ignored(file), code) is None

    def _takes(self, code: str) -> bool:
        wanted, unwanted = _longest((*self.select, *self.extend), code), _longest(self.ignore, code)
        if wanted is None and unwanted is None:
            if self.select:
                return False
            return _on_by_default(code) if self.below is None else self.below._takes(code)
        if wanted is None:
            return False
        return unwanted is None or wanted > unwanted

    def ignores(self, code: str, file: str) -> bool:
        """Whether the user named just this code to be left out, everywhere or in this file: no prefix of it."""
        if code in (*self.ignore, *self._ignored(file)):
            return True
        return self.below is not None and code in self.below.ignore and code not in (*self.select, *self.extend)

    def looks_at(self, file: str | None) -> bool:
        """Whether any rule is on in a file."""
        return file is None or not self.per_file or any(self.reports(code, file) for code in knowledge.codes())

    def rules(self, confirm: bool = True) -> list[str]:
        """The codes that a run can report somewhere; without `confirm` none that only confirm finds."""
        return [c for c in knowledge.codes() if self.reports(c) and (confirm or not c.startswith(CONFIRM_ONLY))]

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
    """The Selection that the settings stand for.

    Raises ConfigError for a word that names no rule, and where no rule is left: nothing would be checked.
    """
    chosen = _selection(settings)
    if not chosen.rules():
        words = [("ignore", settings.ignore), ("select", settings.select)]
        said = next((f"{_option(settings, key)} {', '.join(given)}" for key, given in words if given), "select")
        raise ConfigError(f"{said}: no rule is left to check; select some, or ignore less")
    return chosen


def _option(settings: Settings, field: str) -> str:
    """How a person wrote a setting: as an option, or as a key of a file."""
    key, origin = field.replace("_", "-"), settings.origins.get(field, "")
    return f"{os.path.relpath(origin)}: {key}" if os.path.isabs(origin) else f"--{key}"


def _selection(settings: Settings) -> Selection:

    def prefixes(words: Iterable[str], field: str) -> tuple[str, ...]:
        option = _option(settings, field)
        return tuple(prefix_of(word, option) for word in words)

    return Selection(
        select=prefixes(settings.select, "select"),
        extend=prefixes(settings.extend_select, "extend_select"),
        ignore=prefixes(settings.ignore, "ignore"),
        per_file=tuple((p, prefixes(words, "per_file_ignores")) for p, words in settings.per_file_ignores),
        severities=tuple((prefixes([word], "severity")[0], value) for word, value in settings.severity),
        below=_selection(settings.below) if settings.below is not None else None,
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
