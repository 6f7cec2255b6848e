"""Proofs of repairs: what is right is verified and written, what is wrong is caught, not written, and reported."""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path

import pytest

from omnilint import cli
from omnilint.fixes import registry, same
from omnilint.fixes.context import Book, Repair
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

pytest.importorskip("jax", reason="what is repaired is run under JAX")

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"
FLAT = HEAD + (
    "@jax.jit\ndef flat(x):\n    n = jnp.prod(jnp.array(x.shape))\n    return x.reshape(n)\n\n\n"
    "def test_flat():\n    return flat(jnp.ones((2, 3)))\n"
)

UNCALLED = HEAD + (
    "def make(a: dict, b):\n    def flat(x):\n        if a[b] is not ...:\n            raise KeyError\n"
    "        return x.reshape(jnp.prod(jnp.array(x.shape)))\n\n    return jax.jit(flat)\n"
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def fix(text: str, *arguments: str) -> int:
    Path("a.py").write_text(text)
    return cli.run(["check", "--fix", "--confirm", "--no-config", "--python", sys.executable, *arguments, "a.py"])


def breaks(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """Repairs of SHAPE findings that write `new` where `old` stands."""

    def propose(finding: Finding, book: Book) -> Repair:
        page = book.of(finding)
        at = page.text.text.index(old)
        return Repair(Applicability.SAFE, "a wrong repair", [(page, Span(at, at + len(old), new))])

    monkeypatch.setattr(registry, "fixer", lambda code: propose)


def test_a_right_repair_is_verified_and_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert fix(FLAT, "--format", "json") == 0
    (fixed,) = json.loads(capsys.readouterr().out)["summary"]["fixed"]
    assert fixed["fix"]["verified"] is True
    assert "math.prod(x.shape)" in Path("a.py").read_text()


def test_what_nobody_calls_is_not_proven_and_stays(capsys: pytest.CaptureFixture[str]) -> None:
    assert fix(UNCALLED) == 1
    assert Path("a.py").read_text() == UNCALLED
    assert "can't be proven" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("new", "why"),
    [
        pytest.param("int(x.size) + 1", "ends with TypeError", id="it raises where the edit stands"),
        pytest.param("(x.shape[0], x.shape[1])", "[6]", id="another shape"),
    ],
)
def test_a_wrong_repair_is_caught(
    new: str, why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    breaks(monkeypatch, "jnp.prod(jnp.array(x.shape))", new)
    assert fix(FLAT) == 2
    told = capsys.readouterr().err
    assert Path("a.py").read_text() == FLAT
    assert "fails its proof" in told
    folder = Path(re.search(r"report it with (\S+)", told)[1])  # type: ignore[index]
    assert {p.name for p in folder.iterdir()} == {"defect.json", "before-a.py", "after-a.py"}
    assert why in json.loads((folder / "defect.json").read_text())["why"]


def test_more_operations_than_before_are_caught(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    breaks(monkeypatch, "n = jnp.prod(jnp.array(x.shape))", "n, x = x.size, x * 2 / 2")
    assert fix(FLAT) == 2
    assert "operations" in capsys.readouterr().err


def test_diff_proves_as_well_and_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(FLAT)
    command = ["check", "--diff", "--confirm", "--no-config", "--python", sys.executable, "a.py"]
    assert cli.run(command) == 1
    told = capsys.readouterr()
    assert "+    n = math.prod(x.shape)" in told.out
    assert "[verified]" in told.err
    assert Path("a.py").read_text() == FLAT


def test_a_moved_name_is_verified_by_running_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = "from jax.experimental import optimizers\n\n\ndef test_start():\n    return len(optimizers.sgd(0.1))\n"
    assert fix(text) == 0
    assert "[verified]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dtype": "int32"}, "int32"),
        ({"weak": True}, "weakly typed"),
        ({"shape": [2]}, "[2]"),
        ({"numbers": [1.0, 2.5]}, "more than rounding"),
        ({"numbers": [1.0, "nan"]}, "more than rounding"),
    ],
    ids=str,
)
def test_a_difference_is_told(change: dict[str, object], words: str) -> None:
    leaf = {"dtype": "float32", "shape": [2, 1], "weak": False, "numbers": [1.0, 2.0], "eps": 1.2e-7, "hash": "a"}
    before = {"structure": "*", "leaves": [leaf]}
    near = {"structure": "*", "leaves": [{**leaf, "numbers": [1.0, 2.000001], "hash": "b"}]}
    assert same.difference(before, near) is None
    assert words in str(same.difference(before, {"structure": "*", "leaves": [{**leaf, **change}]}))
    assert same.difference(before, {"structure": "PyTreeDef((*,))", "leaves": [leaf]})


