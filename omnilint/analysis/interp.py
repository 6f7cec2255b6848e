"""The state of one analysis: active traces, budgets, memo, and the events found so far."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from omnilint.analysis.alternatives import hang_together
from omnilint.analysis.definitions import ClassVal, Instance, Transformed
from omnilint.analysis.events import MET_BY_WRAPPED, Event
from omnilint.analysis.joins import children, options, stronger
from omnilint.analysis.ledger import Ledger
from omnilint.analysis.stored import Slot, Stored
from omnilint.analysis.traces import Link, Trace
from omnilint.analysis.values import (
    ABSTRACT,
    ARGUMENT,
    CONCRETE,
    CONSTANT,
    WRAPPED,
    JaxArray,
    Mapping,
    Mutable,
    Static,
    Unknown,
    Value,
    serials,
)

if TYPE_CHECKING:
    from omnilint.analysis import nodes as cst
    from omnilint.analysis.code import Code, Scope, Unit
    from omnilint.analysis.modules import ModuleState
    from omnilint.index.project import Project


class BudgetSpentError(Exception):
    """The steps allowed for one root are used up."""


class HandledError(Exception):
    """A tracer error that certainly comes up inside of a `try` that handles it."""


class Frame:
    """One activation: where names are looked up, what was returned so far, which statement runs."""

    __slots__ = (
        "cares",
        "cls",
        "code",
        "doubts",
        "returns",
        "scope",
        "self_value",
        "settled",
        "state",
        "statement",
        "symbol",
        "turns",
        "unit",
        "yields",
    )

    def __init__(
        self, state: ModuleState, unit: Unit, scope: Scope, symbol: str = "", code: Code | None = None
    ) -> None:
        self.state = state
        self.unit = unit
        self.scope = scope
        self.symbol = symbol
        self.code = code
        self.returns: list[Value] = []
        self.yields: list[Value] = []
        self.statement: cst.CSTNode | None = None
        self.cls: Any = None
        self.cares = False
        self.doubts = False  # does it depend on the release that runs whether what follows is reached?
        self.self_value: Value | None = None
        self.settled = 0  # how uncertain it is whether this activation, or the loop that runs in it, runs at all
        self.turns = 0  # conditions of unknown outcome under which it returned before


class _Counting:
    """Within the block a counter of the interpreter is one higher; it holds no state, so one serves all blocks."""

    __slots__ = ("it", "name")

    def __init__(self, it: Interp, name: str) -> None:
        self.it = it
        self.name = name

    def __enter__(self) -> None:
        setattr(self.it, self.name, getattr(self.it, self.name) + 1)

    def __exit__(self, *exc: object) -> None:
        setattr(self.it, self.name, getattr(self.it, self.name) - 1)


class _Branching(_Counting):
    """Within the block it isn't known whether the code runs; `path` names the block."""

    def __enter__(self) -> None:
        self.it.uncertain += 1
        self.it.path.append(next(serials))

    def __exit__(self, *exc: object) -> None:
        self.it.uncertain -= 1
        self.it.path.pop()


class _Under:
    """Within the block another trace is the innermost one."""

    __slots__ = ("before", "it", "trace")

    def __init__(self, it: Interp, trace: Trace | None) -> None:
        self.it = it
        self.trace = trace

    def __enter__(self) -> None:
        self.before = self.it.trace, self.it.folding
        self.it.trace, self.it.folding = self.trace, 0

    def __exit__(self, *exc: object) -> None:
        self.it.trace, self.it.folding = self.before


_NOTHING = nullcontext()


