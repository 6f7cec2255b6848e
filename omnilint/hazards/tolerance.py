"""TOL: comparisons tighter than the dtype and XLA's freedom to reorder allow (OMN301 to OMN304)."""

from __future__ import annotations

import ast
import contextlib
import itertools
from collections.abc import Iterator

from omnilint.hazards import tolerance_judge, tolerance_message
from omnilint.hazards.tolerance_judge import Claim, judge
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.model import Finding, Place, Related
from omnilint.rounding import roots, table, x64
from omnilint.rounding.frame import Frame
from omnilint.rounding.machine import Machine
from omnilint.rounding.values import Compared

# Call sites of one comparison beyond which the comparison itself is the place to look.
MANY = 3


def find(module: ModuleIndex, project: Project) -> list[Finding]:
    """The findings of one module: its functions are interpreted one by one, each comparison is judged."""
    facts = table.load()
    starts = list(roots.roots(module, project, facts))
    if not starts:
        return []
    claims: list[Claim] = []

    def weigh(compared: Compared) -> None:
        claim = judge(compared, facts)
        if claim is not None:
            claims.append(claim)

    machine = Machine(project, facts, weigh)
    mode = x64.state(module, project, facts.x64_packages)
    for root in starts:
        machine.start()
        # Code nested deeper than Python's own stack allows is "don't know".
        with contextlib.suppress(RecursionError):
            for frame in roots.frames(machine, root, module, mode):
                machine.execute(root.body, frame)
                if machine.fuel < 0:
                    break
    return sorted(_findings(module, claims), key=lambda f: (f.place, f.code))


def _findings(module: ModuleIndex, claims: list[Claim]) -> Iterator[Finding]:
    by_comparison: dict[ast.AST, list[Claim]] = {}
    for claim in claims:
        by_comparison.setdefault(claim.compared.node, []).append(claim)
    for group in by_comparison.values():
        spots: dict[ast.AST, Claim] = {}
        for claim in group:
            spots.setdefault(_spot(claim)[1], claim)
        spots = {node: claim for node, claim in spots.items() if not _decided_within(claim, node, spots)}
        own = group[0].compared.node
        if own in spots:
            yield _finding(spots[own], group[0].compared.frame, own)
        elif len(spots) > MANY and group[0].compared.frame.module is module:
            yield _finding(group[0], group[0].compared.frame, own)
        else:
            for claim in spots.values():
                yield _finding(claim, *_spot(claim))


def _decided_within(claim: Claim, node: ast.AST, spots: dict[ast.AST, Claim]) -> bool:
    """Is a call further in enough by itself? Then the one out here supplied nothing that decides."""
    calls = [f.call for f in claim.compared.frame.chain()]
    return node in calls and any(c in spots for c in (*calls[calls.index(node) + 1 :], claim.compared.node))


def _spot(claim: Claim) -> tuple[Frame, ast.AST]:
    """Where to look: the outermost call that supplied a value, dtype or tolerance which decides, or the comparison."""
    frame = claim.compared.frame
    if claim.reason == "step":
        return frame, claim.compared.node
    chain = frame.chain()
    if claim.depth >= frame.depth:
        return frame, claim.compared.node
    inner = chain[claim.depth + 1]
    assert inner.call is not None
    return chain[claim.depth], inner.call


def _finding(claim: Claim, frame: Frame, node: ast.AST) -> Finding:
    place = place_of(frame.module, node)
    chain = claim.compared.frame.chain()
    related = []
    if claim.reason != "step" and claim.cause.node is not node:
        where = place_of(claim.cause.module, claim.cause.node)
        related.append(Related(where, f"{claim.cause.text or _text(claim.cause.node)} rounds most of it"))
    for caller, inner in itertools.pairwise(chain):
        if inner.call is not None and inner.call is not node:
            related.append(Related(place_of(caller.module, inner.call), f"`{inner.symbol}` is called here"))
    if node is not claim.compared.node:
        where = place_of(claim.compared.frame.module, claim.compared.node)
        related.append(Related(where, "compared here"))
    lines = frame.module.lines
    return Finding(
        code=claim.code,
        message=tolerance_message.message(claim),
        place=place,
        confidence=claim.confidence,
        symbol=frame.symbol,
        related=tuple(related),
        statement=lines[place.line - 1].strip() if place.line <= len(lines) else "",
        target=chain[0].symbol if chain[0].symbol != frame.symbol else "",
        data={
            "dtype": claim.dtype,
            "tolerance": claim.tolerance,
            "ulps": claim.tolerance / claim.eps,
            "spread_ulps": claim.spread / claim.eps,
            "suggested_rtol": tolerance_message.suggestion(claim),
            "size": tolerance_judge.size(claim.first, claim.second),
            "grows": claim.grows,
        },
    )


def _text(node: ast.AST) -> str:
    text = ast.unparse(node) if isinstance(node, ast.expr) else ""
    return f"`{text}`" if 0 < len(text) <= 40 else "this expression"


def place_of(module: ModuleIndex, node: ast.AST) -> Place:
    """The span of a node, columns counted in characters from 1."""
    line = getattr(node, "lineno", 1)
    end = getattr(node, "end_lineno", None) or line
    return Place(
        module.path,
        line,
        _column(module, line, getattr(node, "col_offset", 0)),
        end,
        _column(module, end, getattr(node, "end_col_offset", None) or 0),
    )


def _column(module: ModuleIndex, line: int, offset: int) -> int:
    """`ast` counts UTF-8 bytes from 0."""
    text = module.lines[line - 1] if line <= len(module.lines) else ""
    return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")) + 1
