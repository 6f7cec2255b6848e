"""Which interpreter runs the code, and the one line for each that can't."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from omnilint.confirm import ConfirmError
from omnilint.confirm.host import Worker, environment
from omnilint.confirm.interpreter import Interpreter, choose, given, nearby
from omnilint.model import Report
from tests.confirm_support import DATA, marked, project_of


def make_environment(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /nowhere\n")
    (folder / "bin" / "python").symlink_to(sys.executable)
    return folder


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_an_active_environment_comes_first(tmp_path: Path) -> None:
    active, near = make_environment(tmp_path / "active"), make_environment(tmp_path / "code" / ".venv")
    chosen = nearby([str(near.parent)], {"VIRTUAL_ENV": str(active)})
    assert chosen == Interpreter(str(active / "bin" / "python"), "VIRTUAL_ENV")


def test_an_environment_in_a_parent_folder_is_found(tmp_path: Path) -> None:
    near = make_environment(tmp_path / "venv")
    deep = tmp_path / "src" / "package"
    deep.mkdir(parents=True)
    assert nearby([str(deep / "module.py")], {}).executable == str(near / "bin" / "python")


def test_a_folder_called_venv_that_is_none_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to(sys.executable)
    assert nearby([str(tmp_path)], {}).chosen == "this interpreter"


def test_a_python_is_given_by_path_by_folder_or_by_command(tmp_path: Path) -> None:
    environment_folder = make_environment(tmp_path / "env")
    assert given(str(environment_folder)).executable == str(environment_folder / "bin" / "python")
    assert given(str(environment_folder / "bin" / "python")).executable == str(environment_folder / "bin" / "python")
    assert given("python3").executable.endswith("python3")


def test_the_same_interpreter_is_asked_once(tmp_path: Path) -> None:
    folder = make_environment(tmp_path / "env")
    assert len(choose([str(folder), str(folder / "bin" / "python")], [])) == 1


@pytest.mark.parametrize("value", ["/nowhere/python", "no-such-python-command", "."])
def test_no_interpreter_is_one_line(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfirmError, match="no such interpreter; give a Python executable") as caught:
        given(value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_executed_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "python"
    file.write_text("")
    with pytest.raises(ConfirmError, match="not executable"):
        given(str(file))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("#!/bin/sh\nexit 0\n", id="ends at once"),
        pytest.param("#!/bin/sh\necho hello\n", id="says something else"),
        pytest.param("#!/bin/sh\nkill -9 $$\n", id="dies"),
    ],
)
def test_a_program_that_is_no_python_is_one_line(tmp_path: Path, text: str) -> None:
    program = script(tmp_path / "python", text)
    with pytest.raises(ConfirmError, match="is not a working Python interpreter"):
        Worker(given(str(program))).start()


def without_jax(tmp_path: Path) -> Path:
    """An interpreter that sees no installed packages."""
    return script(tmp_path / "python", f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')


def test_missing_jax_says_what_to_install_or_give(tmp_path: Path) -> None:
    python = without_jax(tmp_path)
    if subprocess.run([python, "-c", "import jax"], capture_output=True, check=False).returncode == 0:
        pytest.skip("this interpreter finds JAX without its site packages")
    file = DATA / "hazards" / "branch.py"
    project = project_of([file])
    report = Report(findings=[marked(project, file.name, "OMN501")])
    from omnilint.confirm import confirm_findings

    confirm_findings(report, project, [str(python)])
    (problem,) = report.problems
    assert problem.kind == "confirm"
    assert str(python) in problem.message
    assert "cannot import jax" in problem.message
    assert 'pip install "omnilint[confirm]"' in problem.message
    assert "--python" in problem.message
    assert "\n" not in problem.message
    assert report.findings[0].verdicts == ()


def test_one_interpreter_without_jax_leaves_the_others_their_say(tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="one of the two interpreters runs code under JAX")
    from omnilint.confirm import confirm_findings

    file = DATA / "hazards" / "branch.py"
    project = project_of([file])
    report = Report(findings=[marked(project, file.name, "OMN501")])
    confirm_findings(report, project, [str(without_jax(tmp_path)), sys.executable])
    assert len(report.problems) == 1
    assert [v.status for v in report.findings[0].verdicts] == ["confirmed"]


def test_two_interpreters_give_two_verdicts(tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="confirm runs code under JAX")
    from omnilint.confirm import confirm_findings

    other = script(tmp_path / "python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    file = DATA / "hazards" / "branch.py"
    project = project_of([file])
    report = Report(findings=[marked(project, file.name, "OMN501")])
    confirm_findings(report, project, [sys.executable, str(other)])
    first, second = report.findings[0].verdicts
    assert first.python != second.python
    assert first.status == second.status == "confirmed"
    assert len(report.confirmed_with) == 2


def test_what_instruments_a_process_stays_out_of_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COVERAGE_PROCESS_START", "x")
    monkeypatch.setenv("PYTHONBREAKPOINT", "x")
    env = environment()
    assert "COVERAGE_PROCESS_START" not in env
    assert "PYTHONBREAKPOINT" not in env
    assert env["JAX_PLATFORMS"] == "cpu"


def test_other_platforms_on_request_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "cuda")
    assert environment()["JAX_PLATFORMS"] == "cpu"
    assert environment("cuda,cpu")["JAX_PLATFORMS"] == "cuda,cpu"
