"""INTERNAL: names of JAX that the target releases don't have, deprecate, or keep for themselves."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from omnilint.api import history
from omnilint.api.arguments import DEPRECATED as DEPRECATED_ARGUMENT
from omnilint.api.arguments import REMOVED as REMOVED_ARGUMENT
from omnilint.api.arguments import ArgumentVerdict, judge_call
from omnilint.api.attributes import judge_attribute
from omnilint.api.behind import MOST, Behind
from omnilint.api.cared import cared_for
from omnilint.api.fold import literal
from omnilint.api.guards import Test, last_name
from omnilint.api.judge import DEPRECATED, PRIVATE, REMOVED, UNKNOWN, Verdict, judge
from omnilint.api.live import liveness
from omnilint.api.options import DEAD_OPTION, defines, judge_option, may_be_defined
from omnilint.api.passing import may_use_jax, shims_around, shims_of, walked
from omnilint.api.scopes import Dotted
from omnilint.api.spots import Walk
from omnilint.api.target import Target
from omnilint.api.uses import Call, Use
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project
from omnilint.model import Finding, Place, Related, Severity

_SEVERITY = {REMOVED: Severity.ERROR, UNKNOWN: Severity.ERROR, DEPRECATED: Severity.WARNING, PRIVATE: Severity.WARNING}
_ORDER = (REMOVED, UNKNOWN, DEPRECATED, PRIVATE)
_FAILS = (REMOVED, UNKNOWN)


def find(module: ModuleIndex, target: Target | None, project: Project | None = None) -> list[Finding]:
    """The uses of JAX in a module that the target (default: the newest release known) doesn't bear.

    `project` holds the other modules of the run: names of JAX that they pass on are followed.
    """
    if not may_use_jax(module, project):
        return []
    return list(_Finder(module, project, walked(module, project), target or Target.newest()).findings())


class _Finder:
    def __init__(self, module: ModuleIndex, project: Project | None, walk: Walk, target: Target) -> None:
        self.module = module
        self.project = project
        self.walk = walk
        self.target = target
        self.indices = tuple(target.indices)
        self.live = {i: liveness(walk, i) for i in self.indices}
        self.found = walk.found or []
        self.guarded: dict[tuple[int, str], tuple[int, ...]] = {}
        self.told: set[str] = set()
        self.shims = [*shims_of(module, project), *shims_around(module, project)] if self.found else []
        self.behind = Behind(module, project, self.indices)
        # The release that the user comes from, when one was given, and what runs there.
        self._start = None if target.start is None else history.index_of(target.start)
        self._at_start = None if self._start is None else liveness(walk, self._start)
        self._dead: list[tuple[Use, Dotted]] | None = None

    def findings(self) -> Iterator[Finding]:
        """One finding a use, in source order."""
        # What an import statement is reported for isn't reported again wherever the name is used.
        for use in self.found:
            if isinstance(use, Use) and use.kind in ("import", "from"):
                yield from self._import(use)
        for use in self.found:
            if isinstance(use, Call):
                yield from self._call(use)
            elif use.kind not in ("import", "from"):
                yield from self._use(use)

    def _indices(self, use: Use | Call) -> tuple[int, ...]:
        """The releases of the target in which the use runs unprotected."""
        if not use.guards:
            return self.indices
        kind = "call" if isinstance(use, Call) else "name"
        key = (id(use.guards), kind)  # the walk keeps them, and all uses of a block share them
        if key not in self.guarded:
            self.guarded[key] = tuple(i for i in self.indices if self.live[i].runs(use.guards, kind))
        return self.guarded[key]

    def _lacking(self, name: str, indices: tuple[int, ...]) -> tuple[int, ...]:
        """The releases among `indices` in which the module doesn't itself give JAX this name."""
        own = [s for s in self.shims if s.covers(name)]
        if not own:
            return indices
        return tuple(i for i in indices if not any(self.live[i].may_run(s.guards) for s in own))

    def _import(self, use: Use) -> Iterator[Finding]:
        runs = self._indices(use)
        if not runs:
            return
        done: set[str] = set()
        for position, d in enumerate(use.names):
            indices = self._lacking(d.name, runs)
            verdict = judge(d.name, indices, self._imported(use, d)) if indices else None
            if verdict is None or verdict.name in done:
                continue
            done.add(verdict.name)
            if not self._changes(use, verdict, self._imported(use, d)) or self._cared_for(use, verdict):
                continue
            if use.kind == "import":
                self.told.add(verdict.name)
            finding = self._finding(verdict, d.name, self._import_place(use, position, verdict), use)
            yield replace(finding, related=self._behind(use, verdict)) if verdict.code in _FAILS else finding
            if verdict.code == PRIVATE and isinstance(use.node, ast.ImportFrom):
                return

    def _behind(self, use: Use, verdict: Verdict) -> tuple[Related, ...]:
        """Where what the import would have bound is used: nothing else is said of it there."""
        shown = verdict.name + "."
        names = {d.name for d in use.names if d.name == verdict.name or d.name.startswith(shown)}
        return tuple(Related(self._place(node), "used here") for node in self.behind.of(names))

    def _import_place(self, use: Use, position: int, verdict: Verdict) -> Place:
        if not isinstance(use.node, ast.ImportFrom):
            return self._place(use.node)
        if use.node.level:
            return self._place(use.node.names[position])
        module = use.node.module or ""
        if verdict.name.count(".") > module.count("."):
            return self._place(use.node.names[position])
        start = self._place(use.node)
        text = self.module.lines[start.line - 1]
        at = text.find(module, start.column - 1 + len("from"))
        if at < 0:
            return start
        return Place(start.path, start.line, at + 1, start.line, at + 1 + len(module))

    def _use(self, use: Use) -> Iterator[Finding]:
        indices = self._indices(use)
        if not indices:
            return
        if use.kind == "option":
            yield from self._option(use, indices)
            return
        if use.kind in ("object", "class"):
            yield from self._object(use, indices)
            return
        for d in use.names:
            indices = self._lacking(d.name, indices)
        if not indices:
            return
        names = _given_by_stars(use.names, indices) if use.kind == "star" else use.names
        verdicts = [(d, v) for d in names if _reachable(d, indices) for v in [self._judged(use, d, indices)]]
        if not verdicts or any(v is None for _, v in verdicts):
            return
        chosen = max(((d, v) for d, v in verdicts if v), key=lambda p: _rank(p[1]))
        dotted, verdict = chosen
        if verdict.parts <= dotted.known or verdict.name in self.told:
            return
        if use.kind == "star" and verdict.code == UNKNOWN:
            return
        if verdict.raises and not any(self.live[i].runs(use.guards, "stub") for i in indices):
            return
        if not self._changes(use, verdict, self._imported(use, dotted)) or self._cared_for(use, verdict):
            return
        finding = self._finding(verdict, dotted.name, self._use_place(use, dotted, verdict), use)
        yield replace(finding, related=self._elsewhere(verdict)) if verdict.code == REMOVED else finding

    def _elsewhere(self, verdict: Verdict) -> tuple[Related, ...]:
        """Where a removed name stands as well, in branches that no release of the target takes."""
        if self._dead is None:
            self._dead = self._unreached()
        places = [
            self._use_place(use, dotted, verdict)
            for use, dotted in self._dead
            if (dotted.name + ".").startswith(verdict.name + ".")
        ]
        return tuple(Related(place, "named here too, where these releases don't go") for place in places[:MOST])

    def _unreached(self) -> list[tuple[Use, Dotted]]:
        return [
            (use, use.names[0])
            for use in self.found
            if isinstance(use, Use) and use.kind == "attribute" and len(use.names) == 1 and use.guards
            if not any(self.live[i].may_run(use.guards) for i in self.indices)
        ]

    def _before(self, use: Use | Call) -> int | None:
        """The release whose verdict a use is compared with, None where it is new: no start, or it didn't run there."""
        if self._start is None or self._at_start is None:
            return None
        kind = "call" if isinstance(use, Call) else "name"
        return self._start if self._at_start.runs(use.guards, kind) else None

    def _changes(self, use: Use, verdict: Verdict, imported: int) -> bool:
        """Whether the release that the user comes from still took the name: all names, when none was given."""
        start = self._before(use)
        if start is None:
            return True
        before = judge(verdict.name, (start,), imported)
        return before is None or _severer(verdict, before)

    def _cared_for(self, use: Use, verdict: Verdict) -> bool:
        """Whether the code asks for a deprecated name, or for a release that still has it, before it uses it."""
        return verdict.code == DEPRECATED and self._asked_for(use, verdict.name, verdict.gone)

    def _asked_for(self, use: Use | Call, name: str, gone: str | None) -> bool:
        return bool(use.guards) and cared_for(name, gone, use.guards, lambda index: liveness(self.walk, index))

    def _judged(self, use: Use, dotted: Dotted, indices: tuple[int, ...]) -> Verdict | None:
        return judge(dotted.name, indices, self._imported(use, dotted))

    def _imported(self, use: Use, dotted: Dotted) -> int:
        """How many parts of a name have to be modules, and one more (see `history.resolve`)."""
        parts = dotted.name.count(".") + 1
        if use.kind in ("import", "dynamic"):
            return parts + 1
        return parts if use.kind == "from" else max(dotted.known, 1)

    def _use_place(self, use: Use, dotted: Dotted, verdict: Verdict) -> Place:
        if use.text is not None or not isinstance(use.node, ast.Attribute):
            return self._place(use.text or use.node)
        node: ast.expr = use.node
        for _ in range(dotted.name.count(".") - verdict.name.count(".")):
            if isinstance(node, ast.Attribute):
                node = node.value
        return self._place(node)

    def _call(self, call: Call) -> Iterator[Finding]:
        indices = self._indices(call)
        if not indices or len(call.names) != 1:
            return
        function = call.names[0].name
        keywords = call.given()

        def judged(some: tuple[int, ...]) -> Iterator[tuple[str | int | None, ArgumentVerdict]]:
            return judge_call(function, call.positional, keywords, call.open, some, call.kind_of)

        for where, verdict in judged(indices):
            node: ast.AST = call.node
            if isinstance(where, int):
                node = call.positional[where]
            elif where is not None:
                node = next(k for k in call.keywords if k.arg == where)
            data = {"name": verdict.function, "argument": verdict.argument, "replacement": verdict.instead,
                    "since": verdict.since, "removed": verdict.gone}  # fmt: skip
            if verdict.code == DEPRECATED_ARGUMENT and self._asked_for(call, f"{verdict.function}()", verdict.gone):
                continue
            start = self._before(call)
            if start is not None and any(_as_bad(v, verdict) for _, v in judged((start,))):
                continue
            severity = Severity.ERROR if verdict.code == REMOVED_ARGUMENT else Severity.WARNING
            yield Finding(verdict.code, verdict.message, self._place(node), severity=severity, data=data)

    def _object(self, use: Use, indices: tuple[int, ...]) -> Iterator[Finding]:
        kind, _, attribute = use.names[0].name.partition(".")
        verdict = judge_attribute(kind, attribute, indices, use.inside)
        if verdict is None or "omnistaging" in attribute or self._cared_for(use, verdict):
            return  # fine, or a dead switch, which has a rule of its own
        if use.kind == "class" and (verdict.code == DEPRECATED or self._sets(attribute)):
            return  # to look at a property of a class warns of nothing
        if attribute.endswith("()") and judge_attribute(kind, attribute[:-2], indices, use.inside) is not None:
            return  # what isn't there can't be called either
        start = self._before(use)
        before = None if start is None else judge_attribute(kind, attribute, (start,), use.inside)
        if before is not None and not _severer(verdict, before):
            return
        finding = self._finding(verdict, use.names[0].name, self._place(use.node), use)
        yield replace(finding, related=self._asked(use)) if attribute.startswith("_trace.") else finding

    def _asked(self, use: Use) -> tuple[Related, ...]:
        """Where the code asks for `_trace` before it looks inside: that takes anything with one for a tracer."""
        tests = [g.test for g in use.guards if isinstance(g, Test) and g.outcome]
        asked = [p for t in tests for p in ast.walk(t) if isinstance(p, ast.Call) and last_name(p) == "hasattr"]
        places = [self._place(p) for p in asked if len(p.args) == 2 and literal(p.args[1]) == "_trace"]
        return tuple(Related(place, "taken for a tracer here, by a private attribute") for place in places)

    def _sets(self, attribute: str) -> bool:
        """Whether the module itself gives some class of JAX an attribute of this name."""
        return any(s.name.rpartition(".")[2] == attribute for s in self.shims)

    def _option(self, use: Use, indices: tuple[int, ...]) -> Iterator[Finding]:
        name = use.names[0].name
        if DEAD_OPTION.fullmatch(name):
            return  # a dead switch, which has a rule of its own
        verdict = judge_option(name, indices)
        start = self._before(use)
        if verdict is None or (start is not None and not history.option_exists(name, start)):
            return
        if verdict.code == UNKNOWN and defines(self.module, self.project, name):
            return
        finding = self._finding(verdict, name, self._place(use.node), use)
        known = verdict.since or verdict.gone or verdict.instead
        sure = known is not None or not may_be_defined(self.module, name)
        yield finding if sure else replace(finding, severity=Severity.WARNING)

    def _finding(self, verdict: Verdict, used: str, place: Place, use: Use) -> Finding:
        # An attribute of an object that the code makes can't be looked up by a name.
        name = "" if use.kind in ("object", "class") and not verdict.name.startswith("jax.") else verdict.name
        data = {"name": name, "used": used, "replacement": verdict.instead, "since": verdict.since,
                "removed": verdict.gone, "how": use.kind}  # fmt: skip
        severity, message = _SEVERITY.get(verdict.code, Severity.NOTE), verdict.message
        if use.idle and severity is Severity.ERROR:
            severity, message = Severity.WARNING, f"{message} (in an annotation that nothing here evaluates)"
        return Finding(verdict.code, message, place, severity=severity, data=data)

    def _place(self, node: ast.AST) -> Place:
        line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        first = self._column(line, getattr(node, "col_offset", 0))
        return Place(self.module.path, line, first, end, self._column(end, getattr(node, "end_col_offset", 0)))

    def _column(self, line: int, offset: int) -> int:
        """A column in characters, from 1, of an offset in UTF-8 bytes."""
        text = self.module.lines[line - 1] if line <= len(self.module.lines) else ""
        return len(text.encode()[:offset].decode(errors="ignore")) + 1


