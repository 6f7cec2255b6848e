"""What safe SHAPE repairs promise: the same results as before, wherever the code worked, eagerly; traced as well now.

Small functions are put together from a value of static shapes and a use of it. Those that a safe repair changes are run
by JAX: before it eagerly, after it eagerly and jitted. Values, dtypes, weak types and Python types have to be the same.
"""

from __future__ import annotations

import ast
import itertools
import random
import types
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from omnilint import pipeline
from omnilint.config import Settings
from omnilint.fixes.repair import Repairs
from omnilint.model import Report

jax = pytest.importorskip("jax", reason="what is repaired is run under JAX")
jnp = jax.numpy
np = pytest.importorskip("numpy", reason="what is repaired is compared with NumPy")

HEADS = (
    "import jax\nimport jax.numpy as jnp\n",
    "import math\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n",
    "import jax; import jax.numpy as jnp; DOC = '''\ntext\n'''\n",
    "from jax.numpy import *\nimport jax\nimport jax.numpy as jnp\n",
    "import jax\nimport jax.numpy as jnp\nfrom numpy import *\n",
    "from typing import TYPE_CHECKING\nimport jax\nimport jax.numpy as jnp\nif TYPE_CHECKING:\n    import math\n",
)
A, B = "x.shape[0]", "x.shape[-1]"
WHOLE = "jnp.array(x.shape)"
# One number each: of Python's kind in shape maths, of JAX's kind in the code.
VALUES = (
    f"jnp.prod({WHOLE})", f"jnp.sum({WHOLE})", f"jnp.max({WHOLE})", "jnp.min(jnp.asarray(x.shape[-1:]))",
    f"jnp.add({A}, 1)", f"jnp.subtract({A}, {B})", f"jnp.multiply({A}, 2)", f"jnp.multiply({A}, 0.7)",
    f"jnp.floor_divide({A}, 2)", f"jnp.floor_divide({A}, {B} - 1)", f"jnp.mod({A}, {B} - 2)", f"jnp.mod({A}, 2)",
    f"jnp.remainder({A} * 0.1, 0.1)", f"jnp.power({A}, 2)", "jnp.power(2, x.ndim - 2)", f"jnp.power({A}, 0.5)",
    f"jnp.maximum({A}, 3)", f"jnp.minimum({A}, 1)", f"jnp.maximum({A} * 0.7, 1.0)", f"jnp.ceil({A} / 2)",
    f"jnp.floor({A} / 3)", f"jnp.ceil({A} * 0.3)", f"jnp.floor({A})", f"jnp.abs({A} - 3)", f"jnp.sqrt({A} * 9)",
    f"jnp.equal({A}, 2)", f"jnp.greater({A}, 1)", "jnp.less(x.ndim, 2)", f"jnp.not_equal({A}, {B})",
    f"jnp.greater_equal({A} * 0.1, 0.3)", f"jnp.equal({A} * 0.1, 0.3)", f"jnp.logical_not({A} - 2)",
    f"jnp.add(jnp.greater({A}, 1), jnp.greater({B}, 1))", f"jnp.multiply(jnp.greater({A}, 1), 3)",
    f"jnp.maximum(jnp.greater({A}, 1), jnp.greater({B}, 1))", f"(({A} > 1) + jnp.greater({B}, 1))",
    f"jnp.any({WHOLE} == 2)", f"jnp.all({WHOLE} > 1)", f"jnp.array_equal({WHOLE}, {WHOLE})",
    f"jnp.argmax({WHOLE})", f"jnp.count_nonzero({WHOLE} - 2)", f"{WHOLE}[0]", f"{WHOLE}[-1]", f"{WHOLE}[1]",
    f"{WHOLE}[5]", f"{WHOLE}.max()", f"{WHOLE}.sum().astype(int)", f"{WHOLE}.mean()", f"jnp.cumsum({WHOLE})[-1]",
    f"jnp.take({WHOLE}, 3)", f"jnp.sort({WHOLE})[0]", f"jnp.argsort({WHOLE} // 5)[0]", f"({WHOLE} // 5).argsort()[-1]",
    f"jnp.argsort(jnp.array([1] * 20 + [0] * 20))[{A}]", f"jnp.unique({WHOLE})[0]", f"jnp.int32({A} // 2)",
    f"jnp.concatenate([{WHOLE}, jnp.array([1])])[0]", f"jnp.concatenate(arrays=[{WHOLE}, jnp.array([1])])[-1]",
    f"jnp.sum(jnp.ones({A}))", f"jnp.ones({A})[0]", "jnp.eye(3)[1, 1]", f"jnp.arange({A})[-1]",
    "jnp.arange(0, 1, 0.1)[3]", f"jnp.dot(jnp.array([0.1, 0.2]), jnp.array([{A}, {B}]))", f"jnp.clip({A}, 2, 3)",
    f"jnp.sum({WHOLE}, dtype=jnp.float32)", "jnp.array(x.shape, dtype=jnp.uint8)[0]", f"jnp.square({A})",
    f"jnp.sum(a={WHOLE})", f"jnp.tile(A={WHOLE}, reps=2)[0]", f"jnp.where({WHOLE} > 2, 1, 0)[0]", f"jnp.sign({A} - 2)",
    f"jnp.where({A} > 2, {A}, 2)", f"jnp.divmod({A}, 2)[0]", f"jnp.gcd({A}, {B})", f"jnp.multiply({A}, 2 ** 30)",
    f"max(jnp.add({A}, 1), 2)", f"(jnp.add({A}, 1) * jnp.prod({WHOLE}))", f"(jnp.prod({WHOLE}) / 3)",
    f"(-jnp.add({A}, 1))",
    f"jnp.add(jnp.prod({WHOLE}), 0.5)", f"jnp.multiply(jnp.floor({A} / 2), 0.7)", "jnp.minimum(self.size, 4)",
    "jnp.prod(jnp.array(self.shape))", "jnp.maximum(k, 2)", f"jnp.multiply(k, {A})", "jnp.prod(jnp.array(()))",
)  # fmt: skip
# What is done with it; `n` is its name, or `{}` the value itself.
USES = (
    "return x.reshape(-1)[: int({})]",
    "return jnp.zeros(int({}) % 7)",
    "return x.reshape(-1)[: {}]",
    "return x.ravel()[{}]",
    "return jnp.zeros(({}, 2))",
    "return jnp.zeros(abs({}) + 1)",
    "return jnp.zeros(n) + jnp.zeros({})",
    "if {}:\n        return x * 2\n    return x",
    "if ~{}:\n        return x * 2\n    return x",
    "if not {}:\n        return x * 2\n    return x",
    "if {} == 2 and n != 1:\n        return x * 2\n    return x",
    "return x * (2 if {} > 1 else 3)",
    "return jnp.zeros(int((n == 2) + (n > 1)))",
    "k = {} + jnp.greater(x.shape[-1], 1)\n    return x.reshape(-1)[: int(k)]",
    "k = {} * 2 + 1\n    return x.reshape(-1)[: int(k)]",
    "k = {} * 0.7\n    return x.reshape(-1)[: int(k * 10) % 7]",
    "k = {} / 2\n    return x.reshape(-1)[: int(k)]",
    "k = {} // (x.shape[0] - 1)\n    return x.reshape(-1)[: int(k)]",
    "k = {} % 3\n    return x.reshape(-1)[: int(k)]",
    "k = {} ** 2 % 5\n    return x.reshape(-1)[: int(k)]",
    "k = {} & 1 | 2\n    return x.reshape(-1)[: int(k)]",
    "k = {} << 1\n    return x.reshape(-1)[: int(k)]",
    "return x.reshape(-1)[: {}.item()]",
    "return x.reshape(-1)[: int(n)], n.tolist()",
    "return x.reshape(-1)[: int(n)], n.astype(int)",
    "return x.reshape(-1)[: n.astype(int)]",
    "return x.reshape(-1)[: int(n)], len(n.shape) + n.ndim + n.size",
    "return x.reshape(-1)[: int(n)], x * (n.dtype == jnp.int32)",
    "return x.reshape(-1)[: int(n)], x.astype(n.dtype)",
    "return jnp.zeros(n[None])",
    "return x.reshape(-1)[: int(n)] * isinstance(n, jnp.ndarray)",
    "return x.reshape(-1)[: int(n)] * isinstance(n, (int, float))",
    "return x.reshape(-1)[: int(n)] * len(str(n))",
    "return x.reshape(-1)[: int(n)] * len(repr(n))",
    "return x.reshape(-1)[: int(n)] * len(f'{{n}}')",
    "return x.reshape(-1)[: int(n)] * len(f'{{n!r:>3}}')",
    "return x.reshape(-1)[: int(n)] * len(str([n]))",
    "return x.reshape(-1)[: int((m := {}))], m",
    "return x.reshape((m := {})), m",
    "return x.reshape(-1)[: int(n)], n",
    "return {{'x': x.reshape(-1)[: int(n)], 'n': n}}",
    "def inner():\n        return n\n    return x.reshape(-1)[: int(n)], inner()",
    "return x.reshape(-1)[: int(n)], (lambda: n)()",
    "def each():\n        yield n\n    return [*each(), x.reshape(-1)[: int(n)]]",
    "global SAVED\n    SAVED = n\n    return x.reshape(-1)[: int(n)]",
    "return x.reshape(-1)[: int(n)] + jnp.full((), n)",
    "return jnp.full((int(n) % 5,), n)",
    "return [x * i for i in range({})]",
    "return [x * i for i in range(int({}) % 4)]",
    "n += 1\n    return x.reshape(-1)[: int(n)]",
    "n *= 0.7\n    return x.reshape(-1)[: int(n)]",
    "held = [n, 2]\n    return x.reshape(-1)[: int(held[0])], held[0] * held[1]",
    "held = (n, 2)\n    return x.reshape(-1)[: int(held[0].item())]",
    "a, b = n, 3\n    return x.reshape(-1)[: int(a)] * b",
    "return x.reshape(-1)[: int(sum([n, n]))]",
    "return x.reshape(-1)[: int(max(n, 2))]",
    "return x.reshape(-1)[: int(round(n))]",
    "return x.reshape(-1)[: int(n or 2)]",
    "return x.reshape(-1)[: int(n if n is not None else 2)]",
    "return x.reshape(-1)[: int(n)] * (n in (2, 6))",
    "return x.reshape(-1)[: int(n)] * n",
    "return x.reshape(-1)[: int(n)] * (1 + n)",
    "y = jnp.arange(3)\n    return y * n, x.reshape(-1)[: int(n)]",
    "match n:\n        case int():\n            return x.reshape(-1)[: int(n)] * 2\n    return x.reshape(-1)[: int(n)]",
    "assert n, f'{{n}}'\n    return x.reshape(-1)[: int(n)]",
    "while n > 2:\n        n = n - 1\n    return x.reshape(-1)[: int(n)]",
    "return x.reshape(-1)[: int(np.multiply(n, 2))]",
    "return x.reshape(-1)[: round(float(n) * 2)]",
)
SHAPES = ((2, 3), (4,), (1, 5, 2), (9,), (3, 3), (0, 3))
TAIL = "class Held:\n    shape, size = np.array([[1, 2], [1, 1]]), np.array(2)\n"


