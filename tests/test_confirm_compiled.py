"""XLA: programs that really fail to lower, compile or run, or differ from eager runs, and bundles that reproduce it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from omnilint.confirm import ConfirmOptions, bundle, compile_findings
from omnilint.confirm.observe import Limits
from omnilint.model import Finding, Report, Status
from tests.confirm_support import DATA, project_of

jax = pytest.importorskip("jax", reason="programs are compiled by real JAX")
MODERN = tuple(int(n) for n in jax.__version__.split(".")[:2]) >= (0, 6)

OPTIONS = ConfirmOptions(Limits(seconds=40.0, memory=3 << 30), cache=None)


def compiled(*files: Path, options: ConfirmOptions = OPTIONS) -> dict[str, Finding]:
    """The XLA findings of these files, by function."""
    report = Report()
    try:
        found = compile_findings([], project_of(files), report, [sys.executable], options=options)
    finally:
        options.pool.close()
    assert report.problems == []
    return {f.symbol: f for f in found}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        made = tmp_path_factory.mktemp("xla")
        patch.chdir(made)
        yield made


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Finding]:
    if not MODERN:
        pytest.skip("the cases are written for a JAX with jax.ffi and jax.extend.core")
    return compiled(DATA / "xla" / "fails.py", DATA / "xla" / "crashes.py")


def test_only_what_fails_is_found(found: dict[str, Finding]) -> None:
    assert {name: f.code for name, f in found.items()} == {
        "unregistered": "OMN601",
        "no_lowering": "OMN601",
        "crashes": "OMN601",
        "disagrees": "OMN602",
    }


@pytest.mark.parametrize(
    ("name", "exception", "words"),
    [
        pytest.param("unregistered", "JaxRuntimeError", "the cpu backend fails to compile it", id="an unknown kernel"),
        pytest.param("no_lowering", "NotImplementedError", "the cpu backend can't lower it", id="no lowering"),
        pytest.param("crashes", None, "fails to run it (died of SIGABRT)", id="the process dies"),
    ],
)
def test_a_backend_that_fails(found: dict[str, Finding], name: str, exception: str | None, words: str) -> None:
    finding = found[name]
    (verdict,) = finding.verdicts
    assert words in finding.message
    assert "report it to the backend's authors" in finding.message
    assert verdict.exception == exception
    assert verdict.status is (Status.CRASHED if exception is None else Status.CONFIRMED)
    assert verdict.backend == "cpu"


def test_a_difference_tells_both_results_and_the_64_bit_one(found: dict[str, Finding]) -> None:
    assert "gives 1 compiled and 2 eagerly (2 in 64 bits)" in found["disagrees"].message
    (verdict,) = found["disagrees"].verdicts
    assert (verdict.source, verdict.inputs) == ("test", "test_disagrees()")


def run(script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, script.name], cwd=script.parent, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("unregistered", "No FFI handler registered for no_such_kernel", id="compilation"),
        pytest.param("no_lowering", "translation rule for primitive 'unheard_of' not found", id="lowering"),
    ],
)
def test_the_bundle_reproduces_the_failure(found: dict[str, Finding], folder: Path, name: str, words: str) -> None:
    case = folder / found[name].data["bundle"]
    done = run(case / "reproduce.py")
    assert done.returncode == 1
    assert words in done.stderr
    assert words in (case / "REPORT.md").read_text()
    assert jax.__version__ in (case / "REPORT.md").read_text()
    assert (folder / ".omnilint_cache" / ".gitignore").read_text() == "*\n"


def test_the_bundle_reproduces_a_crash(found: dict[str, Finding], folder: Path) -> None:
    case = folder / found["crashes"].data["bundle"]
    assert run(case / "reproduce.py").returncode < 0
    assert "custom_call @aborting_kernel" in (case / "program.mlir").read_text()


def test_the_bundle_reproduces_a_difference(found: dict[str, Finding], folder: Path) -> None:
    case = folder / found["disagrees"].data["bundle"]
    done = run(case / "reproduce.py")
    assert done.stdout.splitlines() == ["compiled: 1.0", "eager:    2.0", "largest difference: 1.0"]
    assert "func.func public @main" in (case / "program.mlir").read_text()


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "case.py"
    file.write_text("import jax\nimport jax.numpy as jnp\n\n\n" + text)
    return file


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("@jax.jit\ndef f(x):\n    return jnp.linalg.norm(x) / x.sum()\n", id="rounding"),
        pytest.param("@jax.jit\ndef f(x):\n    return x * len(f'{x}')\n", id="text of a tracer"),
        pytest.param("import time\n\n\n@jax.jit\ndef f(x):\n    return x + time.perf_counter()\n", id="a clock"),
        pytest.param("N = [0]\n\n\n@jax.jit\ndef f(x):\n    N[0] += 1\n    return x * N[0]\n", id="a counter"),
        pytest.param(
            "class A:\n    gain = 1.0\n\n    def __init__(self):\n        self.step = jax.jit(self._step)\n\n"
            "    def _step(self, x):\n        self.gain *= 2.0\n        return x * self.gain\n\n\nA().step(1.0)\n",
            id="state that each trace changes",
        ),
        pytest.param(
            "seen = []\n\n\n@jax.jit\ndef f(x):\n    seen.append(x)\n    return x\n\n\n"
            "@jax.jit\ndef g(x):\n    return f(x) + seen[0]\n\n\ndef test_g():\n    f(1.0)\n    g(1.0)\n",
            id="an escaped tracer",
        ),
        pytest.param("@jax.pmap\ndef f(x):\n    return x / x.sum()\n\n\nf(jnp.ones((8, 4)))\n", id="several devices"),
        pytest.param("@jax.jit\ndef f(x):\n    return x**2 - 2.0\n\n\nf(1.4142135)\n", id="a residual near its root"),
        pytest.param("@jax.jit\ndef f(x):\n    return (x + 1e8) - 1e8\n\n\nf(1.0)\n", id="what cancels"),
        pytest.param("@jax.jit\ndef f(x):\n    return (x + 1e8) - 1e8\n", id="what cancels, not called"),
        pytest.param(
            "@jax.jit\ndef g(x):\n    return x * 1e8 + 1e9\n\n\n@jax.jit\ndef f(x):\n    return g(x) - x * 1e8 - 1e9\n"
            "\n\nf(1.2345)\n",
            id="what cancels a call later",
        ),
        pytest.param("@jax.jit\ndef f(x):\n    return jnp.argmax(jnp.sin(x * 1e6))\n", id="a tipped decision"),
        pytest.param("@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n", id="what doesn't trace"),
        pytest.param("@jax.jit\ndef f(key):\n    return jax.random.normal(key, (5,))\n", id="random numbers"),
    ],
)
def test_what_is_not_the_backends_fault_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert compiled(write(tmp_path, text)) == {}
    assert not (tmp_path / ".omnilint_cache").exists()


def test_a_difference_of_whole_numbers_alone_counts() -> None:
    import numpy as np

    from omnilint.confirm.worker.compiling import _gap

    a, b = np.array([1, 2, 3]), np.array([1, 2, 4])
    assert _gap(a, b, True, 0.0) == {"share": float("inf"), "places": 1}
    assert _gap(a, b, False, 0.0) is None
    assert _gap(a, a, True, 0.0) is None


@pytest.mark.parametrize(
    ("a", "b", "least", "differs"),
    [
        pytest.param([1.0, 2.0], [1.0, 2.0000005], 0.0, False, id="an ulp or two"),
        pytest.param([1e-8, 1.0], [2e-8, 1.0], 0.0, False, id="small beside the largest"),
        pytest.param([1e-8], [2e-8], 0.0, True, id="small alone"),
        pytest.param([1e-8], [2e-8], 1.0, False, id="small beside the inputs"),
        pytest.param([float("nan")], [1.0], 0.0, True, id="a number that isn't one"),
        pytest.param([float("inf")], [float("inf")], 0.0, False, id="both infinite"),
    ],
)
def test_what_rounding_explains(a: list[float], b: list[float], least: float, differs: bool) -> None:
    import numpy as np

    from omnilint.confirm.worker.compiling import _gap

    assert (_gap(np.array(a, "float32"), np.array(b, "float32"), False, least) is not None) == differs


def test_the_program_line_by_line_gives_what_the_function_gives() -> None:
    import jax.numpy as jnp
    import numpy as np

    from omnilint.confirm.worker.compiling import evaluate, flattened

    @jax.jit
    def inner(x):  # type: ignore[no-untyped-def]
        return jax.lax.scan(lambda c, v: (c + v, c * v), 0.0, x)

    def f(tree, n, key):  # type: ignore[no-untyped-def]
        total, parts = inner(tree["a"] * n)
        return {"t": total, "p": parts}, jax.random.uniform(key), jax.lax.cond(total > 0, jnp.sin, jnp.cos, total)

    args = ({"a": jnp.arange(4.0)}, 2, jax.random.PRNGKey(1))
    flat, arrays = flattened(f, args, {})
    closed = jax.make_jaxpr(flat)(*arrays)
    for got, wanted in zip(
        evaluate(closed.jaxpr, closed.consts, *arrays), jax.tree_util.tree_leaves(f(*args)), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("spec", "source"),
    [
        ({"kind": "array", "dtype": "float32", "shape": [2]}, "array('float32', (2,))"),
        ({"kind": "stored", "index": 1, "numpy": False}, "jnp.asarray(stored[1])"),
        ({"kind": "stored", "index": 0, "numpy": True}, "(stored[0])"),
        ({"kind": "key"}, "jax.random.PRNGKey(0)"),
        ({"kind": "literal", "source": "4"}, "eval('4', vars(module))"),
        ({"kind": "tree", "items": {"w": {"kind": "literal", "source": "1"}}}, "{'w': eval('1', vars(module))}"),
        ({"kind": "tuple", "items": [{"kind": "key"}]}, "(jax.random.PRNGKey(0), )"),
    ],
)
def test_arguments_are_written_as_source(spec: dict[str, object], source: str) -> None:
    assert bundle.expression(spec) == source


def test_a_comment_silences_it_and_the_rules_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not MODERN:
        pytest.skip("the case is written for a JAX with jax.ffi")
    monkeypatch.chdir(tmp_path)
    kernel = 'jax.ffi.ffi_call("no_such_kernel", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)'
    write(tmp_path, f"@jax.jit\ndef f(x):  # noqa: OMN601\n    return {kernel}\n")
    for more, silenced in (((), 1), (("--ignore", "XLA"), 0)):
        command = [
            sys.executable,
            "-m",
            "omnilint",
            "check",
            "--confirm",
            "--python",
            sys.executable,
            "--format",
            "json",
        ]
        done = subprocess.run(
            [*command, *more, "case.py"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        )
        document = json.loads(done.stdout)
        assert (document["findings"], document["summary"]["suppressed"]) == ([], silenced), done.stderr
