"""omnilint inside flake8 and pre-commit: the real programs, on real files."""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from omnilint import cli
from omnilint.confirm.interpreter import nearby
from omnilint.errors import Failure
from omnilint.integrations.flake8 import Plugin

ROOT = Path(__file__).parent.parent
BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n"
WRAPPED = BRANCH.replace("if x > 0:", "if (\n        x > 0\n    ):  # noqa: OMN501")
LOCAL = (
    f"[flake8]\n[flake8:local-plugins]\nextension =\n    OMN = omnilint.integrations.flake8:Plugin\npaths = {ROOT}\n"
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plugin(text: str, filename: str = "a.py") -> list[tuple[int, int, str]]:
    found = Plugin(ast.parse(text), text.splitlines(keepends=True), filename).run()
    return [(line, column, message) for line, column, message, _ in found]


def flake8(*arguments: str, stdin: str | None = None) -> list[str]:
    pytest.importorskip("flake8", reason="runs flake8 in its own process")
    installed = any(e.name == "OMN" for e in entry_points(group="flake8.extension"))
    Path(".flake8").write_text("[flake8]\n" if installed else LOCAL, encoding="utf-8")  # twice would report twice
    command = [sys.executable, "-m", "flake8", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, input=stdin)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_plugin_gives_columns_from_zero() -> None:
    ((line, column, message),) = plugin(BRANCH)
    assert (line, column) == (6, 7)
    assert message.startswith("OMN501 ")


def test_the_plugin_uses_our_settings_and_comments() -> None:
    assert plugin(WRAPPED) == []
    Path("omnilint.toml").write_text("ignore = ['CONC']\n", encoding="utf-8")
    assert plugin(BRANCH) == []
    assert plugin("x = 1  # noqa: OMN101\n") == []


def test_the_plugin_leaves_out_what_our_settings_exclude() -> None:
    Path("omnilint.toml").write_text("exclude = ['gen']\n", encoding="utf-8")
    assert plugin(BRANCH, "gen/a.py") == []
    assert plugin(BRANCH, "b.py") != []


def test_broken_settings_do_not_look_like_a_clean_file() -> None:
    Path("omnilint.toml").write_text("ignroe = []\n", encoding="utf-8")
    with pytest.raises(Failure, match=r"omnilint\.toml: "):
        plugin("x = 1\n")


def test_flake8_fails_with_broken_settings_whatever_it_selects() -> None:
    Path("omnilint.toml").write_text("slect = ['CONC']\n", encoding="utf-8")
    Path("a.py").write_text("from os.path import *  # noqa\n" + BRANCH, encoding="utf-8")
    for arguments in ((), ("--select", "E,F,OMN5"), ("--ignore", "OMN9")):
        done = subprocess.run(
            [sys.executable, "-m", "flake8", "--isolated", *arguments, "a.py"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "omnilint.toml: there is no key 'slect'" in done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr


def test_flake8_reports_our_findings() -> None:
    Path("a.py").write_text(BRANCH, encoding="utf-8")
    (line,) = flake8("a.py")
    assert line.startswith("a.py:6:8: OMN501 ")


@pytest.mark.parametrize(
    ("arguments", "count"),
    [(["--select", "OMN5"], 1), (["--select", "OMN1"], 0), (["--extend-ignore", "OMN"], 0)],
)
def test_flake8_selects_and_ignores_our_codes(arguments: list[str], count: int) -> None:
    Path("a.py").write_text(BRANCH, encoding="utf-8")
    assert len(flake8("a.py", *arguments)) == count


def test_flake8_has_its_noqa() -> None:
    Path("a.py").write_text(BRANCH.replace("if x > 0:", "if x > 0:  # noqa: OMN501"), encoding="utf-8")
    Path("b.py").write_text(WRAPPED, encoding="utf-8")
    assert flake8("a.py", "b.py") == []


def test_flake8_can_be_told_to_leave_noqa_out() -> None:
    Path("a.py").write_text(BRANCH.replace("if x > 0:", "if x > 0:  # noqa: OMN501"), encoding="utf-8")
    Path("b.py").write_text(WRAPPED, encoding="utf-8")
    assert [line[:7] for line in flake8("--disable-noqa", "--select", "OMN", "a.py", "b.py")] == ["a.py:6:", "b.py:7:"]


def test_flake8_by_standard_input() -> None:
    (line,) = flake8("--stdin-display-name", "pkg/a.py", "-", stdin=BRANCH)
    assert line.startswith("pkg/a.py:6:8: OMN501 ")


@pytest.fixture(scope="module")
def hooks() -> dict[str, dict[str, Any]]:
    library = pytest.importorskip("pre_commit.clientlib", reason="pre-commit itself reads the manifest")
    return {hook["id"]: hook for hook in library.load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))}


def test_pre_commit_takes_our_manifest(hooks: dict[str, dict[str, Any]]) -> None:
    assert set(hooks) == {"omnilint", "omnilint-confirm"}
    # Findings depend on several files at once, so files must not be dealt out to processes.
    assert all(hook["require_serial"] for hook in hooks.values())


def test_the_hook_does_as_it_says(hooks: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = shlex.split(hooks["omnilint"]["entry"])
    assert program == "omnilint"
    Path("a.py").write_text(BRANCH, encoding="utf-8")
    Path("gen.py").write_text(BRANCH, encoding="utf-8")
    Path("omnilint.toml").write_text("exclude = ['gen.py']\n", encoding="utf-8")
    assert cli.run([*arguments, "a.py", "gen.py"]) == 1
    assert [line[:7] for line in capsys.readouterr().out.splitlines()] == ["a.py:6:"]
    # Only excluded files staged: nothing to check is no mistake of the user's here.
    assert cli.run([*arguments, "gen.py"]) == 0


@pytest.mark.parametrize("name", ["omnilint", "omnilint-confirm"])
def test_pre_commit_runs_the_hook(here: Path, hooks: dict[str, dict[str, Any]], name: str) -> None:
    """The real program, with the manifest's own hook; only the installation is left out, which needs a network."""
    if name == "omnilint-confirm":
        pytest.importorskip("jax", reason="proves the finding")
        Path(".venv").symlink_to(sys.prefix)
    yaml = pytest.importorskip("yaml", reason="writes the settings of pre-commit")
    Path("bin").mkdir()
    Path("bin/omnilint").write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m omnilint "$@"\n')
    Path("bin/omnilint").chmod(0o755)
    hook = {key: hooks[name][key] for key in ("id", "name", "entry", "types_or", "require_serial")}
    settings = {"repos": [{"repo": "local", "hooks": [{**hook, "language": "system"}]}]}
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    Path("a.py").write_text(BRANCH, encoding="utf-8")
    Path("notes.md").write_text("no code\n", encoding="utf-8")
    places = {"PATH": f"{here / 'bin'}{os.pathsep}{os.environ['PATH']}", "PRE_COMMIT_HOME": str(here / "kept")}

    def commit() -> subprocess.CompletedProcess[str]:
        subprocess.run(["git", "add", "a.py", "notes.md", ".pre-commit-config.yaml"], check=True)
        command = [sys.executable, "-m", "pre_commit", "run", "--color", "never"]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **places})

    subprocess.run(["git", "init", "-q"], check=True)
    done = commit()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "a.py:6:8: OMN501" in done.stdout
    assert ("[confirmed by jax" in done.stdout) is (name == "omnilint-confirm")
    Path("a.py").write_text(WRAPPED, encoding="utf-8")
    assert commit().returncode == 0


