"""Which functions an edit changes, found in the text before and after it: what they give has to stay as it was."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]
MOST = 60

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Edited(NamedTuple):
    """For a run: places of the functions that an edit changes, and the names of modules that it binds anew, by file."""

    functions: list[Json]
    bound: dict[str, list[str]]


def edited(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Edited, Edited]:
    """What an edit changes, as it stands in the text before it and in that after it; texts are by file."""
    old, new = Edited([], {}), Edited([], {})
    for file, text in after.items():
        if before[file] == text:
            continue
        trees = ast.parse(before[file]), ast.parse(text)
        names = _bound_anew(*trees)
        first, second = (dict(functions(tree)) for tree in trees)
        for which in first:
            if which in second and (_differ(first[which], second[which]) or _uses(first[which], names)):
                for told, node in ((old, first[which]), (new, second[which])):
                    told.functions.append(_place(f"{file}\0{which}", file, node))
        if names:
            old.bound[file] = new.bound[file] = sorted(names)
    return Edited(old.functions[:MOST], old.bound), Edited(new.functions[:MOST], new.bound)


def functions(node: ast.AST, path: str = "") -> Iterator[tuple[str, _Function]]:
    """(an identity, the function) of all functions below a node.

    The identity is the dotted path; of several of a name it has the number, and how many there are: where an edit
    changes that, nobody knows which is which.
    """
    units = [("<lambda>" if isinstance(u, ast.Lambda) else u.name, u) for u in _units(node)]
    total = Counter(name for name, _ in units)
    seen: Counter[str] = Counter()
    for name, unit in units:
        seen[name] += 1
        own = f"{path}{name}" + (f"#{seen[name]}/{total[name]}" if total[name] > 1 else "")
        if not isinstance(unit, ast.ClassDef):
            yield own, unit
        yield from functions(unit, f"{own}.")


def _units(node: ast.AST) -> Iterator[_Unit | ast.Lambda]:
    """The functions and classes below a node that are in no other."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child
        else:
            yield from _units(child)


def _differ(a: ast.AST, b: ast.AST) -> bool:
    return ast.dump(a) != ast.dump(b)


def _uses(node: ast.AST, names: frozenset[str]) -> bool:
    return bool(names) and any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node))


def _bound_anew(before: ast.Module, after: ast.Module) -> frozenset[str]:
    """The names that statements of a module bind which are not the same, where both texts bind them."""
    texts = [{ast.dump(s): s for s in tree.body if not isinstance(s, _Unit)} for tree in (before, after)]
    changed = [[s for text, s in texts[i].items() if text not in texts[1 - i]] for i in (0, 1)]
    first, second = ({n for s in statements for n in _binds(s)} for statements in changed)
    return frozenset(first & second)


def _binds(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _place(which: str, file: str, node: _Function) -> Json:
    """As the code object has it: its first line is that of the first decorator."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return {"id": which, "file": file, "line": first, "name": getattr(node, "name", "<lambda>")}
