"""Pins of JAX that are written in rarer ways, and what is said of those that nobody can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint import cli
from omnilint.api import history
from omnilint.api.project import metadata_files, target_of
from omnilint.api.target import Target, TargetError

NEWEST = history.releases()[-1]


def check(folder: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> str:
    """The summary of a run in a project with these files."""
    for name, text in {".git/HEAD": "", "case.py": "import jax\n", **files}.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    cli.run(["check", str(folder / "case.py")])
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "text", "target"),
    [
        ("requirements.txt", "jax==0.4.30+cuda12\n", "0.4.30+cuda12"),
        ("requirements.txt", "jax==0.7.0.dev20250601\n", "0.7.0.dev20250601"),
        ("requirements.txt", "jax==0.7.0rc1\n", "0.7.0rc1"),
        ("requirements.txt", "jax [cpu]==0.4.30\n", "0.4.30"),
        ("requirements.txt", "jax [cpu] == 0.4.30 ; python_version > '3.8'\n", "0.4.30"),
        ("requirements.txt", "jax @ git+https://github.com/jax-ml/jax@jax-v0.4.30\n", "0.4.30"),
        ("requirements.txt", "jax[cpu] @ git+https://github.com/google/jax.git@jax-v0.4.30#egg=jax\n", "0.4.30"),
        ("requirements.txt", "git+https://github.com/jax-ml/jax@jax-v0.4.30\n", "0.4.30"),
        ("requirements.txt", "-e git+https://github.com/jax-ml/jax@jax-v0.4.30#egg=jax\n", "0.4.30"),
        ("requirements.txt", "https://x.example/y/jax-0.4.30-py3-none-any.whl\n", "0.4.30"),
        ("pyproject.toml", '[project]\ndependencies = ["jax @ git+https://x.example/jax@jax-v0.4.30"]\n', "0.4.30"),
        ("pyproject.toml", '[tool.poetry.dependencies]\njax = {git = "https://x/jax", tag = "jax-v0.4.30"}', "0.4.30"),
        ("pyproject.toml", '[tool.uv.sources]\njax = {git = "https://x/jax", tag = "jax-v0.4.30"}\n', "0.4.30"),
        ("environment.yml", "dependencies:\n  - pip:\n    - jax [cpu]==0.4.30\n", "0.4.30"),
    ],
)  # fmt: skip
def test_pins(tmp_path: Path, file: str, text: str, target: str) -> None:
    (tmp_path / file).write_text(text)
    found = target_of(tmp_path)
    assert found is not None
    assert str(found) == target
    assert len(found.indices) == 1


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": '[tool.setuptools.dynamic]\ndependencies = {file = ["deps/base.in"]}\n'},
        {"pyproject.toml": '[tool.setuptools.dynamic]\ndependencies = {file = "deps/base.in"}\n'},
        {"pyproject.toml": '[tool.setuptools.dynamic.optional-dependencies]\ngpu = {file = ["deps/base.in"]}\n'},
        {"setup.cfg": "[options]\ninstall_requires = file: deps/base.in\n"},
    ],
)
def test_requirements_that_setuptools_takes_from_a_file(tmp_path: Path, files: dict[str, str]) -> None:
    (tmp_path / "deps").mkdir()
    (tmp_path / "deps" / "base.in").write_text("-r more.in\n")
    (tmp_path / "deps" / "more.in").write_text("jax==0.4.30\n")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert str(target_of(tmp_path)) == "0.4.30"
    assert {"base.in", "more.in"} <= {p.name for p in metadata_files([tmp_path])}


@pytest.mark.parametrize(
    ("files", "told"),
    [
        pytest.param(
            {"requirements.txt": "jax @ git+https://github.com/jax-ml/jax@main\n"},
            "requirements.txt: `jax @ git+https://github.com/jax-ml/jax@main` isn't understood",
            id="a branch",
        ),
        pytest.param(
            {"requirements.txt": "jax @ git+https://github.com/jax-ml/jax@3f1c2a9\n"},
            "requirements.txt: `jax @ git+https://github.com/jax-ml/jax@3f1c2a9` isn't understood",
            id="a hash",
        ),
        *(
            pytest.param(
                {"pyproject.toml": f'[{table}]\njax = {{git = "https://github.com/jax-ml/jax", {key} = "3f1c2a9"}}\n'},
                f"pyproject.toml: `jax @ {key} 3f1c2a9` isn't understood",
                id=f"{key} in {table}",
            )
            for table in ("tool.uv.sources", "tool.poetry.dependencies")
            for key in ("rev", "branch")
        ),
        pytest.param(
            {"requirements.txt": "jax==latest\n"}, "requirements.txt: `jax==latest` isn't understood", id="a word"
        ),
        pytest.param(
            {"requirements.txt": "jax=0.4.30\n"}, "requirements.txt: `jax=0.4.30` isn't understood", id="one ="
        ),
        pytest.param(
            {"requirements.txt": "jax>=0.6,<0.5\n"}, "requirements.txt: `jax>=0.6,<0.5` lets no release in", id="empty"
        ),
    ],
)
def test_what_is_not_understood_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], told: str
) -> None:
    text = check(tmp_path, files, capsys)
    assert f"for JAX {NEWEST} (the newest release known) (passed over: {told})" in text


def test_files_that_disagree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"requirements.txt": "jax==0.4.30\n", "environment.yml": "dependencies:\n  - jax=0.6.0\n"}
    text = check(tmp_path, files, capsys)
    assert "for JAX 0.4.30 (requirements.txt) (passed over: environment.yml says 0.6.0 instead)" in text


def test_files_of_which_one_says_more_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"requirements.txt": "jax==0.4.30\n", "pyproject.toml": '[project]\ndependencies = ["jax>=0.4.20"]\n'}
    assert "passed over" not in check(tmp_path, files, capsys)


@pytest.mark.parametrize(
    "line",
    [
        "jax\n",
        "jaxlib==latest\n",
        "jaxtyping==0.2\n",
        "# jax==latest\n",
        "jax # any\n",
        "jax (the library)\n",
        "jax 2 is out\n",
    ],
)
def test_what_says_nothing_needs_no_word(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    assert "passed over" not in check(tmp_path, {"requirements.txt": line}, capsys)


@pytest.mark.parametrize("text", ["١.٢", "0.٤", "0.4.30 0.5", "0.4.30+", "0.4.x"])
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(TargetError):
        Target.parse(text)
