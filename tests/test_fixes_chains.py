"""Repairs of one function that are right only together, round after round: the whole is proven, or as much as holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from omnilint import cli, pipeline
from omnilint.config import Settings
from omnilint.fixes import chains
from omnilint.fixes.repair import Outcome, Proof
from omnilint.model import Finding, Report

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\n"
JITTED = HEAD + "@jax.jit\ndef f({}):\n    {}\n\n\ndef test_f():\n    return f({})\n"
# `np.abs` is found first; `np.where`, which takes what JAX gives then, in the round after it.
TWO = JITTED.format("x", "a = np.abs(x)\n    y = np.where(a > 1, a, 0.0)\n    return y.sum()", "jnp.arange(4.0)")
RAVELLER = HEAD + (
    "def raveller(tree):\n"
    "    leaves, treedef = jax.tree.flatten(tree)\n"
    "    sizes = [leaf.size for leaf in leaves]\n\n"
    "    def down(t):\n"
    "        return jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(t)])\n\n"
    "    def up(vec):\n"
    "        cuts = jnp.cumsum(jnp.array(sizes))[:-1]\n"
    "        parts = jnp.split(vec, cuts)\n"
    "        return treedef.unflatten([p.reshape(leaf.shape) for p, leaf in zip(parts, leaves)])\n\n"
    "    return down, up\n\n\n"
    "def descend(loss, tree, lr, rounds):\n"
    "    down, up = raveller(tree)\n\n"
    "    def body(_, vec):\n"
    "        return vec - lr * jax.grad(lambda v: loss(up(v)))(vec)\n\n"
    "    return up(jax.lax.fori_loop(0, rounds, body, down(tree)))\n\n\n"
    "def test_descends():\n"
    "    tree = {'w': jnp.ones((2, 2)), 'b': jnp.zeros(3)}\n"
    "    return descend(lambda t: jnp.sum((t['w'] - 3.0) ** 2) + jnp.sum((t['b'] + 1.0) ** 2), tree, 0.1, 3)\n"
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param(TWO, ["jnp.abs(x)", "jnp.where(a > 1, a, 0.0)"], id="one function of NumPy after the other"),
        pytest.param(
            JITTED.format(
                "x, n",
                "y = 0.0\n    for i in range(int(jnp.ceil(n / 2))):\n        y = y + x[i]\n    return y",
                "jnp.arange(4.0), 4",
            ),
            ["lax.fori_loop(0, jnp.ceil(n / 2).astype(int), lambda i, y: y + x[i], y)"],
            id="the conversion, then the loop over what is an array now",
        ),
        pytest.param(RAVELLER, ["np.cumsum(np.array(sizes))[:-1]"], id="what goes in, then what is made of it"),
    ],
)
def test_what_is_right_only_together_is_proven_as_a_whole(
    text: str, written: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jax", reason="what is repaired is run under JAX")
    Path("a.py").write_text(text)
    command = ["check", "--fix", "--unsafe-fixes", "--confirm", "--no-config", "--python", sys.executable]
    code = cli.run([*command, "--format", "json", "a.py"])
    document = json.loads(capsys.readouterr().out)
    assert code == 0, document
    assert [f["fix"]["verified"] for f in document["summary"]["fixed"]] == [True, True]
    assert not document["errors"]
    after = Path("a.py").read_text()
    assert all(line in after for line in written)


class Judge:
    """Says what it is told to of each number of rounds that a proof is about; the rest isn't decided."""

    def __init__(self, **told: Proof) -> None:
        self.told = told
        self.asked: list[str] = []

    def __call__(
        self,
        findings: Sequence[Finding],
        report: Report,
        before: Mapping[str, str],
        after: Mapping[str, str],
        last: Finding | None = None,
    ) -> Proof:
        both = [name for name in ("abs", "where") if f"jnp.{name}" in after["a.py"]]
        since = "_after_abs" if "jnp.abs" in before["a.py"] else ""
        self.asked.append("_".join(both) + since)
        return self.told.get(self.asked[-1], Proof(reason="nobody knows"))


def outcome(judge: Judge) -> Outcome:
    """What comes of two rounds."""
    Path("a.py").write_text(TWO)

    def check(edited: Mapping[str, bytes]) -> Report:
        return pipeline.check(["a.py"], Settings(), edited=edited)

    return chains.run(check, lambda source: TWO.encode(), True, judge)


HOLDS, FAILS = Proof(verified=True), Proof(failed="other numbers")


def test_one_proof_is_enough_for_all_rounds() -> None:
    judge = Judge(abs_where=HOLDS, abs=FAILS)
    out = outcome(judge)
    assert judge.asked == ["abs_where"]
    assert [f.fix.verified for f in out.fixed if f.fix] == [True, True]
    assert not out.defects


def test_where_the_whole_fails_its_first_rounds_are_made() -> None:
    judge = Judge(abs_where=FAILS, abs=HOLDS, abs_where_after_abs=HOLDS)
    out = outcome(judge)
    assert judge.asked == ["abs_where", "abs"], "what holds beside the round before isn't enough"
    assert b"jnp.abs" in out.after["a.py"]
    assert b"jnp.where" not in out.after["a.py"]
    assert [p.message for p in out.defects] == ["other numbers"]
    assert out.reasons == {"its proof failed": 1}


def test_where_all_fails_nothing_is_made() -> None:
    judge = Judge(abs_where=FAILS, abs=FAILS)
    out = outcome(judge)
    assert not out.fixed
    assert len(out.defects) == 1
    assert out.reasons == {"its proof failed": 1}


def test_where_nothing_is_decided_each_round_is_tried_by_itself() -> None:
    judge = Judge(abs=HOLDS)
    out = outcome(judge)
    assert judge.asked == ["abs_where", "abs", "abs_where_after_abs"]
    assert [f.fix.verified for f in out.fixed if f.fix] == [True]
    assert not out.defects
    assert out.reasons == {"it can't be proven: nobody knows": 1}
