"""Repairs of one function that take several rounds, proven as a whole: some of them are right only together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from omnilint.errors import Failure
from omnilint.fixes.repair import Check, Group, Outcome, Proof, Prover, Repairs, Symbol
from omnilint.model import Finding, Report, Source

# Functions that are looked at so, and proofs of parts of what is made in one of them.
MOST_FUNCTIONS, MOST_PARTS = 20, 4


@dataclass(frozen=True)
class Round:
    """What one round made of a function, and what the files and the report came to be by it."""

    groups: Sequence[Group]
    after: dict[str, bytes]
    report: Report


def run(check: Check, read: Callable[[Source], bytes], unsafe: bool, prove: Prover | None = None) -> Outcome:
    """Repair as long as something can be; with `prove`, what takes several rounds is proven as a whole first."""
    out = Outcome(check({}))
    repairs = Repairs(check, read, unsafe, prove)
    if prove is not None:
        chains = _Chains(repairs, prove, out)
        for symbol in chains.long()[:MOST_FUNCTIONS]:
            chains.prove(symbol)
    return repairs.run(out)


class _Chains:
    """The rounds of functions, each from the code that stands there to where nothing changes any more."""

    def __init__(self, repairs: Repairs, prover: Prover, out: Outcome) -> None:
        self.repairs = repairs
        self.prover = prover
        self.out = out

    def long(self) -> list[Symbol]:
        """The functions that several rounds would change, were all repairs made."""
        rounds = Counter(s for made in self._rounds(None) for s in {g.symbol for g in made.groups})
        return [symbol for symbol, number in rounds.items() if number > 1]

    def prove(self, symbol: Symbol) -> None:
        """Make all repairs of a function if they hold together, or else as many rounds of them as do.

        Where the whole fails, the rest of them is our mistake; where nothing is decided, it is tried round by round.
        """
        rounds = list(self._rounds(symbol))
        if len(rounds) < 2:
            return
        whole = proof = self._proof(rounds)
        held, why = len(rounds), whole.failed
        shortest = 1 if whole.failed is not None else 2
        while not proof.verified:
            held -= 1
            if held < shortest or len(rounds) - held > MOST_PARTS:
                held = 0
                break
            proof = self._proof(rounds[:held])
            why = proof.failed or why
        for made in rounds[:held]:
            for group in made.groups:
                self.out.add(group, verified=True)
        if held:
            self.out.after, self.out.report = rounds[held - 1].after, rounds[held - 1].report
        if whole.failed is not None and why is not None:
            self.repairs.disprove(self.out, [g for made in rounds[held:] for g in made.groups], why)

    def _rounds(self, symbol: Symbol | None) -> Iterator[Round]:
        """What would be made of one function, or of all, one round after the other, without a proof."""
        out = self.out
        trial = Outcome(out.report, before=out.before, after=dict(out.after))
        plain = Repairs(self.repairs.check, self.repairs.read, self.repairs.unsafe, only=symbol)
        for groups in plain.rounds(trial):
            yield Round(groups, trial.after, trial.report)

    def _proof(self, rounds: Sequence[Round]) -> Proof:
        """Whether several rounds together give what the code before the first of them gave."""
        start, end = self.out.report, rounds[-1].report
        changed = {e.place.path for made in rounds for g in made.groups for es in g.edits().values() for e in es}
        after = {path: end.sources[path].text for path in sorted(changed)}
        before = {path: start.sources[path].text for path in {*self.out.after, *after}}
        last = rounds[-1].groups[0].findings[0] if len(rounds) > 1 else None
        try:
            return self.prover(list(_first(rounds)), start, before, after, last)
        except Failure:
            raise
        except Exception as error:  # told where the rounds are proven one by one
            return Proof(reason=f"its proof ended with {type(error).__name__}")


def _first(rounds: Sequence[Round]) -> Iterator[Finding]:
    """What is found before the first round, and of each other kind that comes up later one, as if it were there.

    What the later ones edit isn't there yet.
    """
    known = [f for group in rounds[0].groups for f in group.findings]
    yield from known
    codes = {f.code for f in known}
    for finding in (f for made in rounds[1:] for group in made.groups for f in group.findings):
        if finding.code not in codes and finding.fix is not None:
            codes.add(finding.code)
            yield replace(finding, place=known[0].place, fix=replace(finding.fix, edits=()))
