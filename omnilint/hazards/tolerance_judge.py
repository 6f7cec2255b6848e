"""The arithmetic of a comparison: how far its sides may be apart, how far XLA may put them, and whether that fits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from omnilint.model import Confidence
from omnilint.rounding.asserting import paired_leaves
from omnilint.rounding.dtypes import as_float
from omnilint.rounding.operands import CONVERSION
from omnilint.rounding.table import Table
from omnilint.rounding.values import Array, Compared, Const, Error, Opaque, Seq, Trail, Value

# A tolerance below this many eps can only be met by luck when the sides round differently; see `_too_tight`.
COARSE = 8.0
# Sizes that values of unknown size are taken to have where an absolute tolerance matters: many are well below 1
# (probabilities, gradients, energies of small systems), and then it is looser than it seems; more so when it is a
# default that nobody chose for them.
SMALL = 1 / 4
TINY = 1 / 32


@dataclass(frozen=True, slots=True)
class Claim:
    """Why a comparison is too tight.

    `tolerance` is the relative difference it allows for values of size `magnitude`, `spread` the relative difference
    that rounding explains, both as fractions; `reason` is "rounding", "compiled" (the same function with and without
    jit), "edge" or "step".
    """

    code: str
    compared: Compared
    reason: str
    eps: float
    tolerance: float
    spread: float
    magnitude: float
    confidence: Confidence
    first: Value
    second: Value
    cause: Error
    edge: tuple[float, float] | None = None
    step: Trail | None = None

    @property
    def dtype(self) -> str:
        """The dtype that rounds most."""
        return self.cause.dtype

    @property
    def grows(self) -> bool:
        """Whether rounding went through a loop that may make it grow with each step."""
        return any(e.grows for v in (self.first, self.second) if isinstance(v, Array) for e in v.errors.values())

    @property
    def depth(self) -> int:
        """The number of the outermost frame that supplied something that decides."""
        return min([self.first.depth, self.second.depth, *(v.depth for v in self.compared.given.values())])


def judge(compared: Compared, table: Table) -> Claim | None:
    """The strongest reason why the comparison is too tight, None when it isn't or nothing is known."""
    claims = [claim for a, b in paired_leaves(compared) if (claim := _pair(compared, a, b, table)) is not None]
    return max(claims, key=lambda c: c.spread / c.tolerance if c.tolerance else math.inf, default=None)


def _pair(compared: Compared, a: Value, b: Value, table: Table) -> Claim | None:
    magnitude = size(a, b)
    if magnitude == 0.0:
        return None  # next to zero the scale of the error is that of the terms, which is unknown here
    if compared.form == "exact":
        return _exact(compared, a, b, table)
    # Who gives a relative tolerance too expects values that are not all tiny.
    relative = "rtol" in compared.given and number(compared.given["rtol"])
    guess = 1.0 if relative else SMALL if compared.given else TINY
    for look, assumed in ((_difference_quotient, 1.0), (_same_function, 1.0), (_rounding, guess)):
        tolerance = allowed(compared, a, b, magnitude or assumed, table)
        if tolerance is not None and (claim := look(compared, a, b, tolerance, magnitude or assumed, table)):
            return claim
    return None


def size(a: Value, b: Value) -> float | None:
    """How large the values compared are, None when it isn't known."""
    magnitude = _magnitude(b)
    return magnitude if magnitude is not None else _magnitude(a)


def _magnitude(value: Value) -> float | None:
    if isinstance(value, Const):
        known = as_float(value.value)
        return None if known is None else abs(known)
    if isinstance(value, Array):
        return value.peak
    if isinstance(value, Seq) and value.items:
        sizes = [_magnitude(v) for v in value.items]
        all_known = [s for s in sizes if s is not None]
        return max(all_known) if len(all_known) == len(sizes) else None
    return None


