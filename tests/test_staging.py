"""`omnilint staging`: both pictures of the guide, arguments given and found, and one line for each mistake."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from omnilint.cli import run
from omnilint.commands.staging import command
from omnilint.confirm import ConfirmError
from omnilint.confirm.specs import parse, show

PICTURES = """
import functools

import jax
import jax.numpy as jnp
from jax import lax


def scale(x):
    y = jnp.add(1, 1)
    return x * y


@jax.jit
def lower(x):
    rows, cols = x.shape
    mask = jnp.arange(rows)[:, None] > jnp.arange(cols)
    return lax.select(mask, x, jnp.zeros_like(x))


def flatten(x):
    size = jnp.prod(jnp.array(x.shape))
    return x.reshape((size,))


@functools.partial(jax.jit, static_argnames="n")
def pad(x, n):
    return jnp.concatenate([x, jnp.zeros(n)])


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def apply(self, x):
        return self.factor * x


def outer():
    def inner(x):
        return x
    return inner


async def later(x):
    return x


def broken(x):
    raise ValueError("mine")


KEY = 1
SEEN = []


def rebinds(x):
    global KEY
    KEY = KEY + jnp.sum(jnp.arange(3))
    SEEN.append(KEY)
    return x * KEY


def loops(x):
    def body(c, v):
        steps = jnp.arange(3) * 2
        return c + (v * steps).sum(), v

    return lax.scan(body, 0.0, x)


def waits(x):
    limit = jnp.ones(3) + 1
    return lax.while_loop(lambda v: v.sum() < jnp.sqrt(100.0), lambda v: v * limit * jnp.exp(1.0), x)


def typed(x: "Float[Array, 'n 3']"):
    return x.sum(0)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pictures.py"
    path.write_text(PICTURES)
    return path


