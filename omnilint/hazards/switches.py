"""INTERNAL: switches of omnistaging that no JAX since 0.2.12 knows, in Python and in configuration-like text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.live import Liveness
from omnilint.api.objects import object_of
from omnilint.api.options import DEAD_OPTION
from omnilint.api.scopes import Scope, resolve
from omnilint.api.spots import Walk
from omnilint.api.target import Target
from omnilint.api.uses import Use, uses
from omnilint.api.walk import walk_module
from omnilint.model import Finding, Place, Severity, Source

CODE = "OMN406"
_COMMENT = re.compile(r"(^|\s)#.*$|^\s*(//|;|REM\s).*$")
_PROSE_SUFFIXES = (".md", ".rst", ".txt", ".adoc")


@cache
def _switches() -> tuple[re.Pattern[str], re.Pattern[str], str, str]:
    """(the variable, the flag, the message, what ended them) of the table."""
    row = knowledge.table("internal")["switches"]
    return re.compile(row["variable"]), re.compile(row["flag"]), row["variable"], row["gone"]


def find(source: Source, target: Target | None = None) -> list[Finding]:
    """The dead switches in one file: calls and strings that act in Python, settings elsewhere; prose is left alone.

    Nothing is dead yet in a target (default: the newest release known) that ends before JAX forgot the switches.
    """
    variable, flag, _, gone = _switches()
    if not (variable.search(source.text) or flag.search(source.text) or "omnistaging" in source.text):
        return []
    target = target or Target.newest()
    if target.newest_index < history.index_of(gone):
        return []
    return [f for f in _in(source, target) if _changes(f, target)]


def _in(source: Source, target: Target) -> list[Finding]:
    if source.kind != "text":
        try:
            tree = ast.parse(source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []  # said once, by the step that indexes modules
        return list(_in_python(source, tree, target))
    if source.path.lower().endswith(_PROSE_SUFFIXES) and not re.search(r"requirements[^/]*\.txt$", source.path):
        return []
    return list(_in_text(source))


def _changes(finding: Finding, target: Target) -> bool:
    """Whether the release that the user comes from, if one was given, still took the switch, or didn't raise yet."""
    if target.start is None:
        return True
    start = history.index_of(target.start)
    dead = history.index_of(_switches()[3])
    since = finding.data.get("raises")
    return start < (history.index_of(since) if since and finding.severity is Severity.ERROR else dead)


def _raises_since(name: str) -> str:
    """The first release in which it is an error to use an attribute or option of `jax.config` by this name."""
    row = knowledge.table("internal")["switches"]
    return str(row["raises"].get(name, row["attributes_removed"]))


def _finding(place: Place, what: str, is_name: bool = False) -> Finding:
    """A dead switch that does nothing; `is_name`: an attribute or option, which JAX has no more."""
    gone = _switches()[3]
    removed = knowledge.table("internal")["switches"]["attributes_removed"]
    message = (
        f"{what} is dead: omnistaging can't be switched off since JAX {gone}"
        f"{f', and the name is gone since {removed}' if is_name else ''}; remove it, and mend the code that needed it"
    )
    return Finding(CODE, message, place, severity=Severity.WARNING, data={"name": what.strip("`"), "removed": gone})


def _failing(finding: Finding, name: str, target: Target) -> Finding:
    """The finding on a switch that JAX's own object is asked for: an error where that raises in the target."""
    since = _raises_since(name)
    if target.newest_index < history.index_of(since):
        return finding
    return replace(finding, severity=Severity.ERROR, data={**finding.data, "raises": since})


def _in_text(source: Source) -> Iterator[Finding]:
    variable, flag, _, _ = _switches()
    for number, line in enumerate(re.split(r"\r\n|\r|\n", source.text), 1):
        code = _COMMENT.sub("", line)
        for pattern in (variable, flag):
            for m in pattern.finditer(code):
                if pattern is variable and not _sets(code, m.start(), m.end()):
                    continue
                place = Place(source.path, number, m.start() + 1, number, m.end() + 1)
                yield _finding(place, f"`{m.group()}`")


def _sets(line: str, start: int, end: int) -> bool:
    """Whether the variable named in this span of a line is given a value, or taken away, rather than talked about."""
    after = line[end:].lstrip("\"' \t")
    before = line[:start]
    if after[:1] in ("=", ":", "?", "+") or after.startswith((":=", "->")):
        return True
    if re.search(r"\b(ENV|ARG|export|unset|setenv|set|setx|env|-e|--env|value|name|key)\b[\s=:\"']*$", before, re.I):
        return True
    return bool(re.search(r"(-\s+|\[\s*|,\s*)[\"']?$", before) and re.match(r"[\"']?\s*(=|\]|,|$)", line[end:]))


