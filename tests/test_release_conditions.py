"""Code for other releases, leaks that are wanted, checks kept in variables: what stays found beside them.

The silent twins are the cases `gd-*`. `# !` with a code marks a finding.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from omnilint.analysis.engine import analyse
from omnilint.analysis.options import AnalysisOptions
from omnilint.config import Settings
from omnilint.index.project import Project
from omnilint.model import Source
from omnilint.pipeline import check

HEAD = """import sys

import jax
import jax.numpy as jnp
import pytest
from packaging.version import Version

NEW = jax.__version_info__ >= (0, 4, 1)
"""
MARK = re.compile(r"# !\s*(OMN\d+)")


def check_marks(tmp_path: Path, code: str, target: str | None = "0.10") -> None:
    text = HEAD + textwrap.dedent(code)
    (tmp_path / "case.py").write_text(text)
    report = check([str(tmp_path)], Settings(target_jax=target, select=("SHAPE", "STATE", "CONC")))
    assert not report.problems
    found = {(f.place.line, f.code) for f in report.findings}
    assert found == {(i, m) for i, line in enumerate(text.splitlines(), 1) for m in MARK.findall(line)}


FOUND = {
    "the side that the target runs": """
        @jax.jit
        def f(x):
            if jax.__version_info__ >= (0, 4, 1):
                return x if x > 0 else -x  # ! OMN501
            return jnp.abs(x)
    """,
    "what follows the side that it doesn't run": """
        @jax.jit
        def f(x):
            if not NEW:
                return x
            return float(x)  # ! OMN502
    """,
    "else": """
        @jax.jit
        def f(x):
            if Version(jax.__version__) < Version("0.4.1"):
                return x
            else:
                return float(x)  # ! OMN502
    """,
    "an old Python": """
        @jax.jit
        def f(x):
            if sys.version_info >= (3, 6):
                return float(x)  # ! OMN502
            return x
    """,
    "a name that is there": """
        try:
            from jax.numpy import abs as absolute
            HAS = True
        except ImportError:
            HAS = False

        @jax.jit
        def f(x):
            if HAS:
                return float(absolute(x))  # ! OMN502
            return x

        @jax.jit
        def g(x):
            if hasattr(jnp, "abs"):
                return float(x)  # ! OMN502
            return x

        tanh = getattr(jnp, "tanh")

        @jax.jit
        def h(x):
            return float(tanh(x))  # ! OMN502
    """,
    "a release that is refused": """
        @jax.jit
        def f(x):
            if jax.__version_info__ < (0, 4, 1):
                raise RuntimeError
            return float(x)  # ! OMN502
    """,
    "a condition beside the one on the release": """
        @jax.jit
        def f(x):
            if x > 0 and NEW:  # ! OMN501
                return x
            return x
    """,
    "what both sides run": """
        @jax.jit
        def f(x):
            if jax.__version__ > "9" or hasattr(x, "foo"):
                x = x + 1
            return float(x)  # ! OMN502
    """,
    "what a check of tracers doesn't guard": """
        @jax.jit
        def f(x):
            traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(x))
            if traced:
                print("traced")
            return float(x)  # ! OMN502

        @jax.jit
        def g(x):
            traced = isinstance(x, jax.core.Tracer)
            if traced:
                return float(x)  # ! OMN502
            return x
    """,
    "another error than that of a leak": """
        def test():
            out = []

            @jax.jit
            def f(x):
                out.append(x)  # ! OMN204
                return x

            f(1.0)
            with pytest.raises(ValueError):
                out[0] + 1
    """,
    "another leak than the one that is wanted": """
        def test():
            out, seen = [], []

            @jax.jit
            def f(x):
                out.append(x)  # ! OMN204
                seen.append(x)
                return x

            f(1.0)
            with pytest.raises(jax.errors.UnexpectedTracerError):
                seen[0] + 1
    """,
    "a test that wants no tracer": """
        def test():
            seen = []

            @jax.jit
            def f(x):
                seen.append(x)  # ! OMN204
                return x

            f(1.0)
            assert not isinstance(seen[0], jax.core.Tracer)
    """,
}


@pytest.mark.parametrize("name", FOUND)
def test_it_is_found(tmp_path: Path, name: str) -> None:
    check_marks(tmp_path, FOUND[name])


EITHER = """
    @jax.jit
    def f(x):
        if NEW:
            return float(x){mark}
        return jnp.abs(x)
"""


def test_targets_that_disagree_leave_it_open(tmp_path: Path) -> None:
    check_marks(tmp_path, EITHER.format(mark=""), "0.3,0.10")


def test_all_targets_agree(tmp_path: Path) -> None:
    check_marks(tmp_path, EITHER.format(mark="  # ! OMN502"), "0.4.20,0.10")


def test_no_target_runs_it(tmp_path: Path) -> None:
    check_marks(tmp_path, EITHER.format(mark=""), "0.2,0.3")


def test_a_text_compares_letter_by_letter(tmp_path: Path) -> None:
    code = """
        @jax.jit
        def f(x):
            if jax.__version__ >= "0.4.1":
                return jnp.abs(x)
            return float(x)
    """
    check_marks(tmp_path, code)


@pytest.mark.parametrize("kept", ["not_traced(c)", "known"])
def test_what_is_staged_beside_an_answer_on_tracers_stays_found(kept: str, tmp_path: Path) -> None:
    (tmp_path / "case.py").write_text(
        "import jax\nimport jax.numpy as jnp\n\n\n"
        "def not_traced(x):\n    return not isinstance(x, jax.core.Tracer)\n\n\n"
        f"def low(c):\n    known = not_traced(c)\n    if {kept} and jnp.all(c < 0):\n        return 1\n    return 2\n"
    )
    file = str(tmp_path / "case.py")
    project = Project()
    project.add(Source(file, (tmp_path / "case.py").read_text(), file=file), {file})
    found = analyse(project, AnalysisOptions(assume_traced=("*",))).findings
    assert [(f.place.line, f.code) for f in found] == [(11, "OMN501")]
