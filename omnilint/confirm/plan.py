"""What to call so that a finding's place runs: calls that the project itself makes, best source first."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from omnilint.confirm import fixtures
from omnilint.confirm.known import Known
from omnilint.confirm.literal import Entry, doctests, literal_calls
from omnilint.confirm.places import Site
from omnilint.confirm.reach import Reach, is_main_guard, required, top_level, words
from omnilint.confirm.search import held, recorded, searches
from omnilint.index.module import FunctionNode, ModuleIndex
from omnilint.model import Finding, of_constants

MAX_ENTRIES = 4

_PREFERRED = ("trigger", "demo", "example", "repro", "reproduce", "run", "smoke")
_BACKGROUND = frozenset({"setup", "teardown", "setup_module", "teardown_module", "cleanup", "install"})


def _source(module: ModuleIndex, text: str, kind: str, label: str | None = None) -> Entry:
    return Entry(module, {"kind": "source", "source": text}, label or text, kind)


def goal_names(site: Site, symbol: str) -> frozenset[str]:
    """The module-level names that must be reached for the place to run."""
    if symbol:
        return frozenset({symbol.partition(".")[0]})
    statement = site.statement
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({statement.name})
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return frozenset(n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
    return frozenset()


def _decorated(node: FunctionNode | ast.ClassDef, word: str) -> bool:
    return any(word in words(d) for d in node.decorator_list)


def _callable_alone(node: FunctionNode) -> bool:
    if isinstance(node, ast.AsyncFunctionDef) or required(node) or _decorated(node, "fixture"):
        return False
    own = [n for n in ast.walk(node) if isinstance(n, ast.Yield | ast.YieldFrom)]
    return not own and node.name not in _BACKGROUND


def _parameters(node: FunctionNode) -> tuple[str, list[str]] | None:
    """(keyword arguments by the first value of each literal `parametrize`, the required ones that stay open).

    None when a `parametrize` can't be read.
    """
    given: list[str] = []
    names: set[str] = set()
    for d in node.decorator_list:
        if not (isinstance(d, ast.Call) and isinstance(d.func, ast.Attribute) and d.func.attr == "parametrize"):
            continue
        if len(d.args) < 2 or not isinstance(d.args[1], ast.List | ast.Tuple) or not d.args[1].elts:
            return None
        try:
            listed = ast.literal_eval(d.args[0])
        except ValueError:
            return None
        keys = [k.strip() for k in listed.split(",")] if isinstance(listed, str) else list(listed)
        first = d.args[1].elts[0]
        if isinstance(first, ast.Call):  # pytest.param(…): its arguments are the values
            values: list[ast.expr] = list(first.args)
        else:
            values = [first] if len(keys) == 1 else list(getattr(first, "elts", []))
        if len(values) != len(keys):
            return None
        given += [f"{k}={ast.unparse(v)}" for k, v in zip(keys, values, strict=True)]
        names.update(keys)
    return ", ".join(given), [a.arg for a in required(node) if a.arg not in names]


@dataclass(frozen=True, slots=True)
class _Alone:
    """A call that needs nothing invented: what it reaches starts with the words of `node` and `name`."""

    rank: int
    text: str
    kind: str
    node: FunctionNode
    name: str
    label: str = ""


def _zero_argument_calls(module: ModuleIndex, reach: Reach) -> Iterator[_Alone]:
    """The calls of a module that need no arguments, tests among them."""
    for node in top_level(module.tree):
        if isinstance(node, ast.FunctionDef):
            test = node.name.startswith("test")
            if _callable_alone(node):
                rank = 0 if node.name in _PREFERRED else 1 if test else 5 if node.name == "main" else 2
                yield _Alone(rank, f"{node.name}()", "test" if test else "call", node, node.name)
            elif test:
                yield from _with_fixtures(node.name, node, node.name, module, reach)
        elif isinstance(node, ast.ClassDef):
            yield from _test_methods(node, module, reach)


def _with_fixtures(test: str, node: FunctionNode, name: str, module: ModuleIndex, reach: Reach) -> Iterator[_Alone]:
    """The call of a test with the values of its `parametrize` and its fixtures, where all are known."""
    found = _parameters(node)
    if found is None:
        return
    given, wanted = found[0], [n for n in found[1] if n != "self"]
    if not wanted:
        yield _Alone(1, f"{test}({given})", "test", node, name)
        return
    modules = {m.name: m for m in reach.project.modules()}
    around = fixtures.conftests(module, list(modules.values()), reach.project.root_of)
    text = fixtures.script(test, wanted, given, module, [(n, modules[n]) for n in around])
    if text is not None:
        yield _Alone(1, text, "test", node, name, f"{test}({', '.join([*filter(None, [given]), *wanted])})")


def _test_methods(node: ast.ClassDef, module: ModuleIndex, reach: Reach) -> Iterator[_Alone]:
    unittest = any("TestCase" in ast.unparse(b) for b in node.bases)
    if not unittest and not node.name.startswith("Test"):
        return
    for method in node.body:
        if not (isinstance(method, ast.FunctionDef) and method.name.startswith("test")):
            continue
        alone = [a.arg for a in required(method)] == ["self"]
        label = f"{node.name}.{method.name}()"
        if unittest and (alone or method.decorator_list):
            # Decorators (parameterized, variants) put several tests with longer names in the place of one.
            names = f"sorted(dir({node.name}))"
            text = f"[{node.name}(name).debug() for name in {names} if name.startswith({method.name!r})]"
            yield _Alone(1, text, "test", method, node.name, label)
        elif alone and not unittest:
            yield _Alone(1, f"{node.name}().{method.name}()", "test", method, node.name, label)
        elif not unittest:
            yield from _with_fixtures(f"{node.name}().{method.name}", method, node.name, module, reach)


def _leading(
    module: ModuleIndex, modules: list[ModuleIndex], goal: tuple[ModuleIndex, frozenset[str]], reach: Reach
) -> set[str]:
    """Functions of a module with parameters that lead to the goal."""
    return {
        u.name
        for u in reach.units(module)
        if isinstance(u.node, ast.FunctionDef)
        and required(u.node)
        and reach.distance(u.words - {u.name}, modules, goal) is not None
    }


def entries(finding: Finding, site: Site, reach: Reach, known: Known | None = None) -> list[Entry]:
    """Runs that can be expected to pass the finding's place, the most telling first."""
    symbol, target = finding.symbol, finding.target
    # A CONC finding says that what stands on its line is traced; of other findings only arrays are.
    names = site.names if finding.code.startswith("OMN5") and not of_constants(finding.code) else ()
    traced = frozenset(n.partition(".")[0] for n in names)
    goal = goal_names(site, symbol)
    if not goal:
        return [Entry(site.module, {"kind": "import"}, f"import {site.module.name}", "import")]
    ranked: list[tuple[tuple[int, int, int], Entry]] = []
    for module in reach.importers(site.module):
        other = int(module is not site.module)
        modules = reach.closure(module)
        for call in _zero_argument_calls(module, reach):
            own = module is site.module and call.name in goal
            start = words(call.node) | {call.name}
            steps = 0 if own else reach.distance(start, modules, (site.module, goal))
            if steps is not None:
                entry = _source(module, call.text, call.kind, call.label or None)
                ranked.append(((call.rank, other, steps), entry))
        for name, script in doctests(module):
            if (steps := reach.distance(words(ast.parse(script)), modules, (site.module, goal))) is not None:
                own = module is site.module and name.partition(".")[0] in goal
                ranked.append(((2, other + (not own), steps), _source(module, script, "doctest", f"doctest of {name}")))
        last = (target or symbol).rpartition(".")[2]
        if (target or symbol).count(".") <= 1:
            for text in list(dict.fromkeys(literal_calls(module, last)))[:3]:
                ranked.append(((2, other, 0), _source(module, text, "literal")))
        for name in _leading(module, modules, (site.module, goal), reach) - {last}:
            for text in list(dict.fromkeys(literal_calls(module, name)))[:2]:
                ranked.append(((3, other, 1), _source(module, text, "literal")))
        for block in module.tree.body:
            if isinstance(block, ast.If) and is_main_guard(block):
                if reach.distance(words(block), modules, (site.module, goal)) is None:
                    continue
                text = textwrap.dedent("\n".join(ast.unparse(s) for s in block.body))
                ranked.append(((6, other, 0), _source(module, text, "script", f"python {module.path}")))
    ranked.sort(key=lambda pair: pair[0])
    found = list({e.key: e for _, e in ranked}.values())
    known = known or Known()
    real = recorded(site, target or symbol, reach, known)
    made_up = searches(site, target or symbol, reach, known, goal, traced) if target or symbol else held(site)
    return real + found[:MAX_ENTRIES] + made_up
