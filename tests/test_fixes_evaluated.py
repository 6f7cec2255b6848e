"""A repair is proven only where the repaired expression itself was evaluated, before the repair and after it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from omnilint.fixes.probes import NAME, probed
from tests.proof_support import module, names, proven, writes

pytest.importorskip("jax", reason="what is repaired is run under JAX")

ASKS = "it can't be proven: the repaired expression isn't evaluated with these inputs"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))


NOT_EVALUATED = {
    "the other branch of a conditional": "return x if x.ndim else x.reshape(-1)[:{n}]",
    "after and": "x.ndim and x.ndim > 3 and x.reshape({n})",
    "after or": "x.ndim or x.reshape({n})",
    "a loop over nothing": "sizes = [{n} for _ in []]\nreturn x, sizes",
    "a lambda nobody calls": "g = lambda y: y.reshape({n})\nreturn x, g and 1",
    "a generator nobody asks": "g = (x.reshape({n}) for _ in 'ab')\nreturn x, g and 1",
    "the message of an assert": "assert x.ndim, x.reshape({n})",
    "the second comparison of a chain": "return x * (3 < x.ndim < {n})",
    "a guard": "match x.ndim:\n    case 3 if x.reshape({n}).ndim:\n        return x + 1",
    "a default that isn't used": "def g(y, n={n}):\n    return y.reshape(n)\n\nreturn g(x, (3, 2))",
    "within a string": "return x, len(f'{x.reshape({n}) if x.ndim > 3 else 1}')",
    "an argument of a lambda": "g = lambda y, n={n}: y.reshape(n)\nreturn g(x, (3, 2))",
}

EVALUATED = {
    "the branch that is taken": "return x + 1 if x.ndim > 3 else x.reshape(-1)[:{n}]",
    "after and": "x = x.ndim and x.reshape({n})",
    "a loop": "sizes = [{n} for _ in 'ab']\nreturn x.reshape(sizes[0])",
    "a lambda that is called": "g = lambda y: y.reshape({n})\nreturn g(x)",
    "a generator that is asked": "return next(x.reshape({n}) for _ in 'ab')",
    "the second comparison": "return x * (0 < x.ndim < {n})",
    "a default": "def g(y, n={n}):\n    return y.reshape(n)\n\nreturn g(x)",
    "a keyword's default of a lambda": "g = lambda y, *, n={n}: y.reshape(n)\nreturn g(x)",
    "a line of its own": "return x.reshape(\n    {n},\n)",
    "behind letters of more bytes": "s = f'{x.ndim} ü'; return x.reshape({n}), len(s)",
    "within a string": "return x, len(f'{{n}:>{x.ndim}}')",
    "a guard": "match x.ndim:\n    case 2 if x.reshape({n}).ndim:\n        return x + 1",
    "in a slice": "return x.reshape(-1)[1:{n}]",
    "with a star": "return x.reshape(*[{n}])",
}


def test_what_is_not_evaluated_is_not_proven(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, "x.size", "x.size")
    told = proven(module(NOT_EVALUATED.values()), capsys)
    assert names(NOT_EVALUATED)(told.verified) == set()
    assert (list(told.open), told.failed) == ([ASKS], [])


def test_what_is_evaluated_is_proven(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    writes(monkeypatch, "x.size", "x.size")
    told = proven(module(EVALUATED.values()), capsys)
    assert names(EVALUATED)(told.verified) == set(EVALUATED), told


def test_the_branch_on_the_line_of_its_test(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    writes(monkeypatch, "x.size", "x.size")
    told = proven(module(["if x.ndim > 2: return x.reshape({n})"]), capsys)
    assert not told.verified
    assert not told.failed


@pytest.mark.parametrize(("body", "right"), [("x[:n]", {""}), ("x[:n] if x.ndim > 1 else x[:1]", set())])
def test_a_static_argument_is_proven_where_it_is_needed(
    body: str, right: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What is edited, the decorator, is evaluated when the module is imported, which says nothing of the function."""
    text = f"import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f0(x, n):\n    return {body}\n\n\n"
    told = proven(text + "def test_f():\n    return f0(jnp.ones(3), 2)\n", capsys)
    assert bool(told.verified) is bool(right), told


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = jnp.prod(a)\n", "y = math.prod(a)\n"),
        ("y = b if c else jnp.prod(a)\n", "y = b if c else math.prod(a)\n"),
        ("return_ = not(f(int(a)))\n", "return_ = not(f(a))\n"),
        ("def f(x):\n    return(g(x))if x else 1\n", "def f(x):\n    return(h(x))if x else 1\n"),
        ("x[a:int(b), ...] = 1\n", "x[a:b, ...] = 1\n"),
        ("s = f'{int(a)!r:>{b}}' 'ü' f\"{c}\"; t = int(a)\n", "s = f'{a!r:>{b}}' 'ü' f\"{c}\"; t = a\n"),
        ("g(int(x) for x in y)\n", "g(x for x in y)\n"),
        ("for i in int(a), b:\n    pass\n", "for i in a, b:\n    pass\n"),
        ("@jit\ndef f(n): return n\n", "@partial(jit, static_argnums=0)\ndef f(n): return n\n"),
        ("x = yield_(int(a), *b, **c)\n", "x = yield_(a, *b, **c)\n"),
        ("def f(a):\n    x = yield int(a)\n", "def f(a):\n    x = yield a\n"),
        ("y = lambda z=int(a), *, b=int(b): z\n", "y = lambda z=a, *, b=b: z\n"),
        ("match a:\n    case b.C(1) if int(a): pass\n", "match a:\n    case b.C(1) if a: pass\n"),
        ("if x > 0:\n    y = 1\nelse:\n    y = 2\n", "y = jnp.where(x > 0, 1, 2)\n"),
        ("'''doc'''\nx: jax.A = int(1)\n", "'''doc'''\nx: jax.B = 1\n"),
        ("with a(int(b)) as c, d: pass\n", "with a(b) as c, d: pass\n"),
        ("class A(B, metaclass=int(C)):\n    x = __a = int(1)\n", "class A(B, metaclass=C):\n    x = __a = 1\n"),
        ("(n := int(a))\nx = [n for n in range(int(a)) if int(n)]\n", "(n := a)\nx = [n for n in range(a) if n]\n"),
    ],
)
def test_probes_change_nothing_else(before: str, after: str) -> None:
    class Out(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            return node.args[1] if isinstance(node.func, ast.Name) and node.func.id == NAME else node

    found = probed({"a.py": before}, {"a.py": after})
    for text, side in ((before, found[0]), (after, found[1])):
        shown = side.texts["a.py"]
        assert ast.dump(Out().visit(ast.parse(shown))) == ast.dump(ast.parse(text))
        assert shown.count("\n") == text.count("\n")
    assert found[0].asked