def _given_by_stars(names: tuple[Dotted, ...], indices: tuple[int, ...]) -> tuple[Dotted, ...]:
    """What star imports, in their order, give a name in the releases: the last that has it, in each of them.

    Where a release has none, and it isn't a builtin either, that is what is said of it.
    """
    given: dict[Dotted, None] = {}
    for i in indices:
        there = [d for d in names if not history.resolve(d.name, i, d.known).missing]
        if not there and not hasattr(builtins, names[-1].name.rpartition(".")[2]):
            return names[-1:]
        given.update(dict.fromkeys(there[-1:]))
    return tuple(given)


@cache
def _reachable(dotted: Dotted, indices: tuple[int, ...]) -> bool:
    """Whether the import that made the alias works; where it doesn't, that is what is reported."""
    head = ".".join(dotted.name.split(".")[: dotted.known])
    return not head or any(not history.resolve(head, i, dotted.known).missing for i in indices)


def _severer(verdict: Verdict, before: Verdict) -> bool:
    """Whether a name is worse off than before: one that was missing stays so, whatever the reason."""
    return _rank(before) > _rank(verdict) and not (before.code in _FAILS and verdict.code in _FAILS)


def _as_bad(before: ArgumentVerdict, verdict: ArgumentVerdict) -> bool:
    """Whether a release said as much, or worse, of the same argument."""
    same = (before.function, before.argument) == (verdict.function, verdict.argument)
    return same and before.code in (verdict.code, REMOVED_ARGUMENT)


def _rank(verdict: Verdict) -> int:
    return _ORDER.index(verdict.code) if verdict.code in _ORDER else len(_ORDER)
