"""What the analysis reports to the hazard modules: a need that a traced value can't meet, or an effect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from omnilint.analysis import nodes as cst
from omnilint.analysis.code import Unit

if TYPE_CHECKING:
    from omnilint.analysis.traces import Link, Trace
    from omnilint.analysis.values import JaxArray

# Needs that a tracer with a concrete value inside (eager grad) can meet.
MET_BY_WRAPPED = frozenset({"bool", "int", "index", "slice", "shape", "static", "mask", "data", "range"})


@dataclass(slots=True)
class Event:
    """`kind` is a need ("bool", "int", "shape", …) or an effect ("global", "closure", "attribute", …).

    `value` is the offending value of a need, `what` names the function, operator or object concerned,
    `exception` what JAX raises, `statement` the statement that `node` is part of.
    """

    kind: str
    unit: Unit
    node: cst.CSTNode
    statement: cst.CSTNode | None
    trace: Trace | None
    value: JaxArray | None = None
    what: str = ""
    exception: str | None = None
    certain: bool = True
    link: Link | None = None
    data: dict[str, Any] = field(default_factory=dict)
