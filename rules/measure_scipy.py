"""What a SciPy function does with a tracer: each public function that takes arrays, called with one."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import scipy
from measure_numpy import under

SOURCE = {
    "jax": jax.__version__,
    "scipy": scipy.__version__,
    "how": "every public function of the modules in rules/measure_scipy.py that some recipe of arrays suits, called "
    "with tracers under jax.jit and under eager jax.grad",
    "values": "the exception; an object {jit, grad} where the two differ; functions that raise nothing are left out",
}
MODULES = ["scipy.special", "scipy.linalg", "scipy.fft", "scipy.signal", "scipy.ndimage", "scipy.interpolate"]
MODULES += ["scipy.integrate", "scipy.stats", "scipy.spatial.distance"]
# v is a float vector, m a matrix: the first recipe that works on NumPy arrays is the one that is measured.
RECIPES = [
    lambda f, v, m: f(v),
    lambda f, v, m: f(m),
    lambda f, v, m: f(v, v),
    lambda f, v, m: f(m, m),
    lambda f, v, m: f(m, m[0]),
    lambda f, v, m: f(v, 2),
    lambda f, v, m: f(2, v),
    lambda f, v, m: f(v, v, v),
    lambda f, v, m: f(v, v, v, v),
]
DISTRIBUTIONS = ["norm", "uniform", "beta", "gamma", "expon", "t", "chi2", "laplace", "logistic", "cauchy"]
METHODS = ["pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf"]
# The packages' own tests, and settings.
SKIPPED = {"scipy.stats.test", "scipy.special.test", "scipy.special.errstate", "scipy.special.seterr"}


def suits(function: Any, recipe: Any) -> bool:
    """Whether the recipe works on NumPy arrays, which is what it must do to say something about tracers."""
    v, m = np.array([0.1, 0.2, 0.3, 0.4]), np.array([[2.0, 0.5], [0.5, 3.0]])
    try:
        recipe(function, v, m)
    except Exception:
        return False
    return True


def functions() -> Iterator[tuple[str, Any]]:
    for module in MODULES:
        for name in getattr(importlib.import_module(module), "__all__", ()):
            function = getattr(importlib.import_module(module), name, None)
            if callable(function) and not isinstance(function, type) and f"{module}.{name}" not in SKIPPED:
                yield f"{module}.{name}", function
    for name in DISTRIBUTIONS:
        for method in METHODS:
            yield f"scipy.stats.{name}.{method}", getattr(getattr(importlib.import_module("scipy.stats"), name), method)


def table() -> dict[str, Any]:
    """dotted SciPy name that refuses tracers → exception, or {"jit": word, "grad": word} where they differ."""
    out: dict[str, Any] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name, function in functions():
            recipe = next((r for r in RECIPES if suits(function, r)), None)
            if recipe is None:
                continue
            words = [
                under(transform, lambda v, m, b, n, f=function, r=recipe: r(f, v, m)) for transform in ("jit", "grad")
            ]
            if words[0].startswith("Tracer"):  # what works is an object made of arrays, or doesn't look at them
                out[name] = words[0] if words[0] == words[1] else {"jit": words[0], "grad": words[1]}
    return out
