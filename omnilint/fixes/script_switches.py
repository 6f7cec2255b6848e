"""INTERNAL: dead switches in scripts, containers, Makefiles and settings: a whole simple command or entry goes.

Nothing is repaired within a block, a command of several parts or lines, a string, or where the value is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

from omnilint.fixes import entries
from omnilint.fixes.context import Refusal
from omnilint.fixes.shell_lines import Command, Word, commands
from omnilint.fixes.text import Span, Text
from omnilint.model import Applicability, Place

Edit = tuple[Span, Applicability]
_NAME = "JAX_OMNISTAGING"  # omnilint: ignore[OMN406] what is looked for
_VALUE = r"""(?:[\w.+/:-]*|"[\w .+/:-]*"|'[\w .+/:-]*')"""
_SET = re.compile(rf"{_NAME}={_VALUE}")
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_OTHER = re.compile(r"[A-Za-z_]\w*\+?=")
_READ = re.compile(
    rf"(?:\$|\$\{{|\$\(|env\.|%|\{{\{{\s*){_NAME}\b|[\"']{_NAME}[\"']\s*\]|\b(?:printenv|test -v|-v)\s+{_NAME}\b"
)
# Commands that do something else with their words than to run with them.
_TALK = {
    *("echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "perl", "git", "test", "[", "[[", "cat"),
    *("alias", "export", "set", "eval", "read", "local", "declare", "typeset", "readonly", "unset", "trap", "xargs"),
}


def propose(text: Text, place: Place) -> Edit:
    """What a switch in a text that isn't Python is replaced by, and how sure that is; refuses with the reason."""
    if _READ.search(text.text):
        raise Refusal("the file reads the switch's value as well")
    start, end = text.offset(place.line, place.column), text.offset(place.end_line, place.end_column)
    if text.source.path.endswith((".fish", ".conf")) or re.match(r"#!.*\b(fish|csh|tcsh)\b", text.text):
        raise Refusal("which language it is in isn't known well enough")
    return _way(text)(text, start, end)


def _way(text: Text) -> Callable[[Text, int, int], Edit]:
    name = os.path.basename(text.source.path).lower()
    if re.fullmatch(r"(docker|container)file(\..*)?|.*\.dockerfile", name):
        return _container
    if re.fullmatch(r"(gnu)?makefile(\..*)?|.*\.mk", name):
        return _make
    if name.endswith((".yml", ".yaml")):
        return _yaml
    if name.endswith((".toml", ".ini", ".cfg")):
        return entries.of_sections
    return _script


def _script(text: Text, start: int, end: int) -> Edit:
    return _in_shell(text, start, end, 0, len(text.text))


def _in_shell(text: Text, start: int, end: int, first: int, last: int) -> Edit:
    """The repair in the part of a text that is a shell script."""
    every = list(commands(text.text, first, last))
    i = next((i for i, c in enumerate(every) if c.start <= start < c.end), None)
    if i is None or not every[i].simple:
        raise Refusal("it is part of a block, or of a command of several parts")
    command = every[i]
    if _is_whole(text, command):
        if i + 1 == len(every) and i > 0 and not _only_sets(every[i - 1]):
            raise Refusal("the script would end with the result of another command")
        if i + 1 < len(every) and "$?" in text.text[every[i + 1].start : every[i + 1].end]:
            raise Refusal("the next command asks how it went")
        return Span(*_lines(text, command)), Applicability.SAFE
    return _word_gone(text, command, start, end), Applicability.SAFE


def _lines(text: Text, command: Command) -> tuple[int, int]:
    return text.whole_lines(command.words[0].start, command.words[-1].end)


def _is_whole(text: Text, command: Command) -> bool:
    """Whether a command sets, passes on or takes away this variable and does nothing else."""
    words = [w.text for w in command.words]
    first, last = _lines(text, command)
    if text.text[first : command.words[0].start].strip() or "\n" in text.text[first : last - 1]:
        return False
    rest = text.text[command.words[-1].end : last].strip()
    if rest and not rest.startswith("#"):
        return False
    if len(words) == 1:
        return bool(_SET.fullmatch(words[0]))
    if words[0] == "unset":
        return words[1:] == [_NAME]
    return words[0] == "export" and len(words) == 2 and bool(words[1] == _NAME or _SET.fullmatch(words[1]))


def _only_sets(command: Command) -> bool:
    words = command.words[1:] if command.words[0].text == "export" else command.words
    return command.simple and all(_OTHER.match(w.text) and "$(" not in w.text and "`" not in w.text for w in words)


def _word_gone(text: Text, command: Command, start: int, end: int) -> Span:
    """One word of a command that has others: a setting before the program, or a flag behind it."""
    words = command.words
    i = next((i for i, w in enumerate(words) if w.start <= start < w.end), None)
    if i is None:
        raise Refusal("how it hangs together with the rest of the line can't be told")
    if _SET.fullmatch(words[i].text):
        return _setting_gone(text, words, i)
    program = next((w.text for w in words if not _OTHER.match(w.text)), "")
    if (words[i].start, words[i].end) != (start, end) or i == 0 or os.path.basename(program) in _TALK:
        raise Refusal("how it hangs together with the rest of the line can't be told")
    line, column = text.position(start)
    shown = text.line(line)
    if shown.strip() == f"{words[i].text} \\":
        return Span(*text.whole_lines(start, end))
    before = shown[: column - 1]
    if not before.strip():
        raise Refusal("it ends a command of several lines")
    return Span(start - len(before) + len(before.rstrip(" \t")), end)