def function(i: int, value: str, use: str) -> str:
    """One function as text; the value has a name where the use asks for one."""
    lines = use.format(value).replace("n += ", "n = n + 0\n    n += ", 1)
    named = any(isinstance(n, ast.Name) and n.id == "n" for n in ast.walk(ast.parse(f"def f():\n    {lines}")))
    head = f"    n = {value}\n" if named else ""
    return f"@jax.jit\ndef f{i}(x, self=None, k=3):\n{head}    {lines}\n"


def module(head: str, chosen: Iterator[tuple[str, str]]) -> str:
    need = "" if "import numpy as np" in head else "import numpy as np\n"
    functions = "\n\n".join(function(i, *pair) for i, pair in enumerate(chosen))
    return f"{head}{need}\n\n{functions}"


def repaired(text: str) -> str:
    Path("a.py").write_text(text)

    def check(edited: Mapping[str, bytes]) -> Report:
        return pipeline.check(["a.py"], Settings(target_jax="0.10"), edited=edited)

    out = Repairs(check, lambda source: text.encode(), False).run()
    return out.after.get("a.py", text.encode()).decode()


def loaded(text: str) -> dict[str, Any]:
    made = types.ModuleType("made")
    exec(compile(text, "made", "exec"), made.__dict__)
    return made.__dict__


