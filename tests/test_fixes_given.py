"""A proof compares what the edited functions themselves give, wherever the call that was found leads through them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from omnilint import cli
from omnilint.confirm.worker import proof
from omnilint.fixes import registry, same
from omnilint.fixes.context import Book, Repair
from omnilint.fixes.edited_functions import edited
from omnilint.fixes.text import Span
from omnilint.model import Applicability, Finding

jax = pytest.importorskip("jax", reason="what is repaired is run under JAX")

HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\n\n\n"
SIZE = "jnp.prod(jnp.array(x.shape))"
TEST = "\n\ndef test_it():\n    call()\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def fix(text: str, *arguments: str) -> int:
    Path("a.py").write_text(text)
    return cli.run(["check", "--fix", "--confirm", "--no-config", "--python", sys.executable, *arguments, "a.py"])


def writes(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, applicability: Applicability = Applicability.SAFE
) -> None:
    """Repairs that write `new` where `old` stands, and add a line above the code."""

    def propose(finding: Finding, book: Book) -> Repair:
        page = book.of(finding)
        at = page.text.text.index(old)
        return Repair(applicability, "a repair", [(page, Span(at, at + len(old), new))])

    monkeypatch.setattr(registry, "fixer", lambda code: propose)


PLAIN = f"@jax.jit\ndef f(x):\n    return x.reshape({SIZE})\n\n\ndef call():\n    f(jnp.ones((2, 3)))\n"
METHOD = (
    "class K:\n    @functools.partial(jax.jit, static_argnums=0)\n"
    f"    def f(self, x):\n        return x.reshape({SIZE})\n"
    "\n\ndef call():\n    K().f(jnp.ones((2, 3)))\n"
)
CLOSURE = (
    f"def make(n):\n    @jax.jit\n    def f(x):\n        return x.reshape({SIZE}) * n\n\n    return f\n"
    "\n\ndef call():\n    make(2)(jnp.ones((2, 3)))\n"
)
LAMBDA = f"f = jax.jit(lambda x: x.reshape({SIZE}))\n\n\ndef call():\n    f(jnp.ones((2, 3)))\n"
GENERATOR = (
    f"@jax.jit\ndef f(x):\n    def parts():\n        yield x.reshape({SIZE})\n\n    return sum(0 for p in parts())\n"
    "\n\ndef call():\n    f(jnp.ones((2, 3)))\n"
)
INNER = (
    f"def g(x):\n    return x.reshape({SIZE})\n\n\n@jax.jit\ndef f(x):\n    return g(x)[0]\n"
    "\n\ndef call():\n    f(jnp.ones((2, 3)))\n"
)
MAPPED = (
    f"def g(x):\n    return x.reshape({SIZE})\n\n\nf = jax.jit(jax.vmap(g))\n"
    "\n\ndef call():\n    f(jnp.ones((4, 2, 3)))\n"
)
CALLS = [
    pytest.param(code, id=name)
    for name, code in [
        ("a function", PLAIN),
        ("a method", METHOD),
        ("a nested function", CLOSURE),
        ("a lambda", LAMBDA),
        ("a generator", GENERATOR),
        ("a helper of the jitted function", INNER),
        ("a function under vmap", MAPPED),
    ]
]


@pytest.mark.parametrize("code", CALLS)
def test_a_test_without_a_result_proves_what_gives_the_same(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, SIZE, "x.size")
    assert fix(HEAD + code + TEST) == 0, capsys.readouterr()
    assert "[verified]" in capsys.readouterr().err


@pytest.mark.parametrize("code", CALLS)
def test_a_test_without_a_result_catches_what_gives_something_else(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, SIZE, "(1, x.size)")
    assert fix(HEAD + code + TEST) == 2
    assert Path("a.py").read_text() == HEAD + code + TEST
    assert "fails its proof" in capsys.readouterr().err


def test_other_numbers_of_a_discarded_result_are_caught(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, SIZE, "x.size) * jnp.float32(1.5")
    assert fix(HEAD + PLAIN + TEST) == 2
    assert "numbers differ" in capsys.readouterr().err


def test_another_weak_type_is_caught(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code = f"@jax.jit\ndef f(x):\n    x.reshape({SIZE})\n    return 2 * jnp.prod(x.shape[0])\n"
    writes(monkeypatch, SIZE, "x.size); return (2 * x.shape[0]")
    assert fix(HEAD + code + "\n\ndef call():\n    f(jnp.ones((2, 3)))\n" + TEST) != 0
    assert "[verified]" not in capsys.readouterr().err


HELPER = (
    "def size(x):\n    return jnp.floor_divide(x.shape[-1], 2)\n\n\n@jax.jit\ndef f(x):\n    return x[: size(x)]\n"
    "\n\ndef call():\n    f(jnp.ones((4,)))\n"
)


def test_a_helper_may_give_the_same_number_from_the_host_where_that_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert fix(HEAD + HELPER + TEST, "--unsafe-fixes") == 0, capsys.readouterr()
    assert "x.shape[-1] // 2" in Path("a.py").read_text()


def test_a_helper_that_gives_another_number_is_caught(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, "jnp.floor_divide(x.shape[-1], 2)", "x.shape[-1] // 2 + 2", Applicability.UNSAFE)
    assert fix(HEAD + HELPER.replace("return x[: size(x)]", "y = x[: size(x)]") + TEST, "--unsafe-fixes") == 2
    assert "of `size`" in capsys.readouterr().err


def test_a_file_in_another_encoding_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    text = "# coding: latin-1\n# Größe\n" + HEAD + PLAIN
    Path("a.py").write_bytes(text.encode("latin-1"))
    assert cli.run(["check", "--fix", "--confirm", "--no-config", "--python", sys.executable, "a.py"]) == 0
    assert "[verified]" in capsys.readouterr().err


NOTHING = (
    f"SEEN = []\n\n\n@jax.jit\ndef f(x):\n    SEEN.append(x.reshape({SIZE}).shape)\n\n\n"
    "def call():\n    f(jnp.ones((2, 3)))\n"
)


def test_where_nothing_is_given_nothing_is_proven(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, SIZE, "x.size")
    fix(HEAD + NOTHING + TEST)
    assert Path("a.py").read_text() == HEAD + NOTHING + TEST
    told = capsys.readouterr().err
    assert "nothing to compare" in told
    assert "[verified]" not in told


def test_a_refusal_holds_when_lines_shift(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two repairs the second one fails; the first one adds lines above it."""
    second = PLAIN.replace("f(x)", "g(x)").replace("call", "call_g").replace("f(jnp", "g(jnp")
    text = HEAD + PLAIN + "\n\n" + second
    tried = []

    def propose(finding: Finding, book: Book) -> Repair:
        page = book.of(finding)
        at = page.text.text.rindex(SIZE) if finding.symbol == "g" else page.text.text.index(SIZE)
        new = "(1, x.size)" if finding.symbol == "g" else "x.size"
        tried.append(finding.place.line)
        above = [(page, Span(0, 0, "import math\n"))] if "import math" not in page.text.text else []
        return Repair(Applicability.SAFE, "a repair", [(page, Span(at, at + len(SIZE), new)), *above])

    monkeypatch.setattr(registry, "fixer", lambda code: propose)
    assert fix(text) == 2
    told = capsys.readouterr().err
    assert told.count("fails its proof") == 1, told
    assert len({*tried}) > 2, "its lines shifted"
    assert Path("a.py").read_text() == "import math\n" + text.replace(SIZE, "x.size", 1)


