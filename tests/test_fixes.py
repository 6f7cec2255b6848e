"""Repairs: choosing, making, checking again, writing; what must never change; and what a repair refuses."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omnilint import cli, pipeline
from omnilint.commands.fixing import patch
from omnilint.config import Settings
from omnilint.fixes import repair
from omnilint.fixes.repair import Outcome, Proof, Repairs
from omnilint.fixes.rewrite import Unfixable, edited, write
from omnilint.fixes.text import Span, Text, apply, clash, trimmed
from omnilint.model import Edit, Place, Report, Source

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"
FLAT = HEAD + "@jax.jit\ndef flat(x):\n    return x.reshape(jnp.prod(jnp.array(x.shape)))\n"
HALF = HEAD + (
    "def half(x):\n    return jnp.floor_divide(x.shape[0], 2)\n\n\n@jax.jit\ndef head(x):\n    return x[: half(x)]\n"
)
OLD = "import jax\n\n\ndef double(tree):\n    return jax.tree_map(lambda x: 2 * x, tree)\n"
BRANCH = HEAD + "@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(text: str, *arguments: str) -> int:
    Path("a.py").write_text(text)
    return cli.run(["check", "--no-config", *arguments, "a.py"])


# Exit codes and what is printed


@pytest.mark.parametrize(
    ("text", "arguments", "code", "written"),
    [
        pytest.param(FLAT, ["--fix"], 0, True, id="all is fixed"),
        pytest.param(FLAT, ["--fix", "--exit-non-zero-on-fix"], 1, True, id="told to fail on fixes"),
        pytest.param("x = 1\n", ["--fix", "--exit-non-zero-on-fix"], 0, False, id="nothing to fix"),
        pytest.param(BRANCH, ["--fix"], 1, False, id="nothing can be fixed"),
        pytest.param(HALF, ["--fix"], 1, False, id="unsafe, not asked for"),
        pytest.param(HALF, ["--fix", "--unsafe-fixes"], 0, True, id="unsafe, asked for"),
        pytest.param(HALF, ["--unsafe-fixes"], 1, False, id="asked for without --fix"),
        pytest.param(FLAT, ["--diff"], 1, False, id="a patch"),
        pytest.param(FLAT, ["--diff", "--exit-zero"], 0, False, id="a patch, and no failure"),
        pytest.param(HALF, ["--diff"], 0, False, id="an empty patch though something is found"),
    ],
)
def test_exit_codes_are_those_of_ruff(text: str, arguments: list[str], code: int, written: bool) -> None:
    assert run(text, *arguments) == code
    assert (Path("a.py").read_text() != text) is written


def test_it_tells_what_was_fixed_and_why_the_rest_was_not(capsys: pytest.CaptureFixture[str]) -> None:
    run(FLAT + HALF[len(HEAD) :].replace("head", "tail") + BRANCH[len(HEAD) :], "--fix")
    told = capsys.readouterr().err
    assert "1 finding fixed" in told
    assert "2 not fixed: " in told
    assert "unsafe (--unsafe-fixes)" in told


KEY = "import jax\n\nkey = jax.random.key(0)\n\n\n@jax.jit\ndef f(x):\n    global key\n"
KEY += "    key, k = jax.random.split(key)\n    return x + jax.random.normal(k, x.shape)\n"


@pytest.mark.parametrize(
    "arguments", [["--diff"], ["--fix"], ["--fix", "--unsafe-fixes"], ["--format", "rich"]], ids=" ".join
)
def test_state_is_shown_as_a_diff_and_never_made(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(KEY, *arguments)
    assert Path("a.py").read_text() == KEY
    told = capsys.readouterr()
    if "--fix" in arguments:
        assert "only shown" in told.err
    else:
        assert "+def f(x, key):" in (told.err if "--diff" in arguments else told.out)


def test_a_patch_of_an_absolute_path_applies_at_the_root(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    Path("a.py").write_text(FLAT)
    file = os.path.abspath("a.py")
    os.mkdir("elsewhere")
    monkeypatch.chdir("elsewhere")
    assert cli.run(["check", "--no-config", "--diff", file]) == 1
    head = capfdbinary.readouterr().out.splitlines()[:2]
    assert head == [b"--- a" + file.encode(), b"+++ b" + file.encode()]


def test_json_has_the_repairs(capsys: pytest.CaptureFixture[str]) -> None:
    run(FLAT, "--fix", "--format", "json")
    summary = json.loads(capsys.readouterr().out)["summary"]
    (fixed,) = summary["fixed"]
    assert (fixed["code"], fixed["fix"]["applicability"], fixed["fix"]["verified"]) == ("OMN101", "safe", None)
    assert summary["not_fixed"] == {}


def test_without_fix_the_report_offers_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(FLAT, "--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["findings"][0]["fix"]["edits"]
    assert document["summary"]["fixed"] == []


def test_standard_input_is_answered_on_standard_output(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    raw = b"\xef\xbb\xbf" + FLAT.replace("\n", "\r\n").encode()
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(raw)))
    assert cli.run(["check", "--no-config", "--fix", "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert out == raw.replace(b"jnp.prod(jnp.array(x.shape))", b"math.prod(x.shape)").replace(
        b"import jax\r\n", b"import math\r\n\r\nimport jax\r\n", 1
    )
    assert b"1 finding fixed" in err


def test_standard_input_without_repairs_comes_back_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(BRANCH.encode())))
    assert cli.run(["check", "--no-config", "--fix", "-"]) == 1
    out, err = capfdbinary.readouterr()
    assert out == BRANCH.encode()
    assert b"OMN501" in err


# Files


def test_the_mode_of_a_file_and_a_link_to_it_stay() -> None:
    Path("real.py").write_text(FLAT)
    os.chmod("real.py", 0o751)
    os.symlink("real.py", "a.py")
    write(os.path.abspath("a.py"), b"x = 1\n")
    assert Path("a.py").is_symlink()
    assert Path("real.py").read_bytes() == b"x = 1\n"
    assert stat.S_IMODE(os.stat("real.py").st_mode) == 0o751
    assert sorted(os.listdir(".")) == ["a.py", "real.py"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_cannot_be_written_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(FLAT)
    os.chmod("a.py", 0o444)
    assert cli.run(["check", "--no-config", "--fix", "a.py"]) == 2
    assert "can't be written" in capsys.readouterr().err
    assert Path("a.py").read_text() == FLAT


def source(text: str) -> Source:
    return Source("a.py", text, file=os.path.abspath("a.py"))


def edit(text: str, old: str, new: str) -> Edit:
    at = text.index(old)
    return Text(source(text)).edit(Span(at, at + len(old), new))


@pytest.mark.parametrize(
    ("raw", "text", "new", "why"),
    [
        pytest.param(b"x = 1\n", "x = 1\n", "((", "would not be Python", id="what doesn't parse"),
        pytest.param(b"x = 2\n", "x = 1\n", "y", "has changed", id="a file that changed"),
        pytest.param(b"# coding: ascii\nx = 1\n", "# coding: ascii\nx = 1\n", "ü", "ascii", id="a narrow encoding"),
    ],
)
def test_what_cannot_be_written_is_refused(raw: bytes, text: str, new: str, why: str) -> None:
    with pytest.raises(Unfixable, match=why):
        edited(raw, source(text), [edit(text, "x", new)])


def test_edits_that_overlap_are_refused() -> None:
    text = "abc = 1\n"
    with pytest.raises(Unfixable, match="overlap"):
        edited(text.encode(), source(text), [edit(text, "ab", "x"), edit(text, "bc", "y")])


# The loop


def outcome(text: str, unsafe: bool = False) -> Outcome:
    Path("a.py").write_text(text)

    def check(edited: Mapping[str, bytes]) -> Report:
        return pipeline.check(["a.py"], Settings(), edited=edited)

    return Repairs(check, lambda source: text.encode(), unsafe).run()


def result(text: str, unsafe: bool = False) -> str:
    return outcome(text, unsafe).after.get("a.py", text.encode()).decode()


def test_what_one_repair_makes_possible_the_next_round_does() -> None:
    text = "from jax.ops import index, index_update\n\n\ndef f(x):\n    return index_update(-x, index[0], 1)\n"
    text = text.replace("def f(x):\n", "def f():\n    x = jnp.ones(3)\n").replace(
        "from", "import jax.numpy as jnp\nfrom", 1
    )
    assert result(text) == "import jax.numpy as jnp\n\n\ndef f():\n    x = jnp.ones(3)\n    return (-x).at[0].set(1)\n"


def test_a_repair_that_brings_a_finding_is_left_out() -> None:
    """half() is given a traced value too, where NumPy would fail."""
    text = HALF.replace("x.shape[0]", "x") + "\n\n@jax.jit\ndef tail(x):\n    return half(x) + x[half(x.shape[0]) :]\n"
    out = outcome(text, unsafe=True)
    assert "np.floor_divide" not in out.after.get("a.py", b"").decode()


def test_all_of_a_function_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """One repair of the function gives no Python: the other isn't made either, that of another function is."""
    from omnilint.fixes import registry

    text = HEAD + (
        "@jax.jit\ndef f(x):\n    a = jnp.zeros(jnp.add(x.ndim, 1))\n    b = jnp.zeros(jnp.add(x.ndim, 2))\n"
        "    return a, b\n\n\n@jax.jit\ndef g(x):\n    return jnp.zeros(jnp.add(x.ndim, 3))\n"
    )
    real = registry.fixer("OMN101")
    assert real is not None

    def broken(finding, book):  # type: ignore[no-untyped-def]
        repair = real(finding, book)
        page, span = repair.spans[0]
        if "2)" in page.text.line(finding.place.line):
            return type(repair)(repair.applicability, "", [(page, Span(span.start, span.end, "(("))])
        return repair

    monkeypatch.setattr(registry, "fixer", lambda code: broken)
    out = outcome(text)
    assert out.after["a.py"].decode() == text.replace("jnp.add(x.ndim, 3)", "x.ndim + 3")
    assert next(iter(out.reasons)).startswith("of the same function the repair of OMN101 at line 8 can't be made:")


