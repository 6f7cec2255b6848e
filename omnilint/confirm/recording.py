"""What a run of the user's own showed: calls with their arguments, lines that ran, exceptions. Kept in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from omnilint.confirm.places import by_path, real_file, site
from omnilint.errors import ConfigError
from omnilint.index.module import Definition, FunctionNode, ModuleIndex
from omnilint.index.project import Project
from omnilint.model import Finding

Json = dict[str, Any]

FOLDER, FILE = ".omnilint_cache", "recorded.json"
VERSION = 1
_CALLS = 8


@dataclass(frozen=True, slots=True)
class Seen:
    """How a watched statement ran in the recorded run."""

    runs: int = 0
    traced: int = 0
    tracer: bool = False


@dataclass(slots=True)
class Recording:
    """Recorded runs: by (file, function) their calls and exceptions, by (file, line) how statements ran.

    Exceptions and statements are only told while the file is as it was; what a function was called with
    stays worth trying when its body has changed.
    """

    entries: list[Json] = field(default_factory=list)
    digests: Mapping[str, str] = field(default_factory=dict)

    def _of(self, kind: str, file: str) -> Iterator[Json]:
        return (e for e in self.entries if e["kind"] == kind and e["file"] == file)

    def calls(self, file: str, function: str) -> list[Json]:
        """{"arguments", "traced", "command"} of the recorded calls of a function, the latest first."""
        return [e for e in self._of("call", file) if e["function"] == function][::-1]

    def errors(self, file: str) -> list[Json]:
        """{"error", "function", "command"} of what was raised in a file that is still the same."""
        return [e for e in self._of("error", file) if self._same(e)]

    def seen(self, file: str, line: int) -> tuple[Seen, str]:
        """How the statement that begins on a line ran, and in which run; nothing ran when the file has changed."""
        total, command = Seen(), ""
        for e in self._of("place", file):
            if e["line"] == line and self._same(e):
                runs, traced = total.runs + e["runs"], total.traced + e["traced"]
                total, command = Seen(runs, traced, total.tracer or e["tracer"]), e["command"]
        return total, command

    def left(self, file: str) -> list[Json]:
        """The tracers that were found in outer state at the end of runs of a file that is still the same."""
        return [e for e in self._of("left", file) if self._same(e)]

    def _same(self, entry: Json) -> bool:
        return bool(self.digests.get(entry["file"]) == entry["digest"])

    def count(self) -> tuple[int, int, int]:
        """(calls, functions, exceptions) that are recorded."""
        calls = [e for e in self.entries if e["kind"] == "call"]
        functions = {(e["file"], e["function"]) for e in calls}
        return len(calls), len(functions), sum(e["kind"] == "error" for e in self.entries)


def plan(project: Project, findings: Iterable[Finding]) -> Json:
    """What a recorder has to watch: the statements of findings, and the functions that hold them."""
    modules = by_path(project)
    files: dict[str, Json] = {}
    homes: set[str] = set()
    watched: dict[tuple[str, str, int], Json] = {}
    for finding in findings:
        at = site(finding, modules)
        if at is None or at.module.source.file is None or at.module.source.kind != "python":
            continue
        module, file = at.module, real_file(at.module)
        if file not in files:
            files[file] = {"file": file, "functions": [], "places": [], "digest": module.source.digest}
            root = project.root_of(module)
            homes.add(os.path.join(root, module.name.partition(".")[0]) if module.package else root)
        line = at.place.first
        before = watched.get((file, "places", line), {}).get("operand")  # of what else is found on the line
        asked = ["all", [before, at.operand]] if before and at.operand else before or at.operand
        watched[file, "places", line] = {"first": line, "names": list(at.names)[:40], "operand": asked}
        for definition in _around(module, finding.symbol, finding.target):
            line = definition.node.lineno
            told = {"name": definition.qualname, "line": line, "parameters": _parameters(definition)}
            watched[file, "functions", line] = told
    for number, ((file, kind, _), entry) in enumerate(watched.items(), len(files)):
        files[file][kind].append({**entry, "number": number})
    for number, entry in enumerate(files.values()):
        entry["module"] = number
    return {"files": list(files.values()), "home": sorted(homes)}


def _around(module: ModuleIndex, *symbols: str) -> Iterator[Definition]:
    """The functions on the way to each symbol, itself included."""
    for symbol in filter(None, symbols):
        parts = symbol.split(".")
        for depth in range(1, len(parts) + 1):
            definition = module.definitions.get(".".join(parts[:depth]))
            if definition is not None and isinstance(definition.node, FunctionNode):
                yield definition


def _parameters(definition: Definition) -> list[str]:
    assert isinstance(definition.node, FunctionNode)
    a = definition.node.args
    named = [p.arg for p in (*a.posonlyargs, *a.args)]
    if definition.owner and not definition.in_function and named[:1] in (["self"], ["cls"]):
        named = named[1:]
    return [*named, *(p.arg for p in a.kwonlyargs)]


def read_out(text: str, planned: Json, command: str) -> Recording:
    """The recording that the lines of a recorder stand for; broken lines are dropped."""
    functions = {f["number"]: (p, f) for p in planned["files"] for f in p["functions"]}
    modules = {p["module"]: p for p in planned["files"]}
    places = {s["number"]: (p, s) for p in planned["files"] for s in p["places"]}
    found: dict[str, Json] = {}

    def keep(kind: str, file: Json, told: Json, **more: Any) -> None:
        base = {"kind": kind, "file": file["file"], "digest": file["digest"], "command": command}
        entry = {**base, "python": told.get("python"), "jax": told.get("jax"), **more}
        found[json.dumps([kind, file["file"], more], sort_keys=True)] = entry

    runs: dict[int, Json] = {}
    for line in text.splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            continue
        for call in told.get("calls", ()):
            file, function = functions[call["function"]]
            keep("call", file, told, function=function["name"], arguments=call["arguments"], traced=call["traced"])
        for failed in told.get("errors", ()):
            known = functions.get(failed["function"])
            file, name = (known[0], known[1]["name"]) if known else (modules[failed["function"]], "")
            keep("error", file, told, function=name, error=failed["error"])
        for ran in told.get("places", ()):
            total = runs.setdefault(ran["place"], {"runs": 0, "traced": 0, "tracer": False, "told": told})
            total["runs"] += ran["runs"]
            total["traced"] += ran["traced"]
            total["tracer"] = total["tracer"] or ran["tracer"]
        for left in told.get("left") or ():
            for file in planned["files"]:
                keep("left", file, told, path=left["path"], type=left["type"])
    for number, total in runs.items():
        file, place = places[number]
        told = total.pop("told")
        keep("place", file, told, line=place["first"], **total)
    return Recording(list(found.values()), {f["file"]: f["digest"] for f in planned["files"]})


def merged(old: Recording, new: Recording) -> Recording:
    """Two recordings as one: of what both saw, the newer; of one function's calls, the latest few."""
    again = {(e["kind"], e["file"]) for e in new.entries if e["kind"] != "call"}
    kept = [e for e in old.entries if (e["kind"], e["file"]) not in again]
    entries = {
        json.dumps({k: v for k, v in e.items() if k != "command"}, sort_keys=True): e for e in kept + new.entries
    }
    counts: dict[tuple[str, str], int] = {}
    chosen = []
    for e in reversed(list(entries.values())):
        if e["kind"] == "call":
            number = counts[e["file"], e["function"]] = counts.get((e["file"], e["function"]), 0) + 1
            if number > _CALLS:
                continue
        chosen.append(e)
    return Recording(chosen[::-1], {**old.digests, **new.digests})


