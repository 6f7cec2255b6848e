"""What a function leaves behind is the same after a repair: in modules, arguments, closures, print and callbacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.fixes import left
from tests.proof_support import SIZE, module, names, proven, writes

pytest.importorskip("jax", reason="what is repaired is run under JAX")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))


BEFORE = """import logging
import sys
from collections import deque
from jax.experimental import io_callback

LIST, DICT, SET, ARRAY, DEQUE, N, HEARD, CALLED, DEEP = [], {}, {1}, np.zeros(8), deque(), 0, [], [], [{"a": [1]}]


class K:
    n = 0

    def __init__(self):
        self.n = 1

    def grow(self, n):
        self.n += n


class Slots:
    __slots__ = ("n",)


ONE, SLOTS = K(), Slots()


def make():
    n = 0

    def add(m):
        nonlocal n
        n += m

    return add


def given(x, out, n):
    out[0] = n


ADD = make()

"""

LEAVES = {
    "a list": "LIST.append({n})",
    "a dictionary": "DICT['n'] = {n}",
    "a set": "SET.add({n})",
    "a global": "global N\nN = {n}",
    "an instance": "ONE.n = {n}",
    "an instance, by a method": "ONE.grow({n})",
    "a class": "K.n = {n}",
    "a slot": "SLOTS.n = {n}",
    "an array": "ARRAY[0] = {n}",
    "a function": "make.n = {n}",
    "a deque": "DEQUE.append({n})",
    "a closure": "ADD({n})",
    "a part of a part": "DEEP[0]['a'].append({n})",
    "print": "print('size', {n})",
    "print to stderr": "print({n}, file=sys.stderr)",
    "a log": "logging.getLogger('a').warning('%d', {n})",
    "jax.debug.print": "jax.debug.print('{}', {n})",
    "jax.debug.callback": "jax.debug.callback(HEARD.append, {n})",
    "io_callback": "io_callback(lambda n: CALLED.append(int(n)), None, {n})",
}


def test_what_is_left_otherwise_refutes_a_repair(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, "x.size", "x.size + 1")
    told = proven(module(LEAVES.values(), BEFORE), capsys)
    assert names(LEAVES)(told.verified) == set()
    assert list(told.open) == ["its proof failed"]
    assert len(told.failed) == len(LEAVES)
    assert all("it leaves something else behind" in why for why in told.failed)


def test_what_is_left_as_it_was_is_proven(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    writes(monkeypatch, "x.size", "x.size")
    bodies = ["\n".join(sorted(LEAVES.values(), key=lambda line: not line.startswith("global")))]
    told = proven(module(bodies, BEFORE), capsys)
    assert told.verified == {0}, told


UNSTABLE = {
    "a clock": "LIST.append((time.time(), {n}))",
    "chance": "LIST.append((os.urandom(4), {n}))",
    "an address for a key": "DICT[id(x)] = {n}",
    "a time that is printed": "print(time.perf_counter_ns(), {n})",
    "the process": "LIST.append((os.getpid(), {n}))",
    "an address in words": "LIST.append((repr(object()), {n}))",
    "a counter": "LIST.append((next(COUNT), {n}))",
}


def test_what_differs_by_itself_is_nobodys_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, "x.size", "x.size")
    before = "import itertools\nimport os\nimport time\n\nLIST, DICT, COUNT = [], {}, itertools.count()\n"
    told = proven(module(UNSTABLE.values(), before), capsys)
    assert names(UNSTABLE)(told.verified) == set(UNSTABLE), told


CALLED = {
    "an array that it is given": "def g{i}(x, out):\n    x = x.reshape({n})\n    out[0] = {n}\n    return x",
    "a list that it is given": "def g{i}(x, out):\n    x = x.reshape({n})\n    out.append({n})\n    return x",
    "a variable that it closes over": (
        "def g{i}(x, out):\n    m = 1\n\n    def g(x):\n        nonlocal m\n        x = x.reshape({n})\n"
        "        m += {n}\n        return x\n\n    return g(x)"
    ),
    "an object that it gives": "def g{i}(x, out):\n    x = x.reshape({n})\n    return Box({n}), x",
    "bytes that it gives": "def g{i}(x, out):\n    x = x.reshape({n})\n    return bytes([{n}]), x",
    "a long text that it gives": "def g{i}(x, out):\n    x = x.reshape({n})\n    return 'a' * 300 + str({n}), x",
}
BOX = "\n\nclass Box:\n    def __init__(self, n):\n        self.n = n\n"


@pytest.mark.parametrize("right", [True, False])
def test_what_is_given_and_what_comes_back(
    right: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each function is traced by `STAGED`, and called as it stands by a test."""
    writes(monkeypatch, "x.size", "x.size" if right else "x.size + 1")
    text = module([], BOX)
    for i, code in enumerate(CALLED.values()):
        out = "[]" if "append" in code else "np.zeros(2)"
        text += code.replace("{i}", str(i)).replace("{n}", SIZE)
        test = f"def test_g{i}():\n    g{i}(jnp.ones((2, 3)), {out})\n"
        text += f"\n\n\n{test}    jax.eval_shape(g{i}, jnp.ones((2, 3)), [1])\n\n\n"
    told = proven(text, capsys)
    assert names(CALLED)(told.verified) == (set(CALLED) if right else set()), told


def test_an_unsafe_repair_that_leaves_a_number_of_the_host_is_not_proven(capsys: pytest.CaptureFixture[str]) -> None:
    body = "    n = jnp.prod(jnp.array(x.shape))\n    SEEN.append(n)\n    return x.reshape(n)\n\n\n"
    text = f"import jax\nimport jax.numpy as jnp\n\nSEEN = []\n\n\n@jax.jit\ndef f(x):\n{body}"
    told = proven(text + "def test_f():\n    return f(jnp.ones((2, 3)))\n", capsys)
    assert (told.verified, told.failed) == (set(), [])
    assert "callers get another thing of the same value" in str(told.open)


@pytest.mark.parametrize(
    ("a", "b", "rounded", "differs"),
    [
        (["n = 0.33333334"], ["n = 0.3333333333333333"], True, False),
        (["n = 0.33333334"], ["n = 0.3333333333333333"], False, True),
        (["n = 0.3"], ["n = 0.4"], True, True),
        (["n = 3"], ["m = 3"], True, True),
        (["n"], [], True, True),
    ],
)
def test_lines_may_have_other_last_digits(a: list[str], b: list[str], rounded: bool, differs: bool) -> None:
    told = left.printed({"said": {"stdout": a}}, {"said": {"stdout": b}}, rounded=rounded)
    assert (told is not None) is differs
