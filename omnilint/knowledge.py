"""What the `rules/` folder knows: the rules' pages and the tables of facts about JAX, read when first asked for."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from omnilint.errors import Failure
from omnilint.model import Hazard, Severity


class KnowledgeError(Failure):
    """The rules folder, a page or a table is missing or broken: an installation to repair, not a user's mistake."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule's metadata, from the front matter of its page.

    `fix` is "none", or what its repairs may be: "safe", "unsafe", "display", or two of them, "safe or unsafe".
    `default` is False for a rule that must be selected by name.
    """

    code: str
    name: str
    hazard: Hazard
    severity: Severity
    summary: str
    since: str
    fix: str = "none"
    default: bool = True
    references: tuple[str, ...] = field(default=())

    @property
    def page(self) -> str:
        """The page's Markdown, without its front matter."""
        return _split(_page_file(self.code))[1]


@cache
def folder() -> Path:
    """The rules folder: inside the package in a wheel, beside it in a clone or an editable install."""
    here = Path(__file__).resolve().parent
    for candidate in (here / "rules", here.parent / "rules"):
        if (candidate / "tables").is_dir():
            return candidate
    raise KnowledgeError(f"omnilint's rules folder is missing beside {here}; reinstall omnilint")


@cache
def codes() -> tuple[str, ...]:
    """All rule codes, sorted; reads no page."""
    return tuple(sorted(path.stem for path in folder().glob("OMN[0-9][0-9][0-9].md")))


@cache
def rule(code: str) -> Rule:
    """The rule with this code.

    Raises KeyError for an unknown code, KnowledgeError for a page with broken front matter.
    """
    if code not in codes():
        raise KeyError(code)
    path = _page_file(code)
    try:
        data = tomllib.loads(_split(path)[0])
        return Rule(
            code=data["code"],
            name=data["name"],
            hazard=Hazard(data["hazard"]),
            severity=Severity(data["severity"]),
            summary=data["summary"],
            since=data["since"],
            fix=data.get("fix", "none"),
            default=data.get("default", True),
            references=tuple(data.get("references", ())),
        )
    except (KeyError, ValueError) as e:
        raise KnowledgeError(f"{path}: broken front matter ({e!r}); reinstall omnilint") from e


def rules() -> dict[str, Rule]:
    """All rules by code, in the order of their codes."""
    return {code: rule(code) for code in codes()}


@cache
def hazards() -> Mapping[str, str]:
    """One line on each class of trouble, in the order of the codes."""
    path = folder() / "hazards.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise KnowledgeError(f"{path}: can't be read ({e}); reinstall omnilint") from e


@cache
def table(name: str) -> Mapping[str, Any]:
    """The table of facts `rules/tables/<name>.json` or `.toml`, without its `_source` header.

    The result is shared: treat it as read-only. Raises KnowledgeError when there is no such table.
    """
    for suffix in (".json", ".toml"):
        path = folder() / "tables" / (name + suffix)
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            data: dict[str, Any] = json.loads(text) if suffix == ".json" else tomllib.loads(text)
            data.pop("_source", None)
            return data
    raise KnowledgeError(f"{folder() / 'tables' / name}.json is missing; reinstall omnilint")


def _page_file(code: str) -> Path:
    return folder() / f"{code}.md"


def _split(path: Path) -> tuple[str, str]:
    """(front matter, body) of a page, which starts with TOML between two lines of three plus signs."""
    text = path.read_text(encoding="utf-8")
    parts = text.split("+++\n", 2)
    if len(parts) != 3 or parts[0]:
        raise KnowledgeError(f"{path}: no front matter between +++ lines; reinstall omnilint")
    return parts[1], parts[2].lstrip("\n")
