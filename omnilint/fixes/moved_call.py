"""The same call in edited code: lines have moved, and parameters may have become static."""

from __future__ import annotations

import ast
import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any

from omnilint.confirm.literal import Entry
from omnilint.confirm.places import real_file
from omnilint.confirm.search import static_names


def after(entry: Entry, old: Mapping[str, str], new: Mapping[str, str]) -> Entry:
    """An entry as it has to be made once the files hold their new texts."""
    spec = dict(entry.spec)
    if spec["kind"] != "synth":
        return entry
    inner = spec.get("inner")
    if inner and inner["file"] in new:
        before = old.get(inner["file"], entry.module.source.text)
        lines = {name: moved(inner[name], before, new[inner["file"]]) for name in ("first", "last")}
        spec["inner"] = {**inner, **lines}
    definition = entry.module.definitions.get(spec["qualname"])
    text = new.get(real_file(entry.module))
    if text is not None and not inner and definition is not None and isinstance(definition.node, ast.FunctionDef):
        name = definition.node.name
        told = static_names(ast.parse(text), name, definition.node)
        spec["static"] = list(dict.fromkeys([*spec.get("static", ()), *told]))
    return dataclasses.replace(entry, spec=spec)


def moved(line: int, before: str, after: str) -> int:
    """Where a line stands in the new text; of one that was replaced, where its replacement begins or goes on."""
    matcher: Any = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    for _, first, last, begin, end in matcher.get_opcodes():
        if first < line <= last:
            return int(min(begin + line - first, max(end, begin + 1)))
    return line
