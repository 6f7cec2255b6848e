"""What is traced and what isn't: one small module for each thing that the analysis has to get right.

`# !` with a code marks a line where a finding of that code must stand; everything else must be silent.
The silent ones were met in released packages.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from omnilint.analysis import calls
from omnilint.analysis.engine import analyse
from omnilint.analysis.options import AnalysisOptions
from omnilint.config import Settings
from omnilint.index.project import Project
from omnilint.model import Confidence, Finding, Source
from omnilint.pipeline import check

HEAD = "import functools\n\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n\n"
MARK = re.compile(r"# !\s*(OMN\d+)")


def run(tmp_path: Path, code: str, **files: str) -> list[Finding]:
    """Findings of a module `case.py` and of others beside it."""
    (tmp_path / "case.py").write_text(HEAD + textwrap.dedent(code))
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(HEAD + textwrap.dedent(text))
    report = check([str(tmp_path)], Settings())
    assert not report.problems
    return report.findings


def check_marks(tmp_path: Path, code: str, **files: str) -> None:
    found = {(Path(f.place.path).stem, f.place.line, f.code) for f in run(tmp_path, code, **files)}
    wanted = set()
    for file in tmp_path.glob("*.py"):
        for i, line in enumerate(file.read_text().splitlines(), 1):
            wanted |= {(file.stem, i, m) for m in MARK.findall(line)}
    assert found == wanted


FOUND = {
    "the size of what an initializer makes": """
        init = jax.nn.initializers.lecun_normal()

        @jax.jit
        def f(key, n):
            return init(key, (n, 4)), jax.nn.initializers.zeros(key, (4, n + 1))  # ! OMN503
    """,
    "segments whose ids are mapped": """
        @jax.vmap
        def f(x, ids):
            return jax.ops.segment_sum(x, ids)  # ! OMN507
    """,
    "a decorator": """
        @jax.jit
        def f(x):
            if x > 0:  # ! OMN501
                return x
            return -x
    """,
    "what is computed from an argument and from what isn't known": """
        from settings import extra

        @jax.jit
        def f(x, n):
            return x[: n + extra(x)]  # ! OMN504
    """,
    "what is computed from an argument and a constant array": """
        TWO = jnp.array(2)

        @jax.jit
        def f(n):
            return jnp.zeros(n * TWO)  # ! OMN503
    """,
    "a call far from the def": """
        def f(x):
            return float(x.sum())  # ! OMN502

        g = jax.jit(f)
    """,
    "the parts of a sequence that a pattern names": """
        @jax.jit
        def f(x, y):
            match (x, y):
                case (a, [b, *rest]):
                    if a > 0:  # ! OMN501
                        return b
                    return int(rest[0])  # ! OMN502
    """,
    "a partial with the wrong static name": """
        @functools.partial(jax.jit, static_argnames=("m",))
        def f(x, n, m):
            return x.reshape(n, m)  # ! OMN503
    """,
    "a factory form": """
        @jax.jit(static_argnames=["n"])
        def f(x, n, m):
            return jnp.zeros(n) + jnp.zeros(m) + x  # ! OMN503
    """,
    "a user's own wrapper": """
        def compiled(f):
            return jax.jit(f)

        @compiled
        def f(x):
            return [1.0, 2.0][x]  # ! OMN504
    """,
    "a lambda": """
        f = jax.jit(lambda x: x if x > 0 else -x)  # ! OMN501
    """,
    "a method jitted in the constructor": """
        class Model:
            def __init__(self, n):
                self.n = n
                self.step = jax.jit(self._step)

            def _step(self, x):
                assert x.sum() > 0  # ! OMN501
                return x * self.n
    """,
    "a scan body, without jit": """
        def body(carry, x):
            while carry > 0:  # ! OMN501
                carry = carry - x
            return carry, x

        def run(xs):
            return lax.scan(body, 0.0, xs)
    """,
    "a loop counter as an index": """
        TABLE = [1.0, 2.0, 3.0]

        def run(x):
            return lax.fori_loop(0, 3, lambda i, acc: acc + TABLE[i], x)  # ! OMN504
    """,
    "a default that is passed": """
        @jax.jit
        def f(x, center=False):
            if center:  # ! OMN501
                x = x - x.mean()
            return x

        def use():
            return f(jnp.ones(3), center=True)
    """,
    "a class decorator that is given what may be no class": """
        import dataclasses

        @jax.jit
        def f(x, made):
            dataclasses.dataclass(made)
            return float(x)  # ! OMN502
    """,
    "a list that holds itself": """
        def walk(a):
            for b in a:
                walk(b)

        @jax.jit
        def f(x):
            a = [x]
            a.append(a)
            walk(a)
            return float(x)  # ! OMN502
    """,
    "a dict that holds itself, and a list that holds it": """
        def walk(a):
            return walk(a["list"][0])

        @jax.jit
        def f(x):
            a = {"x": x}
            a["list"] = [a, x]
            walk(a)
            return float(jax.tree.map(jnp.sin, a)["x"])  # ! OMN502
    """,
    "a helper in another file": """
        import helper

        @jax.jit
        def f(x):
            return helper.scale(x, x.max())
    """,
    "eager grad may branch but not convert": """
        def loss(w):
            if w > 0:
                w = w * 2
            return w * float(w)  # ! OMN502

        slope = jax.grad(loss)(1.0)
    """,
    "a mask of a mask": """
        @jax.jit
        def f(x):
            good = (x > 0) & jnp.isfinite(x)
            picked = good
            return x[picked].sum()  # ! OMN506
    """,
    "shape maths through two names": """
        @jax.jit
        def f(x):
            n = jnp.ceil(x.shape[0] / 2)  # ! OMN101
            m = n.astype(int)
            return jnp.zeros((m, 2))
    """,
    "a counter that traced code uses": """
        CALLS = {"n": 0}

        @jax.jit
        def f(x):
            CALLS["n"] += 1  # ! OMN204
            return x * CALLS["n"]
    """,
    "NumPy on a traced value": """
        @jax.jit
        def f(x):
            return np.sin(x)  # ! OMN505
    """,
    "a tracer kept on an object": """
        class Meter:
            def __init__(self):
                self.last = None

            def note(self, value):
                self.last = value  # ! OMN203

        meter = Meter()

        @jax.jit
        def f(x):
            meter.note(x * 2)
            return x
    """,
}


@pytest.mark.parametrize("code", [pytest.param(c, id=i) for i, c in FOUND.items()])
def test_found(tmp_path: Path, code: str) -> None:
    helper = "def scale(x, top):\n    return x / int(top)  # ! OMN502\n"
    check_marks(tmp_path, code, **({"helper": helper} if "helper" in code else {}))


SILENT = {
    "segments whose ids aren't mapped": """
        def f(x, ids):
            return jax.vmap(jax.ops.segment_sum, (0, None))(x, ids), jax.vmap(lambda v: jnp.compress(ids > 0, v))(x)
    """,
    "the gradient of a sum over known segments": """
        def f(x, ids):
            return jax.grad(lambda v: jax.ops.segment_sum(v, ids).max())(x)
    """,
    "a private function, of which nothing is known": """
        @jax.jit
        def f(x, axis):
            axes = tuple(jnp._canonicalize_axis(a, x.ndim) for a in range(2))  # noqa: OMN403
            return jnp.sum(x, axis=axes)
    """,
    "hasattr rules arrays out": """
        def shape_of(a):
            return a.shape if hasattr(a, "shape") else np.asarray(a).shape

        @jax.jit
        def f(x):
            return x.reshape(shape_of(x))
    """,
    "type(x) is bool": """
        def negate(flag):
            if type(flag) is bool:
                return not flag
            return jnp.logical_not(flag)

        @jax.jit
        def f(x, n):
            return negate(True), negate(x > n)
    """,
    "a dict that is the loop's own carry": """
        def solve(b):
            def body(st):
                st["x"] = st["x"] + b
                st["k"] = st["k"] + 1
                return st

            return lax.while_loop(lambda st: st["k"] < 3, body, {"x": b, "k": 0})
    """,
    "which function is jitted hangs together with a flag": """
        def python_loop(f, x, n):
            for _ in range(n):
                if f(x) > 1:
                    break
                x = f(x)
            return x

        def lax_loop(f, x, n):
            return lax.fori_loop(0, n, lambda i, v: f(v), x)

        def loop(f, x, n, jit):
            run = lax_loop if jit else python_loop
            if jit and run is not lax_loop:
                run = jax.jit(run, static_argnums=(0, 2))
            return run(f, x, n)
    """,
    "a level that is set and restored around a call": """
        class Storage:
            level = 0

        STORE = Storage()

        @jax.jit
        def f(x):
            return x + STORE.level

        def guarded(x):
            STORE.level += 1
            try:
                return f(x)
            finally:
                STORE.level -= 1

        def main():
            return guarded(1.0), guarded(2.0)
    """,
    "results of a jitted function are arrays again": """
        class Stats:
            def __init__(self, total, count):
                self.total, self.count = total, count

            @property
            def mean(self):
                if self.count == 0:
                    return float("nan")
                return float(self.total / self.count)

        @jax.jit
        def update(x):
            return Stats(x.sum(), jnp.ones(()))

        def report(x):
            return update(x).mean
    """,
    "an identifier that is handed out while tracing": """
        class Ids:
            def __init__(self):
                self.next = 0

            def take(self):
                self.next += 1
                return self.next

        IDS = Ids()

        def body(carry, x):
            name = f"step_{IDS.take()}"
            assert name
            return carry + x, None

        def run(xs):
            return lax.scan(body, 0.0, xs)
    """,
    "a size that psum gives": """
        def shift(x):
            n = lax.psum(1, "i")
            return lax.ppermute(x, "i", [(k, (k + 1) % n) for k in range(n)])

        run = jax.pmap(shift, axis_name="i")
    """,
    "sorted keys of a traced dict": """
        @jax.jit
        def f(tree):
            out = {}
            for name in sorted(tree):
                out[name] = tree[name] * 2
            return out
    """,
    "a function that its own library lifts": """
        import flax.linen as nn

        class Block(nn.Module):
            wide: bool = False

            @nn.compact
            def __call__(self, x):
                return nn.Dense(8 if self.wide else 4)(x)

        def build(x):
            return nn.vmap(Block, in_axes=0, variable_axes={"params": 0}, split_rngs={"params": True})(True)(x)
    """,
    "an error that is handled": """
        @jax.jit
        def f(x):
            try:
                n = int(x)
            except jax.errors.ConcretizationTypeError:
                n = 3
            return jnp.zeros(n)
    """,
    "a declared failure": """
        import pytest

        def test_it():
            with pytest.raises(jax.errors.TracerBoolConversionError):
                jax.jit(lambda x: 1 if x > 0 else 2)(1.0)
    """,
    "numba's jit": """
        import numba

        @numba.jit
        def f(x):
            if x > 0:
                return x
            return -x
    """,
    "attributes of a pytree may be static": """
        @jax.jit
        def f(state, x):
            if state.train:
                x = x * 2
            return x
    """,
}


@pytest.mark.parametrize("code", [pytest.param(c, id=i) for i, c in SILENT.items()])
def test_silent(tmp_path: Path, code: str) -> None:
    assert run(tmp_path, code) == []


def test_the_chain_says_why(tmp_path: Path) -> None:
    (finding,) = run(
        tmp_path,
        """
        def head(x, n):
            return x[:n]

        @jax.jit
        def f(x, n):
            return head(x, n)
        """,
    )
    assert [(r.place.line, r.message) for r in finding.related] == [
        (12, "`f` is traced: `jax.jit` is applied here"),
        (14, "passed to `head` as `n` here"),
    ]
    assert "static_argnames=('n',)" in finding.message


def test_one_cause_is_one_finding(tmp_path: Path) -> None:
    (finding,) = run(
        tmp_path,
        """
        @jax.jit
        def f(x, train):
            if train:
                x = x * 2
            if not train:
                x = x + 1
            return x
        """,
    )
    assert finding.place.line == 11
    assert any("also here" in r.message for r in finding.related)


@pytest.mark.parametrize(
    ("code", "confidence"),
    [
        pytest.param("@jax.jit\ndef f(x):\n    return int(x)\n", Confidence.CERTAIN, id="certain: both ends are seen"),
        pytest.param(
            "def size(x):\n    return x.reshape((jnp.prod(jnp.array(x.shape)),))\n",
            Confidence.CONDITIONAL,
            id="conditional: nobody is seen to trace it",
        ),
    ],
)
def test_confidence(tmp_path: Path, code: str, confidence: Confidence) -> None:
    (finding,) = run(tmp_path, code)
    assert finding.confidence is confidence


def test_an_assumption_makes_functions_traced(tmp_path: Path) -> None:
    code = "def check(c):\n    if jnp.any(c < 0):  # ! OMN501\n        raise ValueError\n    return c\n"
    assert run(tmp_path, code) == []
    file = str(tmp_path / "case.py")
    project = Project()
    project.add(Source(file, (tmp_path / "case.py").read_text(), file=file), {file})
    found = analyse(project, AnalysisOptions(assume_traced=("*",))).findings
    assert [(f.code, f.confidence) for f in found] == [("OMN501", Confidence.LIKELY)]


def test_numpy_on_an_argument_of_an_assumed_function_says_that_it_is_none_of_jax(tmp_path: Path) -> None:
    code = """
        def kinds(species: jax.Array, x: jax.Array):
            n = len(np.unique(species))
            return jnp.zeros(n) + np.sqrt(jnp.sum(x))
    """
    (tmp_path / "case.py").write_text(HEAD + textwrap.dedent(code))
    file = str(tmp_path / "case.py")
    project = Project()
    project.add(Source(file, (tmp_path / "case.py").read_text(), file=file), {file})
    found = analyse(project, AnalysisOptions(assume_traced=("*",))).findings
    assert [(f.code, f.place.line) for f in found] == [("OMN505", 11)]


def test_a_check_that_a_staged_value_passes_by_is_shown(tmp_path: Path) -> None:
    code = """
        def not_tracer(x):
            return not isinstance(x, jax.core.Tracer)

        class Counts:
            def __init__(self, counts):
                self.counts = counts

            def support(self):
                total = jnp.amax(self.counts)
                if not_tracer(total):
                    if jnp.amin(self.counts) != total:
                        raise ValueError
                return jnp.arange(total + 1)
    """
    (tmp_path / "case.py").write_text(HEAD + textwrap.dedent(code))
    file = str(tmp_path / "case.py")
    project = Project()
    project.add(Source(file, (tmp_path / "case.py").read_text(), file=file), {file})
    (finding,) = analyse(project, AnalysisOptions(assume_traced=("*",))).findings
    assert (finding.code, finding.place.line) == ("OMN101", 17)
    assert 19 in [r.place.line for r in finding.related]


SWAPPED = """
    class State:
        key = None

    class Holder:
        def __init__(self):
            self.state = State()

    HOLDER = Holder()

    def swap():
        HOLDER.state = State()

    @jax.jit
    def step(x):
        swap()
        HOLDER.state.key = jax.random.split(jax.random.key(0))
        HOLDER.state = None
        return x

    swap()
    step(1.0)
