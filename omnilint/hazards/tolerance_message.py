"""The words of a tolerance finding: what is allowed, what rounding does, which tolerance would hold."""

from __future__ import annotations

import math

from omnilint.hazards.tolerance_judge import Claim, number

# The literal tolerances that people write.
STEPS = (1.0, 2.0, 5.0)


def message(claim: Claim) -> str:
    """One sentence of fact, one of arithmetic, one of advice."""
    match claim.reason:
        case "step":
            return _step(claim)
        case "edge":
            return _edge(claim)
        case _ if claim.code == "OMN303":
            return _exact(claim)
    what = _tolerance(claim)
    if claim.reason == "compiled":
        why = "the sides are the same function with and without jit, and XLA may fuse and reorder what it compiles"
    else:
        why = f"the sides are computed differently and round by about {ulps(claim.spread / claim.eps)}"
    return f"{what}; {why}; use rtol={suggestion(claim):g} or more"


def suggestion(claim: Claim) -> float:
    """A tolerance that leaves a factor of four above the estimated spread, in the form in which people write them."""
    wanted = 4 * max(claim.spread, 4 * claim.eps)
    power = math.floor(math.log10(wanted))
    for digit in (*STEPS, 10.0):
        value = float(f"{digit:g}e{power:d}")
        if value >= wanted:
            return value
    return float(f"1e{power + 1:d}")


def ulps(count: float) -> str:
    """A number of units in the last place, in words."""
    text = f"{count:.1f}" if count < 10 else f"{count:.0f}"
    if count < 0.1:
        text = f"{count:.1g}"
    return f"{text} ulp" if text in ("1.0", "1") else f"{text} ulps"


def _tolerance(claim: Claim) -> str:
    absolute = claim.compared.form not in ("digits", "ulp") and claim.tolerance != _relative_part(claim)
    at = f", for values around {claim.magnitude:.2g}" if absolute else ""
    name = claim.compared.name.rpartition(".")[2]
    source = "the tolerance" if claim.compared.given else f"the default tolerance of `{name}`"
    return (
        f"{source} is {claim.tolerance:.2g} relative{at}: {ulps(claim.tolerance / claim.eps)} of {claim.dtype} "
        f"(eps {claim.eps:.3g})"
    )


def _relative_part(claim: Claim) -> float:
    given = claim.compared.given.get("rtol")
    return number(given) or 0.0 if given is not None else claim.compared.defaults.get("rtol", 0.0)


def _exact(claim: Claim) -> str:
    if claim.reason == "compiled":
        what = "the same function with and without jit: XLA may fuse and reorder what it compiles as a whole"
    else:
        what = "two ways of computing: each rounds in its own order"
    return (
        f"exact comparison of {claim.dtype} results of {what}, so the last bits may differ "
        f"(about {ulps(claim.spread / claim.eps)} of rounding in it); compare with rtol={suggestion(claim):g} or so"
    )


def _step(claim: Claim) -> str:
    assert claim.step is not None
    central = claim.step.sides == 2
    best_step = claim.eps ** (1 / 3 if central else 1 / 2)
    best_error = claim.eps ** (2 / 3 if central else 1 / 2)
    return (
        f"finite difference with step {claim.step.step:g} in {claim.dtype} (eps {claim.eps:.3g}): rounding alone is "
        f"about {claim.spread:.1g} of the derivative, and the comparison allows {claim.tolerance:.2g}; "
        f"a step near {best_step:.1g} gets to about {best_error:.1g}, or compute the difference in float64"
    )


def _edge(claim: Claim) -> str:
    assert claim.edge is not None
    literal, moved = claim.edge
    return (
        f"{literal!r} lies {abs(1 - literal):.1g} from 1, and conversion to {claim.dtype} moves that distance by "
        f"{moved:.1%}: the result can't agree with a float64 reference to {claim.tolerance:.2g}; compare with a "
        f"reference at the {claim.dtype} value, or use rtol={suggestion(claim):g} or more"
    )