def allowed(compared: Compared, a: Value, b: Value, magnitude: float, table: Table) -> float | None:
    """The relative difference that the comparison allows at this magnitude, None when it is not known."""
    numbers = dict(compared.defaults)
    for name, value in compared.given.items():
        known = number(value)
        if known is None:
            return None
        numbers[name] = known
    try:
        match compared.form:
            case "relative" if {"rtol", "atol"} <= set(numbers):
                return numbers["rtol"] + numbers["atol"] / magnitude
            case "isclose":
                return max(numbers["rtol"], numbers["atol"] / magnitude)
            case "absolute":
                return numbers["atol"] / magnitude
            case "decimal":
                return 1.5 * 10 ** -numbers["decimal"] / magnitude
            case "places":
                return numbers.get("delta", 0.5 * 10 ** -numbers["places"]) / magnitude
            case "digits":
                return 10 ** -(numbers["significant"] - 1)
            case "ulp":
                widths = [table.eps.get(v.dtype or "") for v in (a, b) if isinstance(v, Array)]
                narrow = [w for w in widths if w]
                return numbers["ulp"] * min(narrow) if len(narrow) == 2 else None
    except ArithmeticError:
        return None
    return None


def number(value: Value) -> float | None:
    """The number that a tolerance argument is, None when unknown."""
    if isinstance(value, Const):
        return as_float(value.value)
    if isinstance(value, Array) and value.uniform is not None and not value.errors:
        return value.uniform
    return None


def _exact(compared: Compared, a: Value, b: Value, table: Table) -> Claim | None:
    """Equality of floating-point results of which one is compiled, or which are computed in different ways."""
    if not (isinstance(a, Array) and isinstance(b, Array)) or a.dtype != b.dtype or a.dtype is None:
        return None
    if _compiled_against_eager(a, b):
        (loud, spread), reason, enough = _of_computing(a), "compiled", 0.5
        if not a.fuses:
            return None
    else:
        (loud, spread), reason, enough = _apart([a, b]), "rounding", 3.0
        if a.key == b.key or not (a.traced and b.traced) or _same_steps(a, b) or not (a.errors and b.errors):
            return None  # against plain data, equality is a property that holds exactly or was thought of
    if loud is None or spread < enough * table.eps[loud.dtype]:
        return None
    return Claim("OMN303", compared, reason, table.eps[loud.dtype], 0.0, spread, 1.0, Confidence.LIKELY, a, b, loud)


def _apart(sides: list[Array]) -> tuple[Error | None, float]:
    """(the largest rounding by JAX that the sides do not share, the size of all that they do not share).

    What they share, the conversion of common inputs above all, is no difference between them.
    """
    own = [v.errors for v in sides]
    apart = [e for errors in own for k, e in errors.items() if sum(k in other for other in own) == 1]
    loud = max((e for e in apart if e.traced), key=lambda e: e.amount, default=None)
    return loud, math.hypot(*(e.amount for e in apart))


def _compiled_against_eager(a: Value, b: Value) -> bool:
    return a.key == b.key and a.form != b.form


def _same_function(
    compared: Compared, a: Value, b: Value, tolerance: float, magnitude: float, table: Table
) -> Claim | None:
    """The same function with and without `jit`."""
    if not _compiled_against_eager(a, b):
        return None
    if not (isinstance(a, Array) and isinstance(b, Array)) or not (a.fuses or (a.wavers and compared.given)):
        return None
    loud, noise = _of_computing(a)
    if loud is None:
        return None
    eps = table.eps[loud.dtype]
    # That they differ is known here, so half of the usual margin is enough.
    if not _too_tight(tolerance / eps, noise / eps, bool(compared.given), 0.5):
        return None
    code = "OMN301" if compared.given else "OMN302"
    return Claim(code, compared, "compiled", eps, tolerance, noise, magnitude, Confidence.LIKELY, a, b, loud)


def _of_computing(a: Array) -> tuple[Error | None, float]:
    """(the largest rounding, the size of all) without those of inputs that were converted, which both sides share."""
    own = [e for e in a.errors.values() if e.text != CONVERSION]
    return max(own, key=lambda e: e.amount, default=None), math.hypot(*(e.amount for e in own))