"""


@pytest.mark.parametrize("runs", [0, 16])
def test_what_a_call_beyond_the_budget_does_to_outer_state_is_not_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: int
) -> None:
    """Whether the object was put there by the call that isn't followed decides whether it outlives the trace."""
    monkeypatch.setattr(calls, "MAX_RUNS", runs)
    monkeypatch.setattr(calls, "MAX_COST", 0 if runs == 0 else 400)
    assert [f.code for f in run(tmp_path, SWAPPED)] == []


def test_the_chain_names_what_was_computed_on_the_way(tmp_path: Path) -> None:
    code = """
        def cells(side, size):
            count = jnp.floor(side / size)
            rounded = jnp.array(count, dtype=jnp.int32)
            for cell in jnp.reshape(rounded, (-1,)):
                if cell < 3:
                    raise ValueError("too small")
            return rounded
    """
    (tmp_path / "case.py").write_text("import jax.numpy as jnp\n" + textwrap.dedent(code))
    file = str(tmp_path / "case.py")
    project = Project()
    project.add(Source(file, (tmp_path / "case.py").read_text(), file=file), {file})
    (finding,) = analyse(project, AnalysisOptions(assume_traced=("*",))).findings
    assert (finding.code, finding.place.line) == ("OMN501", 7)
    assert [r.place.line for r in finding.related][-3:] == [4, 5, 6]


