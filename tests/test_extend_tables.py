"""A team's own transforms and functions: they count like ours, and mistakes in them are said clearly."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint.cli import run

TABLES = """
[[transform]]
names = ["corp.accelerate"]
kind = "jit"
params = ["fun"]
functions = ["fun"]
statics = ["static_argnames"]
factory = true

[[function]]
names = ["corp.tile"]
params = ["x", "sizes"]
static = { sizes = "TypeError" }
"""
USER = """import corp
import jax.numpy as jnp


@corp.accelerate
def relu(x):
    if x > 0:
        return x
    return -x


@corp.accelerate(static_argnames=("n",))
def fine(x, n):
    return corp.tile(x, n) if n > 2 else x


@corp.accelerate
def sized(x, n):
    return corp.tile(x, n)
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("omnilint.toml").write_text('extend-tables = ["corp.toml"]\n')
    Path("corp.toml").write_text(TABLES)


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    run(["check", "-q", *arguments, "."])
    return [line.split(" ")[0] + " " + line.split(" ")[1] for line in capsys.readouterr().out.splitlines()]


def test_own_transforms_and_static_arguments_count(capsys: pytest.CaptureFixture[str]) -> None:
    Path("user.py").write_text(USER)
    assert found(capsys) == ["user.py:7:8: OMN501", "user.py:19:12: OMN503"]
    assert found(capsys, "--no-config") == []
    assert found(capsys) == ["user.py:7:8: OMN501", "user.py:19:12: OMN503"], "from the cache"


def test_what_the_table_says_stands_for_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    Path("user.py").write_text(USER)
    Path("corp.py").write_text("def accelerate(fun):\n    return load(fun)\n\ndef tile(x, sizes):\n    return x\n")
    assert "user.py:7:8: OMN501" in found(capsys)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("[[transfrom]]\n", "there is no table 'transfrom'; did you mean 'transform'?", id="table"),
        pytest.param("[transform]\nkind = 'jit'\n", "write [[transform]]", id="one bracket"),
        pytest.param("[[transform]]\nkinds = 'jit'\n", "transform 1: there is no key 'kinds'; did you mean", id="key"),
        pytest.param("[[transform]]\nkind = 3\n", "transform 1: kind: expected a string, got 3", id="type"),
        pytest.param("[[transform]]\nkind = 'jit'\n", "transform 1: names is missing", id="missing"),
        pytest.param(TABLES.replace('"jit"', '"jti"'), "kind: 'jti' is none of them; did you mean", id="kind"),
        pytest.param(TABLES.replace('functions = ["fun"]', 'functions = ["f"]'), "'f' is none", id="function"),
        pytest.param(TABLES.replace("corp.tile", "tile"), "function 1: 'tile' is no dotted name", id="name"),
        pytest.param(TABLES.replace("sizes =", "size ="), "function 1: static: 'size' is none of them", id="parameter"),
        pytest.param("[[", "corp.toml: not valid TOML", id="TOML"),
    ],
)
def test_mistakes_are_said(capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    Path("corp.toml").write_text(text)
    Path("user.py").write_text("x = 1\n")
    assert run(["check", "."]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_missing_file_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("corp.toml").unlink()
    Path("user.py").write_text("x = 1\n")
    assert run(["check", "."]) == 2
    assert "corp.toml: no such file" in capsys.readouterr().err
