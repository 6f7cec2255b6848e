"""The worker: what it may import, which Pythons it must run on, and its pieces on their own."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import omnilint.confirm.worker as package

FOLDER = Path(package.__file__).parent
FILES = sorted(FOLDER.glob("*.py"))


def imported(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(a.name.partition(".")[0] for a in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert node.module is not None
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_it_imports_the_standard_library_and_jax_alone(file: Path) -> None:
    # NumPy comes with JAX, and an array of JAX's is read through it.
    assert imported(ast.parse(file.read_text())) <= {*sys.stdlib_module_names, "jax", "numpy"}


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_it_is_python_3_8(file: Path) -> None:
    text = file.read_text()
    tree = ast.parse(text, feature_version=(3, 8))
    if "def " in text:  # else annotations such as `int | None` would be evaluated
        assert "from __future__ import annotations" in text
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            assert name not in {"removeprefix", "removesuffix", "pairwise", "batched"}
            if name == "isinstance":
                assert not isinstance(node.args[1], ast.BinOp), "isinstance with | needs 3.10"
            if name == "zip":
                assert not any(k.arg == "strict" for k in node.keywords), "zip(strict=) needs 3.10"


def test_the_files_are_all_there() -> None:
    assert {"__main__.py", "server.py", "child.py"} <= {f.name for f in FILES}


def test_tracers_are_found_where_values_are_kept() -> None:
    from omnilint.confirm.worker.watch import holds_tracer

    class Tracer:
        pass

    class Held:
        def __init__(self, value: object) -> None:
            self.value = value

    t = Tracer()
    assert holds_tracer([1, {"a": (t,)}], Tracer)
    assert holds_tracer(Held(Held(t)), Tracer)
    assert not holds_tracer([1, {"a": (2,)}, "text", None], Tracer)


def test_probing_a_name_runs_no_property_of_the_users() -> None:
    from omnilint.confirm.worker.watch import probe

    class Loud:
        @property
        def value(self) -> object:
            raise AssertionError("a property was run")

    loud = Loud()
    assert loud is not None
    assert not probe(["loud", "value"], sys._getframe(), int)


def test_shape_of_a_tracer_is_static() -> None:
    from omnilint.confirm.worker.watch import probe

    class Tracer:
        shape = (3,)
        real = 1

    x = Tracer()
    assert x is not None
    frame = sys._getframe()
    assert not probe(["x", "shape"], frame, Tracer)
    assert probe(["x", "real"], frame, Tracer)


def test_home_leaves_installed_packages_out(tmp_path: Path) -> None:
    from omnilint.confirm.worker.errors import Home

    home = Home([str(tmp_path)])
    assert home.file(str(tmp_path / "code.py")) is not None
    assert home.file(str(tmp_path / ".venv/lib/python3.11/site-packages/x.py")) is None
    assert home.file("<string>") is None
    assert home.file("/elsewhere/code.py") is None


def test_a_wait_status_in_words() -> None:
    from omnilint.confirm.worker.guard import describe_status

    assert describe_status(6) == "died of SIGABRT"
    assert describe_status(3 << 8) == "ended with exit code 3"
