"""The pytest plugin, in a pytest process of its own."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n"
CLEAN = "def test_ok():\n    assert True\n"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    installed = any(e.name == "omnilint" for e in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "omnilint.integrations.pytest"]
    command = [sys.executable, "-m", "pytest", *plugin, "-p", "no:cacheprovider", "--rootdir", str(folder), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_file_is_a_test(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(BRANCH)
    (tmp_path / "test_ok.py").write_text(CLEAN)
    done = run(tmp_path, "--omnilint", "-v")
    assert done.returncode == 1, done.stderr
    assert "lib.py:6:8: OMN501" in done.stdout
    assert "Traceback" not in done.stdout
    assert "test_ok.py::omnilint PASSED" in done.stdout
    assert "1 failed, 2 passed" in done.stdout


def test_a_cause_in_another_file_counts(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text("def relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n")
    (tmp_path / "use.py").write_text("import jax\nimport lib\n\nf = jax.jit(lib.relu)\n")
    done = run(tmp_path, "--omnilint", "-m", "omnilint")
    assert "1 failed, 1 passed" in done.stdout
    assert "lib.py:2:8: OMN501" in done.stdout


def test_what_can_not_be_read_fails(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n")
    done = run(tmp_path, "--omnilint")
    assert done.returncode == 1
    assert "broken.py:1:7: syntax error" in done.stdout


def test_settings_hold(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(BRANCH)
    (tmp_path / "omnilint.toml").write_text('ignore = ["OMN501"]\n')
    assert "1 passed" in run(tmp_path, "--omnilint").stdout


def test_what_settings_leave_out_is_skipped_and_what_they_let_pass_passes(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(BRANCH)
    (tmp_path / "gen.py").write_text(BRANCH)
    (tmp_path / "omnilint.toml").write_text('exclude = ["gen.py"]\nseverity = {OMN501 = "note"}\nfail-on = "error"\n')
    done = run(tmp_path, "--omnilint", "-rs")
    assert "1 passed, 1 skipped" in done.stdout
    assert "excluded by the settings" in done.stdout


def test_a_bar_of_verdicts_lets_nothing_pass_where_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(BRANCH)
    (tmp_path / "omnilint.toml").write_text('fail-on = "confirmed"\n')
    assert "1 failed" in run(tmp_path, "--omnilint").stdout


def test_without_the_option_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(BRANCH)
    (tmp_path / "test_ok.py").write_text(CLEAN)
    assert "1 passed" in run(tmp_path).stdout


def test_jax_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(BRANCH)
    (tmp_path / "conftest.py").write_text(
        "import sys\ndef pytest_sessionfinish():\n    print('JAX', 'jax' in sys.modules)\n"
    )
    assert "JAX False" in run(tmp_path, "--omnilint", "-s").stdout


@pytest.mark.parametrize("text", ["select = ['NOPE']\n", "nope = 1\n"], ids=["a rule", "a key"])
def test_a_wrong_setting_is_no_green_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "lib.py").write_text("x = 1\n")
    (tmp_path / "omnilint.toml").write_text(text)
    done = run(tmp_path, "--omnilint")
    assert done.returncode == 1
    assert "NOPE" in done.stdout or "nope" in done.stdout
