"""Which JAX releases the code must run on: what the user writes, and what a project's metadata says."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.api import history
from omnilint.api.project import target_of
from omnilint.api.target import Target, TargetError

NEWEST = history.releases()[-1]


@pytest.mark.parametrize(
    ("text", "versions", "ends"),
    [
        ("0.9", ("0.9",), ("0.9.0", "0.9.0")),
        ("0.10,0.4.30", ("0.4.30", "0.10"), ("0.4.30", "0.10.0")),
        (" v0.4.20 , 0.6.0 ", ("0.4.20", "0.6.0"), ("0.4.20", "0.6.0")),
        ("0.4.32", ("0.4.32",), ("0.4.31", "0.4.31")),
    ],
)
def test_targets(text: str, versions: tuple[str, ...], ends: tuple[str, str]) -> None:
    target = Target.parse(text)
    found = [history.releases()[i] for i in target.indices]
    assert (target.versions, (found[0], found[-1])) == (versions, ends)
    assert str(target) == ",".join(versions)


def test_a_range_holds_what_lies_between() -> None:
    assert [history.releases()[i] for i in Target.parse("0.4.35,0.4.38").indices] == [
        "0.4.35",
        "0.4.36",
        "0.4.37",
        "0.4.38",
    ]


def test_the_default_is_the_newest_release() -> None:
    assert [history.releases()[i] for i in Target.newest().indices] == [NEWEST]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("latest", "'latest' is no JAX version; write one such as 0.9"),
        ("0.4.x", "'0.4.x' is no JAX version"),
        ("", "no JAX version given"),
        ("0.1.2", "JAX 0.1.2 is older than 0.1.60"),
    ],
)
def test_what_is_no_target(text: str, message: str) -> None:
    with pytest.raises(TargetError) as caught:
        Target.parse(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("uv.lock", '[[package]]\nname = "jax"\nversion = "0.4.30"\n', "0.4.30"),
        (
            "poetry.lock",
            '[[package]]\nname = "numpy"\nversion = "1"\n[[package]]\nname = "jax"\nversion = "0.6.0"',
            "0.6.0",
        ),
        ("pylock.toml", '[[packages]]\nname = "jax"\nversion = "0.6.0"\n', "0.6.0"),
        ("requirements.txt", "numpy\njax==0.4.20  # pinned\n", "0.4.20"),
        ("requirements.txt", "jax[cpu]==0.4.20 --hash=sha256:00\n", "0.4.20"),
        ("requirements.txt", 'jax>=0.4.20,<0.6; python_version > "3.8"\n', "0.4.20,0.5.3"),
        ("requirements/base.txt", "jax~=0.4.30", "0.4.30,0.4.38"),
        ("environment.yml", "dependencies:\n  - jax=0.4.30\n", "0.4.30"),
        ("environment.yml", "dependencies:\n  - conda-forge::jax>=0.9\n", f"0.9,{NEWEST}"),
        ("pyproject.toml", '[project]\nname = "x"\ndependencies = ["jax >= 0.4.27", "jaxlib"]\n', f"0.4.27,{NEWEST}"),
        (
            "pyproject.toml",
            '[project]\nname = "x"\n[project.optional-dependencies]\ngpu = ["jax[cuda12]==0.7.0"]\n',
            "0.7.0",
        ),
        ("pyproject.toml", '[dependency-groups]\ndev = ["jax==0.7.0"]\n', "0.7.0"),
        ("pyproject.toml", '[tool.poetry.dependencies]\njax = "^0.4.30"\n', "0.4.30,0.4.38"),
        ("setup.cfg", "[options]\ninstall_requires =\n    jax>0.4.30,<=0.4.33\n", "0.4.31,0.4.33"),
        ("setup.py", "setup(install_requires=['numpy', 'jax>=0.10.1'])", f"0.10.1,{NEWEST}"),
        ("requirements.txt", "jax==0.4.*", "0.4.1,0.4.38"),
    ],
)
def test_a_project_says_which(tmp_path: Path, file: str, text: str, expected: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    target = target_of(tmp_path)
    assert target is not None
    assert (str(target), target.origin) == (expected, path.name)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("requirements.txt", "jaxlib==0.4.20\njaxtyping==0.2\n"),
        ("requirements.txt", "jax\n"),
        ("pyproject.toml", "[project\n"),
        ("pyproject.toml", '[project]\nname = "jax-thing"\nversion = "0.4.1"\n'),
        ("setup.py", "setup(name='jax-md'"),
        ("setup.py", "print('jax is great')"),
    ],
)
def test_a_project_that_says_nothing(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)
    (tmp_path / ".git").mkdir()
    assert target_of(tmp_path) is None


def test_a_lock_file_wins_and_folders_above_are_searched_up_to_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["jax>=0.4.20"]\n')
    (tmp_path / "uv.lock").write_text('[[package]]\nname = "jax"\nversion = "0.8.1"\n')
    inner = tmp_path / "src" / "x"
    inner.mkdir(parents=True)
    assert str(target_of(inner)) == "0.8.1"
    outer = tmp_path / "other"
    outer.mkdir()
    (outer / "pyproject.toml").write_text('[project]\nname = "y"\n')
    assert target_of(outer) is None