@pytest.mark.parametrize(
    ("told", "array", "fine"),
    [
        (("bool", "True"), ("bool", 1.0), True),
        (("float", "0.1"), ("float32", 0.10000000149), True),
        (("int", "3"), ("int32", 3.0), True),
        (("int", "3"), ("int32", 4.0), False),
        (("int", "3"), ("float32", 3.0), False),
    ],
    ids=str,
)
def test_a_number_may_become_an_array_where_it_is_traced(
    told: tuple[str, str], array: tuple[str, float], fine: bool
) -> None:
    before = {"structure": "*", "leaves": [{"python": told[0], "repr": told[1]}]}
    after = {"structure": "*", "leaves": [{"dtype": array[0], "shape": [], "weak": False, "numbers": [array[1]]}]}
    assert (same.difference(before, after, same.became_array) is None) is fine
    assert same.difference(before, after) is not None


@pytest.mark.parametrize(
    ("dtype", "weak", "fine"), [("int32", True, True), ("int32", False, False), ("float32", True, False)]
)
def test_a_number_that_a_jitted_function_gives_is_weakly_typed(dtype: str, weak: bool, fine: bool) -> None:
    """The code before is run eagerly, where it stays a number."""
    after = {"dtype": dtype, "shape": [], "weak": weak, "numbers": [3.0]}
    assert same.became_weak({"python": "int", "repr": "3"}, after) is fine


@pytest.mark.parametrize(
    ("told", "fine"),
    [
        ({"python": "int", "repr": "3"}, True),
        ({"dtype": "int64", "shape": [], "numbers": [3.0]}, True),
        ({"python": "int", "repr": "4"}, False),
        ({"python": "float", "repr": "3.0"}, False),
        ({"dtype": "int64", "shape": [1], "numbers": [3.0]}, False),
    ],
    ids=str,
)
def test_a_number_may_come_from_the_host(told: dict[str, object], fine: bool) -> None:
    before = {"dtype": "int32", "shape": [], "weak": False, "numbers": [3.0], "eps": 0.0, "whole": True}
    assert same.became_host(before, told) is fine


def test_a_tolerance_is_proven_by_the_comparison_that_holds_now(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        HEAD.replace("jnp\n\n", "jnp\nimport numpy as np\n\nX = np.linspace(0.1, 2.0, 99).astype(np.float32)\n")
        + "def f(x):\n    return jnp.sum(jnp.exp(-x * x) * 0.7 + 0.1 * x) / jnp.sum(jnp.cos(x) + 2.0)\n\n\n"
        + "def test_f():\n    np.testing.assert_allclose(jax.jit(f)(X), f(X), rtol=1e-9)\n"
    )
    assert fix(text, "--unsafe-fixes") == 0
    assert "[verified]" in capsys.readouterr().err


def test_the_texts_of_the_tests_are_python() -> None:
    ast.parse(FLAT)


# Repairs that are only offered


def offered(text: str, capsys: pytest.CaptureFixture[str], code: int = 1) -> tuple[dict[str, object], list[str]]:
    """(the first finding's repair in JSON, what stands in its errors) of a run that only looks."""
    Path("a.py").write_text(text)
    command = ["check", "--confirm", "--no-config", "--python", sys.executable, "--format", "json", "a.py"]
    assert cli.run(command) == code
    assert Path("a.py").read_text() == text
    document = json.loads(capsys.readouterr().out)
    return document["findings"][0]["fix"], [e["kind"] for e in document["errors"]]


def test_confirm_proves_what_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    fix, errors = offered(FLAT, capsys)
    assert (fix["verified"], fix["reason"], errors) == (True, None, [])


