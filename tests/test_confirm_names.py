"""INTERNAL: a name is really looked up, the way the code asks for it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from omnilint.confirm.names import answer, form
from omnilint.confirm.places import by_path, site
from omnilint.model import Finding, Place, Status, Verdict
from tests.confirm_support import DATA, confirm, marked, project_of

GONE = {"type": "AttributeError", "message": "module 'jax' has no attribute 'x'", "mro": ["AttributeError"]}


def look_up(tmp_path: Path, line: str, code: str, **data: Any) -> Verdict:
    pytest.importorskip("jax", reason="names are looked up in JAX")
    file = tmp_path / "uses.py"
    file.write_text(f"import importlib\nimport jax\n\n\ndef use(x):\n    {line}\n")
    project = project_of([file])
    finding = Finding(code, "", Place(file.name, 6, 5, 6, 5 + len(line)), symbol="use", data=data)
    (found,) = confirm([file], [finding], project).findings[0].verdicts
    return found


@pytest.mark.parametrize(
    ("line", "name", "exception"),
    [
        pytest.param("jax.random.KeyArray", "jax.random.KeyArray", "AttributeError", id="attribute"),
        pytest.param(
            "from jax.experimental import optimizers", "jax.experimental.optimizers", "ImportError", id="from"
        ),
        pytest.param("import jax.abstract_arrays", "jax.abstract_arrays", "ModuleNotFoundError", id="import"),
        pytest.param(
            "importlib.import_module('jax.experimental.maps')",
            "jax.experimental.maps",
            "ModuleNotFoundError",
            id="import_module",
        ),
    ],
)
def test_a_removed_name_raises_what_the_code_would(tmp_path: Path, line: str, name: str, exception: str) -> None:
    found = look_up(tmp_path, line, "OMN401", name=name)
    assert (found.status, found.exception, found.legacy) == (Status.CONFIRMED, exception, False)


def test_a_name_that_is_there_refutes_its_removal(tmp_path: Path) -> None:
    found = look_up(tmp_path, "jax.numpy.sin(x)", "OMN401", name="jax.numpy.sin")
    assert found.status is Status.REFUTED
    assert "still has jax.numpy.sin" in (found.reason or "")


def test_a_private_name_that_works_is_said_to_work(tmp_path: Path) -> None:
    found = look_up(tmp_path, "from jax._src import core", "OMN403", name="jax._src.core")
    assert (found.status, found.exception) == (Status.CONFIRMED, None)
    assert "outside of its public API" in (found.reason or "")


@pytest.mark.parametrize(
    ("argument", "status", "exception"),
    [
        pytest.param("no_such_argument", Status.CONFIRMED, "TypeError", id="not in the signature"),
        pytest.param("axis", Status.REFUTED, None, id="in the signature"),
    ],
)
def test_an_argument_is_put_to_the_signature(
    tmp_path: Path, argument: str, status: Status, exception: str | None
) -> None:
    found = look_up(tmp_path, "jax.nn.softmax(x)", "OMN405", name="jax.nn.softmax", argument=argument)
    assert (found.status, found.exception) == (status, exception)


def test_a_dead_switch_is_dead(tmp_path: Path) -> None:
    found = look_up(tmp_path, "jax.config.disable_omnistaging()", "OMN406", name="jax.config.disable_omnistaging")
    assert found.status is Status.CONFIRMED
    assert "no omnistaging switch" in (found.reason or "")


@pytest.mark.parametrize(
    ("line", "name", "exception"),
    [
        pytest.param("os.environ['JAX_OMNISTAGING'] = '0'", "JAX_OMNISTAGING", None, id="a variable: nothing happens"),
        pytest.param(
            "jax.config.disable_omnistaging()", "jax.config.disable_omnistaging", "AttributeError", id="a method"
        ),
        pytest.param("jax.config.update('jax_omnistaging', False)", "jax_omnistaging", "AttributeError", id="a key"),
    ],
)
def test_a_dead_switch_does_what_jax_says(tmp_path: Path, line: str, name: str, exception: str | None) -> None:
    found = look_up(tmp_path, line, "OMN406", name=name)
    assert (found.status, found.exception, found.source) == (Status.CONFIRMED, exception, "name")
    assert ("does nothing" in (found.reason or "")) == (exception is None)


@pytest.mark.parametrize(
    ("line", "exception", "silent"),
    [
        pytest.param("jax.config.jax_omnistaging = False", None, True, id="an attribute is set: nothing happens"),
        pytest.param("setattr(jax.config, 'jax_omnistaging', 0)", None, True, id="by setattr as well"),
        pytest.param("jax.config.values['jax_omnistaging'] = 0", None, True, id="a value is set: nothing happens"),
        pytest.param("return getattr(jax.config, 'jax_omnistaging')", "AttributeError", False, id="getattr"),
        pytest.param("return getattr(jax.config, 'jax_omnistaging', 1)", None, True, id="getattr with a default"),
        pytest.param("return jax.config.read('jax_omnistaging')", "AttributeError", False, id="read"),
        pytest.param("return jax.config.jax_omnistaging", "AttributeError", False, id="an attribute"),
        pytest.param("OPTIONS = {'jax_omnistaging': False}", None, False, id="nobody can tell what becomes of it"),
    ],
)
def test_a_dead_switch_is_used_as_the_code_uses_it(
    tmp_path: Path, line: str, exception: str | None, silent: bool
) -> None:
    found = look_up(tmp_path, line, "OMN406", name="jax_omnistaging")
    assert (found.status, found.exception) == (Status.CONFIRMED, exception)
    assert ("does nothing" in (found.reason or "")) == silent
    assert "no omnistaging switch" in (found.reason or "")


def test_a_flag_that_nothing_reads_is_said_to_be_one(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("python train.py --jax_omnistaging=0\n")
    finding = Finding("OMN406", "", Place("run.sh", 1, 17, 1, 36), data={"name": "--jax_omnistaging=0"})
    file = tmp_path / "train.py"
    file.write_text("import jax\n")
    (found,) = confirm([file], [finding], project_of([file])).findings[0].verdicts
    assert found.status is Status.CONFIRMED
    absl = importlib.util.find_spec("absl") is not None
    assert found.exception == ("UnrecognizedFlagError" if absl else None)
    assert ("absl, which would read this flag for JAX, isn't installed" in (found.reason or "")) != absl


def test_an_import_that_fails_in_the_module_itself_is_the_evidence() -> None:
    pytest.importorskip("jax", reason="the module is imported under JAX")
    file = DATA / "hazards" / "removed_import.py"
    project = project_of([file])
    finding = marked(project, file.name, "OMN401", data={"name": "jax.experimental.optimizers"})
    (found,) = confirm([file], [finding], project).findings[0].verdicts
    assert (found.status, found.exception, found.line) == (Status.CONFIRMED, "ModuleNotFoundError", 1)
    assert found.inputs == "import removed_import"


@pytest.mark.parametrize(
    ("code", "seen", "status"),
    [
        pytest.param("OMN401", {"exception": GONE}, Status.CONFIRMED, id="removed, and gone"),
        pytest.param("OMN401", {"resolved": True}, Status.REFUTED, id="removed, and there"),
        pytest.param("OMN402", {"resolved": True, "warning": "use y"}, Status.CONFIRMED, id="deprecated, and warns"),
        pytest.param("OMN402", {"resolved": True}, Status.INCONCLUSIVE, id="deprecated, and silent"),
        pytest.param("OMN402", {"exception": GONE}, Status.CONFIRMED, id="deprecated, and gone by now"),
        pytest.param("OMN404", {"resolved": True, "defined": "jax.core"}, Status.CONFIRMED, id="internal, and there"),
        pytest.param("OMN405", {"exception": GONE}, Status.INCONCLUSIVE, id="argument of a function that is gone"),
        pytest.param("OMN405", {"resolved": True, "accepts": None}, Status.INCONCLUSIVE, id="takes any keyword"),
        pytest.param("OMN407", {"resolved": True}, Status.REFUTED, id="unknown, and there"),
    ],
)
def test_what_a_look_up_says(code: str, seen: dict[str, Any], status: Status) -> None:
    assert answer(code, "jax.x", {"jax": "9", **seen}).status is status


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import jax.core", "import"),
        ("from jax import core", "from"),
        ("jax.core.x", "attribute"),
        ("importlib.import_module('jax.core')", "import"),
        ("with jax.core.x(): pass", "attribute"),
    ],
)
def test_the_form_of_a_use(tmp_path: Path, line: str, expected: str) -> None:
    file = tmp_path / "uses.py"
    file.write_text(line + "\n")
    project = project_of([file])
    at = site(Finding("OMN401", "", Place("uses.py", 1, 1, 1, 2)), by_path(project))
    assert at is not None
    assert form(at, "jax.core") == expected
