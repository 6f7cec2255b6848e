"""Calls for functions that nobody is seen to call: whose, how traced, with which arguments to try."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from omnilint.confirm.construct import constructor
from omnilint.confirm.guess import assignments
from omnilint.confirm.hints import parameters
from omnilint.confirm.known import MOST_RECORDED, RECORD, SEARCH, Known
from omnilint.confirm.literal import Entry, literal_calls
from omnilint.confirm.once import once_each
from omnilint.confirm.places import Site
from omnilint.confirm.reach import Reach, words
from omnilint.confirm.specs import Spec
from omnilint.confirm.variants import asked_for
from omnilint.index.module import Definition, FunctionNode, ModuleIndex

_TRANSFORMS = frozenset(
    {"jit", "pjit", "pmap", "vmap", "grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "jvp", "vjp", "linearize"}
    | {
        "scan",
        "cond",
        "while_loop",
        "fori_loop",
        "switch",
        "map",
        "associative_scan",
        "checkpoint",
        "remat",
        "shard_map",
    }
    | {"custom_jvp", "custom_vjp", "filter_jit", "filter_grad", "filter_vmap", "filter_value_and_grad", "eval_shape"}
)
MOST_NESTED = 12
MOST_TRIED = 16
_JITS = frozenset({"jit", "pjit", "pmap", "filter_jit"})


def _static_names(call: ast.Call, node: FunctionNode) -> list[str]:
    """The parameters that `jit(f, static_argnums=…, static_argnames=…)` names."""
    a = node.args
    order = [p.arg for p in (*a.posonlyargs, *a.args)]
    names: list[str] = []
    for k in call.keywords:
        try:
            value = ast.literal_eval(k.value)
        except ValueError:
            continue
        values = value if isinstance(value, tuple | list) else (value,)
        if k.arg == "static_argnames":
            names += [n for v in values for n in str(v).replace(",", " ").split()]
        elif k.arg == "static_argnums":
            names += [order[v] for v in values if isinstance(v, int) and -len(order) <= v < len(order)]
    return names


def static_parameters(node: FunctionNode) -> frozenset[str]:
    """The parameters that a function's own decorators make static."""
    return frozenset(n for d in node.decorator_list if isinstance(d, ast.Call) for n in _static_names(d, node))


@once_each
def _jit_calls(module: ModuleIndex) -> dict[str, ast.Call]:
    """The first `jit(name, …)` of a module for each name."""
    found: dict[str, ast.Call] = {}
    for n in ast.walk(module.tree):
        if isinstance(n, ast.Call) and n.args and _last_name(n.func) in _JITS:
            found.setdefault(_last_name(n.args[0]), n)
    return found