def drawn(*arguments: str) -> Result:
    pytest.importorskip("jax", reason="staging traces the function under JAX")
    result = CliRunner().invoke(command, [*arguments, "--python", sys.executable], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def as_json(*arguments: str) -> dict:  # type: ignore[type-arg]
    data = json.loads(drawn(*arguments, "--format", "json").stdout)
    assert isinstance(data, dict)
    return data


def folded(side: dict) -> list[str]:  # type: ignore[type-arg]
    """The primitives that are marked as folded before."""
    marked = [line["text"] for line in side["jaxpr"] if line["folded_before"]]
    return [line.partition(" = ")[2].partition("[")[0].split()[0] for line in marked]


def text(side: dict) -> str:  # type: ignore[type-arg]
    return "\n".join(line["text"] for line in side["jaxpr"])


def test_picture_one_add_then_multiply_against_multiply_by_two(file: Path) -> None:
    data = as_json(f"{file}::scale", "--input", "i32[]")
    today, before = data["today"], data["before"]
    assert folded(today) == ["add"]
    assert "stablehlo.add" in today["stablehlo"]
    assert "stablehlo.multiply" in today["stablehlo"]
    assert "stablehlo.add" not in before["stablehlo"]
    assert "dense<2>" in before["stablehlo"]
    assert today["operations"] == before["operations"] + 1
    assert before["constants"][0]["value"] == "2"
    assert folded(before) == []


def test_picture_two_a_mask_computed_against_a_constant(file: Path) -> None:
    data = as_json(f"{file}::lower", "--input", "i32[3,4]")
    today, before = data["today"], data["before"]
    assert {"iota", "broadcast_in_dim", "gt"} <= set(folded(today))
    assert "select_n" not in folded(today)
    assert "iota" in today["hlo"]
    assert "compare" in today["hlo"]
    assert "pred[3,4]{1,0} constant(" in before["hlo"]
    assert "iota" not in before["hlo"]
    mask = before["constants"][0]
    assert (mask["dtype"], mask["shape"], mask["bytes"]) == ("bool", [3, 4], 12)
    assert before["operations"] == 1
    assert today["operations"] > 5
    assert before["constant_bytes"] > today["constant_bytes"]


def test_what_needs_no_input_inside_of_loops_is_marked_there(file: Path) -> None:
    today = as_json(f"{file}::loops", "--input", "f32[4]")["today"]
    assert folded(today) == ["iota", "mul"]
    assert today["foldable"] == 2
    today = as_json(f"{file}::waits", "--input", "f32[3]")["today"]
    assert {"broadcast_in_dim", "add", "sqrt", "exp"} <= set(folded(today))
    assert "lt" not in folded(today)
    assert "while" not in folded(today)


def test_a_function_that_rebinds_a_global_is_drawn_twice_from_the_same_start(file: Path) -> None:
    data = as_json(f"{file}::rebinds", "--input", "i32[]")
    assert data["before"]["error"] is None
    assert data["before"]["constants"][0]["value"] == "4"
    assert {"iota", "add"} <= set(folded(data["today"]))
    assert "mul" not in folded(data["today"])


def test_the_plain_form_marks_what_was_folded(file: Path) -> None:
    lines = drawn(f"{file}::lower", "--input", "i32[3,4]", "--show", "jaxpr").stdout.splitlines()
    assert lines[0].startswith("lower(x=i32[3,4])   jax ")
    assert any(line.startswith("* ") and "iota" in line for line in lines)
    assert any("of today's operations used to be folded" in line for line in lines)
    assert any("constant a: bool[3,4]" in line for line in lines)
    assert not any("HloModule" in line for line in lines)


def test_what_fails_today_and_worked_before_says_so(file: Path) -> None:
    data = as_json(f"{file}::flatten", "--input", "f32[2,3]")
    assert data["today"]["error"].startswith("TypeError")
    assert data["before"]["error"] is None
    assert "reshape" in text(data["before"])


@pytest.mark.parametrize(
    ("function", "given", "call"),
    [
        pytest.param("pad", ["f32[2]", "n=4"], "pad(x=f32[2], n=4)", id="a static argument by name"),
        pytest.param("pad", ["f32[2]", "4"], "pad(x=f32[2], n=4)", id="a static argument by place"),
        pytest.param("pad", [], "pad(x=f32[3], n=3)", id="arguments found, the static one too"),
        pytest.param("Scaler.apply", ["f32[5]"], "Scaler.apply(x=f32[5])", id="a method"),
        pytest.param("typed", [], "typed(x=f32[5,3])", id="jaxtyping in a string"),
    ],
)
def test_arguments(file: Path, function: str, given: list[str], call: str) -> None:
    options = [word for text in given for word in ("--input", text)]
    assert as_json(f"{file}::{function}", *options)["call"] == call


@pytest.mark.parametrize(
    ("what", "given", "words"),
    [
        pytest.param("{file}", [], "write FILE.py::FUNCTION", id="no function"),
        pytest.param("nowhere.py::f", [], "no such file", id="no file"),
        pytest.param("{folder}::f", [], "is a folder", id="a folder"),
        pytest.param("{file}::scal", [], "did you mean 'scale'", id="a near miss"),
        pytest.param("{file}::Scaler", [], "is a class", id="a class"),
        pytest.param("{file}::outer.inner", [], "defined inside another function", id="nested"),
        pytest.param("{file}::later", [], "async", id="async"),
        pytest.param("{file}::scale", ["f32[3", "f32[]"], "write an array as", id="not a spec"),
        pytest.param("{file}::scale", ["q8[3]"], "'q8' is not a dtype", id="not a dtype"),
        pytest.param("{file}::scale", ["f32[]", "f32[]"], "takes 1 positional", id="one too many"),
        pytest.param("{file}::scale", ["y=f32[]"], "no parameter 'y'", id="an unknown name"),
        pytest.param("{file}::scale", ["x=f32[]", "x=f32[]"], "given twice", id="twice"),
        pytest.param("{syntax}::f", [], "syntax error", id="not Python"),
    ],
)
def test_a_mistake_is_one_line(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str, given: list[str], words: str
) -> None:
    syntax = tmp_path / "syntax.py"
    syntax.write_text("def f(:\n")
    named = what.format(file=file, folder=tmp_path, syntax=syntax)
    options = [word for text in given for word in ("--input", text)]
    assert run(["staging", named, *options, "--python", sys.executable]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert captured.out == ""


def test_a_function_that_always_fails_is_one_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jax", reason="staging traces the function under JAX")
    assert run(["staging", f"{file}::broken", "--python", sys.executable]) == 2
    error = capsys.readouterr().err.strip()
    assert "cannot be traced: ValueError at line" in error
    assert "mine" in error
    assert len(error.splitlines()) == 1


def test_it_runs_where_the_file_lies_in_a_package(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "helper.py").write_text("def twice(x):\n    return x * 2\n")
    (package / "main.py").write_text("from .helper import twice\n\n\ndef f(x):\n    return twice(x)\n")
    data = as_json(f"{os.path.relpath(package / 'main.py')}::f", "--input", "f32[]")
    assert " = mul " in text(data["today"])


@pytest.mark.parametrize(
    ("text", "name", "shown"),
    [
        ("f32[3,4]", None, "f32[3,4]"),
        (" i32[] ", None, "i32[]"),
        ("float16[2]", None, "f16[2]"),
        ("pred[2]", None, "bool[2]"),
        ("key", None, "key"),
        ("n=4", "n", "4"),
        ("mode='same'", "mode", "'same'"),
        ("x = bf16[1]", "x", "bf16[1]"),
        ("(2, 3)", None, "(2, 3)"),
        ("None", None, "None"),
    ],
)
def test_specs(text: str, name: str | None, shown: str) -> None:
    found, spec = parse(text)
    assert (found, show(spec)) == (name, shown)


@pytest.mark.parametrize("text", ["", "f32", "f32[a]", "x=", "open('x')", "1 +"])
def test_what_is_no_spec(text: str) -> None:
    with pytest.raises(ConfirmError, match="--input"):
        parse(text)
