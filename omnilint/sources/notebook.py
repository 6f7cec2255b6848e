"""Notebooks: the code cells as one text that Python can parse, line for line, and the way back to the cells."""

from __future__ import annotations

import ast
import bisect
import dataclasses
import json
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from omnilint.model import Edit, Finding, Place, Problem, Related, Source
from omnilint.sources.kinds import NOTEBOOK, Skip

# Magics whose body is Python all the same; any other `%%magic` makes the cell some other language.
PYTHON_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun", "python", "python3", "pypy"})

_MAGIC_LINE = re.compile(r"^(?P<indent>\s*)(?:%{1,2}[A-Za-z]|!|\?{1,2}\w|[\w.]+(?:\[[^\]]*\])?\?{1,2}\s*;?\s*$)")
_MAGIC_VALUE = re.compile(r"^(?P<left>\s*[\w.,\s\[\]'\"()*]+=\s*)[%!].*$")


@dataclass(frozen=True, slots=True)
class Notebook(Source):
    """A Source whose text is made of cells: `starts[i]` is the first line of code cell `numbers[i]`.

    Cells are numbered from 1 and all of them count, text cells too, as they stand in the file.
    """

    starts: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()

    def cell_of(self, line: int) -> tuple[int, int]:
        """(cell number, line in the cell) of a line of the joined text."""
        i = max(bisect.bisect_right(self.starts, line) - 1, 0)
        return self.numbers[i], line - self.starts[i] + 1

    def line_of(self, cell: int, line: int) -> int:
        """The line of the joined text that is `line` of cell number `cell`."""
        return self.starts[self.numbers.index(cell)] + line - 1


def read(raw: bytes, path: str, file: str | None) -> Source | Problem:
    """The notebook as one Python text, IPython's own syntax neutralised without moving a line."""
    try:
        document = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Problem("encoding", "not UTF-8, as every notebook is; save it again", path)
    except RecursionError:
        return Problem("too-deep", "nested too deeply to be read; exclude it", path)
    except ValueError as error:
        return Problem("syntax", f"not a notebook: invalid JSON ({error}); save it again or exclude it", path)
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list):
        return Problem("syntax", "not a notebook of format 4 (it has no list of cells); save it anew in Jupyter", path)
    language = _language(document)
    if language not in ("python", ""):
        raise Skip(f"a notebook in {language}")
    lines: list[str] = []
    starts: list[int] = []
    numbers: list[int] = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        starts.append(len(lines) + 1)
        numbers.append(number)
        lines += plain_python(_text(cell.get("source", ""))).split("\n")
    return Notebook(path, "\n".join(lines) + "\n", NOTEBOOK, file, tuple(starts), tuple(numbers))


def plain_python(cell: str) -> str:
    """The cell with IPython's syntax replaced, each line by one line, so that Python can parse it."""
    if _parses(cell):
        return cell
    lines = cell.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    magic = re.match(r"%%(\w*)", lines[first].lstrip())
    if magic:
        if magic[1] not in PYTHON_CELL_MAGICS:
            return "\n" * (len(lines) - 1)
        lines[first] = "pass"
    out: list[str] = []
    continued = False
    for line in lines:
        if continued:  # the rest of a magic that ends in a backslash
            continued = line.endswith("\\")
            out.append("")
        elif (found := _MAGIC_LINE.match(line)) is not None:
            continued = line.endswith("\\")
            out.append(found["indent"] + "pass")
        elif (found := _MAGIC_VALUE.match(line)) is not None:
            continued = line.endswith("\\")
            out.append(found["left"] + "None")
        else:
            out.append(line)
    return "\n".join(out)


def in_cells(finding: Finding, notebooks: Mapping[str, Notebook]) -> Finding:
    """The finding with those of its places that lie in notebooks counted in cells."""
    fix = finding.fix
    if fix is not None:
        fix = dataclasses.replace(fix, edits=tuple(Edit(_place(e.place, notebooks), e.content) for e in fix.edits))
    related = tuple(Related(_place(r.place, notebooks), r.message) for r in finding.related)
    return dataclasses.replace(finding, place=_place(finding.place, notebooks), related=related, fix=fix)


def problem_in_cells(problem: Problem, source: Notebook) -> Problem:
    """The problem with its line counted in its cell."""
    if problem.line is None or not source.starts:
        return problem
    cell, line = source.cell_of(problem.line)
    return dataclasses.replace(problem, line=line, cell=cell)


def _place(place: Place, notebooks: Mapping[str, Notebook]) -> Place:
    source = notebooks.get(place.path)
    if source is None or place.cell is not None or not source.starts:
        return place
    cell, line = source.cell_of(place.line)
    return dataclasses.replace(place, line=line, end_line=line + place.end_line - place.line, cell=cell)


def _text(source: object) -> str:
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _language(document: dict[str, Any]) -> str:
    metadata = document.get("metadata")
    if not isinstance(metadata, dict):
        return ""
    for section, key in (("language_info", "name"), ("kernelspec", "language")):
        info = metadata.get(section)
        if isinstance(info, dict) and isinstance(info.get(key), str):
            return str(info[key]).lower()
    return ""


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