def test_an_offer_that_fails_its_proof_is_our_mistake(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    breaks(monkeypatch, "jnp.prod(jnp.array(x.shape))", "int(x.size) + 1")
    fix, errors = offered(FLAT, capsys, 2)
    assert fix["verified"] is False
    assert "ends with TypeError" in str(fix["reason"])
    assert errors == ["repair"]


def test_an_offer_that_nothing_runs_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    fix, errors = offered(UNCALLED, capsys)
    assert (fix["verified"], errors) == (None, [])
    assert fix["reason"]


def test_proofs_of_offers_are_bounded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from omnilint.fixes import offers

    monkeypatch.setattr(offers, "MOST", 0)
    fix, _ = offered(FLAT, capsys)
    assert "the time for proofs is spent" in str(fix["reason"])


def test_a_script_which_nothing_runs_has_no_proof(capsys: pytest.CaptureFixture[str]) -> None:
    """That JAX has no such switch says nothing of what a script does without the line."""
    text = "export JAX_OMNISTAGING=0\npython -m train\n"
    Path("run.sh").write_text(text)
    command = ["check", "--fix", "--confirm", "--no-config", "--python", sys.executable, "run.sh"]
    assert cli.run(command) == 1
    assert Path("run.sh").read_text() == text
    assert "it can't be proven: only Python files can be run" in capsys.readouterr().err
    assert cli.run(["check", "--fix", "--no-config", "run.sh"]) == 0
    assert Path("run.sh").read_text() == "python -m train\n"


BROKEN = """import jax
from jax import linear_util as lu
from jax.core import Primitive
from jax.experimental import host_callback
from jax import tree_map


def double(tree):
    return tree_map(lambda x: 2 * x, tree)


USED = (lu, Primitive)
"""


def test_each_of_several_broken_imports_is_proven_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    if "host_callback" in dir(__import__("jax.experimental").experimental):
        pytest.skip("the JAX here is too old: the imports aren't broken")
    fix(BROKEN)
    told = capsys.readouterr()
    text = Path("a.py").read_text()
    assert "from jax.extend import linear_util as lu\n" in text, told
    assert "from jax.extend.core import Primitive\n" in text
    assert "host_callback" not in text, "it failed, and nothing used it"
    assert "from jax import tree_map" not in text
    assert "it can't be proven" not in told.err


def test_a_moved_import_that_fails_is_not_proven_by_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def propose(finding: Finding, book: Book) -> Repair:
        page = book.of(finding)
        line = page.text.text.splitlines()[finding.place.line - 1]
        at = page.text.text.index(line)
        return Repair(Applicability.SAFE, "wrong", [(page, Span(at, at + len(line), "from jax.nowhere import lu"))])

    monkeypatch.setattr(registry, "fixer", lambda code: propose)
    text = "import jax\nfrom jax import linear_util as lu\nfrom jax.core import Primitive\n"
    fix(text)
    assert Path("a.py").read_text() == text


def test_what_a_factory_makes_is_found_again_below_an_added_import(capsys: pytest.CaptureFixture[str]) -> None:
    text = HEAD + (
        "def make(n):\n    def first(x):\n        return x + n\n\n    def flat(x):\n"
        "        return x.reshape(jnp.prod(jnp.array(x.shape)))\n\n    return jax.jit(first), jax.jit(flat)\n"
    )
    assert fix(text) == 0, capsys.readouterr()
    assert "x.reshape(math.prod(x.shape))" in Path("a.py").read_text()


def test_arguments_found_by_their_shapes_hold_for_the_repaired_code(capsys: pytest.CaptureFixture[str]) -> None:
    text = HEAD + (
        "WEIGHTS = jnp.ones((4, 5))\n"
        "FLAT = {'a': jax.jit(lambda x: (x @ WEIGHTS).reshape(-1, jnp.prod(jnp.array(WEIGHTS.shape[1:]))))}\n"
    )
    assert fix(text) == 0, capsys.readouterr()
    assert "math.prod(WEIGHTS.shape[1:])" in Path("a.py").read_text()


def test_a_parameter_made_static_where_a_method_is_jitted_is_static_in_the_proof(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = HEAD + (
        "class K:\n    @staticmethod\n    def head(x, n):\n        return x[:n]\n\n\nhead = jax.jit(K.head)\n"
    )
    assert fix(text, "--unsafe-fixes") == 0, capsys.readouterr()
    assert "static_arg" in Path("a.py").read_text()


@pytest.mark.parametrize("condition", ["x.sum() > 0", "float(x.sum()) > 0", "x.sum().item() > 0"])
@pytest.mark.parametrize("argument", ["jnp.arange(4.0)", "-jnp.arange(4.0)"], ids=["the first", "the second"])
def test_a_choice_between_returns_is_proven_by_either(
    condition: str, argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What isn't chosen is evaluated after the repair alone: before it, the condition is what has to be."""
    text = HEAD + (
        f"@jax.jit\ndef f(x):\n    if {condition}:\n        return x\n    return -x\n\n\n"
        f"def test_f():\n    return f({argument})\n"
    )
    assert fix(text, "--unsafe-fixes") == 0, capsys.readouterr()
    assert "jnp.where(x.sum() > 0, x, -x)" in Path("a.py").read_text()


@pytest.mark.parametrize(
    ("body", "tests"),
    [
        (
            "n = jnp.prod(jnp.array(x.shape))\n    return x.reshape(n) * n",
            ("f(jnp.ones((2, 3)))", "assert f(jnp.ones((2, 3), jnp.int8)).dtype == jnp.int32"),
        ),
        (
            "n = jnp.floor(x.shape[0] * 0.7).astype(int)\n    return x[:n]",
            ("assert f(jnp.ones(10)).shape == (7,)", "assert f(jnp.ones(90)).shape == (63,)"),
        ),
    ],
    ids=["the dtype of an integer", "the rounding of a product"],
)
@pytest.mark.parametrize("order", [1, -1])
def test_what_another_call_of_the_file_shows_wrong_is_not_written(
    body: str, tests: tuple[str, str], order: int, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = tests[::order]
    text = HEAD + f"@jax.jit\ndef f(x):\n    {body}\n\n\ndef test_a():\n    {one}\n\n\ndef test_b():\n    {two}\n"
    assert fix(text, "--unsafe-fixes") == 2, capsys.readouterr()
    assert Path("a.py").read_text() == text


def test_empty_numbers_are_compared_too(capsys: pytest.CaptureFixture[str]) -> None:
    text = HEAD + (
        "@jax.jit\ndef f(x):\n    n = jnp.array(x.shape) * 1\n    return jnp.zeros(n), x[:0], n[:0]\n\n\n"
        "def test_f():\n    f(jnp.zeros((0, 0)))\n"
    )
    assert fix(text, "--unsafe-fixes") == 0, capsys.readouterr()
