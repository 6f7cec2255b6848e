"""Traces that are active while a function is analysed, and the chain of places that explains a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omnilint.analysis import nodes as cst
    from omnilint.analysis.code import Unit
    from omnilint.model import Place

STAGE = "stage"  # everything is staged out, constants too: jit, scan, cond, …
BATCH = "batch"  # mapped arguments are abstract, the rest runs as usual: vmap
DIFF = "diff"  # differentiated arguments carry a concrete value: grad, jvp, …


class Link:
    """One reason in a chain: a place in the code and what happens there; `parent` is the reason before."""

    __slots__ = ("callee", "kind", "message", "node", "parent", "skipped", "staged", "unit")

    def __init__(self, unit: Unit, node: cst.CSTNode, message: str, parent: Link | None = None, kind: str = "") -> None:
        self.unit = unit
        self.node = node
        self.message = message
        self.parent = parent
        self.kind = kind
        # The function that is called here, where the code calls it by a name of its own.
        self.callee: tuple[Unit, cst.CSTNode] | None = None
        # Code that asks whether what was staged out is a tracer, and does without it then.
        self.skipped: tuple[Unit, cst.CSTNode] | None = None
        # Is there something in the chain that was staged out?
        self.staged: bool = self.stages or (parent is not None and parent.staged)

    @property
    def place(self) -> Place:
        """Where it is; positions are worked out only when somebody asks."""
        return self.unit.place(self.node)

    @property
    def stages(self) -> bool:
        """Does it stage something out, of tracers or of values of which none is one?"""
        return self.kind in ("staged", "forced")

    def chain(self) -> Iterator[Link]:
        """This link and its parents, last reason first."""
        link: Link | None = self
        seen = 0
        while link is not None and seen < 200:
            yield link
            link = link.parent
            seen += 1


class Trace:
    """One run of a function under a transform.

    `certain` is False when one link had to be assumed, `hypothetical` True when nobody was seen to
    trace the function.
    """

    __slots__ = ("certain", "folding", "hypothetical", "kind", "link", "name", "owner", "parent")

    def __init__(
        self,
        kind: str,
        name: str,
        parent: Trace | None,
        link: Link | None = None,
        owner: Any = None,
        certain: bool = True,
        hypothetical: bool = False,
    ) -> None:
        self.kind = kind
        self.name = name
        self.parent = parent
        self.link = link
        self.owner = owner
        self.certain: bool = certain and (parent is None or parent.certain)
        self.hypothetical: bool = hypothetical or (parent is not None and parent.hypothetical)

    @property
    def stages(self) -> bool:
        """Does it, or a trace around it, stage out constants too?"""
        t: Trace | None = self
        while t is not None:
            if t.kind == STAGE:
                return True
            t = t.parent
        return False

    @property
    def differentiates(self) -> bool:
        """Does it, or a trace around it, take a derivative?"""
        t: Trace | None = self
        while t is not None:
            if t.kind == DIFF:
                return True
            t = t.parent
        return False

    def key(self) -> tuple[Any, ...]:
        """Summary for memoising: what the enclosing traces do, not which they are."""
        kinds = []
        t: Trace | None = self
        while t is not None:
            kinds.append(t.kind)
            t = t.parent
        return (*sorted(set(kinds)), self.certain, self.hypothetical)