def _in_python(source: Source, tree: ast.Module, target: Target) -> Iterator[Finding]:
    lines = re.split(r"\r\n|\r|\n", source.text)
    variable, flag, _, _ = _switches()
    prose = _prose(tree)
    walk = walk_module(tree, ".", names=False)
    found_uses = list(uses(walk))
    live = Liveness(found_uses, target.newest_index)
    yield from _attributes(source, lines, walk, live, target)
    asked = {id(u.node) for u in found_uses if isinstance(u, Use) and u.kind == "option" and live.runs(u.guards)}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg is not None and variable.fullmatch(node.arg):
            yield _finding(_place(source, lines, node), f"`{node.arg}`")  # dict(os.environ, JAX_OMNISTAGING="0")
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in prose:
            continue
        text = node.value
        found = variable.match(text.lstrip())
        if found is None or not re.fullmatch(r"(=\S*(\s.*)?)?", text.lstrip()[found.end() :]):
            found = flag.search(text)
            if found and found.group() != text and not _is_command(text):
                continue
        found = found or DEAD_OPTION.fullmatch(text)
        if found:
            finding = _finding(_place(source, lines, node), f"`{found.group()}`", id(node) in asked)
            yield _failing(finding, text, target) if id(node) in asked else finding


def _attributes(source: Source, lines: list[str], walk: Walk, live: Liveness, target: Target) -> Iterator[Finding]:
    """`config.disable_omnistaging()` and the like, where nothing guards them."""
    attributes = set(knowledge.table("internal")["switches"]["attributes"])
    for spot in walk.spots:
        node = spot.node
        while isinstance(node, ast.Attribute):
            if node.attr in attributes and _is_config(node.value, spot.scope) and live.runs(spot.guards):
                what = ast.unparse(node)
                finding = _finding(_place(source, lines, node), f"`{what if len(what) < 60 else node.attr}`", True)
                # What is called like JAX's configuration may be another's.
                sure = object_of(node.value, spot.scope) == "config"
                yield _failing(finding, node.attr, target) if sure else finding
            node = node.value


def _is_command(text: str) -> bool:
    """Whether a string reads as a command line: a program, then options."""
    program = r"^(\S*/)?(python[\d.]*|pytest|bash|sh|env|nohup|exec|\S+\.(py|sh))\s"
    return "\n" not in text and len(text) < 300 and bool(re.match(program, text.strip()))


def _is_config(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression stands for JAX's configuration object, or is called like it and nobody says what it is."""
    names = resolve(node, scope)
    if names:
        return any(n.name.startswith(("jax.", "absl.")) and _sounds_like_config(n.name) for n in names)
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    hit = scope.lookup(root.id) if isinstance(root, ast.Name) else None
    if hit is not None and isinstance(root, ast.Name) and root.id not in hit[0].parameters:
        return False  # something of the file's own
    return _sounds_like_config(ast.unparse(node))


def _sounds_like_config(dotted: str) -> bool:
    last = dotted.rpartition(".")[2]
    return last in ("config", "FLAGS", "jax_config", "flags") or last.endswith("_config")


def _prose(tree: ast.Module) -> set[int]:
    """Strings that only talk: docstrings and bare strings, messages, what is compared, cases of tests."""
    out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            out.add(id(node.value))
        elif isinstance(node, (ast.Raise, ast.Assert, ast.Compare)):
            out.update(id(n) for n in ast.walk(node))
        elif isinstance(node, ast.Call) and _talks(node.func):
            out.update(id(n) for a in [*node.args, *(k.value for k in node.keywords)] for n in ast.walk(a))
    return out


def _talks(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in {"print", "warn", "warning", "info", "debug", "error", "exception", "critical", "log", "replace",
                    "startswith", "endswith", "param", "sub", "search", "match", "fullmatch", "compile",
                    "findall"}  # fmt: skip


def _place(source: Source, lines: list[str], node: ast.AST) -> Place:
    line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)

    def column(number: int, offset: int) -> int:
        text = lines[number - 1] if number <= len(lines) else ""
        return len(text.encode()[:offset].decode(errors="ignore")) + 1

    first, last = column(line, getattr(node, "col_offset", 0)), column(end, getattr(node, "end_col_offset", 0))
    return Place(source.path, line, first, end, last)
