"""What the README promises exists: its commands, options, configuration, codes and links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from omnilint import knowledge
from omnilint.cli import COMMANDS, run
from omnilint.model import Confidence, Hazard, Status

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_two_commands_set_everything_up() -> None:
    check, test = re.findall(r"^python3 -m venv .*$", README, re.M)
    assert "omnilint check --confirm fixtures/seed" in check
    assert test.endswith("python -m pytest -n auto")


def test_every_command_of_the_program_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `omnilint (\w+)", README, re.M)) == set(COMMANDS)


def test_every_hazard_is_in_the_table_with_its_codes() -> None:
    rows = dict(re.findall(r"^\| ([A-Z]+) \| (OMN\d)xx \|", README, re.M))
    assert list(rows) == [hazard.value for hazard in Hazard]
    assert all(
        rule.hazard == hazard for hazard, code in rows.items() for c, rule in knowledge.rules().items() if code in c
    )


def test_every_code_and_name_that_is_mentioned_exists() -> None:
    assert set(re.findall(r"OMN\d{3}", README)) <= set(knowledge.codes())


@pytest.mark.parametrize("word", [w.value for w in (*Confidence, *Status)])
def test_every_confidence_and_verdict_is_explained(word: str) -> None:
    assert f"**{word}**" in README


def test_the_options_are_those_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    assert run(["check", "--help"]) == 0
    assert run(["staging", "--help"]) == 0
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    prose = re.sub(r"^```.*?^```", "", README, flags=re.M | re.S)
    ours = [line for line in re.findall(r"`([^`\n]+)`", prose) if not line.startswith("pytest ")]
    shown = {option for line in ours for option in re.findall(r"(?<!\S)--[a-z-]+", line)}
    assert shown
    assert shown <= known


def test_the_configuration_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", README, re.M | re.S)
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert run(["config", str(tmp_path)]) == 0
    assert 'select = ["SHAPE", "CONC", "OMN201"]' in capsys.readouterr().out


def test_links_to_files_lead_somewhere() -> None:
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (ROOT / target).exists(), f"{document}: {target}"


def test_folders_that_the_contributors_guide_explains_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path in re.findall(r"^\| `([a-z_/]+(?:\.py)?)` \|", text, re.M):
        assert (ROOT / path).exists(), path
