"""Rules and tables are found in a clone, an editable install and a wheel; a broken page is one line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omnilint import knowledge
from omnilint.model import Hazard, Severity

PAGE = """+++
code = "OMN101"
name = "a-name"
hazard = "SHAPE"
severity = "error"
since = "0.1.0"
summary = "what it is"
+++
# OMN101 a-name
"""


@pytest.fixture
def rules_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty rules folder in place of the real one."""
    (tmp_path / "tables").mkdir()
    clear()
    monkeypatch.setattr(knowledge, "folder", lambda: tmp_path)
    yield tmp_path
    clear()


def clear() -> None:
    for cached in (knowledge.codes, knowledge.rule, knowledge.table, knowledge.hazards):
        cached.cache_clear()


def test_the_folder_is_inside_the_package_in_a_wheel_and_beside_it_in_a_clone() -> None:
    package = Path(knowledge.__file__).resolve().parent
    assert knowledge.folder() in (package / "rules", package.parent / "rules")


def test_a_rule_has_what_its_front_matter_says(rules_folder: Path) -> None:
    (rules_folder / "OMN101.md").write_text(PAGE, encoding="utf-8")
    rule = knowledge.rule("OMN101")
    assert (rule.name, rule.hazard, rule.severity) == ("a-name", Hazard.SHAPE, Severity.ERROR)
    assert (rule.fix, rule.default, rule.references) == ("none", True, ())
    assert rule.page == "# OMN101 a-name\n"


def test_an_unknown_code_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        knowledge.rule("OMN000")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# OMN101\n", id="no front matter"),
        pytest.param(PAGE.replace('name = "a-name"\n', ""), id="a key is missing"),
        pytest.param(PAGE.replace('"SHAPE"', '"SHAPES"'), id="a hazard that doesn't exist"),
        pytest.param(PAGE.replace('"error"', "error"), id="not TOML"),
    ],
)
def test_a_broken_page_says_where_and_what_to_do(rules_folder: Path, text: str) -> None:
    (rules_folder / "OMN101.md").write_text(text, encoding="utf-8")
    with pytest.raises(knowledge.KnowledgeError, match=r"OMN101\.md.*reinstall omnilint"):
        knowledge.rule("OMN101")


def test_codes_are_sorted_and_other_files_are_no_rules(rules_folder: Path) -> None:
    for name in ("OMN202.md", "OMN101.md", "OMN1.md", "README.md", "OMN101.txt"):
        (rules_folder / name).write_text(PAGE, encoding="utf-8")
    assert knowledge.codes() == ("OMN101", "OMN202")


def test_tables_may_be_json_or_toml_and_lose_their_header(rules_folder: Path) -> None:
    (rules_folder / "tables" / "a.json").write_text('{"_source": {"jax": "0.10.2"}, "x": 1}', encoding="utf-8")
    (rules_folder / "tables" / "b.toml").write_text("y = 2\n", encoding="utf-8")
    assert knowledge.table("a") == {"x": 1}
    assert knowledge.table("b") == {"y": 2}


def test_every_hazard_has_its_line() -> None:
    assert list(knowledge.hazards()) == [hazard.value for hazard in Hazard]


def test_a_missing_hazards_file_says_what_to_do(rules_folder: Path) -> None:
    with pytest.raises(knowledge.KnowledgeError, match="reinstall omnilint"):
        knowledge.hazards()