def test_a_hook_looks_for_the_environment_of_the_project(here: Path) -> None:
    for name in ("hook", ".venv"):
        (here / name / "bin").mkdir(parents=True)
        (here / name / "pyvenv.cfg").touch()
        (here / name / "bin/python").symlink_to(sys.executable)
    active = {"VIRTUAL_ENV": str(here / "hook")}
    assert nearby(["src/a.py"], active).executable == str(here / "hook/bin/python")
    assert nearby(["src/a.py"], {**active, "PRE_COMMIT": "1"}).executable == str(here / ".venv/bin/python")


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="reads the action as GitHub does")
    document: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize("sarif", ["", "out.sarif"])
def test_the_action_runs_its_own_script(here: Path, action: dict[str, Any], sarif: str) -> None:
    script = action["runs"]["steps"][1]["run"]
    program = here / "runner/omnilint/bin/omnilint"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m omnilint "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    Path("a.py").write_text(BRANCH, encoding="utf-8")
    variables = {"PATHS": "a.py", "ARGUMENTS": "--select CONC", "SARIF": sarif}
    places = {"RUNNER_TEMP": str(here / "runner"), "GITHUB_STEP_SUMMARY": str(here / "summary.md")}
    done = subprocess.run(
        ["bash", "-e", "-c", script], capture_output=True, text=True, env={**os.environ, **variables, **places}
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error title=OMN501 traced-branch,file=a.py,line=6,")
    assert "OMN501 traced-branch" in Path("summary.md").read_text(encoding="utf-8")
    assert Path("out.sarif").exists() is bool(sarif)


def test_inputs_of_the_action_never_become_part_of_a_script(action: dict[str, Any]) -> None:
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"
