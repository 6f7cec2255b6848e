"""The nouns that every step shares: Source, Place, Finding, Fix, Verdict, Problem, Report."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from omnilint.visible import visible


class Hazard(StrEnum):
    """The classes of trouble; a finding's code says which (OMN1xx SHAPE … OMN9xx META)."""

    SHAPE = "SHAPE"
    STATE = "STATE"
    TOL = "TOL"
    INTERNAL = "INTERNAL"
    CONC = "CONC"
    XLA = "XLA"
    META = "META"


def of_constants(code: str) -> bool:
    """Do findings of this code speak of what was staged out of values known while tracing?

    Trace-time folding cures these, and so does NumPy, whatever hazard the code belongs to.
    """
    return code.startswith("OMN1") or code == "OMN516"


class Severity(StrEnum):
    """How bad a finding is for a user who does nothing about it."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Confidence(StrEnum):
    """How much of the chain was seen.

    `certain`: the transform and the flow are both seen. `likely`: one link is assumed.
    `conditional`: wrong as soon as somebody traces it.
    """

    CERTAIN = "certain"
    LIKELY = "likely"
    CONDITIONAL = "conditional"


@dataclass(frozen=True, slots=True)
class Source:
    """Text with an identity: one Python file, one notebook, or one configuration-like text file.

    `path` is shown to people and is how findings name the file; `file` is the absolute path, None
    for standard input. `kind` is "python", "notebook" or "text".
    """

    path: str
    text: str
    kind: str = "python"
    file: str | None = None

    @property
    def digest(self) -> str:
        """Content hash (hex SHA-256 of the UTF-8 text)."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A span in a file. Lines and columns count from 1; the end column is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """One link of the chain that explains a finding: a place and what happens there."""

    place: Place
    message: str


class Applicability(StrEnum):
    """`safe`: same meaning wherever the code worked. `unsafe`: asks for review. `display`: shown only."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `place` by `content`."""

    place: Place
    content: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair: all of its edits are applied, or none.

    `verified`: True when confirm ran the repaired code and it gives what it gave before, False when it doesn't,
    None when that isn't known; `reason` says why it isn't True, once confirm was asked.
    """

    applicability: Applicability
    description: str
    edits: tuple[Edit, ...] = ()
    verified: bool | None = None
    reason: str | None = None


class Status(StrEnum):
    """What real JAX said of a finding (see the confirm step)."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNREACHED = "unreached"
    INCONCLUSIVE = "inconclusive"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One interpreter's answer for one finding, with its evidence.

    `legacy`: True when the same call works with trace-time folding emulated by
    `jax.ensure_compile_time_eval()`, so the failure is due to omnistaging; None when undecided.
    `line` is the user's line that the exception came from, `reached` whether the finding's line ran.
    `source` is where the inputs come from: "run", "record", "hint", "literal", "test", "doctest", "call",
    "script", "import", "search" (made up), "name" (looked up).
    """

    status: Status
    exception: str | None = None
    message: str | None = None
    line: int | None = None
    inputs: str | None = None
    legacy: bool | None = None
    reached: bool | None = None
    python: str | None = None
    jax: str | None = None
    backend: str | None = None
    reason: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim about one place: what is wrong there, why, and what to do.

    `symbol` is the dotted name, inside its module, of the function or class that holds the place
    ("" at module level). `related` is the reason chain, cause first. `target` names what confirm
    should call (a symbol), when that is not `symbol`.
    """

    code: str
    message: str
    place: Place
    confidence: Confidence = Confidence.CERTAIN
    symbol: str = ""
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    severity: Severity | None = None
    verdicts: tuple[Verdict, ...] = ()
    statement: str = ""
    target: str = ""
    data: Mapping[str, Any] = field(default_factory=dict, compare=False, hash=False)

    @property
    def fingerprint(self) -> str:
        """Identity without line numbers: a hash of path, code, symbol and normalised statement."""
        text = "\0".join((self.place.path, self.code, self.symbol, re.sub(r"\s+", " ", self.statement).strip()))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that kept a file, or part of it, from being checked: one clear line.

    `kind` is a stable word: "missing-path", "unreadable", "encoding", "syntax", "too-large",
    "vanished", "internal", "budget", "confirm", "too-deep", "not-python", "nothing-to-check", "unwritable",
    "repair".
    """

    kind: str
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    cell: int | None = None

    def __str__(self) -> str:
        cell = f"cell {self.cell}" if self.cell else None
        path = None if self.path is None else visible(self.path)
        where = [str(part) for part in (path, cell, self.line, self.column) if part]
        return ": ".join([":".join(where), self.message]) if where else self.message


@dataclass(slots=True)
class Summary:
    """What was read, what was skipped and why: the figures that earn a report its silence.

    `known` findings were left out because the baseline has them, `gone` are the entries of the
    baseline (path, code, symbol) that nothing is found for any more, `pruned` says that they were taken out
    of it, `elsewhere` findings stand on lines that didn't change; `passed_over` are
    the configuration files nearer to some file than the one that was taken; `unmatched` are options with a pattern
    that matches nothing; `cut_short` says where the analysis came to the end of its budget.
    """

    files: int = 0
    lines: int = 0
    python_files: int = 0
    jax_files: int = 0
    text_files: int = 0
    functions: int = 0
    traced: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    known: int = 0
    gone: list[tuple[str, str, str]] = field(default_factory=list)
    pruned: bool = False
    elsewhere: int = 0
    passed_over: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    cut_short: list[Problem] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(slots=True)
class Repaired:
    """What a run with `--fix` or `--diff` repaired: the findings as they were, with the repair that was made.

    `reasons` says why the findings that are left were not repaired, and how many each reason holds for;
    `written` is False when files were only compared.
    """

    findings: list[Finding] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)
    written: bool = False


@dataclass(frozen=True, slots=True)
class TargetUsed:
    """The JAX versions that names were judged for, where they were read, and in how many files that use JAX.

    `from_jax`: only what changes on the way from this version is reported. `judged_as`: the newest release known,
    where `target_jax` is newer. `notes`, on the first one of a run: what projects say of JAX that was passed over.
    """

    target_jax: str
    origin: str = ""
    from_jax: str | None = None
    judged_as: str | None = None
    files: int = 0
    notes: str = ""


@dataclass(slots=True)
class Report:
    """Everything a format module needs; `sources` by the path that findings name.

    `targets` has several entries where the projects that hold the files say different things of JAX. `suppressed`
    are the findings that a comment silenced; `repaired` is None unless repairs were asked for.
    """

    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    targets: list[TargetUsed] = field(default_factory=list)
    confirmed_with: list[str] = field(default_factory=list)
    suppressed: list[Finding] = field(default_factory=list)
    repaired: Repaired | None = None
    sources: dict[str, Source] = field(default_factory=dict, repr=False)

    @property
    def checked(self) -> dict[str, Source]:
        """The sources that nothing kept from being checked."""
        failed = {p.path for p in self.problems}
        return {path: source for path, source in self.sources.items() if path not in failed}

    @property
    def target_jax(self) -> str | None:
        """The versions that names were judged for, one target after the other; None where nothing uses JAX."""
        return "; ".join(t.target_jax for t in self.targets) or None

    @property
    def target_origin(self) -> str:
        """What the targets were read from; empty for one that was asked for."""
        return "; ".join(t.origin for t in self.targets)
