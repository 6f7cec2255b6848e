"""Whether a guarded spot of a module runs in a release."""

from __future__ import annotations

from omnilint.api import history
from omnilint.api.arguments import REMOVED as REFUSED
from omnilint.api.arguments import judge_call
from omnilint.api.attributes import judge_attribute
from omnilint.api.conditions import Conditions
from omnilint.api.guards import Attempt, Guard, Quiet, Test, Tried
from omnilint.api.judge import DEPRECATED
from omnilint.api.scopes import Binding
from omnilint.api.spots import Walk
from omnilint.api.uses import Call, Use, uses


def liveness(walk: Walk, index: int) -> Liveness:
    """The judge of a module's guards in a release, which is made once."""
    if index not in walk.live:
        if walk.found is None:
            walk.found = list(uses(walk))
        walk.live[index] = Liveness(walk.found, index)
    return walk.live[index]


class Liveness:
    """Judges guards for one release of the target, over the uses of one module."""

    def __init__(self, found: list[Use | Call], index: int) -> None:
        self.found = found
        self.index = min(index, len(history.releases()) - 1)
        self._attempts: dict[tuple[int, frozenset[str]], bool | None] = {}
        self.conditions = Conditions(index, lambda b: self.binding(b))

    def binding(self, binding: Binding) -> bool | None:
        """Whether a binding is made: None when that can't be told."""
        return self._all(binding.guards, None)

    def runs(self, guards: tuple[Guard, ...], kind: str = "name") -> bool:
        """Whether code under these guards runs unprotected, as far as can be told; what can't be told doesn't.

        `kind` is what would go wrong there: "name", a missing name, or "call", arguments that are refused.
        """
        return self._all(guards, kind) is True

    def may_run(self, guards: tuple[Guard, ...]) -> bool:
        """Whether code under these guards may run at all, as far as can be told."""
        return self._all(guards, None) is not False

    def _all(self, guards: tuple[Guard, ...], kind: str | None) -> bool | None:
        unknown = False
        for g in guards:
            value = self._one(g, kind)
            if value is False:
                return False
            unknown = unknown or value is None
        return None if unknown else True

    def _one(self, guard: Guard, kind: str | None) -> bool | None:
        """Whether a guard lets its code run (unprotected, when `kind` says against what); None: can't be told."""
        if isinstance(guard, Quiet):
            return True if kind is None else None
        if isinstance(guard, Test):
            outcome = self.conditions.outcome(guard.test, guard.scope)
            if outcome == "any":
                return True
            return None if outcome is None else outcome is guard.outcome
        if isinstance(guard, Tried):
            if kind in guard.attempt.catches:
                return None
            # What another error ends before is never reached.
            return not self._failed(guard.attempt, guard.attempt.catches)
        failed = self._failed(guard.attempt, guard.catches)
        if not guard.failed:
            return not failed
        if failed is None and guard.catches == {"call"} and not self._inside(guard.attempt):
            return True  # a TypeError of code that isn't JAX's says nothing of the release
        # Whether a handler runs is known only where its body is known to fail.
        return failed

    def _inside(self, attempt: Attempt) -> list[Use | Call]:
        """The uses in the body of an attempt that may run in this release."""
        inside = [u for u in self.found if attempt.first <= u.index < attempt.last]
        return [u for u in inside if self.may_run(u.guards)]

    def _failed(self, attempt: Attempt, catches: frozenset[str]) -> bool | None:
        """Whether the body of a `try` fails in one of the ways in `catches`: None when that can't be told."""
        key = (attempt.first, catches)
        if key not in self._attempts:
            self._attempts[key] = None  # an attempt inside its own evaluation: unknown
            live = self._inside(attempt)
            names = [self.misses(u) for u in live if isinstance(u, Use)] if "name" in catches else []
            calls = [self.refuses(c) for c in live if isinstance(c, Call)] if "call" in catches else []
            fails = [*names, *calls]
            if any(fails):
                self._attempts[key] = True
            else:
                # Calls whose arguments can't be seen leave it open, and so does code that has nothing of JAX.
                self._attempts[key] = False if fails and None not in fails else None
        return self._attempts[key]

    def refuses(self, call: Call) -> bool | None:
        """Whether a call's arguments are refused in this release: None when they don't all stand there."""
        verdicts = (
            judge_call(d.name, call.positional, call.given(), call.open, (self.index,), call.kind_of)
            for d in call.names
        )
        if all(any(v.code == REFUSED for _, v in found) for found in verdicts):
            return True
        return None if call.open else False

    def misses(self, use: Use) -> bool:
        """Whether a use fails in this release."""
        if use.kind == "option":
            return False
        if use.kind == "object":
            kind, _, attribute = use.names[0].name.partition(".")
            verdict = judge_attribute(kind, attribute, (self.index,))
            return verdict is not None and verdict.code != DEPRECATED
        if use.kind == "from":
            return any(history.resolve(d.name, self.index, d.name.count(".") + 1).missing for d in use.names)
        if use.kind in ("import", "dynamic"):
            return all(not history.is_module(d.name, self.index) for d in use.names)
        return all(history.resolve(d.name, self.index, max(d.known, 1)).missing for d in use.names)
