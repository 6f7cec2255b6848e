"""Numeric comparisons as they happen: how far apart the values were, in ulps and against the tolerance."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any

from . import compat
from .errors import Home

_KEPT = 400
_NUMBERS = 64  # of each side, to compare with a run in 64 bits


def _floats(value: Any) -> Any:
    import numpy as np

    try:
        if isinstance(value, compat.tracer_type()):
            return None
        array = np.asarray(value)
        if array.dtype.kind in "iub":
            return array.astype("float64")
        return array if array.dtype.kind in "fc" or "float" in str(array.dtype) else None
    except Exception:
        return None


def _coarsest(dtypes: Any) -> Any:
    """(eps, smallest normal number) of the coarsest floating type in `dtypes`; zeros when there is none."""
    found = (0.0, 0.0)
    for dtype in dtypes:
        try:
            info = compat.jax().numpy.finfo(dtype)
        except (ValueError, TypeError):
            continue
        found = max(found, (float(info.eps), float(info.tiny)))
    return found


def _ulp(dtypes: Any, magnitude: Any) -> Any:
    """The spacing of the coarsest floating type in `dtypes` at `magnitude`."""
    import numpy as np

    eps, tiny = _coarsest(dtypes)
    if not eps:
        return None
    # The spacing of numbers in [2^k, 2^(k+1)) is 2^k * eps.
    _, exponent = np.frexp(np.maximum(magnitude, tiny))
    return np.ldexp(eps, exponent - 1)


def measure(actual: Any, desired: Any, rtol: Any, atol: Any) -> Any:
    """Distance of two arrays: largest difference in ulps and as a share of the tolerance; None when not numeric."""
    import numpy as np

    a, d = _floats(actual), _floats(desired)
    if a is None or d is None:
        return None
    dtypes = {str(x.dtype) for x in (a, d)}
    # Values that a device computed in single precision don't get finer by being compared in double.
    for x in (actual, desired):
        if isinstance(x, compat.jax().Array):
            dtypes.add(str(x.dtype))
    try:
        wide_a, wide_d = np.broadcast_arrays(a.astype("complex128"), d.astype("complex128"))
    except (ValueError, TypeError):
        return None
    if not wide_a.size:
        return None
    with np.errstate(all="ignore"):
        gap = np.abs(wide_a - wide_d)
        scale = np.abs(wide_d)
        fine = np.isfinite(gap)
        told: dict[str, Any] = {"dtypes": sorted(dtypes), "size": int(wide_a.size), "gap": _max(gap[fine])}
        told["sides"] = [[float(x) for x in np.abs(side).ravel()[:_NUMBERS]] for side in (wide_a, wide_d)]
        told["identical"] = bool(np.all(gap[fine] == 0))
        told["eps"] = _coarsest(dtypes)[0]
        unit = _ulp(dtypes, np.maximum(np.abs(wide_a), scale))
        if unit is not None:
            told["ulps"] = _max((gap / unit)[fine])
        try:
            room = float(atol) + float(rtol) * scale
        except (TypeError, ValueError):
            return told
        told["rtol"], told["atol"] = float(rtol), float(atol)
        share = np.where(gap == 0, 0.0, gap / np.maximum(room, 1e-300))
        told["share"] = _max(share[fine])
        if unit is not None:
            told["room_ulps"] = _max((room / unit)[fine], np.min)
    return told


def _max(values: Any, take: Any = None) -> float | None:
    import numpy as np

    return float((take or np.max)(values)) if values.size else None


class Comparisons:
    """The comparisons seen, each with the user's lines it was asked from."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.seen: list[Any] = []
        self.label = ""
        self.busy = False

    def _lines(self) -> Any:
        frame = sys._getframe(2)
        lines = []
        while frame is not None:
            mine = self.home.file(frame.f_code.co_filename)
            if mine is not None:
                lines.append([mine, frame.f_lineno])
            frame = frame.f_back  # type: ignore[assignment]
        return lines[:20]

    def note(self, name: str, actual: Any, desired: Any, rtol: Any, atol: Any) -> None:
        """Remember one comparison."""
        if len(self.seen) >= _KEPT:
            return
        told = measure(actual, desired, rtol, atol)
        if told is not None:
            told.update(fn=name, lines=self._lines(), run=self.label)
            self.seen.append(told)

    def wrap(self, name: str, real: Callable[..., Any], tolerances: Callable[..., Any]) -> Callable[..., Any]:
        """`real`, noting what it compares; `tolerances` gives (rtol, atol) for its arguments."""

        @functools.wraps(real)
        def compare(*args: Any, **kwargs: Any) -> Any:
            if self.busy:  # one comparison asks another: the outermost is the user's
                return real(*args, **kwargs)
            self.busy = True
            try:
                with contextlib.suppress(Exception):
                    rtol, atol = tolerances(*args, **kwargs)
                    names = [n for n in ("actual", "desired", "x", "y", "a", "b", "first", "second") if n in kwargs]
                    pair = list(args[:2]) + [kwargs[n] for n in names]
                    self.note(name, pair[0], pair[1], rtol, atol)
                return real(*args, **kwargs)
            finally:
                self.busy = False

        return compare

    def install(self) -> None:
        """Replace the comparisons of NumPy and jax.numpy by noting ones, before the user imports them."""
        import numpy as np
        import numpy.testing as testing

        jnp = compat.jax().numpy
        testing.assert_allclose = self.wrap("assert_allclose", testing.assert_allclose, _allclose(1e-7, 0.0))
        testing.assert_array_equal = self.wrap("assert_array_equal", testing.assert_array_equal, _exact)
        testing.assert_equal = self.wrap("assert_equal", testing.assert_equal, _exact)
        testing.assert_almost_equal = self.wrap("assert_almost_equal", testing.assert_almost_equal, _decimal(7))
        testing.assert_array_almost_equal = self.wrap(
            "assert_array_almost_equal", testing.assert_array_almost_equal, _decimal(6)
        )
        for module in (np, jnp):
            for name in ("allclose", "isclose"):
                setattr(module, name, self.wrap(name, getattr(module, name), _allclose(1e-5, 1e-8)))
            for name in ("array_equal", "array_equiv"):
                setattr(module, name, self.wrap(name, getattr(module, name), _exact))


def _allclose(rtol: float, atol: float) -> Callable[..., Any]:
    def given(a: Any, b: Any, r: Any = rtol, t: Any = atol, *rest: Any, **kwargs: Any) -> Any:
        return kwargs.get("rtol", r), kwargs.get("atol", t)

    def call(*args: Any, **kwargs: Any) -> Any:
        return given(
            *([*list(args), None, None])[: max(2, len(args))],
            **{k: v for k, v in kwargs.items() if k in ("rtol", "atol")},
        )

    return call


def _exact(*args: Any, **kwargs: Any) -> Any:
    return 0.0, 0.0


def _decimal(default: int) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        decimal = kwargs.get("decimal", args[2] if len(args) > 2 else default)
        return 0.0, 1.5 * 10.0 ** (-decimal)

    return call
