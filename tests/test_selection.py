"""`--select` and `--ignore`: what a word stands for, and which of two words wins."""

from __future__ import annotations

import pytest

from omnilint import knowledge
from omnilint.errors import ConfigError
from omnilint.model import Hazard
from omnilint.selection import HAZARD_OF_DIGIT, prefix_of, selection, split_words


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
        (["SHAPE"], ["SHAPE"], "OMN101", False),
        (["ALL"], ["OMN5"], "OMN501", False),
    ],
    ids=[
        *("by default", "ignored", "not selected", "ignored more specifically", "selected more specifically"),
        *("the rest of the ignored prefix", "a draw", "all but"),
    ],
)
def test_the_more_specific_word_wins(select: list[str], ignore: list[str], code: str, reported: bool) -> None:
    assert selection(select, ignore).reports(code) is reported


def test_a_rule_that_is_off_must_be_asked_for() -> None:
    off = [code for code, rule in knowledge.rules().items() if not rule.default]
    assert off == ["OMN404"]
    assert not selection([], []).reports("OMN404")
    for word in ("OMN404", "OMN4", "INTERNAL", "ALL"):
        assert selection([word], []).reports("OMN404")


def test_words_may_be_separated_by_commas() -> None:
    assert split_words(["OMN1,OMN2", "SHAPE", "a, b"]) == ("OMN1", "OMN2", "SHAPE", "a", "b")


def test_codes_and_hazards_agree() -> None:
    assert set(HAZARD_OF_DIGIT.values()) == set(Hazard)
    for code, rule in knowledge.rules().items():
        assert HAZARD_OF_DIGIT[code[3]] is rule.hazard