def test_a_mistake_of_ours_costs_one_repair_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from omnilint.fixes import registry

    def broken(finding, book):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError("oh")

    monkeypatch.delenv("OMNILINT_DEBUG", raising=False)
    monkeypatch.setattr(registry, "fixer", lambda code: broken)
    out = outcome(FLAT)
    assert [f.code for f in out.report.findings] == ["OMN101"]
    assert not out.report.problems
    assert "ZeroDivisionError: oh" in next(iter(out.reasons))


@pytest.mark.parametrize("step", ["edited", "check", "prove"])
def test_a_mistake_while_repairing_costs_one_repair_only(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other function is repaired all the same, and the mistake is told as one of ours."""
    monkeypatch.delenv("OMNILINT_DEBUG", raising=False)
    text = FLAT + FLAT[len(HEAD) :].replace("flat", "flat2").replace("prod", "sum")
    Path("a.py").write_text(text)
    real = repair.edited

    def check(now: Mapping[str, bytes]) -> Report:
        if step == "check" and b"sum(x.shape)" in now.get("a.py", b""):
            raise ZeroDivisionError("oh")
        return pipeline.check(["a.py"], Settings(), edited=now)

    def made(raw: bytes, source: Source, edits: Sequence[Edit]) -> bytes:
        if step == "edited" and any(e.place.line >= 10 for e in edits):
            raise ZeroDivisionError("oh")
        return real(raw, source, edits)

    def prove(findings, report, before, after):  # type: ignore[no-untyped-def]
        if step == "prove" and findings[0].symbol == "flat2":
            raise ZeroDivisionError("oh")
        return Proof(verified=True)

    monkeypatch.setattr(repair, "edited", made)
    out = Repairs(check, lambda source: text.encode(), False, prove).run()
    assert [f.symbol for f in out.fixed] == ["flat"]
    assert "math.prod(x.shape)" in out.after["a.py"].decode()
    assert ["ZeroDivisionError: oh" in p.message and p.kind == "internal" for p in out.defects] == [True]
    assert "ZeroDivisionError: oh" in next(iter(out.reasons))


def test_a_silenced_finding_is_not_repaired() -> None:
    text = FLAT.replace("shape)))\n", "shape)))  # noqa: OMN101\n")
    assert result(text) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            HEAD + "@jax.jit\ndef f(x):\n    n = jnp.prod(jnp.array(x.shape))\n    return jnp.ones(n.at[()].add(1))\n",
            id="an attribute of JAX's arrays",
        ),
        pytest.param(
            HEAD + '@jax.jit\ndef f(x):\n    return {f"{int(jnp.max(jnp.array(x.shape)))}": x}\n', id="in an f-string"
        ),
        pytest.param(
            HEAD + "@jax.jit\ndef f(x):\n    return jnp.ones(jnp.unique(jnp.array(x.shape), size=1)[0])\n",
            id="a keyword of JAX's own",
        ),
        pytest.param(HEAD + "@jax.jit\ndef f(x):\n    return x.tolist()\n", id="an array, which can't be static"),
        pytest.param("import jax\n\nf = getattr(jax, 'tree_map')\n", id="a name in a string"),
        pytest.param("from jax import core\n\nprint(core.unit)\n", id="a name that nothing replaces"),
        pytest.param("import jax.numpy as jnp\n\nprint(jnp.clip(0, **{'a_min': 1}))\n", id="arguments in a mapping"),
    ],
)
def test_these_are_left_to_people(text: str) -> None:
    assert result(text, unsafe=True) == text


# Properties


# Drawn in one piece, what stands before a span, in it and behind it: nothing has to fit what was drawn before.
# An example takes half a millisecond; hypothesis counts seconds of a machine that may do other things at the same time.
PARTS = st.tuples(*[st.text(alphabet="ab\n\r𝛼(", max_size=10)] * 3)
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@unhurried
@given(PARTS, PARTS)
def test_a_trimmed_span_does_the_same(parts: tuple[str, str, str], new: tuple[str, str, str]) -> None:
    text, start = "".join(parts), len(parts[0])
    span = Span(start, start + len(parts[1]), "".join(new))
    assert apply(text, [trimmed(text, span)]) == apply(text, [span])


@unhurried
@given(PARTS)
def test_places_lead_back_to_their_spans(parts: tuple[str, str, str]) -> None:
    text, start = "".join(parts), len(parts[0])
    end = start + len(parts[1])
    shown = Text(Source("a.py", text))
    if not any(text[i - 1 : i + 1] == "\r\n" for i in (start, end)):  # no line begins between the two
        p = shown.place(start, end)
        assert (shown.offset(p.line, p.column), shown.offset(p.end_line, p.end_column)) == (start, end)
        assert shown.of_edit(Edit(Place("a.py", p.line, p.column, p.end_line, p.end_column), "")).start == start


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [
        (Span(0, 2), Span(2, 4), True),
        (Span(0, 3), Span(2, 4), False),
        (Span(2, 2, "x"), Span(2, 2, "x"), True),
        (Span(2, 2, "x"), Span(2, 2, "y"), True),
        (Span(2, 2, "x"), Span(2, 4), True),
        (Span(3, 3, "x"), Span(2, 4), False),
        (Span(1, 4, "x"), Span(1, 4, "x"), True),
    ],
    ids=str,
)
def test_which_spans_clash(a: Span, b: Span, both: bool) -> None:
    assert clash(a, b) is clash(b, a) is (not both)


@pytest.mark.skipif(shutil.which("git") is None, reason="git applies the patch")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"a\rb\rc\r", b"a\rx\rc\r", id="old line ends alone"),
        pytest.param(b"a\nb = '\r'\nc\n", b"a\nb = '\r'\nx\n", id="one inside of a line"),
        pytest.param(b"a\r\nb\r\n", b"a\r\nx\r\n", id="both"),
        pytest.param(b"a\nb", b"x\nb", id="no end of the last line"),
    ],
)
def test_git_applies_the_patch(before: bytes, after: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(before)
    made = b"".join(patch("a.py", before, after))
    done = subprocess.run(["git", "apply", "--whitespace=nowarn"], input=made, cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, (done.stderr, made)
    assert (tmp_path / "a.py").read_bytes() == after
