"""Whether a guarded spot of a module runs in a release."""

from __future__ import annotations

from omnilint.api import history
from omnilint.api.attributes import judge_attribute
from omnilint.api.conditions import Conditions
from omnilint.api.guards import After, Attempt, Guard, Quiet, Test, Tried
from omnilint.api.judge import DEPRECATED
from omnilint.api.scopes import Binding
from omnilint.api.uses import Call, Use


class Liveness:
    """Judges guards for one release of the target, over the uses of one module."""

    def __init__(self, found: list[Use | Call], index: int) -> None:
        self.uses = [u for u in found if isinstance(u, Use)]
        self.index = index
        self._attempts: dict[int, bool | None] = {}
        self.conditions = Conditions(index, lambda b: self.binding(b))

    def binding(self, binding: Binding) -> bool | None:
        """Whether a binding is made: None when that can't be told."""
        return self._all(binding.guards, tried=True)

    def runs(self, guards: tuple[Guard, ...]) -> bool:
        """Whether code under these guards runs unprotected, as far as can be told; what can't be told doesn't."""
        return self._all(guards, tried=False) is True

    def _all(self, guards: tuple[Guard, ...], tried: bool) -> bool | None:
        unknown = False
        for g in guards:
            value = self._one(g, tried)
            if value is False:
                return False
            unknown = unknown or value is None
        return None if unknown else True

    def _one(self, guard: Guard, tried: bool) -> bool | None:
        match guard:
            case Quiet():
                return True if tried else None
            case Tried():
                return not self._failed(guard.attempt) if tried else None
            case Test():
                outcome = self.conditions.outcome(guard.test, guard.scope)
                if outcome == "any":
                    return True
                return None if outcome is None else outcome is guard.outcome
            case After():
                failed = self._failed(guard.attempt)
                if guard.failed:
                    # Whether a handler runs is known only where its body is known to fail.
                    return True if failed else None if failed is None else False
                return not failed
        return None

    def _failed(self, attempt: Attempt) -> bool | None:
        """Whether the body of a `try` fails for a missing name: None when nothing in it is of JAX."""
        key = attempt.first
        if key not in self._attempts:
            self._attempts[key] = None  # an attempt inside its own evaluation: unknown
            inside = [u for u in self.uses if attempt.first <= u.index < attempt.last]
            live = [u for u in inside if self._all(u.guards, tried=True) is not False]
            self._attempts[key] = any(self.misses(u) for u in live) if live else None
        return self._attempts[key]

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
