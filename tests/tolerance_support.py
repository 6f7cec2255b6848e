"""Building a project from text and asking for its tolerance findings."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from omnilint.hazards import tolerance
from omnilint.index.project import Project
from omnilint.model import Finding, Source

HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np

X = np.random.default_rng(0).normal(size=(16, 8))
S = X.astype(np.float32)


def smooth(x):
    return jnp.exp(jnp.sin(x)) @ jnp.cos(x).T


def layer(x):
    return jnp.tanh(x * 1.7 + jnp.cos(x))


WANT = np.exp(np.sin(X)) @ np.cos(X).T
"""

# Expressions of x, and whether compiling them as a whole changes the last bits of what op-by-op execution gives
# (for some shapes at least).
FUSION = [
    ("x * 1.7 + 0.3", True),
    ("x * x - 0.3 * x", True),
    ("x**3 + 0.3", True),
    ("x + 0.1 + 0.7", True),
    ("x / 1.3 / 1.7", True),
    ("jnp.mean(x, axis=-1) + 0.1", True),
    ("jnp.sum(x * jnp.exp(-x), axis=-1)", True),
    ("x / jnp.sqrt(jnp.abs(x) + 1.1)", True),
    ("1.0 / jnp.sqrt(jnp.abs(x) + 0.5)", True),
    ("jax.nn.log_softmax(x / 0.7)", True),
    ("jax.nn.softmax(x * x)", True),
    ("jax.grad(lambda v: jnp.sum(jnp.tanh(v)))(x)", True),
    ("jax.grad(lambda v: jnp.mean(jnp.sqrt(jnp.abs(v) + 0.5)))(x)", True),
    ("jax.grad(lambda v: -jnp.mean(jax.nn.log_softmax(v / 0.7)[..., 0]))(x)", True),
    ("jax.grad(lambda v: jnp.sum(jnp.exp(v)))(x)", False),
    ("jax.grad(lambda v: jnp.sum(jnp.sin(v)))(x)", False),
    ("jnp.sum(jnp.sin(x), axis=0)", False),
    ("jnp.tanh(jnp.exp(x)) * 1.1", False),
    ("jax.nn.sigmoid(jnp.tanh(x))", False),
    ("x - jnp.mean(x, axis=-1, keepdims=True)", False),
    ("x / (jnp.abs(x) + 1.1)", False),
    ("-0.5 * (x / 1.3) ** 2 - jnp.cos(x)", False),
    ("2.0 * x + 0.0", False),
    ("jnp.maximum(jnp.cos(x), 0.0)", False),
]
# Measured with JAX 0.10.2, which the tables hold, and with 0.12.0.1: what the newer one does otherwise.
FUSED_OTHERWISE = dict.fromkeys(("x + 0.1 + 0.7", "x / 1.3 / 1.7", "jnp.tanh(jnp.exp(x)) * 1.1"), (0, 12))
EXACT_SINCE = {"expm1": (0, 12)}


def is_since(release: tuple[int, int] | None) -> bool:
    """Whether the JAX that is installed is of this release or a later one."""
    import jax

    return release is not None and jax.__version_info__[:2] >= release


def project_of(texts: Mapping[str, str], root: Path) -> Project:
    """A project of these files, by relative path; nothing is written."""
    project = Project()
    files = {str(root / path) for path in texts}
    for path, text in texts.items():
        project.add(Source(path, text, file=str(root / path)), files)
    return project


def findings(texts: Mapping[str, str], root: Path) -> list[Finding]:
    """The findings of all files."""
    project = project_of(texts, root)
    return [finding for module in project.modules() for finding in tolerance.find(module, project)]


def of_body(body: str, root: Path, head: str = HEAD) -> list[Finding]:
    """The findings of one module: imports, data and a model, then `body`."""
    return findings({"test_it.py": head + textwrap.dedent(body)}, root)


def statements(found: list[Finding]) -> list[tuple[str, str]]:
    """(code, source line) of each finding."""
    return [(f.code, f.statement) for f in found]
