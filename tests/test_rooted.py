"""Paths in the forms for code hosts: from the top of the repository, wherever omnilint runs."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from omnilint import cli

BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with findings, a repair and a file that is no Python in its folder `sub`; we are in `sub`."""
    top = tmp_path / "repository"
    (top / "sub" / "pkg").mkdir(parents=True)
    (top / ".git").mkdir()
    (top / "sub/pkg/a.py").write_text(BRANCH)
    (top / "sub/pkg/b.py").write_text("import jax\n\njax.tree_map(len, [])\n")
    (top / "sub/pkg/clean.py").write_text("import jax\n")
    (top / "sub/pkg/bad.py").write_text("def (:\n")
    monkeypatch.chdir(top / "sub")
    return top


def paths(form: str, text: str) -> set[str]:
    """All paths that a report tells its consumer."""
    if form == "sarif":
        uris = {found["uri"] for found in locations(json.loads(text))}
        assert all(not os.path.isabs(uri) for uri in uris)
        return uris
    if form == "github":
        return set(re.findall(r"[ ,]file=([^,:]+)", text))
    if form == "gitlab":
        return {entry["location"]["path"] for entry in json.loads(text)}
    return {case.attrib["file"] for case in xml.fromstring(text).iter("testcase")}


def locations(part: object) -> list[dict[str, str]]:
    if isinstance(part, dict):
        return [part] if part.get("uriBaseId") else [x for value in part.values() for x in locations(value)]
    return [x for value in part for x in locations(value)] if isinstance(part, list) else []


FORMS = ["sarif", "github", "gitlab", "junit"]


def report(form: str, path: str) -> str:
    assert cli.run(["check", "--output", f"{form}=report", path]) == 2
    return Path("report").read_text()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("absolute", [False, True], ids=["relative", "absolute"])
def test_paths_count_from_the_top_of_the_repository(form: str, absolute: bool, repository: Path) -> None:
    named = report(form, str(repository / "sub/pkg") if absolute else "pkg")
    expected = {"sub/pkg/a.py", "sub/pkg/b.py", "sub/pkg/bad.py"} | ({"sub/pkg/clean.py"} if form == "junit" else set())
    assert paths(form, named) == expected


@pytest.mark.parametrize("form", FORMS)
def test_the_report_is_the_same_from_every_folder(form: str, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So are its fingerprints: a code host knows a finding again when another job runs elsewhere."""
    texts = []
    for folder, path in (("sub", "pkg"), (".", "sub/pkg"), ("..", "repository/sub/pkg"), ("sub/pkg", ".")):
        monkeypatch.chdir(repository / folder)
        texts.append(re.sub(r'time="[0-9.]*"', "", report(form, path)))
        Path("report").unlink()
    assert texts == [texts[0]] * len(texts)


@pytest.mark.parametrize("form", FORMS)
def test_without_a_repository_paths_are_as_they_are_shown(form: str, repository: Path) -> None:
    (repository / ".git").rmdir()
    assert "pkg/a.py" in paths(form, report(form, "pkg"))


def test_json_tells_paths_that_its_reader_can_open(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["check", "--format", "json", "pkg"])
    document = json.loads(capsys.readouterr().out)
    assert {f["path"] for f in document["findings"]} == {"pkg/a.py", "pkg/b.py"}


def test_standard_input_keeps_its_name(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io
    import sys

    for options, expected in ([], "<stdin>"), (["--stdin-filename", "pkg/new.py"], "sub/pkg/new.py"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BRANCH.encode())))
        assert cli.run(["check", "-", "--format", "github", *options]) == 1
        assert paths("github", capsys.readouterr().out) == {expected}


def test_a_link_into_the_repository_is_followed(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "link").symlink_to(repository)
    monkeypatch.chdir(tmp_path)
    assert cli.run(["check", "--format", "github", "link/sub/pkg/a.py"]) == 1
    assert paths("github", capsys.readouterr().out) == {"sub/pkg/a.py"}