def test_an_unsafe_repair_that_fails_is_told_with_its_bundle(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, SIZE, "(1, x.size)", Applicability.UNSAFE)
    assert fix(HEAD + PLAIN, "--unsafe-fixes") == 2
    told = capsys.readouterr().err
    assert told.count("fails its proof") == 1
    assert ".omnilint_cache/repairs/OMN101-" in told


def test_a_typed_key_is_no_raw_key() -> None:
    raw, typed = proof.tree(jax.random.PRNGKey(0)), proof.tree(jax.random.key(0))
    assert "key<fry>[] was uint32[2]" in str(same.difference(raw, typed))
    assert same.difference(typed, proof.tree(jax.random.key(0))) is None
    assert same.difference(typed, proof.tree(jax.random.key(1))) is not None


BEFORE = """import jax
from jax import tree_map

@jax.jit
def f(x):
    return x + 1

class K:
    def m(self):
        return (lambda y: y)(2)

    def n(self, t):
        return tree_map(abs, t)

    def rest(self):
        return [(lambda: 1)(), (lambda: 2)()]
"""


def test_the_edited_functions_are_those_that_differ_and_those_that_use_a_name_bound_anew() -> None:
    after = "import math\n" + BEFORE.replace(
        "from jax import tree_map", "from jax.tree import map as tree_map"
    ).replace("x + 1", "x + 2").replace("(lambda: 2)()", "2")
    before, now = edited({"a.py": BEFORE}, {"a.py": after})
    names = [f["id"].rpartition("\0")[2] for f in before.functions]
    assert names == [f["id"].rpartition("\0")[2] for f in now.functions] == ["f", "K.n", "K.rest"]
    assert [f["line"] for f in before.functions] == [4, 12, 15]
    assert [f["line"] for f in now.functions] == [5, 13, 16]
    assert before.bound == {"a.py": ["tree_map"]}


def test_what_was_repaired_is_told_in_a_concise_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert fix(HEAD + PLAIN, "--output", "concise=out.txt") == 0
    (line,) = [x for x in Path("out.txt").read_text().splitlines() if "OMN101" in x]
    assert line.startswith("a.py:8:31: OMN101 fixed: ")
    assert line.endswith("[verified]")
