"""Plain namespaces of JAX, such as `jax.ad` since 0.10.0: what they hold is known, and what they lack is told."""

from __future__ import annotations

import pytest

from omnilint.api.target import Target
from omnilint.hazards.internal import find
from omnilint.index.module import index_module
from omnilint.model import Source


def told(code: str, target: str) -> list[tuple[str, str]]:
    module = index_module(Source("case.py", code), "case")
    return [(f.code, f.message.partition(";")[0]) for f in find(module, Target.parse(target))]


GONE = "`jax.ad.deflinear` was removed in JAX 0.4.14"


@pytest.mark.parametrize(
    ("code", "target", "expected"),
    [
        pytest.param("import jax\njax.ad.deflinear(p, f)", "0.10.2", GONE, id="gone before the name came back"),
        pytest.param("from jax import ad\nad.deflinear(p, f)", "0.12", GONE, id="imported"),
        pytest.param(
            "import jax\njax.checkpoint_policies.dots_savable",
            "0.4.30",
            "JAX has no `jax.checkpoint_policies.dots_savable`",
            id="mistyped",
        ),
        pytest.param(
            "import jax\njax.checkpoint_policies.offload_dot_with_no_batch_dims",
            "0.4.13",
            "`jax.checkpoint_policies.offload_dot_with_no_batch_dims` isn't in JAX 0.4.13: it came with JAX 0.4.25",
            id="came later",
        ),
    ],
)
def test_what_a_namespace_lacks(code: str, target: str, expected: str) -> None:
    assert [message for _, message in told(code, target)] == [expected]


@pytest.mark.parametrize(
    "code",
    [
        "jax.ad.DontWant",
        "jax.ad.DontWant.__name__",
        "jax.ad.__dict__",
        "jax.memory.Space.Host",
        "jax.checkpoint_policies.dots_saveable",
        "if hasattr(jax.ad, 'deflinear'):\n  jax.ad.deflinear(p, f)",
    ],
)
def test_what_a_namespace_has(code: str) -> None:
    assert told("import jax\n" + code, "0.10.2") == []
