"""Variables in YAML, TOML and INI files: one entry of several that set variables goes, each in a line by itself."""

from __future__ import annotations

import re

from omnilint.fixes.context import Refusal
from omnilint.fixes.text import Span, Text
from omnilint.model import Applicability

Edit = tuple[Span, Applicability]
_SCALAR = r"""(?:[\w.+/-]*|"[\w .+/:-]*"|'[\w .+/:-]*')"""
_VARIABLES = r"(?:envs?|environment|variables|(?:set_?)?env(?:_?var(?:iable)?s)?|set_?env)"
_ENTRY = re.compile(rf"""\s*["']?JAX_OMNISTAGING["']?\s*[:=]\s*{_SCALAR}\s*(?:[#;].*)?""")
_ITEM = re.compile(
    rf"""\s*-\s+(?:JAX_OMNISTAGING={_SCALAR}|"JAX_OMNISTAGING=[\w.+/-]*"|'JAX_OMNISTAGING=[\w.+/-]*')\s*(?:#.*)?"""
)
_BLOCK = re.compile(r"[|>][-+\d]*\s*(?:#.*)?$")


def of_yaml(text: Text, at: int) -> Edit:
    """An entry under `env:` or the like; unsafe where it is the only one."""
    line, _ = text.position(at)
    shown = text.line(line)
    above = _ancestors(text, line)
    if any(_BLOCK.search(text.line(n)) for n in above):
        raise Refusal("it stands in a text of several lines")
    if not ((_ENTRY.fullmatch(shown) and ":" in shown) or _ITEM.fullmatch(shown)):
        raise Refusal("how it hangs together with the rest of the line can't be told")
    if not above or not re.fullmatch(rf"\s*(?:-\s+)?[\"']?{_VARIABLES}[\"']?:\s*(?:#.*)?", text.line(above[0]), re.I):
        raise Refusal("it isn't known to be one of several variables")
    if _depth(text.line(_next(text, line, 1))) > _depth(shown):
        raise Refusal("its value goes on in the next line")
    alone = not any(_is_sibling(text, shown, _next(text, line, step), above[0]) for step in (1, -1))
    return _line(text, line), Applicability.UNSAFE if alone else Applicability.SAFE


def _is_sibling(text: Text, shown: str, number: int, parent: int) -> bool:
    """Whether the line is another entry of the same mapping or list."""
    other = text.line(number)
    return (
        number > parent
        and bool(other.strip())
        and _depth(other) == _depth(shown)
        and (other.lstrip().startswith("- ") == shown.lstrip().startswith("- "))
    )


def script_of_yaml(text: Text, at: int) -> tuple[int, int] | None:
    """Where the script begins and ends that a place lies in: what follows `run: |`, or stands behind `run:`."""
    line, column = text.position(at)
    shown = text.line(line)
    one = re.match(r"\s*(?:-\s+)?(?:run|script|command):\s+(?![|>\"'\[{&*!])", shown)
    if one is not None and one.end() < column:
        if _depth(text.line(_next(text, line, 1))) > len(one.group()) - len(one.group().lstrip(" -")):
            raise Refusal("the command goes on in the next line")
        if re.search(r"\s#|: ", shown[one.end() :]):
            raise Refusal("how it hangs together with the rest of the line can't be told")
        start = text.starts[line - 1]
        return start + one.end(), start + len(shown)
    above = _ancestors(text, line)
    if not above or not re.fullmatch(r"\s*(?:-\s+)?run:\s+\|[-+]?\s*(?:#.*)?", text.line(above[0])):
        return None
    first, last = above[0] + 1, line
    own = _depth(text.line(_next(text, above[0], 1)))
    while last < len(text.starts) and (not text.line(last + 1).strip() or _depth(text.line(last + 1)) >= own):
        last += 1
    return text.starts[first - 1], text.starts[last] if last < len(text.starts) else len(text.text)


def stays_indented(text: Text, gone: Span, block: tuple[int, int]) -> bool:
    """Whether a script of YAML without some lines still begins with as many blanks, and has lines left."""
    rest = text.text[block[0] : gone.start] + text.text[gone.end : block[1]]
    first = next((line for line in rest.splitlines() if line.strip()), "")
    was = next((line for line in text.text[block[0] : block[1]].splitlines() if line.strip()), "")
    return bool(first) and _depth(first) == _depth(was)


def of_sections(text: Text, at: int, _end: int) -> Edit:
    """A line under `[env]`, or below `setenv =`, in TOML and INI files."""
    line, _ = text.position(at)
    shown = text.line(line)
    if text.text[:at].count('"""') % 2 or text.text[:at].count("'''") % 2 or not _ENTRY.fullmatch(shown):
        raise Refusal("how it hangs together with the rest of the line can't be told")
    is_toml = text.source.path.lower().endswith(".toml")
    if is_toml or not shown[:1].isspace():
        header = next((text.line(n) for n in range(line - 1, 0, -1) if text.line(n).startswith("[")), "")
        if not re.fullmatch(rf"\[(?:[\w.\"'-]*\.)?{_VARIABLES}\]\s*(?:#.*)?", header, re.I):
            raise Refusal("it isn't known to be one of several variables")
        return _line(text, line), Applicability.SAFE
    above = _next(text, line, -1)
    while above > 0 and text.line(above)[:1].isspace():
        above = _next(text, above, -1)
    if not re.fullmatch(rf"{_VARIABLES}\s*=\s*", text.line(above), re.I):
        raise Refusal("it isn't known to be one of several variables")
    alone = not any(text.line(_next(text, line, step))[:1].isspace() for step in (1, -1))
    return _line(text, line), Applicability.UNSAFE if alone else Applicability.SAFE


def _line(text: Text, number: int) -> Span:
    return Span(*text.whole_lines(text.starts[number - 1], text.starts[number - 1]))


def _next(text: Text, number: int, step: int) -> int:
    """The next line in a direction that says something; 0, or one behind the last, where there is none."""
    number += step
    while 0 < number <= len(text.starts) and re.fullmatch(r"\s*(#.*)?", text.line(number)):
        number += step
    return number


def _ancestors(text: Text, line: int) -> list[int]:
    """The lines that hold a line of YAML, by their indentation, the nearest first."""
    found: list[int] = []
    depth = _depth(text.line(line))
    is_item = text.line(line).lstrip().startswith("- ")
    while depth >= 0 and (line := _next(text, line, -1)) > 0:
        own = text.line(line)
        holds = _depth(own) < depth or (is_item and _depth(own) == depth and not own.lstrip().startswith("- "))
        if holds:
            found.append(line)
            depth, is_item = _depth(own), own.lstrip().startswith("- ")
    return found


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
