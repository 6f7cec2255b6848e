"""Repairs of one function that can't be proven alone, for each leaves it broken, are proven together."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from omnilint import cli

pytest.importorskip("jax", reason="what is repaired is run under JAX")

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x):\n"
CALL = "\n\ndef test_f():\n    return f(jnp.ones((2, 3)))\n"
FLAT = "a.reshape(jnp.prod(jnp.array(a.shape)))"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"    return jax.tree_map(lambda a: {FLAT}, x)\n", id="one within the other"),
        pytest.param(f"    a = jnp.clip(x, a_min=0)\n    return {FLAT}\n", id="one below the other"),
        pytest.param(f"    a = jax.ops.index_add(x, 0, 1.0)\n    return {FLAT}\n", id="of what a call gave"),
        pytest.param(
            f"    a = x\n    return jax.ops.index_update({FLAT}, jax.ops.index[0], 1.0)\n", id="within a call"
        ),
    ],
)
def test_a_name_and_a_shape_are_repaired_together(body: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(HEAD + body + CALL)
    code = cli.run(["check", "--fix", "--confirm", "--no-config", "--python", sys.executable, "a.py"])
    assert code == 0, capsys.readouterr().err
    assert "math.prod(a.shape)" in Path("a.py").read_text()


def test_an_imported_name_and_a_shape_are_repaired_together(capsys: pytest.CaptureFixture[str]) -> None:
    head = HEAD.replace("\n\n\n@", "\nfrom jax.ops import index_update\n\n\n@", 1)
    body = f"    a = x\n    return index_update({FLAT}, 0, 1.0)\n"
    Path("a.py").write_text(head + body + CALL)
    code = cli.run(["check", "--fix", "--confirm", "--no-config", "--python", sys.executable, "a.py"])
    assert code == 0, capsys.readouterr().err
    after = Path("a.py").read_text()
    assert "jnp.asarray(a.reshape(math.prod(a.shape))).at[0].set(1.0)" in after
    assert "jax.ops" not in after


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "    return x.reshape(jnp.prod(jnp.array(x.shape))) + jnp.zeros(int(x.sum()))\n", id="in the same statement"
        ),
        pytest.param(
            "    y = x.reshape(jnp.prod(jnp.array(x.shape)))\n    return y + jnp.zeros(int(x.sum()))\n", id="below it"
        ),
    ],
)
def test_a_right_repair_beside_what_has_none_is_no_mistake(body: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(HEAD + body + CALL.replace("ones", "zeros"))
    code = cli.run(["check", "--fix", "--confirm", "--no-config", "--python", sys.executable, "a.py"])
    told = capsys.readouterr().err
    assert "report" not in told
    assert code == 1
