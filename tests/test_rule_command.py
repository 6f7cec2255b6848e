"""`omnilint rule`: pages and lists for people, JSON for programs, a near match for a slip."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from omnilint import knowledge
from omnilint.cli import run
from omnilint.model import Hazard

Captured = pytest.CaptureFixture[str]


def output(capsys: Captured, *arguments: str) -> str:
    assert run(["rule", *arguments]) == 0
    return capsys.readouterr().out


def test_without_a_code_all_rules_are_listed_under_their_hazards(capsys: Captured) -> None:
    text = output(capsys)
    assert re.findall(r"OMN\d{3}", text) == list(knowledge.codes())
    assert re.findall(r"^([A-Z]+): ", text, re.M) == [hazard.value for hazard in Hazard]


def test_the_list_says_which_rule_is_off_by_default(capsys: Captured) -> None:
    off = [line for line in output(capsys).splitlines() if "(off by default)" in line]
    assert [line.split()[0] for line in off] == [c for c, rule in knowledge.rules().items() if not rule.default]


@pytest.mark.parametrize("word", ["OMN501", "omn501", "traced-branch", " Traced-Branch "])
def test_a_page_is_found_by_code_and_by_name_in_any_case(capsys: Captured, word: str) -> None:
    text = output(capsys, word)
    assert text.startswith("# OMN501 traced-branch\n\nCONC, error, since 0.1.0")
    assert "## Use instead" in text
    assert "https://docs.jax.dev/en/latest/control-flow.html" in text


@pytest.mark.parametrize("code", knowledge.codes())
def test_a_printed_page_keeps_no_words_meant_for_tests(capsys: Captured, code: str) -> None:
    text = output(capsys, code)
    assert not re.search(r"^```\w+ ", text, re.M)
    assert "+++" not in text


def test_cases_are_captioned(capsys: Captured) -> None:
    cases = output(capsys, "OMN501").partition("## Cases")[2]
    assert "Reported, JAX raises TracerBoolConversionError:\n\n```python" in cases
    assert "Left alone:\n\n```python" in cases


@pytest.mark.parametrize(("word", "start"), [("OMN1", "OMN1"), ("omn50", "OMN50"), ("shape", "OMN1"), ("META", "OMN9")])
def test_a_prefix_or_hazard_lists_its_rules(capsys: Captured, word: str, start: str) -> None:
    text = output(capsys, word)
    assert re.findall(r"OMN\d{3}", text) == [code for code in knowledge.codes() if code.startswith(start)]


def test_json_of_one_rule_has_its_metadata_and_page(capsys: Captured) -> None:
    data = json.loads(output(capsys, "OMN404", "--format", "json"))
    rule = knowledge.rule("OMN404")
    assert data["name"] == rule.name
    assert data["default"] is False
    assert data["page"] == rule.page


def test_json_of_all_rules_is_a_list(capsys: Captured) -> None:
    data = json.loads(output(capsys, "--format", "json"))
    assert [entry["code"] for entry in data] == list(knowledge.codes())
    assert all("page" not in entry for entry in data)


@pytest.mark.parametrize(
    ("word", "near"),
    [
        pytest.param("traced-brunch", "traced-branch", id="a name with a slip"),
        pytest.param("OMN510O", "OMN510", id="a code with a slip"),
        pytest.param("SHAP", "SHAPE", id="a hazard with a slip"),
        pytest.param("zzz", "omnilint rule", id="nothing near: says where they are listed"),
    ],
)
def test_an_unknown_rule_is_one_line_with_a_near_match(capsys: Captured, word: str, near: str) -> None:
    assert run(["rule", word]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert near in captured.err


def test_explaining_a_rule_imports_neither_libcst_nor_jax() -> None:
    code = "import sys; from omnilint.cli import run; run(['rule', 'OMN101']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"libcst", "jax", "rich"} & set(done.stderr.split())
