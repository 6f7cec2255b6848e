"""`[tool.omnilint]`: where it is found, what it may say, and how the command line overrides it."""

from __future__ import annotations

import os
from pathlib import Path

import jsonschema
import pytest

from omnilint.config import KEYS, Settings, load, override, parse
from omnilint.config.keys import schema
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
        ('selct = ["OMN1"]', "there is no key 'selct'; did you mean 'select'?"),
        ("colour = true", "there is no key 'colour'; there are select, extend-select, ignore"),
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


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("omnilint.toml", "[tool.omnilint]\nselect = ['OMN1']\n", "the keys stand here without [tool.omnilint]"),
        ("omnilint.toml", "[omnilint]\nselect = ['OMN1']\n", "the keys stand here without [omnilint]"),
    ],
)
def test_a_heading_of_the_other_kind_of_file_is_explained(here: Path, name: str, body: str, words: str) -> None:
    (here / name).write_text(body, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load(["."])
    assert words in str(error.value)


def test_our_table_must_be_a_table(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool]\nomnilint = 3\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="must be a table"):
        load(["."])


def test_the_command_line_replaces_codes_and_adds_patterns(here: Path) -> None:
    settings = parse({"select": ["OMN1"], "exclude": ["a"], "target-jax": "0.9"}, str(here / "pyproject.toml"))
    given = {"select": ("OMN2",), "ignore": None, "exclude": ("b",), "traced": (), "target_jax": None, "python": ()}
    merged = override(settings, given)
    assert merged.select == ("OMN2",)
    assert merged.below is settings
    assert merged.target_jax == "0.9"
    assert [len(merged.exclude), len(merged.traced)] == [2, 0]


def test_omnilint_toml_comes_before_pyproject(here: Path) -> None:
    write_config(here, 'select = ["OMN1"]')
    (here / "omnilint.toml").write_text('select = ["OMN2"]\n', encoding="utf-8")
    settings = load(["."])
    assert (settings.select, settings.file) == (("OMN2",), str(here / "omnilint.toml"))
    (here / "omnilint.toml").write_text("[tool.omnilint]\nselect = []\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"omnilint.toml: there is no key 'tool'"):
        load(["."])


def test_a_named_file(here: Path) -> None:
    (here / "strict.toml").write_text('fail-on = "note"\n', encoding="utf-8")
    assert load(["."], "strict.toml").fail_on == ("note",)
    with pytest.raises(ConfigError, match=r"gone.toml: no such file"):
        load(["."], "gone.toml")
    (here / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"has no \[tool.omnilint\] table"):
        load(["."], "pyproject.toml")


def test_extend_is_overridden_key_by_key(here: Path) -> None:
    (here / "base.toml").write_text('select = ["OMN1"]\nexclude = ["gen"]\n', encoding="utf-8")
    write_config(here / "a", 'extend = "../base.toml"\nselect = ["OMN2"]')
    settings = load(["a"])
    assert settings.select == ("OMN2",)
    assert settings.exclude[0].match(str(here / "gen/x.py"))
    assert settings.origins == {"select": str(here / "a/pyproject.toml"), "exclude": str(here / "base.toml")}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('extend = "gone.toml"', "extend: gone.toml doesn't exist"),
        ("extend = 3", "extend: expected a string"),
        ('extend = "omnilint.toml"', "leads back to this file"),
        ('extend = "other.toml"', "leads back to this file"),
        ('extend = "bare/pyproject.toml"', "has no [tool.omnilint] table"),
    ],
)
def test_extend_gone_wrong(here: Path, body: str, words: str) -> None:
    (here / "omnilint.toml").write_text(body, encoding="utf-8")
    (here / "other.toml").write_text('extend = "omnilint.toml"', encoding="utf-8")
    (here / "bare").mkdir()
    (here / "bare/pyproject.toml").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load(["."])
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('severity = {OMN101 = "eror"}', "severity: 'eror' is no severity; did you mean 'error'?"),
        ("severity = {OMN101 = 3}", "severity: expected a table of rules and severities"),
        ('fail-on = "erorr"', "fail-on: 'erorr' is nothing to fail on; did you mean 'error'?"),
        ("fail-on = 1", "fail-on: expected a string or a list of strings"),
        ('per-file-ignores = {"a.py" = "OMN1"}', "per-file-ignores: expected a table"),
        ('gitignore = "no"', "gitignore: expected true or false"),
        ("baseline = 3", "baseline: expected a string"),
        ("confirm = {timeout = true}", "confirm: expected a table of words"),
        ('confirm = {timeout = "soon"}', "confirm: 'soon' is no length of time; write seconds"),
        ('confirm = {memory-limit = "1K"}', "confirm: '1K' is no amount of memory"),
        ('confirm = {backnd = "cpu"}', "confirm: there is no key 'backnd'; did you mean 'backend'?"),
    ],
)
def test_values_of_the_wrong_kind(here: Path, body: str, words: str) -> None:
    write_config(here, body)
    with pytest.raises(ConfigError) as error:
        load(["."])
    assert words in str(error.value)


EXAMPLES = {
    "select": ["OMN1"],
    "extend-select": ["OMN404"],
    "ignore": ["TOL"],
    "per-file-ignores": {"tests/**": ["TOL"]},
    "severity": {"OMN302": "note"},
    "fail-on": ["error", "certain"],
    "exclude": ["gen"],
    "gitignore": False,
    "traced": ["lib/**"],
    "target-jax": "0.9",
    "python": [".venv/bin/python"],
    "confirm": {"import": "slice", "backend": "cpu", "timeout": 20, "memory-limit": "2GiB"},
    "inputs": {"lib.model.apply": "f32[3,4], n=4"},
    "extend-tables": ["own.toml"],
    "baseline": "known.json",
    "extend": "base.toml",
}


def test_the_schema_knows_each_key_and_what_the_reader_takes(here: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    validator = jsonschema.Draft202012Validator(schema())
    assert set(schema()["properties"]) == set(EXAMPLES)
    assert validator.is_valid(EXAMPLES)
    (here / "base.toml").write_text("", encoding="utf-8")
    assert set(parse(EXAMPLES, str(here / "omnilint.toml")).origins) == {k.field for k in KEYS}
    for name, wrong in [
        ("selct", []),
        ("select", "OMN1"),
        ("gitignore", 1),
        ("fail-on", "x"),
        ("severity", {"a": "b"}),
        ("confirm", {"imports": "whole"}),
        ("confirm", {"import": "hole"}),
        ("inputs", {"f": 3}),
    ]:
        assert not validator.is_valid({name: wrong})
        with pytest.raises(ConfigError):
            parse({name: wrong}, str(here / "omnilint.toml"))


def test_every_key_fills_a_field_of_settings() -> None:
    assert {key.field for key in KEYS} <= set(Settings.__dataclass_fields__)


def test_did_you_mean() -> None:
    assert did_you_mean("selekt", ["select", "ignore"]) == "did you mean 'select'?"
    assert did_you_mean("zzz", ["select", "ignore"]) == "there are select, ignore"
    assert did_you_mean("zzz", ["select"], otherwise="see help") == "see help"
    assert did_you_mean("OMN1O1", ["OMN511", "OMN101", "OMN501"]) == "did you mean 'OMN101'?"
    assert did_you_mean("OMN5O1", ["OMN511", "OMN101", "OMN501"]) == "did you mean 'OMN501'?"
    assert did_you_mean("Select", ["ignore", "select"]) == "did you mean 'select'?"