class Interp:
    """Everything that outlives a single call."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.trace: Trace | None = None
        self.folding = 0
        self.guard = 0
        self.care = 0  # inside of code that asked whether a value is a tracer, and where it is none
        self.restoring = 0  # inside of a context manager that undoes what it does to outer state
        self.uncertain = 0
        self.path: list[int] = []  # the blocks that may not run in which it is
        self.choosing = 0  # inside of a function that is one of several which may be called here
        self.tested: Value | None = None  # what the last condition asked for the truth of
        self.trying: list[int] = []  # how uncertain it was where each `try` that handles tracer errors began
        self.epoch = 0  # grows when host code writes outer state: what it calls afterwards may see the change
        self.environ = Mapping({}, Static("str"), None)
        self.host_writes: dict[tuple[Any, ...], set[int]] = {}
        self.depth = 0
        self.steps = 0
        self.elsewhere = 0  # of these, those of the functions that the running one has called
        self.limit = 1 << 60
        self.deadline: float | None = None
        self.releases: tuple[tuple[int, ...], ...] = ()  # the oldest and the newest one of JAX that code must run on
        self.running: set[Any] = set()
        self.activations: dict[int, int] = {}
        self.memo: dict[tuple[Any, ...], Value] = {}
        self.keep: list[Any] = []
        self.events: dict[tuple[Any, ...], Event] = {}
        self.transformed: list[Transformed] = []
        self.traced_codes: set[Code] = set()
        self.entered: set[Code] = set()
        self.frozen: dict[tuple[int, Any], list[Transformed]] = {}
        self.disabled = 0
        self.oldest_write: float = float("inf")
        self.spent: list[tuple[str, str]] = []
        self.cuts = 0  # calls of the root that were cut short: what they would have done to outer state isn't known
        self.supposed = False  # the user says that the root is traced, and wants to know what may happen there
        self.cut_short: set[Any] = set()  # keys of `memo` whose calls had such a call in them
        self.pending: list[tuple[Any, ...]] = []  # stored results of unknown functions, until their trace ends
        self.modules: dict[str, ModuleState] = {}
        self.settled: dict[tuple[int, int], Instance] = {}  # by object and trace: what its library's `setup` made
        self.library: dict[str, ClassVal] = {}  # classes of libraries' records
        self.ledger = Ledger()
        self.stored = Stored()
        self._branch = _Branching(self, "uncertain")
        self._guarded = _Counting(self, "guard")
        self._caring = _Counting(self, "care")

    def forget(self) -> None:
        """Drop what was worked out and noted since the last time; names, modules and the environment stay."""
        self.memo, self.keep, self.events = {}, [], {}
        self.traced_codes, self.entered, self.spent = set(), set(), []
        self.frozen, self.host_writes, self.epoch, self.oldest_write = {}, {}, 0, float("inf")
        self.pending, self.cut_short, self.settled = [], set(), {}
        self.stored = Stored()

    # -- budget ---------------------------------------------------------------------------------

    def tick(self) -> None:
        """Count one step; raises BudgetSpentError when the root's budget is used up."""
        self.steps += 1
        if self.steps > self.limit:
            raise BudgetSpentError
        if self.deadline is not None and not self.steps & 0x3F and time.process_time() > self.deadline:
            raise BudgetSpentError

    # -- traces ---------------------------------------------------------------------------------

    @property
    def staging(self) -> bool:
        """Is a jax.numpy operation on constants staged out here?"""
        return self.trace is not None and not self.folding and self.trace.stages

    def under(self, trace: Trace | None) -> _Under:
        """Run with `trace` as the innermost one; None is host code."""
        return _Under(self, trace)

    def branch(self) -> AbstractContextManager[None]:
        """Run code of which it isn't known whether it runs."""
        return self._branch

    def guarded(self, on: bool = True) -> AbstractContextManager[None]:
        """Run code whose tracer errors are expected or handled."""
        return self._guarded if on else _NOTHING

    def caring(self, on: bool = True) -> AbstractContextManager[None]:
        """Run code that runs only where a value is no tracer: what is staged out of such values isn't meant by that."""
        return self._caring if on else _NOTHING

    # -- values ---------------------------------------------------------------------------------

    def operation(
        self,
        frame: Frame,
        node: cst.CSTNode,
        operands: Iterable[Value],
        dtype: str | None = None,
        label: str = "staged out here",
        python: bool = False,
    ) -> JaxArray:
        """What an operation of JAX on `operands` gives here.

        `python` marks an operator of the language, which is an operation of JAX only if one of the
        operands certainly is an array.
        """
        seen = Operands()
        for v in operands:
            seen.add(v)
        # What certainly is a tracer explains the result better than what may be one.
        link, cause, profile = seen.sure_link or seen.link, seen.cause, seen.profile
        maybe = False
        if python and seen.doubtful and not seen.definite:
            profile, maybe = seen.doubtful, True
        elif self.staging:
            profile = ABSTRACT
        elif profile == CONCRETE and seen.doubtful:
            profile, maybe = seen.doubtful, True
        vague = not seen.known and (seen.data or (seen.vague and not seen.shaped))
        # The operation makes a tracer of operands of which none certainly is one.
        makes = profile != CONCRETE and (cause == CONSTANT or (self.staging and not seen.definite and not python))
        if makes:
            parent = link if link is not None else (self.trace.link if self.trace else None)
            link = Link(frame.unit, node, label, parent, "staged" if seen.unsure else "forced")
        elif link is not None and link.staged and label.startswith("`"):
            word = label.removesuffix(" is staged out here")
            link = Link(frame.unit, node, f"{word} is computed from it here", link, "through")
        if makes and vague:
            cause = ARGUMENT
        for taint in seen.taints:
            self.tainted(taint, profile)
        return JaxArray(
            profile,
            cause,
            link,
            dtype,
            maybe=maybe,
            shaped=seen.shaped and not vague,
            vague=vague,
            source=tuple(seen.sources) if python and seen.sources else ((frame.unit, node),),
        )

    def tainted(self, taint: Link, profile: str) -> None:
        """A value frozen at trace time, or cut off from its gradient, goes into an operation."""
        wrong = profile == WRAPPED if taint.kind == "item" else profile == ABSTRACT and self.staging
        kind, _, counter = taint.kind.rpartition(":")
        kind, data = (counter, {"role": "counter"}) if kind else (taint.kind, {})
        if not wrong or self.guard or self.care or self.trace is None or self.trace.hypothetical:
            return
        key = (id(taint.unit), id(taint.node), kind)
        if key not in self.events:
            certain = self.trace.certain
            self.events[key] = Event(
                kind, taint.unit, taint.node, None, self.trace, None, taint.message, None, certain, taint.parent, data
            )

    # -- events ---------------------------------------------------------------------------------

    def demand(
        self,
        frame: Frame,
        value: Value,
        need: str,
        node: cst.CSTNode,
        what: str = "",
        exception: str | None = None,
        within: bool = False,
        **data: Any,
    ) -> bool:
        """Python needs a concrete value here; returns True when `value` can't give one.

        `within`: of a container, Python asks its items (to order it, to hash it). What a loop takes out of a pytree
        may be a key of a dict, and has no `source`.
        """
        if self.trace is None:
            return False  # host code sees concrete arrays; a tracer here has escaped, which is reported where it did
        alternatives = options(value)
        for v in alternatives:
            if isinstance(v, Static) and v.taint is not None and need == "bool" and v.taint.kind == "random":
                self.tainted(v.taint, ABSTRACT)  # which way it goes is drawn once
            if not isinstance(v, JaxArray) or not v.traced:
                continue
            if v.profile == WRAPPED and need in MET_BY_WRAPPED:
                continue
            if (
                v.tree
                and not (within and v.source)
                and need in ("bool", "hash")
                and (v.param is None or used_as_container(frame, node))
            ):
                continue  # the truth of a container is static
            if len(alternatives) > 1 and hang_together(v, alternatives):
                continue  # which alternative it is may hang together with what isn't known of the operands
            if self.choosing:
                return True
            if need == "numpy" and self.trace.name == "assumed" and v.param is not None:
                continue  # NumPy called on an argument says that the author takes it for an array of the host
            if self.guard:
                sure = len(alternatives) == 1 and not (v.tree and v.param is None)
                if sure and self.trying and self.uncertain == self.trying[-1]:
                    raise HandledError
                return True
            if self.care and not v.forced:
                return True
            certain = len(alternatives) == 1 and not (v.tree and v.param is None)
            self.event(frame, need, node, value=v, what=what, exception=exception, certain=certain, **data)
            return True
        return False

    def event(
        self,
        frame: Frame,
        kind: str,
        node: cst.CSTNode,
        value: JaxArray | None = None,
        what: str = "",
        exception: str | None = None,
        certain: bool = True,
        link: Link | None = None,
        slot: Slot | None = None,
        **data: Any,
    ) -> Event | None:
        """Note an event, once for each place and kind; a certain one replaces a doubtful one.

        `slot` is where a tracer is stored: the event goes if it is taken out again in time.
        """
        trace = self.trace
        if (self.restoring or (self.cuts and not self.supposed)) and data.get("role") == "leak":
            return None
        if self.guard or (self.care and (value is None or not value.forced)):
            return None
        key = (id(frame.unit), id(node), kind)
        old = self.events.get(key)
        hypothetical = trace is not None and trace.hypothetical
        better = old is not None and old.trace is not None and old.trace.hypothetical and not hypothetical
        if self.care or self.choosing or (trace is not None and not trace.certain):
            certain = False
        if old is not None and not better and not self._says_more(old, value, certain, hypothetical):
            return old
        e = Event(kind, frame.unit, node, frame.statement, trace, value, what, exception, certain, link, data)
        self.events[key] = e
        if slot is not None:
            self.stored.note(self, slot, lambda: self.events.pop(key, None))
        return e

    @staticmethod
    def _says_more(old: Event, value: JaxArray | None, certain: bool, hypothetical: bool) -> bool:
        """Is the same need met by an argument where it was met by a constant before? NumPy doesn't help then."""
        if old.value is None or value is None or hypothetical or (old.certain and not certain):
            return False
        return old.value.cause == CONSTANT and value.cause == ARGUMENT and not value.vague

    # -- outer state ----------------------------------------------------------------------------

    def is_outer(self, trace: Trace | None) -> bool:
        """Was something made under `trace` made outside of the innermost trace that is active?"""
        return self.trace is not None and trace is not self.trace and not self.trace.hypothetical

    def note_read(
        self, holder: Mutable | Scope, name: Any, value: Value, at: tuple[Unit, cst.CSTNode | None] | None = None
    ) -> None:
        """Outer state was read while tracing, `at` a node of a text: it is frozen into the compiled function."""
        trace = self.trace
        if trace is None or holder.trace is trace:
            return
        key = (id(holder), name)
        t: Trace | None = trace
        while t is not None:
            owner = t.owner
            if isinstance(owner, Transformed) and owner.kind in ("jit", "filter") and key not in owner.reads:
                owner.reads[key] = (value, at)
                self.frozen.setdefault(key, []).append(owner)
                self.keep.append(holder)
            t = t.parent


