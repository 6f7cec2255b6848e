"""What is known of a function's arguments before any is made up: the user's hints, then recorded calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from omnilint.confirm.hinting import hint
from omnilint.confirm.places import real_file
from omnilint.confirm.recording import Recording
from omnilint.confirm.specs import Spec
from omnilint.index.module import Definition, FunctionNode, ModuleIndex

HINT, RECORD, SEARCH = "hint", "record", "search"
MOST_RECORDED = 3


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded call: its arguments as far as they can be made again, which were traced, in which run."""

    arguments: dict[str, Spec]
    missing: frozenset[str]
    traced: frozenset[str]
    command: str


@dataclass(frozen=True, slots=True)
class Known:
    """Hints of the configuration and recorded runs."""

    hints: Mapping[str, str] = field(default_factory=dict)
    recording: Recording = field(default_factory=Recording)

    def hint(self, module: ModuleIndex, definition: Definition) -> dict[str, Spec] | None:
        """The arguments that the user gives for a function; raises HintError."""
        node = definition.node
        assert isinstance(node, FunctionNode)
        return hint(module, node, definition.qualname, self.hints)

    def calls(self, module: ModuleIndex, qualname: str) -> list[Recorded]:
        """The recorded calls of a function, traced ones first, of them the latest first."""
        found = []
        for e in self.recording.calls(real_file(module), qualname):
            given: dict[str, Any] = e["arguments"]
            arguments = {k: v for k, v in given.items() if v is not None}
            found.append(Recorded(arguments, frozenset(given) - set(arguments), frozenset(e["traced"]), e["command"]))
        return sorted(found, key=lambda r: not r.traced)

    def choices(
        self, module: ModuleIndex, definition: Definition, made_up: list[dict[str, Spec]]
    ) -> tuple[list[dict[str, Spec]], list[str]]:
        """(arguments to try, where each set comes from), best first; a hint leaves the others no say."""
        hinted = self.hint(module, definition)
        if hinted:
            return [hinted], [HINT]
        first: list[dict[str, Spec]] = []
        for call in self.calls(module, definition.qualname)[:MOST_RECORDED]:
            for guess in made_up[:3] if call.missing else [{}]:
                whole = {**{k: v for k, v in guess.items() if k in call.missing}, **call.arguments}
                if whole and whole not in first:
                    first.append(whole)
        return first + made_up, [RECORD] * len(first) + [SEARCH] * len(made_up)
