"""One root cause, one finding: which needs are told together, and which stay findings of their own.

`# !` with a code marks a line where a finding must stand, `# +` a line that a finding must name as another place of it.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from omnilint.config import Settings
from omnilint.model import Finding
from omnilint.pipeline import check

HEAD = "import functools\n\nimport jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n"
MARK = re.compile(r"# !((?: OMN\d+)+)")


def run(tmp_path: Path, code: str) -> list[Finding]:
    (tmp_path / "case.py").write_text(HEAD + textwrap.dedent(code))
    report = check([str(tmp_path)], Settings())
    assert not report.problems
    return report.findings


TOGETHER = {
    "what is computed from an argument": """
        @jax.jit
        def f(x, n):
            m = n + 1
            for i in range(m):  # ! OMN502
                x = x + i
            y = jnp.zeros(m)  # +
            z = x[:m]  # +
            w = x.reshape(m, -1)  # +
            return x, y, z, w
    """,
    "the argument and what is computed from it": """
        @jax.jit
        def f(x, n):
            y = jnp.zeros(n)  # ! OMN503
            z = x[: 2 * n - 1]  # +
            return y, z
    """,
    "two arguments, whatever their order": """
        @jax.jit
        def f(x, i, k):
            y = x[: i + k]  # ! OMN504
            return y, jnp.zeros(k - i)  # +
    """,
    "the same result": """
        @jax.jit
        def f(x):
            kept = jnp.sum(x > 0)
            out = jnp.zeros(kept)  # ! OMN503
            return out + x[: kept - 1]  # +
    """,
    "the same call's result": """
        def count(x):
            return jnp.sum(x > 0)

        @jax.jit
        def f(x):
            kept = count(x)
            out = jnp.zeros(kept)  # ! OMN503
            return out + x[:kept]  # +
    """,
    "a condition and a conversion on an argument that has to be static anyway": """
        @jax.jit
        def f(x, n):
            if n > 3:  # +
                x = x + 1
            scale = float(n * 2)  # +
            return scale * x[:n]  # ! OMN504
    """,
    "conditions on an argument that is declared a Python number": """
        @jax.jit
        def f(x, width: int = 2):
            if width <= 1:  # ! OMN501
                raise ValueError(width)
            n = x.shape[0]
            while n > 1:  # +
                n //= width
            return x * min(n, width)  # +

        def main(x):
            return f(x, 4)
    """,
    "a helper's need and the caller's": """
        def head(x, k):
            return x[:k]  # ! OMN504

        @jax.jit
        def f(x, n):
            return head(x, n + 1) + jnp.zeros(n + 1)  # +
    """,
    "a helper that computes with an argument": """
        def padded(size):
            return size + 8

        @jax.jit
        def f(x, n):
            y = x[: padded(n)]  # ! OMN504
            return y, jnp.zeros(n)  # +
    """,
    "a shared helper": """
        def compiled(f):
            return jax.jit(f)

        def head(x, n):
            return x[:n]  # ! OMN504

        @compiled
        def first(x, n):
            return head(x, n)

        @compiled
        def second(x, n):
            return head(x, n) + 1
    """,
    "what the user says is traced": """
        def f(x, n):
            y = jnp.zeros(n)  # ! OMN503
            return y + x[:n]  # +

        traced = jax.jit(f)
    """,
}

APART = {
    "functions under one decorator of the project": """
        def compiled(f):
            return jax.jit(f)

        @compiled
        def first(x, n):
            return x[:n]  # ! OMN504

        @compiled
        def second(x, n):
            return jnp.zeros(n) + x.sum()  # ! OMN503
    """,
    "functions that one wrapper is given": """
        def compiled(f):
            @jax.jit
            def inner(x, n):
                return f(x, n)

            return inner

        @compiled
        def first(x, n):
            return x[:n]  # ! OMN504

        @compiled
        def second(x, n):
            return jnp.zeros(n) + x.sum()  # ! OMN503
    """,
    "methods of one name that one wrapper is given": """
        class Step:
            def __init__(self, function):
                self.function = function

            def run(self, x, n):
                return jax.jit(lambda x, n: self.function(x, n))(x, n)

        class A:
            @staticmethod
            def step(x, n):
                return x[:n]  # ! OMN504

        class B:
            @staticmethod
            def step(x, n):
                return jnp.zeros(n)  # ! OMN503

        def main(x):
            return Step(A.step).run(x, 3), Step(B.step).run(x, 3)
    """,
    "functions that a loop compiles": """
        def first(x, n):
            return x[:n]  # ! OMN504

        def second(x, n):
            return jnp.zeros(n) + x.sum()  # ! OMN503

        both = [jax.jit(f) for f in (first, second)]
    """,
    "arguments of their own": """
        @jax.jit
        def f(x, n, k):
            y = x[:n]  # ! OMN504
            return y, jnp.zeros(k + 1), x[: n + k]  # ! OMN503 OMN504
    """,
    "conditions on the data": """
        @jax.jit
        def f(x):
            if x.sum() > 0:  # ! OMN501
                x = -x
            if x.mean() > 1:  # ! OMN501
                x = x + 1
            return x
    """,
    "conditions on an argument that may stay traced": """
        @jax.jit
        def f(x, t):
            if t > 0:  # ! OMN501
                x = -x
            if t > 1:  # ! OMN501
                x = x + 1
            return x
    """,
    "conditions on what a loop counts, declared or not": """
        def body(i: int, x):
            if i > 3:  # ! OMN501
                x = -x
            if i > 5:  # ! OMN501
                x = x + 1
            return x

        def f(x):
            return lax.fori_loop(0, 9, body, x)
    """,
    "two calls' results": """
        def count(x):
            return jnp.sum(x > 0)

        @jax.jit
        def f(x, y):
            a = count(x)
            b = count(y)
            left = jnp.zeros(a)  # ! OMN503
            return left, jnp.zeros(b)  # ! OMN503
    """,
    "what one helper makes of two arguments": """
        def padded(size):
            return size + 8

        @jax.jit
        def f(x, n, k):
            y = x[: padded(n)]  # ! OMN504
            return y, jnp.zeros(padded(k))  # ! OMN503
    """,
    "conversions of what is computed from an argument": """
        @jax.jit
        def f(x, t):
            a = float(t * 2)  # ! OMN502
            b = float(t * 3)  # ! OMN502
            return a * x + b
    """,
    "what is added isn't known": """
        from settings import extra

        @jax.jit
        def f(x, n):
            y = x[: n + extra(x)]  # ! OMN504
            return y, jnp.zeros(n + extra(y))  # ! OMN503
    """,
}


@pytest.mark.parametrize("code", [pytest.param(c, id=i) for i, c in {**TOGETHER, **APART}.items()])
def test_each_root_cause_is_one_finding(tmp_path: Path, code: str) -> None:
    found = run(tmp_path, code)
    lines = (tmp_path / "case.py").read_text().splitlines()
    wanted = sorted((i, code) for i, line in enumerate(lines, 1) for m in MARK.findall(line) for code in m.split())
    assert sorted((f.place.line, f.code) for f in found) == wanted
    attached = {r.place.line for f in found for r in f.related if r.message.startswith("also here")}
    assert attached == {i for i, line in enumerate(lines, 1) if line.endswith("# +")}


def test_the_message_names_the_arguments_and_makes_them_static(tmp_path: Path) -> None:
    (finding,) = run(tmp_path, "@jax.jit\ndef f(x, i, k):\n    return x[: i + k]\n")
    assert "a value computed from `i` and `k` is traced" in finding.message
    assert "make `i` and `k` static (static_argnames=('i', 'k'))" in finding.message


def test_a_silenced_need_does_not_speak_for_others(tmp_path: Path) -> None:
    (finding,) = run(
        tmp_path,
        """
        @jax.jit
        def f(x, n):
            y = jnp.zeros(n + 1)  # noqa: OMN503
            return y + x[: n + 1]
        """,
    )
    assert finding.code == "OMN504"
