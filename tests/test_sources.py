"""Discovery, encodings, ignore files, notebooks: what is read, what is not, and what is said of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from omnilint.model import Finding, Place, Problem, Related, Source
from omnilint.sources import discover, read, read_stdin
from omnilint.sources.globs import Patterns
from omnilint.sources.kinds import Skip, kind_of, kind_of_script
from omnilint.sources.notebook import Notebook, in_cells, plain_python
from omnilint.sources.read import split_lines


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def paths(*given: str, exclude: list[str] | None = None) -> list[str]:
    patterns = Patterns.of(os.getcwd(), exclude or [])
    return [f.path for f in discover(given, [patterns]).files]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.py", "python"),
        ("a.pyi", "python"),
        ("a.ipynb", "notebook"),
        ("run.sh", "text"),
        ("ci.yaml", "text"),
        ("pyproject.toml", "text"),
        ("setup.cfg", "text"),
        ("Dockerfile", "text"),
        ("Dockerfile.gpu", "text"),
        ("Makefile", "text"),
        (".env", "text"),
        ("job.slurm", "text"),
        ("README.md", None),
        ("data.npz", None),
        ("python", None),
    ],
)
def test_kind_by_name(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"#!/usr/bin/env python3\n", "python"),
        (b"#!/usr/bin/python\n", "python"),
        (b"#! /bin/bash -e\n", "text"),
        (b"#!/usr/bin/perl\n", None),
        (b"import os\n", None),
    ],
)
def test_kind_by_first_line(line: bytes, kind: str | None) -> None:
    assert kind_of_script(line) == kind


def test_files_are_sorted_and_each_comes_once(here: Path) -> None:
    write(here, {"b.py": "", "a/z.py": "", "a/b/c.py": "", "a.py": "", "notes.txt": ""})
    assert paths(".") == ["a/b/c.py", "a/z.py", "a.py", "b.py"]
    assert paths("a", ".", "a/z.py", str(here / "b.py")) == ["a/b/c.py", "a/z.py", "a.py", "b.py"]


def test_paths_outside_the_current_directory_are_shown_as_given(here: Path) -> None:
    write(here, {"inner/x": "", "outer/a.py": ""})
    os.chdir(here / "inner")
    assert paths("../outer") == ["../outer/a.py"]
    assert paths(str(here / "outer")) == [str(here / "outer/a.py")]


def test_default_excludes_hold_below_a_walked_folder_only(here: Path) -> None:
    inside = ["x/.venv/lib/m.py", "x/build/m.py", "x/node_modules/m.py", "x/__pycache__/m.py", "x/site-packages/m.py"]
    write(here, dict.fromkeys([*inside, "x/m.py"], ""))
    found = discover(["x"])
    assert [f.path for f in found.files] == ["x/m.py"]
    assert found.skipped["x/.venv"] == "left out by default"
    assert "x/__pycache__" not in found.skipped
    assert paths("x/.venv/lib") == ["x/.venv/lib/m.py"]
    assert paths("x/build/m.py") == ["x/build/m.py"]


def test_a_package_that_is_called_build_is_checked(here: Path) -> None:
    write(here, {"p/build/__init__.py": "", "p/dist/m.py": ""})
    assert paths("p") == ["p/build/__init__.py"]


def test_a_virtual_environment_of_any_name_is_left_out(here: Path) -> None:
    write(here, {"py311/pyvenv.cfg": "", "py311/lib/m.py": "", "m.py": ""})
    found = discover(["."])
    assert [f.path for f in found.files] == ["m.py"]
    assert found.skipped == {"py311": "a virtual environment"}


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("b.py", ["a.py", "d/c.py"]),
        ("d", ["a.py", "b.py"]),
        ("d/", ["a.py", "b.py"]),
        ("d/*.py", ["a.py", "b.py"]),
        ("**/b.py", ["a.py", "d/c.py"]),
        ("/b.py", ["a.py", "d/b.py", "d/c.py"]),
        ("[ab].py", ["d/c.py"]),
        ("d/**", ["a.py", "b.py"]),
        ("nothing", ["a.py", "b.py", "d/b.py", "d/c.py"]),
    ],
)
def test_exclude(here: Path, pattern: str, left: list[str]) -> None:
    write(here, dict.fromkeys(["a.py", "b.py", "d/b.py", "d/c.py"], ""))
    assert paths(".", exclude=[pattern]) == sorted(left, key=lambda p: p.split("/"))


@pytest.mark.parametrize("pattern", [".", "./", "**", "*"])
def test_everything(here: Path, pattern: str) -> None:
    patterns = Patterns.of(str(here), [pattern])
    assert patterns.match(str(here / "a.py"))
    assert patterns.match(str(here / "d/b.py"))
    assert not patterns.match(str(here.parent / "a.py"))
    assert Patterns.of(str(here), [str(here)]).match(str(here / "d/b.py"))


def test_exclude_by_absolute_path(here: Path) -> None:
    write(here, dict.fromkeys(["a.py", "d/b.py"], ""))
    assert paths(".", exclude=[str(here / "d")]) == ["a.py"]


def test_a_named_file_beats_exclude_unless_forced(here: Path) -> None:
    write(here, {"gen/a.py": ""})
    patterns = Patterns.of(str(here), ["gen"])
    assert [f.path for f in discover(["gen/a.py"], [patterns]).files] == ["gen/a.py"]
    forced = discover(["gen/a.py"], [patterns], force_exclude=True)
    assert (forced.files, forced.skipped) == ([], {"gen/a.py": "excluded by the settings"})


IGNORE_CASES = {
    ".gitignore": "*.gen.py\n/top.py\nlogs/\n!keep.gen.py\n# c\ndoc/*.py\nx/**/deep.py\n\\!odd.py\ntrail.py   \n",
    "sub/.gitignore": "own.py\n!top2.py\n",
}
IGNORE_TREE = [
    *("a.gen.py", "keep.gen.py", "top.py", "sub/top.py", "logs/a.py", "sub/logs/a.py", "doc/a.py", "doc/in/a.py"),
    *("x/deep.py", "x/y/deep.py", "x/y/z/deep.py", "own.py", "sub/own.py", "!odd.py", "trail.py", "logs.py"),
]


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git itself")
def test_gitignore_means_what_git_says(here: Path) -> None:
    write(here, {**IGNORE_CASES, **dict.fromkeys(IGNORE_TREE, "")})
    subprocess.run(["git", "init", "-q"], check=True)
    listed = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard", "*.py"], check=True, capture_output=True, text=True
    )
    assert sorted(paths(".")) == sorted(listed.stdout.splitlines())
    assert [p.removeprefix("sub/") for p in paths("sub")] == ["top.py"]


def test_an_ignored_folder_is_checked_when_it_is_named(here: Path) -> None:
    write(here, {".git/HEAD": "", ".gitignore": "env/\n", "env/.gitignore": "*\n", "env/pkg/a.py": ""})
    assert paths(".") == []
    assert paths("env/pkg") == ["env/pkg/a.py"]


def test_a_missing_path_is_one_problem_and_the_rest_is_found(here: Path) -> None:
    write(here, {"a.py": ""})
    found = discover(["nowhere", "a.py", "nowhere"])
    assert [f.path for f in found.files] == ["a.py"]
    assert [str(p) for p in found.problems] == ["nowhere: no such file or directory; check the spelling"]


def test_a_path_with_a_null_byte_is_a_problem() -> None:
    assert [p.kind for p in discover(["a\0b"]).problems] == ["unreadable"]


def test_a_folder_without_permission(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here, {"a.py": "", "locked/b.py": ""})
    scandir = os.scandir

    def refuse(path: str) -> os._ScandirIterator[str]:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = discover(["."])
    assert [f.path for f in found.files] == ["a.py"]
    assert [(p.kind, p.path) for p in found.problems] == [("unreadable", "locked")]
    assert "Permission denied" in found.problems[0].message


def test_links_in_circles_and_to_nowhere(here: Path) -> None:
    write(here, {"p/a.py": "", "other/o.py": ""})
    os.symlink("..", here / "p/loop")
    os.symlink("a.py", here / "p/alias.py")
    os.symlink("gone.py", here / "p/broken.py")
    os.symlink("self.py", here / "p/self.py")
    os.symlink(here / "other", here / "p/away")
    found = discover(["p"])
    assert [f.path for f in found.files] == ["p/a.py"]
    assert found.problems == []
    assert found.skipped["p/broken.py"] == found.skipped["p/self.py"] == "a broken symbolic link"
    assert found.skipped["p/away"] == "a symbolic link to a folder elsewhere"


def test_a_tree_deeper_than_the_system_can_name(here: Path) -> None:
    write(here, {"a.py": ""})
    top, name = os.getcwd(), "d" * 200
    for _ in range(30):
        os.mkdir(name)
        os.chdir(name)
    os.chdir(top)
    found = discover(["."])
    assert [f.path for f in found.files] == ["a.py"]
    assert [p.kind for p in found.problems] == ["unreadable"]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [("run", "#!/usr/bin/env python3\n", "python"), ("go", "#!/bin/sh\n", "text"), ("notes.md", "# hi", None)],
)
def test_a_file_named_without_a_telling_suffix(here: Path, name: str, text: str, kind: str | None) -> None:
    write(here, {name: text})
    found = discover([name])
    assert [f.kind for f in found.files] == ([kind] if kind else [])
    assert [p.kind for p in found.problems] == ([] if kind else ["not-python"])


def test_a_pipe_is_not_waited_for(here: Path) -> None:
    os.mkfifo(here / "p.py")
    assert [p.kind for p in discover(["p.py"]).problems] == ["unreadable"]
    assert discover(["."]).files == []


def read_one(path: str) -> Source | Problem:
    (found,) = discover([path]).files
    return read(found)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"# -*- coding: latin-1 -*-\ns = '\xe9'\n", "# -*- coding: latin-1 -*-\ns = '\u00e9'\n"),
        ("s = '\u00e9'\r\n".encode(), "s = '\u00e9'\r\n"),
    ],
    ids=["empty", "byte order mark", "declared latin-1", "windows line ends are kept"],
)
def test_encodings(here: Path, raw: bytes, text: str) -> None:
    write(here, {"a.py": raw})
    source = read_one("a.py")
    assert isinstance(source, Source)
    assert source.text == text


@pytest.mark.parametrize(
    ("raw", "line", "words"),
    [
        (b"a = 1\nb = '\xff'\n", 2, "0xff"),
        (b"a = 1\n\n\n\nb = '\xff'\n", 5, "0xff"),
        (b"# coding: klingon\n", 1, "klingon"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, "encoding"),
    ],
    ids=["second line", "beyond the header", "unknown encoding", "contradiction"],
)
def test_undecodable_bytes_are_a_problem_with_a_line(here: Path, raw: bytes, line: int, words: str) -> None:
    write(here, {"a.py": raw})
    problem = read_one("a.py")
    assert isinstance(problem, Problem)
    assert (problem.kind, problem.path, problem.line) == ("encoding", "a.py", line)
    assert words in problem.message
    assert "\n" not in str(problem)


def test_a_file_that_goes_away(here: Path) -> None:
    write(here, {"a.py": ""})
    (found,) = discover(["."]).files
    os.remove("a.py")
    problem = read(found)
    assert isinstance(problem, Problem)
    assert problem.kind == "vanished"


def test_huge_files(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(read.__globals__["LIMITS"], "python", 10)
    monkeypatch.setitem(read.__globals__["LIMITS"], "text", 10)
    write(here, {"a.py": "x = 1  # long", "b.sh": "echo long line"})
    problem = read_one("a.py")
    assert isinstance(problem, Problem)
    assert problem.kind == "too-large"
    with pytest.raises(Skip, match="larger than"):
        read_one("b.sh")


def test_binary_configuration_is_skipped(here: Path) -> None:
    write(here, {"a.cfg": b"a\0b"})
    with pytest.raises(Skip, match="binary"):
        read_one("a.cfg")


def test_standard_input() -> None:
    source = read_stdin(b"x = 1\n", None)
    assert isinstance(source, Source)
    assert (source.path, source.file, source.kind) == ("<stdin>", None, "python")
    named = read_stdin(b"export A=1\n", "job/run.sh")
    assert isinstance(named, Source)
    assert (named.path, named.kind, named.file) == ("job/run.sh", "text", os.path.abspath("job/run.sh"))


def test_lines_are_split_as_python_splits_them() -> None:
    assert split_lines("a\fb\r\nc\u2028d\ne") == ["a\fb", "c\u2028d", "e"]


def cells(*sources: str | list[str], language: str = "python") -> bytes:
    code: list[object] = [{"cell_type": "code", "source": s, "metadata": {}, "outputs": []} for s in sources]
    text = {"cell_type": "markdown", "source": ["# title"], "metadata": {}}
    metadata = {"language_info": {"name": language}}
    return json.dumps({"cells": [text, *code], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("x = 1\n%matplotlib inline", "x = 1\npass"),
        ("!pip install jax\ny = 2", "pass\ny = 2"),
        ("%%time\nf(1)", "pass\nf(1)"),
        ("%%bash\necho hi\nls", "\n\n"),
        ("if a:\n    !ls\n", "if a:\n    pass\n"),
        ("files = !ls *.py", "files = None"),
        ("jax.jit?", "pass"),
        ("??jit", "pass"),
        ("!ls \\\n  -l\nz = 1", "pass\n\nz = 1"),
        ("x = (a\n%b)", "x = (a\n%b)"),
        ("s = '''\n%d\n'''", "s = '''\n%d\n'''"),
    ],
)
def test_magics_are_neutralised_line_by_line(cell: str, plain: str) -> None:
    assert plain_python(cell) == plain
    assert cell.count("\n") == plain.count("\n")


def test_a_notebook_is_one_text_with_a_way_back(here: Path) -> None:
    write(here, {"n.ipynb": cells(["import jax\n", "x = 1"], "%%html\n<b>", "y = 2\nz = 3\n")})
    source = read_one("n.ipynb")
    assert isinstance(source, Notebook)
    compile(source.text, "n", "exec")
    line = split_lines(source.text).index("z = 3") + 1
    assert source.cell_of(line) == (4, 2)
    place = Place("n.ipynb", line, 1, line, 3)
    moved = in_cells(
        Finding("OMN101", "m", place, related=(Related(Place("n.ipynb", 1, 1, 1, 2), "r"),)), {source.path: source}
    )
    assert (moved.place.cell, moved.place.line, moved.place.end_line) == (4, 2, 2)
    assert (moved.related[0].place.cell, moved.related[0].place.line) == (2, 1)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [(b"{", "syntax"), (b"[]", "syntax"), (b'{"worksheets": []}', "syntax"), (b"\xff", "encoding")],
    ids=["no JSON", "no object", "old format", "not UTF-8"],
)
def test_broken_notebooks(here: Path, raw: bytes, kind: str) -> None:
    write(here, {"n.ipynb": raw})
    problem = read_one("n.ipynb")
    assert isinstance(problem, Problem)
    assert problem.kind == kind


def test_a_notebook_in_another_language_is_skipped(here: Path) -> None:
    write(here, {"n.ipynb": cells("x <- 1", language="R")})
    with pytest.raises(Skip, match="a notebook in r"):
        read_one("n.ipynb")


def test_places_in_other_notebooks_are_counted_in_their_cells() -> None:
    there = Notebook("b.ipynb", "x = 1\ny = 2\n", "notebook", None, (1, 2), (3, 5))
    other = Related(Place("b.ipynb", 2, 1, 2, 2), "r")
    moved = in_cells(Finding("OMN101", "m", Place("a.py", 9, 1, 9, 2), related=(other,)), {"b.ipynb": there})
    assert moved.place == Place("a.py", 9, 1, 9, 2)
    assert moved.related[0].place == Place("b.ipynb", 1, 1, 1, 2, 5)
