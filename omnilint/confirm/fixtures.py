"""Tests that take fixtures, as calls: each fixture's own function is called for the test, once, what it needs first."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from omnilint.confirm.reach import required, top_level, words
from omnilint.index.module import ModuleIndex

# What pytest has of its own and what stands for it here; the working directory of a run is temporary.
_OWN = {
    "monkeypatch": "__import__('pytest').MonkeyPatch()",
    "tmp_path": "__import__('pathlib').Path.cwd()",
}
_DEEPEST = 6


def _fixtures(module: ModuleIndex) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in top_level(module.tree):
        if isinstance(node, ast.FunctionDef) and any("fixture" in words(d) for d in node.decorator_list):
            named = _option(node, "name")
            told = named.value if isinstance(named, ast.Constant) else node.name
            yield str(told), node


def conftests(module: ModuleIndex, modules: list[ModuleIndex], root_of: Callable[[ModuleIndex], str]) -> list[str]:
    """The module names of `conftest.py` files that hold for a test module, the nearest first."""
    folder = os.path.dirname(os.path.abspath(module.source.file or module.path))
    found = []
    for m in modules:
        file = os.path.abspath(m.source.file or m.path)
        above = os.path.dirname(file)
        holds = os.path.basename(file) == "conftest.py" and f"{folder}{os.sep}".startswith(f"{above}{os.sep}")
        if holds and root_of(m) == root_of(module):
            found.append((-len(above), m.name))
    return [name for _, name in sorted(found)]


@dataclass
class _Script:
    """Statements that make fixtures, and the names of what they made."""

    known: dict[str, tuple[str, ast.FunctionDef]]
    lines: list[str] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)

    def value(self, name: str, params: ast.expr | None, depth: int = 0) -> str | None:
        """An expression for a fixture; None when it isn't known. `params` are those of the fixture that asks."""
        if name == "request":
            first = params.elts[0] if isinstance(params, ast.List | ast.Tuple) and params.elts else None
            return None if first is None else f"__import__('types').SimpleNamespace(param={ast.unparse(first)})"
        if name in self.made:
            return self.made[name]
        if name in self.known and depth < _DEEPEST:
            return self._call(name, depth)
        return _OWN.get(name)

    def _call(self, name: str, depth: int) -> str | None:
        where, node = self.known[name]
        given = []
        for argument in required(node):
            value = self.value(argument.arg, _option(node, "params"), depth + 1)
            if value is None:
                return None
            given.append(f"{argument.arg}={value}")
        made = f"_fixture_{name}"
        called = f"{where}{node.name}.__wrapped__({', '.join(given)})"
        if any(isinstance(n, ast.Yield) for n in ast.walk(node)):
            self.lines.append(f"{made}_run = {called}")  # kept, so that it isn't ended before the test
            called = f"next({made}_run)"
        self.lines.append(f"{made} = {called}")
        self.made[name] = made
        return made


def _option(node: ast.FunctionDef, name: str) -> ast.expr | None:
    """What `@pytest.fixture(name=…)` says."""
    calls = [d for d in node.decorator_list if isinstance(d, ast.Call)]
    return next((k.value for d in calls for k in d.keywords if k.arg == name), None)


def script(
    test: str, wanted: list[str], given: str, module: ModuleIndex, around: list[tuple[str, ModuleIndex]]
) -> str | None:
    """Statements that call a test with its fixtures; None when one of them isn't known.

    `test` is what to call, `given` the arguments that it has already, `around` the conftest modules by name.
    """
    known = {name: (f"__import__('importlib').import_module({where!r}).", node)
             for where, m in reversed(around) for name, node in _fixtures(m)}  # fmt: skip
    known.update({name: ("", node) for name, node in _fixtures(module)})
    made = _Script(known)
    arguments = [given] if given else []
    for name in wanted:
        value = made.value(name, None)
        if value is None:
            return None
        arguments.append(f"{name}={value}")
    return "\n".join([*made.lines, f"{test}({', '.join(arguments)})"])