def _setting_gone(text: Text, words: tuple[Word, ...], i: int) -> Span:
    before = [w.text for w in words[:i]]
    exported = before[:1] == ["export"]
    if not all(_OTHER.match(w) for w in before[exported or before[:1] == ["env"] :]):
        raise Refusal("it is an argument of a command")
    if not _does_something(text, words[:i] + words[i + 1 :]):
        raise Refusal("nothing would be left of the command, or one that does something else")
    if i + 1 < len(words):
        between, span = text.text[words[i].end : words[i + 1].start], Span(words[i].start, words[i + 1].start)
    else:
        between, span = text.text[words[i - 1].end : words[i].start], Span(words[i - 1].end, words[i].end)
    if between.strip(" \t"):
        raise Refusal("how it hangs together with the rest of the line can't be told")
    return span


def _does_something(text: Text, left: tuple[Word, ...]) -> bool:
    """Whether a command without a setting still sets or runs something; `export` or `env` alone print all variables."""
    if left[:1] and left[0].text == "export":
        return len(left) > 1 and all(
            (_VARIABLE.fullmatch(word.text) or _OTHER.match(word.text)) and not _is_redirected(text, left[0], word)
            for word in left[1:]
        )
    if left[:1] and left[0].text == "env":
        program = next((word for word in left[1:] if not _OTHER.match(word.text)), None)
        return program is not None and not (re.match(r"-|\d+$", program.text) or _is_redirected(text, left[0], program))
    return bool(left)


def _is_redirected(text: Text, first: Word, word: Word) -> bool:
    """Whether a word is, or may be, the file of a redirection."""
    return bool(re.search("[<>]", text.text[first.end : word.start]))


def _container(text: Text, start: int, end: int) -> Edit:
    """A whole `ENV` or `ARG`, one of an `ENV`'s variables, or a word of a `RUN`, each in one line."""
    if re.search(r"(?im)^\s*#\s*escape\s*=|<<", text.text):
        raise Refusal("it may be part of something of several lines")
    line, shown = _one_line(text, start)
    if re.fullmatch(rf"\s*(?:ENV|ARG)\s+{_NAME}(?:[ =]\s*{_VALUE})?\s*", shown, re.I):
        return Span(*text.whole_lines(start, end)), Applicability.SAFE
    head = re.match(r"\s*(ENV|RUN|CMD|ENTRYPOINT)\s+(?!\[)", shown, re.I)
    if head is None or (head[1].upper() == "RUN" and shown[head.end() :].startswith("--")):
        raise Refusal("how it hangs together with the rest of the line can't be told")
    first = text.starts[line - 1] + head.end()
    (command,) = _only_simple(commands(text.text, first, first + len(shown) - head.end()))
    if head[1].upper() != "ENV":
        if _is_whole_words(command):
            raise Refusal("nothing would be left of the instruction")
        return _word_gone(text, command, start, end), Applicability.SAFE
    if not all(_OTHER.match(w.text) for w in command.words) or len(command.words) < 2:
        raise Refusal("how it hangs together with the rest of the line can't be told")
    return _word_gone(text, command, start, end), Applicability.SAFE


def _only_simple(found: Iterator[Command]) -> tuple[Command]:
    every = list(found)
    if len(every) != 1 or not every[0].simple:
        raise Refusal("it is part of a block, or of a command of several parts")
    return (every[0],)


def _is_whole_words(command: Command) -> bool:
    words = command.words[1:] if command.words[0].text in ("export", "unset", "env") else command.words
    return all(_OTHER.match(w.text) or w.text == _NAME for w in words)


def _one_line(text: Text, at: int) -> tuple[int, str]:
    """The number and text of the line of a place, where it is by itself: neither it nor the one before goes on."""
    line, _ = text.position(at)
    shown = text.line(line)
    before = line - 1
    while before > 0 and re.match(r"\s*#|\s*$", text.line(before)):  # comments may stand within what goes on
        before -= 1
    if shown.rstrip().endswith("\\") or text.line(before).rstrip().endswith("\\"):
        raise Refusal("it is part of a command of several lines")
    return line, shown


_MAKE_BLOCK = re.compile(r"\s*(?:(?P<opens>ifeq|ifneq|ifdef|ifndef|define)|(?P<closes>endif|endef))\b")


def _make(text: Text, start: int, end: int) -> Edit:
    """A variable of the Makefile itself, or a word of a recipe's line."""
    line, shown = _one_line(text, start)
    if shown.startswith("\t"):
        at = text.starts[line - 1] + len(shown) - len(shown.lstrip("\t @+-"))
        (command,) = _only_simple(commands(text.text, at, text.starts[line - 1] + len(shown)))
        if _is_whole_words(command):
            raise Refusal("nothing would be left of the recipe's line")
        return _word_gone(text, command, start, end), Applicability.SAFE
    depth = 0
    for n in range(1, line):
        if (found := _MAKE_BLOCK.match(text.line(n))) is not None:
            depth += 1 if found["opens"] else -1
    if depth or re.search(r"(?m)^\.ONESHELL", text.text):
        raise Refusal("it is part of a block")
    value = rf"\s*(?::{{1,3}}|\?|\+)?=\s*{_VALUE}"
    if re.fullmatch(rf"(?:export\s+)?{_NAME}{value}\s*(?:#.*)?|(?:un)?export\s+{_NAME}\s*(?:#.*)?", shown):
        return Span(*text.whole_lines(start, end)), Applicability.SAFE
    raise Refusal("how it hangs together with the rest of the line can't be told")


def _yaml(text: Text, start: int, end: int) -> Edit:
    """An entry of a mapping or list of variables, or a simple command of a script."""
    block = entries.script_of_yaml(text, start)
    if block is None:
        return entries.of_yaml(text, start)
    span, kind = _in_shell(text, start, end, *block)
    if "\n" in text.text[span.start : span.end] and not entries.stays_indented(text, span, block):
        raise Refusal("nothing would be left of the script, or with another indentation")
    return span, kind