_CONTAINERS = r"\b((Mutable)?Mapping|[Dd]ict|Sequence|[Ll]ist|[Tt]uple|Iterable|Collection)\b"


def used_as_container(frame: Frame, node: cst.CSTNode) -> bool:
    """Is the name that is tested annotated as a container, used as one elsewhere, or asked what it is?"""
    from omnilint.analysis import nodes as cst

    if type(node) is not cst.Name or frame.code is None:
        return False
    annotation = frame.code.params.annotations.get(node.value)
    if annotation is not None and re.search(_CONTAINERS, frame.code.unit.text(annotation)):
        return True
    text = frame.code.unit.text(frame.code.node)
    name = re.escape(node.value)
    return (
        re.search(
            rf"\b{name}(\[['\"]|\.(items|keys|values|get|append|pop)\()|\*\*{name}\b|\bin {name}\b"
            rf"|\bisinstance\(\s*{name}\s*,",
            text,
        )
        is not None
    )


class Operands:
    """What the operands of an operation have in common."""

    __slots__ = (
        "cause",
        "data",
        "definite",
        "doubtful",
        "known",
        "link",
        "profile",
        "shaped",
        "sources",
        "sure_link",
        "taints",
        "unsure",
        "vague",
    )

    def __init__(self) -> None:
        self.profile = CONCRETE
        self.cause = CONSTANT
        self.link: Link | None = None
        self.sure_link: Link | None = None
        self.definite = False
        self.doubtful = ""
        self.known = False  # does one of them certainly depend on a traced argument?
        self.shaped = False
        self.sources: list[Any] | None = []  # what they are computed from; None when that isn't known
        self.taints: list[Link] = []
        self.vague = False
        self.data = False
        self.unsure = False  # whether there is a tracer among them isn't known

    def add(self, v: Value, depth: int = 4) -> None:
        """Take one operand, or what a container holds, into account."""
        if isinstance(v, JaxArray):
            self._array(v)
        elif isinstance(v, Static):
            self.shaped = self.shaped or v.from_shape
            if v.taint is not None:
                self.taints.append(v.taint)
        elif isinstance(v, Unknown):
            self.vague = self.unsure = True
            self.sources = None
        elif depth:
            for child in children(v):
                self.add(child, depth - 1)

    def _array(self, a: JaxArray) -> None:
        self.data = self.data or a.profile == CONCRETE or a.vague
        own = a.source if a.param is None else (a.param,)
        if not own or a.maybe:
            self.sources = None
        elif self.sources is not None:
            self.sources += [s for s in own if s not in self.sources]
        self.unsure = self.unsure or a.profile != CONCRETE
        if a.maybe:
            self.doubtful = stronger(self.doubtful, a.profile) if self.doubtful else a.profile
        else:
            self.definite = True
            self.known = self.known or (a.profile != CONCRETE and a.cause == ARGUMENT and not a.vague)
            self.profile = stronger(self.profile, a.profile)
            if a.profile != CONCRETE and (self.sure_link is None or a.cause == ARGUMENT):
                self.sure_link = a.link
        if a.cause == ARGUMENT and a.profile != CONCRETE:
            if self.cause != ARGUMENT or self.link is None:
                self.link = a.link
            self.cause = ARGUMENT
        elif self.cause == CONSTANT and a.link is not None and (self.link is None or a.profile != CONCRETE):
            self.link = a.link
        self.shaped = self.shaped or (a.shaped and a.cause == CONSTANT)
