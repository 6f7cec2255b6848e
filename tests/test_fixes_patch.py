"""The patch of `--diff` is one that `git apply` and `patch -p1` take, wherever it was asked for."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from omnilint import cli

FLAT = (
    "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef flat(x):\n"
    "    return x.reshape(jnp.prod(jnp.array(x.shape)))\n"
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a file at its top and two below; the run is in a folder of it."""
    monkeypatch.setenv("OMNILINT_NO_CACHE", "1")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name in ("a.py", "pkg/b.py", "pkg/sub/c.py", "other/d.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(FLAT)
    monkeypatch.chdir(tmp_path / "pkg")
    return tmp_path


@pytest.mark.parametrize("how", ["git", "patch"])
@pytest.mark.parametrize(
    ("given", "base", "names"),
    [
        pytest.param(["."], None, ["b.py", "sub/c.py"], id="below the folder"),
        pytest.param(["../a.py"], "..", ["a.py"], id="above it"),
        pytest.param(["../other/d.py", "b.py"], "..", ["other/d.py", "pkg/b.py"], id="beside it, and in it"),
        pytest.param(["{tree}/other", "b.py"], "/", ["{tree}/other/d.py", "{tree}/pkg/b.py"], id="by an absolute path"),
        pytest.param(["{tree}/pkg/sub"], None, ["sub/c.py"], id="below it, by an absolute path"),
    ],
)
def test_the_patch_is_taken_where_it_was_asked_for(
    given: Sequence[str],
    base: str | None,
    names: Sequence[str],
    how: str,
    tree: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    if shutil.which(how) is None:
        pytest.skip(f"{how} isn't installed")
    assert cli.run(["check", "--diff", "--no-config", *(g.format(tree=tree) for g in given)]) == 1
    made, told = capfdbinary.readouterr()
    names = [n.format(tree=str(tree).lstrip("/")) for n in names]
    assert sorted(re.findall(r"^\+\+\+ b/(.*)$", made.decode(), re.MULTILINE)) == names
    hint = re.search(rb"the patch's paths count from (\S+): (.*), or (.*)\n", told)
    assert (hint[1].decode() if hint else None) == base
    commands = [c.decode() for c in hint.groups()[1:]] if hint else ["git apply", "patch -p1"]
    subprocess.run(shlex.split(commands[how == "patch"]), input=made, check=True)
    folder = Path(base or ".")
    assert all("math.prod(x.shape)" in (folder / name).read_text() for name in names)


@pytest.mark.parametrize("how", ["git", "patch"])
def test_a_name_with_a_space_is_taken_too(how: str, tree: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    if shutil.which(how) is None:
        pytest.skip(f"{how} isn't installed")
    Path("b c.py").write_text(FLAT)
    assert cli.run(["check", "--diff", "--no-config", "b c.py"]) == 1
    made = capfdbinary.readouterr().out
    subprocess.run(shlex.split("git apply" if how == "git" else "patch -p1"), input=made, check=True)
    assert "math.prod(x.shape)" in Path("b c.py").read_text()