def parts(text: str) -> dict[str, str]:
    """The text of each function, by name."""
    found = text.split("@jax.jit\ndef ")[1:]
    return {part.partition("(")[0]: part.strip() for part in found}


def shown(value: Any, jitted: bool) -> Any:
    """A result by type, dtype, weak type and numbers; jitted, Python numbers and NumPy's arrays become JAX's."""
    leaves, tree = jax.tree.flatten(value)
    return str(tree), [_leaf(leaf, jitted) for leaf in leaves]


def _leaf(leaf: Any, jitted: bool) -> Any:
    kind = type(leaf).__name__ if not isinstance(leaf, jax.Array) else "Array"
    if jitted and not isinstance(leaf, jax.Array):
        leaf, kind = jnp.asarray(leaf), "Array"
    return kind, str(getattr(leaf, "dtype", "")), getattr(leaf, "weak_type", None), np.asarray(leaf).tolist()


def tried(called: Any, space: dict[str, Any], x: Any, jitted: bool) -> Any:
    space["SAVED"] = None
    try:
        result = called(x)
        return shown((result, None if jitted else space["SAVED"]), jitted)
    except Exception as error:
        return type(error)


def differences(head: str, chosen: list[tuple[str, str]]) -> Iterator[str]:
    """In words, each function whose meaning a safe repair changed."""
    before = module(head, iter(chosen))
    after = repaired(before)
    if after == before:
        return
    old, new = loaded(before), loaded(after)
    texts, changed = parts(before), parts(after)
    for name in texts:
        if texts[name] == changed[name]:
            continue
        for shape in SHAPES:
            x = jnp.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
            was = tried(old[name].__wrapped__, old, x, False)
            if isinstance(was, type):
                continue
            eager = tried(new[name].__wrapped__, new, x, False)
            if eager != was:
                yield f"{shape}\n{texts[name]}\n->\n{changed[name]}\nwas {was}\n is {eager}"
                break
            traced = tried(new[name], new, x, True)
            wanted = tried(old[name].__wrapped__, old, x, True)
            if traced != wanted:
                yield f"{shape} jitted\n{texts[name]}\n->\n{changed[name]}\nwas {wanted}\n is {traced}"
                break