def _rounding(compared: Compared, a: Value, b: Value, tolerance: float, magnitude: float, table: Table) -> Claim | None:
    """Two computations of the same thing, at least one of them by JAX."""
    if a.key == b.key or isinstance(a, Opaque) or isinstance(b, Opaque):
        return None
    sides = [v for v in (a, b) if isinstance(v, Array)]
    if any(v.library == "unknown" or v.dtype is None for v in sides):
        return None
    if len(sides) == 2 and _same_steps(sides[0], sides[1]):
        return None
    loud, spread = _apart(sides)
    if loud is None:
        return None
    eps = table.eps[loud.dtype]
    code = "OMN301" if compared.given else "OMN302"
    tailed = max(sides, key=lambda v: v.tail)
    tail = tailed.tail if sum(v.traced for v in sides) == 1 else 0.0
    if tail > 4 * tolerance and tail > spread:
        found = Claim(code, compared, "edge", eps, tolerance, tail, magnitude, Confidence.LIKELY, a, b, loud)
        return replace(found, edge=tailed.edge)
    # Against literals, integers and dyadic fractions above all, and zero distance, rounding often comes out even.
    literal = len(sides) < 2 or any(not v.errors and (v.grid or v.peak is not None) for v in sides)
    exact = literal and loud.text != CONVERSION
    even = 1.5 if exact else 1.0
    if exact and ((compared.form == "absolute" and len(sides) == 2) or not compared.given):
        even = 3.0
    if not _too_tight(tolerance / eps, spread / eps, bool(compared.given), even):
        return None
    sure = bool(compared.given) and tolerance < eps / 4 and spread > 2 * eps
    confidence = Confidence.CERTAIN if sure else Confidence.LIKELY
    return Claim(code, compared, "rounding", eps, tolerance, spread, magnitude, confidence, a, b, loud)


def _same_steps(a: Array, b: Array) -> bool:
    """Whether both sides seem to run the same operations in the same way, which gives the same bits."""
    if a.staged != b.staged or a.library != b.library or a.loudest is None or b.loudest is None:
        return False
    return a.loudest.node is b.loudest.node and min(a.noise, b.noise) > 0.85 * max(a.noise, b.noise)


def _too_tight(allowed: float, spread: float, given: bool, even: float) -> bool:
    """Whether `spread` eps of rounding do not fit in a tolerance of `allowed` eps, by a margin that earns a finding.

    Spreads are 99th percentiles, so a comparison passes now and then by luck; a written tolerance below one eps can
    be met by nothing else. NumPy's default is no choice of the author, so it takes more to speak about it.
    """
    if allowed >= COARSE:
        return spread >= 8 * allowed * even  # a long recurrence
    if not given:
        hopeless = 0.75 if allowed < 0.01 and even == 1 else 1.5
        return spread >= (hopeless if allowed < 0.1 else max(3.0, 4 * allowed)) * even
    if allowed < 0.25:
        return spread >= (0.45 if even == 1 else 1.0) * even
    return spread >= (1.5 if allowed < 1 else 4 * allowed) * even


def _difference_quotient(
    compared: Compared, a: Value, b: Value, tolerance: float, magnitude: float, table: Table
) -> Claim | None:
    """A derivative against a finite difference whose step is too small for the dtype."""
    quotient = next((v for v in (a, b) if v.trail is not None and v.trail.kind == "quotient"), None)
    if not isinstance(quotient, Array) or quotient.trail is None or not quotient.traced:
        return None
    loud = quotient.loudest
    if loud is None:
        return None
    eps = table.eps[loud.dtype]
    error = eps / (quotient.trail.sides * quotient.trail.step)
    if error <= 4 * tolerance:
        return None
    found = Claim("OMN304", compared, "step", eps, tolerance, error, magnitude, Confidence.LIKELY, a, b, loud)
    return replace(found, step=quotient.trail)