def static_names(tree: ast.Module, name: str, node: FunctionNode) -> list[str]:
    """The parameters of a function that the calls `jit(name, …)` in some code make static."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.args and _last_name(n.func) in _JITS]
    return [static for call in calls if _last_name(call.args[0]) == name for static in _static_names(call, node)]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _jitted_in(modules: list[ModuleIndex], name: str) -> ast.Call | None:
    """The first `jit(name, …)` in these modules."""
    return next((calls[name] for calls in map(_jit_calls, modules) if name in calls), None)


def jitted(module: ModuleIndex, node: FunctionNode) -> bool:
    """Whether a function is jitted where it is defined, or by name in its module."""
    decorated = any(words(d) & _JITS for d in node.decorator_list)
    return decorated or _jitted_in([module], node.name) is not None


def _returned(node: FunctionNode) -> str:
    """The nested function that a factory returns, "" when it is none."""
    nested = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
    for n in ast.walk(node):
        if isinstance(n, ast.Return) and isinstance(n.value, ast.Name) and n.value.id in nested:
            return n.value.id
    return ""


def _functions(node: FunctionNode) -> Iterator[FunctionNode | ast.Lambda]:
    """The functions and lambdas inside of a function."""
    for n in ast.walk(node):
        if n is not node and isinstance(n, ast.FunctionDef | ast.Lambda):
            yield n


def _inside(site: Site, node: FunctionNode) -> bool:
    """Whether the place lies in a function inside of this one."""
    return any(n.lineno <= site.place.first <= (n.end_lineno or n.lineno) for n in _functions(node))


def _nested(
    site: Site, definition: Definition, known: Known, instance: Callable[[str], Spec | None]
) -> dict[str, list[dict[str, Spec]]]:
    """Arguments to try for each function inside of another, by the line that Python knows it by."""
    assert isinstance(definition.node, FunctionNode)
    by_node = {id(d.node): d for d in site.module.definitions.values()}
    found: dict[str, list[dict[str, Spec]]] = {}
    for n in list(_functions(definition.node))[:MOST_NESTED]:
        tried = assignments(n, instance=instance)[:MOST_TRIED]
        if id(n) in by_node:
            tried = known.choices(site.module, by_node[id(n)], tried)[0]
        line = min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", ()))])
        found.setdefault(str(line), []).extend(tried)  # of lambdas on one line, each has its parameters
    return found


def _decorators(node: FunctionNode) -> list[ast.stmt]:
    return [ast.Expr(d) for d in node.decorator_list]


def instances(module: ModuleIndex, depth: int = 2) -> Callable[[str], Spec | None]:
    """How to make an instance of a class of the module that an annotation names."""

    def make(word: str) -> Spec | None:
        built = constructor(module, word) if depth else None
        if built is None:
            return None
        arguments = assignments(built, method=True, instance=instances(module, depth - 1))[0]
        return {"kind": "instance", "class": word, "arguments": arguments}

    return make


def owner_spec(module: ModuleIndex, name: str) -> dict[str, Any]:
    """How to construct an instance of a class: calls seen in the module, then arguments to try."""
    built = constructor(module, name)
    tried = assignments(built, True, instances(module)) if built else [{}]
    # What a constructor takes is more often a number than an array.
    tried.sort(key=lambda arguments: sum(len(s.get("shape", ())) for s in arguments.values()))
    return {
        "owner_sources": list(dict.fromkeys(literal_calls(module, name)))[:3],
        "owner_arguments": tried[:12],
    }


def callers(module: ModuleIndex, symbol: str, reach: Reach, goal: frozenset[str]) -> list[str]:
    """Functions and methods of the module that lead to the symbol and that nothing else there calls."""
    found: list[tuple[int, str]] = []
    called = _called_by_functions(module)
    for d in module.definitions.values():
        if isinstance(d.node, ast.ClassDef) or d.in_function or d.qualname == symbol or d.node.name in called:
            continue
        steps = reach.distance(words(d.node) - {d.node.name}, reach.closure(module), (module, goal))
        if steps is not None and parameters(d.node, bool(d.owner)):  # without parameters it was called already
            found.append((steps, d.qualname))
    return [name for _, name in sorted(found)]


@once_each
def _called_by_functions(module: ModuleIndex) -> set[str]:
    """What the functions of a module mention, each its own name left out."""
    nodes = [d.node for d in module.definitions.values() if not isinstance(d.node, ast.ClassDef)]
    return {word for node in nodes for word in words(node) - {node.name}}


def searches(
    site: Site,
    symbol: str,
    reach: Reach,
    known: Known,
    goal: frozenset[str] = frozenset(),
    traced: frozenset[str] = frozenset(),
) -> list[Entry]:
    """Calls with arguments that have to be found: of what leads to the place, then of the symbol itself.

    `traced` are names on the finding's line that it says are traced.
    """
    found: list[Entry] = []
    for name in callers(site.module, symbol, reach, goal)[:4] if goal else []:
        found += _searches(site, name, reach, known, frozenset())[:1]
    return found + _searches(site, symbol, reach, known, traced)


def recorded(site: Site, symbol: str, reach: Reach, known: Known) -> list[Entry]:
    """The calls of the symbol that a recorded run made, as they were made: traced where they were."""
    found = []
    for base in _searches(site, symbol, reach, known, frozenset())[-1:]:
        name = base.spec["qualname"]
        for call in known.calls(site.module, name)[:MOST_RECORDED]:
            if call.missing or (not call.arguments and base.spec["assignments"] != [{}]):
                continue
            static = sorted(set(call.arguments) - call.traced)
            spec = {**base.spec, "assignments": [call.arguments], "origins": [RECORD]}
            spec.update(
                jit=bool(call.traced), static=static, numbers_static=False, traced=sorted(call.traced), known=True
            )
            found.append(Entry(site.module, spec, name, RECORD))
    return found


def held(site: Site) -> list[Entry]:
    """Calls of what a module keeps under a name of its own: a lambda that is jitted, or an entry of a table."""
    statement = site.statement
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement not in site.module.tree.body:
        return []
    by_line: dict[str, list[dict[str, Spec]]] = {}
    for n in ast.walk(statement):
        if isinstance(n, ast.Lambda):
            tried = assignments(n, instance=instances(site.module))[:MOST_TRIED]
            by_line.setdefault(str(n.lineno), []).extend(tried)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    name = ast.unparse(target.value if isinstance(target, ast.Subscript) else target)
    if not by_line or not all(part.isidentifier() for part in name.split(".")):
        return []
    transformed = bool(words(statement) & _TRANSFORMS)
    inner = {"file": site.place.file, "first": site.place.first, "last": site.place.last, "by_line": by_line}
    spec = {"kind": "synth", "qualname": name, "assignments": [{}], "origins": [SEARCH], "inner": inner, "held": True}
    return [Entry(site.module, {**spec, "known": transformed, "jit": not transformed}, name, SEARCH)]


def _searches(site: Site, symbol: str, reach: Reach, known: Known, traced: frozenset[str]) -> list[Entry]:
    """Calls of one symbol: as the code stands, and under jit."""
    module = site.module
    parts = symbol.split(".") if symbol else []
    owner = module.definitions.get(parts[0]) if parts else None
    if owner is None:
        return []
    spec: dict[str, Any] = {"kind": "synth"}
    method = isinstance(owner.node, ast.ClassDef)
    if method and len(parts) == 1:
        return []
    depth = 2 if method else 1
    definition = module.definitions.get(".".join(parts[:depth]))
    if definition is None or not isinstance(definition.node, ast.FunctionDef):
        return []
    node = definition.node
    instance = instances(module)
    plain_static = any("staticmethod" in words(d) for d in node.decorator_list)
    spec["qualname"] = definition.qualname
    product = parts[depth] if len(parts) > depth else _returned(node)
    inner = module.definitions.get(f"{definition.qualname}.{product}")
    seen = _jitted_in(reach.importers(module), (inner or definition).qualname.rpartition(".")[2])
    told_static = _static_names(seen, node) if seen is not None and inner is None else []
    static = static_parameters(node) | frozenset(told_static)
    made_up = assignments(node, method and not plain_static, instance, static)
    spec["assignments"], spec["origins"] = known.choices(module, definition, made_up)
    spec["choices"] = asked_for(node, method and not plain_static, static)
    if method:
        spec.update(owner_spec(module, parts[0]))
    if definition.qualname.endswith("__init__"):
        spec["assignments"], spec["origins"] = [{}], [SEARCH]  # constructing it is the call
    nested = _nested(site, definition, known, instance)
    if inner is not None or (nested and _inside(site, node)):
        place = site.place
        spec["inner"] = {"file": place.file, "first": place.first, "last": place.last, "by_line": nested}
    spec["static"] = told_static
    spec["numbers_static"] = seen is None
    # What the finding says is traced has to be, also when nobody is seen to trace it.
    spec["traced"] = sorted(traced) if "inner" not in spec else []
    spec["known"] = seen is not None or bool(words(ast.Module(list(_decorators(node)), [])) & _TRANSFORMS)
    label = definition.qualname
    plain = Entry(module, {**spec, "jit": False}, label, "search")
    under_jit = Entry(module, {**spec, "jit": True}, label, "search")
    transforms = bool(words(node) & _TRANSFORMS)
    return [plain, under_jit] if transforms else [under_jit]
