"""Libraries are imported once, before forking, unless that would make forking unsafe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from omnilint.confirm.host import Worker
from omnilint.confirm.interpreter import Interpreter
from omnilint.confirm.reach import libraries
from tests.confirm_support import project_of

pytest.importorskip("jax", reason="a worker starts with JAX only")

MODULES = {
    "harmless_library": "VALUE = 1\n",
    "thread_library": "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n",
    "backend_library": "import jax\nKEY = jax.random.PRNGKey(0) + 1\n",
    "dying_library": "import os\nos._exit(3)\n",
    "failing_library": "raise RuntimeError('mine')\n",
}


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Worker(Interpreter(sys.executable, "test")) as started:
        yield started


@pytest.mark.parametrize(
    ("name", "loaded"),
    [
        pytest.param("harmless_library", True, id="harmless"),
        pytest.param("thread_library", False, id="starts a thread"),
        pytest.param("backend_library", False, id="wakes the backend"),
        pytest.param("dying_library", False, id="ends the process"),
        pytest.param("failing_library", False, id="raises"),
    ],
)
def test_a_library_is_loaded_when_it_keeps_forking_safe(worker: Worker, name: str, loaded: bool) -> None:
    answer = worker.ask({"op": "preload", "modules": [name], "seconds": 20.0})
    assert answer["loaded"] == ([name] if loaded else [])


def test_what_is_the_projects_own_is_no_library(tmp_path: Path) -> None:
    files = {
        "main.py": "import jax, os, scipy.special\nimport helper\nfrom numpyro import infer\n",
        "helper.py": "import chex\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    project = project_of([tmp_path / name for name in files])
    assert libraries(project.modules(), project) == ["scipy.special", "numpyro", "chex"]
