"""Constants that can be read off the code: literals, joined strings, tuples indexed by a caller's argument."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from omnilint.api.scopes import Scope, resolve

IMPORTERS = {"importlib.import_module", "__import__", "pytest.importorskip"}
_MAX_VALUES = 16
_MAX_DEPTH = 8
_PERCENT, _BRACES = re.compile("%[sd]"), re.compile(r"\{\}")


def literal(node: ast.expr) -> Any:
    """The value of a plain literal, None for anything else."""
    return node.value if isinstance(node, ast.Constant) else None


def importer(node: ast.Call, scope: Scope, depth: int = 0) -> str | None:
    """The name of the importing function that `node` calls (see IMPORTERS), if it calls one."""
    function = node.func
    if isinstance(function, ast.Name):
        if function.id == "__import__":
            return "__import__"
        # Only a name that an import statement binds: following assignments here would chase every call.
        hit = scope.lookup(function.id)
        names = [b.imported.name for b in hit[1] if b.imported is not None] if hit else []
    elif isinstance(function, ast.Attribute) and function.attr in ("import_module", "importorskip"):
        names = [d.name for d in resolve(function, scope, depth + 1)]
    else:
        return None
    return next((n for n in names if n in IMPORTERS), None)


def imported_module(node: ast.Call, scope: Scope, depth: int = 0) -> tuple[str, ...]:
    """The modules that a call such as `importlib.import_module(…)` can yield, as far as they can be read."""
    which = importer(node, scope, depth)
    if which is None or not node.args:
        return ()
    names = [v for v in values(node.args[0], scope) if isinstance(v, str) and _is_dotted(v)]
    if which == "__import__" and len(node.args) == 1 and not node.keywords:
        names = [n.partition(".")[0] for n in names]
    return tuple(dict.fromkeys(names))


def _is_dotted(text: str) -> bool:
    return all(p.isidentifier() for p in text.split("."))


def values(node: ast.expr, scope: Scope, depth: int = 0) -> tuple[Any, ...]:
    """The constants that `node` can have, through names bound once and parameters of functions called in the module.

    Empty when nothing is known. A parameter has the constants that its callers pass; callers that pass
    something else are left out, so each value returned is one that really occurs.
    """
    if depth > _MAX_DEPTH:
        return ()
    return tuple(_unique(_values(node, scope, depth)))[:_MAX_VALUES]


def _unique(items: Iterator[Any]) -> Iterator[Any]:
    seen: list[Any] = []
    for item in items:
        if item not in seen:
            seen.append(item)
            yield item


def _values(node: ast.expr, scope: Scope, depth: int) -> Iterator[Any]:
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, ast.Tuple | ast.List):
        yield from _product([values(e, scope, depth + 1) for e in node.elts])
    elif isinstance(node, ast.Name):
        yield from _name_values(node.id, scope, depth)
    elif isinstance(node, ast.JoinedStr):
        parts = [v.value if isinstance(v, ast.FormattedValue) else v for v in node.values]
        for texts in _product([values(p, scope, depth + 1) for p in parts]):
            yield "".join(str(t) for t in texts)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for left in values(node.left, scope, depth + 1):
            for right in values(node.right, scope, depth + 1):
                if (isinstance(left, str) and isinstance(right, str)) or (
                    isinstance(left, tuple) and isinstance(right, tuple)
                ):
                    yield left + right  # type: ignore[operator]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        for text in values(node.left, scope, depth + 1):
            for given in values(node.right, scope, depth + 1):
                yield from _filled(text, _PERCENT, given if isinstance(given, tuple) else (given,))
    elif isinstance(node, ast.Subscript):
        for holder in values(node.value, scope, depth + 1):
            for index in values(node.slice, scope, depth + 1):
                if isinstance(holder, tuple) and isinstance(index, int) and -len(holder) <= index < len(holder):
                    yield holder[index]
    elif isinstance(node, ast.Call):
        yield from _joined(node, scope, depth)
        yield from _format(node, scope, depth)


def _product(choices: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    if any(not c for c in choices):
        return
    combined: list[tuple[Any, ...]] = [()]
    for choice in choices:
        combined = [(*c, v) for c in combined for v in choice][:_MAX_VALUES]
    yield from combined


def _joined(node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    if not (isinstance(node.func, ast.Attribute) and node.func.attr == "join" and len(node.args) == 1):
        return
    for glue in values(node.func.value, scope, depth + 1):
        for parts in values(node.args[0], scope, depth + 1):
            if isinstance(glue, str) and isinstance(parts, tuple) and all(isinstance(p, str) for p in parts):
                yield glue.join(parts)


def _format(node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    """`"jax=={}".format(VERSION)`, with plain fields alone."""
    if not (isinstance(node.func, ast.Attribute) and node.func.attr == "format") or node.keywords:
        return
    for text in values(node.func.value, scope, depth + 1):
        for given in _product([values(a, scope, depth + 1) for a in node.args]):
            yield from _filled(text, _BRACES, given)


def _filled(text: Any, field: re.Pattern[str], given: tuple[Any, ...]) -> Iterator[str]:
    """A text with its fields filled in, where it has as many as there are values, and nothing that looks like more."""
    parts = field.split(text) if isinstance(text, str) else []
    if len(parts) == len(given) + 1 and not any(c in part for part in parts for c in "%{}"):
        yield parts[0] + "".join(str(v) + part for v, part in zip(given, parts[1:], strict=True))


def _name_values(name: str, scope: Scope, depth: int) -> Iterator[Any]:
    hit = scope.lookup(name)
    if hit is None:
        return
    where, bindings = hit
    if len(bindings) != 1:
        return
    if bindings[0].value is not None:
        yield from values(bindings[0].value, where, depth + 1)
    elif name in where.parameters and isinstance(where.node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from _argument_values(where.node, name, where, depth)


def _argument_values(
    function: ast.FunctionDef | ast.AsyncFunctionDef, name: str, scope: Scope, depth: int
) -> Iterator[Any]:
    position = scope.parameters.index(name)
    tree = scope.module.node
    for call in ast.walk(tree):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function.name):
            continue
        chosen = next((k.value for k in call.keywords if k.arg == name), None)
        if chosen is None and position < len(call.args):
            chosen = call.args[position]
        if chosen is not None and not any(isinstance(a, ast.Starred) for a in call.args):
            yield from values(chosen, scope.module, depth + 1)
