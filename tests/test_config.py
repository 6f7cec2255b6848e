"""`[tool.omnilint]`: where it is found, what it may say, and how the command line overrides it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from omnilint.config import KEYS, Settings, load, override, parse
from omnilint.errors import ConfigError, did_you_mean


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_config(folder: Path, body: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(f"[tool.omnilint]\n{body}\n", encoding="utf-8")


def test_no_file_gives_the_defaults(here: Path) -> None:
    (here / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert load(["."]) == Settings()


def test_every_key_is_read(here: Path) -> None:
    write_config(
        here,
        'select = ["OMN1"]\nignore = ["OMN3"]\nexclude = ["gen"]\ntraced = ["dist/**"]\n'
        'target-jax = "0.9"\npython = ["python3.12", ".venv/bin/python"]',
    )
    settings = load(["."])
    assert settings.select == ("OMN1",)
    assert settings.ignore == ("OMN3",)
    assert settings.target_jax == "0.9"
    assert settings.python == ("python3.12", str(here / ".venv/bin/python"))
    assert settings.exclude[0].match(str(here / "gen/a.py"))
    assert settings.traced[0].match(str(here / "dist/x/a.py"))
    assert settings.file == str(here / "pyproject.toml")


def test_the_nearest_file_with_our_table_wins(here: Path) -> None:
    write_config(here, 'select = ["OMN1"]')
    write_config(here / "a/b", 'select = ["OMN2"]')
    (here / "a/b/c").mkdir()
    (here / "a/b/c/pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    assert load(["a/b/c/x.py"]).select == ("OMN2",)
    assert load(["a"]).select == ("OMN1",)
    assert load(["-"]).select == ("OMN1",)


def test_patterns_are_relative_to_the_file_they_stand_in(here: Path) -> None:
    write_config(here / "pkg", 'exclude = ["/gen"]')
    os.chdir(here / "pkg/..")
    settings = override(load(["pkg"]), {"exclude": ["/gen"]})
    matches = [
        any(p.match(str(here / f)) for p in settings.exclude) for f in ("pkg/gen/a.py", "gen/a.py", "x/gen/a.py")
    ]
    assert matches == [True, True, False]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('selct = ["OMN1"]', "no key 'selct'; did you mean 'select'?"),
        ("colour = true", "no key 'colour'; there are select, ignore"),
        ('select = "OMN1"', "select: expected a list of strings, got 'OMN1'"),
        ("select = [1]", "select: expected a list of strings, got [1]"),
        ("target-jax = 0.9", "target-jax: expected a string, got 0.9"),
        ("target_jax = '0.9'", "no key 'target_jax'; did you mean 'target-jax'?"),
    ],
)
def test_what_cannot_be_used_is_an_error_that_names_the_file(here: Path, body: str, words: str) -> None:
    write_config(here, body)
    with pytest.raises(ConfigError) as error:
        load(["."])
    assert str(error.value).startswith("pyproject.toml: ")
    assert words in str(error.value)


def test_broken_toml_is_an_error_only_if_it_is_about_us(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool.omnilint\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load(["."])
    (here / "pyproject.toml").write_text("[tool.other\n", encoding="utf-8")
    assert load(["."]) == Settings()


def test_our_table_must_be_a_table(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool]\nomnilint = 3\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="must be a table"):
        load(["."])


def test_the_command_line_replaces_codes_and_adds_patterns(here: Path) -> None:
    settings = parse({"select": ["OMN1"], "exclude": ["a"], "target-jax": "0.9"}, str(here / "pyproject.toml"))
    given = {"select": ("OMN2",), "ignore": None, "exclude": ("b",), "traced": (), "target_jax": None, "python": None}
    merged = override(settings, given)
    assert merged.select == ("OMN2",)
    assert merged.target_jax == "0.9"
    assert [len(merged.exclude), len(merged.traced)] == [2, 0]


def test_every_key_fills_a_field_of_settings() -> None:
    assert {key.field for key in KEYS} <= set(Settings.__dataclass_fields__)


def test_did_you_mean() -> None:
    assert did_you_mean("selekt", ["select", "ignore"]) == "did you mean 'select'?"
    assert did_you_mean("zzz", ["select", "ignore"]) == "there are select, ignore"
    assert did_you_mean("zzz", ["select"], otherwise="see help") == "see help"
