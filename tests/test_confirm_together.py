"""What shares a process: functions of a package, and the run that tells whether folding would have saved them."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from omnilint.confirm.host import Worker
from omnilint.confirm.literal import literal_calls
from omnilint.confirm.places import statement_at
from omnilint.confirm.reach import words
from omnilint.model import Place, Status
from tests.confirm_support import confirm, marked, project_of

pytest.importorskip("jax", reason="confirm runs code under JAX")

SHAPE = """\
import jax
import jax.numpy as jnp

traces = []


@jax.jit
def flat(x):
    traces.append(1)
    size = jnp.prod(jnp.array(x.shape))
    return x.reshape((size,))  # mark
"""
BRANCH = """\
import jax
import jax.numpy as jnp
import a

a.touched = True


@jax.jit
def relu(x):
    if x.sum() > 0:  # mark
        return x
    return -x


@jax.jit
def fine(x):
    return x * jnp.float32(len(a.traces))  # fine
"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The requests that workers get."""
    found: list[dict[str, Any]] = []
    real = Worker.ask

    def ask(self: Worker, request: dict[str, Any]) -> dict[str, Any]:
        found.append(request)
        return real(self, request)

    monkeypatch.setattr(Worker, "ask", ask)
    return found


def test_one_process_tells_what_fails_and_what_folding_does_to_it(tmp_path: Path, asked: list[dict[str, Any]]) -> None:
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    files[0].write_text(SHAPE)
    files[1].write_text(BRANCH)
    project = project_of(files)
    findings = [
        marked(project, "a.py", "OMN101"),
        marked(project, "b.py", "OMN501"),
        marked(project, "b.py", "OMN501", "fine"),
    ]
    report = confirm(files, findings, project)
    first, second, third = (f.verdicts[0] for f in report.findings)
    assert (first.status, first.exception, first.legacy) == (Status.CONFIRMED, "TypeError", True)
    assert (second.status, second.exception, second.legacy) == (Status.CONFIRMED, "TracerBoolConversionError", False)
    assert third.status is Status.REFUTED, third
    assert [(r["op"], len(r["items"])) for r in asked if r["op"] == "batch"] == [("batch", 3)]
    assert [r["mode"] for r in asked if r["op"] == "run" and r["mode"].get("fold")] == []


CODE = """\
def f(x):
    try:
        y = 1; z = 2
    except ValueError as e:
        raise
    finally:
        x = [
            2,
        ]
    match x:
        case [1]:
            return y


@decorated
class C: a = 1
"""


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        pytest.param(1, "FunctionDef", id="a header"),
        pytest.param(3, "Assign", id="two on a line"),
        pytest.param(5, "Raise", id="in a handler"),
        pytest.param(8, "Assign", id="a line of a longer one"),
        pytest.param(12, "Return", id="in a case"),
        pytest.param(15, "ClassDef", id="a decorator"),
        pytest.param(13, None, id="between statements"),
    ],
)
def test_the_innermost_statement(tmp_path: Path, line: int, kind: str | None) -> None:
    file = tmp_path / "c.py"
    file.write_text(CODE)
    (module,) = project_of([file]).modules()
    found = statement_at(module, Place("c.py", line, 1, line, 2))
    assert (type(found).__name__ if found else None) == kind


def test_what_was_worked_out_of_code_goes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import jax\n\n\n@jax.jit\ndef f(x):\n    return g(x)\n\n\ndef g(x):\n    return x\n\n\nf(1.0)\n")
    (module,) = project_of([file]).modules()
    assert list(literal_calls(module, "f")) == ["f(1.0)"]
    assert words(module.tree) is words(module.tree), "asked twice, worked out once"
    gone = weakref.ref(module.tree)
    del module
    gc.collect()
    assert gone() is None