def default_file(folder: str) -> Path:
    """Where the recordings of what lies in a folder are kept."""
    return Path(folder) / FOLDER / FILE


def nearest(start: str) -> Path | None:
    """The file with recordings in a folder or above it; None when there is none."""
    here = Path(start).absolute()
    for folder in [here, *here.parents]:
        file = folder / FOLDER / FILE
        if file.is_file():
            return file
    return None


def save(recording: Recording, file: Path) -> None:
    """Write a recording whole or not at all, in a folder that git leaves alone; raises ConfigError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        ignore = file.parent / ".gitignore"
        if file.parent.name == FOLDER and not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        folder = str(file.parent.parent if file.parent.name == FOLDER else file.parent)
        entries = [{**e, "file": os.path.relpath(e["file"], folder)} for e in recording.entries]
        part = file.with_name(f"{file.name}.{os.getpid()}")
        part.write_text(json.dumps({"version": VERSION, "entries": entries}, indent=0), encoding="utf-8")
        os.replace(part, file)
    except OSError as error:
        raise ConfigError(f"{file}: can't be written ({error.strerror})") from None


def load(file: Path, digests: Mapping[str, str]) -> Recording:
    """The recordings in a file, told of files whose content is now as `digests` say; raises ConfigError."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        folder = os.path.realpath(file.parent.parent if file.parent.name == FOLDER else file.parent)
        if document["version"] != VERSION:
            return Recording([], digests)
        entries = [{**e, "file": os.path.realpath(os.path.join(folder, e["file"]))} for e in document["entries"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(f"{file}: is no recording of omnilint's; remove it, or record again") from None
    return Recording(entries, digests)
