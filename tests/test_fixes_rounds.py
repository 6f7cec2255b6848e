"""What takes several rounds: a second run of `--fix` finds nothing more to do."""

from __future__ import annotations

from pathlib import Path

from tests.golden_fixes import repair

TWO_ROUNDS = """\
import math

import jax
import jax.numpy as jnp
import numpy as np
from functools import partial


@jax.jit
def s1(x):
    n = jnp.prod(jnp.array(x.shape))
    return x.reshape((n,))


class A:
    def __init__(self, dims):
        self.dims = dims

    @partial(jax.jit, static_argnums=(0,))
    def call(self, x):
        total = jnp.prod(jnp.asarray(self.dims))
        return x.reshape(-1, total)
"""


def test_what_one_repair_leaves_for_the_next_round_keeps_no_other_one_away(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(TWO_ROUNDS)
    once = repair(file, unsafe=True)
    (after,) = once.after.values()
    assert b"n = math.prod(x.shape)" in after
    assert b"jnp.prod" not in after
    assert not [f for f in once.report.findings if f.code.startswith("OMN1")]
    file.write_bytes(after)
    assert not repair(file, unsafe=True).fixed
