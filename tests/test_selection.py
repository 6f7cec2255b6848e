"""`--select` and `--ignore`: what a word stands for, and which of two words wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnilint import knowledge
from omnilint.config import Settings, override, parse
from omnilint.errors import ConfigError
from omnilint.failing import fails
from omnilint.model import Confidence, Finding, Hazard, Place, Severity, Status, Verdict
from omnilint.selection import HAZARD_OF_DIGIT, prefix_of, selection, split_words
from omnilint.sources.globs import Patterns


@pytest.mark.parametrize(
    ("word", "prefix"),
    [
        ("OMN101", "OMN101"),
        ("omn101", "OMN101"),
        ("OMN5", "OMN5"),
        ("OMN", "OMN"),
        ("ALL", "OMN"),
        ("SHAPE", "OMN1"),
        ("conc", "OMN5"),
        ("shape-maths-as-size", "OMN101"),
    ],
)
def test_words(word: str, prefix: str) -> None:
    assert prefix_of(word, "select") == prefix


@pytest.mark.parametrize(
    ("word", "near"),
    [("OMN105", "OMN"), ("E501", "OMN501"), ("SHAP", "SHAPE"), ("shape-math-as-size", "shape-maths-as-size")],
)
def test_an_unknown_word_is_an_error_with_a_near_match(word: str, near: str) -> None:
    with pytest.raises(ConfigError, match=f"select: .*{word}.*did you mean '{near}"):
        prefix_of(word, "select")


def test_nothing_near_points_to_the_list() -> None:
    with pytest.raises(ConfigError, match="omnilint rule"):
        prefix_of("ZZZ", "ignore")


@pytest.mark.parametrize(
    ("select", "ignore", "code", "reported"),
    [
        ([], [], "OMN101", True),
        ([], ["OMN1"], "OMN101", False),
        (["OMN5"], [], "OMN101", False),
        (["OMN1"], ["OMN101"], "OMN101", False),
        (["OMN101"], ["OMN1"], "OMN101", True),
        (["OMN101"], ["OMN1"], "OMN102", False),
        (["SHAPE", "CONC"], ["SHAPE"], "OMN101", False),
        (["ALL"], ["OMN5"], "OMN501", False),
    ],
    ids=[
        *("by default", "ignored", "not selected", "ignored more specifically", "selected more specifically"),
        *("the rest of the ignored prefix", "a draw", "all but"),
    ],
)
def test_the_more_specific_word_wins(select: list[str], ignore: list[str], code: str, reported: bool) -> None:
    assert selection(Settings(select=tuple(select), ignore=tuple(ignore))).reports(code) is reported


@pytest.mark.parametrize(
    ("file", "asked", "on", "off"),
    [
        ({"ignore": ["OMN101"]}, {"select": ("OMN101",)}, ["OMN101"], ["OMN102", "OMN501"]),
        ({"ignore": ["OMN101"]}, {"select": ("SHAPE",)}, ["OMN101", "OMN102"], ["OMN501"]),
        ({"ignore": ["OMN101"]}, {"select": ("ALL",), "ignore": ("OMN102",)}, ["OMN101", "OMN404"], ["OMN102"]),
        ({"ignore": ["OMN101"]}, {"extend_select": ("OMN1",)}, ["OMN101", "OMN501"], ["OMN404"]),
        ({"ignore": ["OMN101"]}, {"ignore": ("OMN501",)}, ["OMN102"], ["OMN101", "OMN501"]),
        ({"select": ["OMN101"]}, {"ignore": ("OMN1",), "extend_select": ("OMN5",)}, ["OMN501"], ["OMN101", "OMN301"]),
        ({"select": ["OMN101"], "ignore": ["OMN5"]}, {"select": ("OMN5",)}, ["OMN501"], ["OMN101"]),
        ({"select": ["OMN101"]}, {"extend_select": ("OMN501",)}, ["OMN101", "OMN501"], ["OMN102"]),
        ({"extend-select": ["OMN404"]}, {"select": ("OMN5",)}, ["OMN501"], ["OMN404"]),
    ],
    ids=[
        *("asked for by code", "asked for by hazard", "the file's ignore is void", "asked for on top"),
        *("ignored on top", "whole hazards on top", "another selection", "one more", "the file's extension is void"),
    ],
)
def test_the_command_line_ranks_above_the_file(
    file: dict[str, list[str]], asked: dict[str, tuple[str, ...]], on: list[str], off: list[str]
) -> None:
    """As in ruff."""
    chosen = selection(override(parse(file, "/p/omnilint.toml"), asked))
    assert [code for code in (*on, *off) if chosen.reports(code)] == on


def test_a_syntax_error_that_the_file_forgives_stays_forgiven() -> None:
    forgiving = parse({"ignore": ["OMN902"]}, "/p/omnilint.toml")
    assert selection(override(forgiving, {"select": ("OMN101",)})).ignores("OMN902", "/p/a.py")
    assert not selection(override(forgiving, {"select": ("OMN902",)})).ignores("OMN902", "/p/a.py")


@pytest.mark.parametrize(
    ("file", "asked", "said"),
    [
        ({"ignore": ["ALL"]}, {}, r"omnilint.toml: ignore ALL: no rule is left"),
        ({"select": ["OMN101"], "ignore": ["SHAPE", "OMN101"]}, {}, "ignore SHAPE, OMN101: no rule is left"),
        ({}, {"ignore": ("ALL",)}, "--ignore ALL: no rule is left"),
        ({"select": ["OMN101"]}, {"ignore": ("SHAPE",)}, "--ignore SHAPE: no rule is left"),
        ({"ignore": ["ALL"]}, {"ignore": ("SHAPE",)}, "--ignore SHAPE: no rule is left"),
    ],
)
def test_where_no_rule_is_left_nothing_would_be_checked(
    file: dict[str, list[str]], asked: dict[str, tuple[str, ...]], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        selection(override(parse(file, "omnilint.toml"), asked))


def test_a_rule_that_is_off_must_be_asked_for() -> None:
    off = [code for code, rule in knowledge.rules().items() if not rule.default]
    assert off == ["OMN404", "OMN903"]
    assert not selection(Settings()).reports("OMN404")
    for word in ("OMN404", "OMN4", "INTERNAL", "ALL"):
        assert selection(Settings(select=(word,))).reports("OMN404")
        extended = selection(Settings(extend_select=(word,)))
        assert extended.reports("OMN404")
        assert extended.reports("OMN101")


@pytest.mark.parametrize(
    ("file", "reported"),
    [("/p/src/a.py", True), ("/p/src/b/c.py", True), ("/p/tests/a.py", False), ("/p/a.py", False), ("/q/a.py", True)],
)
def test_a_negated_pattern_holds_for_all_files_but_its_own(file: str, reported: bool) -> None:
    settings = parse({"per-file-ignores": {"!src/**": ["OMN5"]}}, "/p/omnilint.toml")
    assert selection(settings).reports("OMN501", file) is reported
    assert selection(settings).reports("OMN101", file)


def test_per_file_ignores_are_relative_to_their_folder() -> None:
    per_file = ((Patterns.of("/p", ["tests/**"]), ("TOL", "OMN101")), (Patterns.of("/p", ["/gen.py"]), ("ALL",)))
    chosen = selection(Settings(select=("OMN101", "OMN3", "OMN5"), per_file_ignores=per_file))
    told = {
        (file, code): chosen.reports(code, file)
        for file in ("/p/tests/a/b.py", "/p/gen.py", "/p/sub/gen.py", "/p/sub/tests/a.py", "/tests/a.py")
        for code in ("OMN101", "OMN301", "OMN501")
    }
    assert [key for key, reported in told.items() if not reported] == [
        *(("/p/tests/a/b.py", "OMN101"), ("/p/tests/a/b.py", "OMN301")),
        *(("/p/gen.py", "OMN101"), ("/p/gen.py", "OMN301"), ("/p/gen.py", "OMN501")),
    ]


def test_the_most_specific_severity_wins() -> None:
    severity = (("SHAPE", Severity.NOTE), ("OMN101", Severity.WARNING), ("traced-branch", Severity.NOTE))
    chosen = selection(Settings(severity=severity))
    assert [chosen.severity(code) for code in ("OMN101", "OMN102", "OMN501", "OMN502")] == [
        *(Severity.WARNING, Severity.NOTE, Severity.NOTE, None),
    ]


def test_an_unknown_word_names_the_file_that_it_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = parse({"per-file-ignores": {"a.py": ["SHAEP"]}}, str(tmp_path / "omnilint.toml"))
    with pytest.raises(ConfigError, match=r"omnilint.toml: per-file-ignores: .*'SHAEP'; did you mean 'SHAPE'"):
        selection(settings)


@pytest.mark.parametrize(
    ("words", "fail"),
    [
        ((), True),
        (("note",), True),
        (("warning",), True),
        (("error",), False),
        (("likely",), True),
        (("certain",), False),
        (("conditional", "warning"), True),
        (("likely", "error"), False),
        (("confirmed",), False),
    ],
    ids=lambda v: "+".join(v) if isinstance(v, tuple) else None,
)
def test_the_bar_for_failing(words: tuple[str, ...], fail: bool) -> None:
    finding = Finding("OMN301", "m", Place("a", 1, 1, 1, 2), Confidence.LIKELY)
    assert fails(finding, Severity.WARNING, words) is fail


def test_confirmed_findings_meet_the_bar_of_proof() -> None:
    verdicts = (Verdict(Status.INCONCLUSIVE), Verdict(Status.CONFIRMED))
    finding = Finding("OMN301", "m", Place("a", 1, 1, 1, 2), verdicts=verdicts)
    assert fails(finding, Severity.WARNING, ("confirmed",))


def test_words_may_be_separated_by_commas() -> None:
    assert split_words(["OMN1,OMN2", "SHAPE", "a, b"]) == ("OMN1", "OMN2", "SHAPE", "a", "b")


def test_codes_and_hazards_agree() -> None:
    assert set(HAZARD_OF_DIGIT.values()) == set(Hazard)
    for code, rule in knowledge.rules().items():
        assert HAZARD_OF_DIGIT[code[3]] is rule.hazard