ENDLESS = {
    "recursion": "@jax.jit\ndef f(x):\n    return f(x + 1)\n",
    "mutual recursion": "def g(x, n):\n    return f(x, n + 1)\n\n@jax.jit\ndef f(x, n):\n    return g(x, n + 1)\n",
    "a deep chain": "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n\n" for i in range(200))
    + "def f200(x):\n    return x\n\ng = jax.jit(f0)\n",
    "a huge literal": "TABLE = [" + ", ".join(map(str, range(50_000))) + "]\n\n@jax.jit\ndef f(x):\n    return x\n",
    "a function of 5,000 lines": "@jax.jit\ndef f(x):\n" + "    x = x + 1\n" * 5_000 + "    return x\n",
    "nested branches": "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, n):\n"
    + "".join(f"    if n > {i}:\n        x = x + {i}\n" for i in range(60))
    + "    return x\n",
    "many patterns": "def g(x, n):\n    return x + n\n\n@jax.jit\ndef f(x):\n"
    + "".join(f"    x = g(x, {i})\n" for i in range(300))
    + "    return x\n",
}


def test_a_chain_of_calls_that_is_too_deep_is_told(tmp_path: Path) -> None:
    chain = "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n\n" for i in range(calls.MAX_DEPTH + 4))
    last = f"def f{calls.MAX_DEPTH + 4}(x):\n    return float(x)\n\n\ng = jax.jit(f0)\n"
    (tmp_path / "case.py").write_text(HEAD + chain + last)
    report = check([str(tmp_path)], Settings())
    (told,) = report.summary.cut_short
    assert (report.findings, told.kind) == ([], "budget")


def test_packages_without_init_are_found_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "ns" / "sub").mkdir(parents=True)
    (tmp_path / "ns" / "sub" / "core.py").write_text("def kernel(x):\n    return x if x > 0 else -x\n")
    (tmp_path / "ns" / "use.py").write_text("import jax\nfrom ns.sub.core import kernel\n\nf = jax.jit(kernel)\n")
    (finding,) = check([str(tmp_path)], Settings()).findings
    assert (finding.code, Path(finding.place.path).name) == ("OMN501", "core.py")


@pytest.mark.parametrize("code", [pytest.param(c, id=i) for i, c in ENDLESS.items()])
def test_it_ends(tmp_path: Path, code: str) -> None:
    assert run(tmp_path, code) == []