# Pairs that were repaired into something else once.
MET = (
    (f"jnp.equal({A}, 2)", "if ~{}:\n        return x * 2\n    return x"),
    (f"jnp.greater({A}, 1)", "k = {} + jnp.greater(x.shape[-1], 1)\n    return x.reshape(-1)[: int(k)]"),
    (f"jnp.add(jnp.greater({A}, 1), jnp.greater({B}, 1))", "return x.reshape(-1)[: int({})]"),
    (f"jnp.prod({WHOLE})", "k = {} * 0.7\n    return x.reshape(-1)[: int(k * 10) % 7]"),
    (f"jnp.equal({A} * 0.1, 0.3)", "if {}:\n        return x * 2\n    return x"),
    *((f"jnp.prod({WHOLE})", use) for use in USES if "n." in use or "n[" in use or "isinstance" in use),
    *((f"jnp.multiply({A}, 2)", use) for use in USES if "yield" in use or "SAVED" in use or ":=" in use or "!r" in use),
    (f"jnp.argsort(jnp.array([1] * 20 + [0] * 20))[{A}]", "return x.reshape(-1)[: int({})]"),
    (f"jnp.concatenate(arrays=[{WHOLE}, jnp.array([1])])[-1]", "return jnp.zeros(int({}) % 7)"),
    (f"{WHOLE}[5]", "return x.reshape(-1)[: int({})]"),
    (f"jnp.mod({A}, {B} - 2)", "return x.reshape(-1)[: int({})]"),
    ("jnp.minimum(self.size, 4)", "return x.reshape(-1)[: int({})]"),
    (f"jnp.array_equal({WHOLE}, {WHOLE})", "return x.reshape(-1)[: {}.item()]"),
    (f"max(jnp.add({A}, 1), 2)", "return {{'x': x.reshape(-1)[: int(n)], 'n': n}}"),
    (f"jnp.logical_not({A} - 2)", "return x.ravel()[{}]"),
    (f"jnp.where({A} > 2, {A}, 2)", "return x.reshape(-1)[: int(round(n))]"),
    (f"{WHOLE}.mean()", "return x.reshape(-1)[: int(n)] * len(str(n))"),
)


@pytest.mark.parametrize("head", HEADS, ids=range(len(HEADS)))
def test_what_was_met_stays_mended(head: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(differences(head, list(MET)))
    assert not found, "\n\n".join(found[:3])


def test_most_of_what_is_plain_has_a_safe_repair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be compared is something: silence alone proves nothing."""
    monkeypatch.chdir(tmp_path)
    plain = [f"jnp.prod({WHOLE})", f"jnp.add({A}, 1)", f"jnp.maximum({A}, 3)", f"jnp.floor_divide({A}, 2)"]
    uses = [
        u for u in USES if "{}" in u and " n" not in u and not any(w in u for w in ("0.7", "/", "**", "full", "m :="))
    ]
    before = module(HEADS[0], itertools.product(plain, uses))
    texts, changed = parts(before), parts(repaired(before))
    assert sum(texts[name] != changed[name] for name in texts) >= 0.6 * len(texts)


@pytest.mark.parametrize("seed", range(6))
def test_a_safe_repair_means_the_same(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    every = list(itertools.product(VALUES, USES))
    chosen = random.Random(seed).sample(every, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(differences(HEADS[seed % len(HEADS)], chosen))
    assert not found, "\n\n".join(found[:3])
