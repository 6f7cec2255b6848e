"""Expressions at a module's top level, read without running them: texts, chains, warnings, definitions of options."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_DEFINERS = ("_state", "_flag", "DEFINE_bool", "DEFINE_string", "DEFINE_integer", "DEFINE_enum", "DEFINE_float",
             "_context_manager", "_holder")  # fmt: skip


def text_of(node: ast.expr | None, known: dict[str, str]) -> str | None:
    """The text of a string expression: literals, implicit and explicit concatenation, f-strings with known names."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            return known.get(name)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            a, b = text_of(left, known), text_of(right, known)
            return None if a is None or b is None else a + b
        case ast.JoinedStr(values=parts):
            out = []
            for p in parts:
                inner = p.value if isinstance(p, ast.FormattedValue) else p
                out.append(text_of(inner, known) or "…")
            return "".join(out)
    return None


def chain_of(node: ast.expr) -> str | None:
    """`a.b.c` of a chain of attributes on a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def strings_of(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    if isinstance(node, ast.BinOp):
        return strings_of(node.left) + strings_of(node.right)
    return []


def options_of(value: ast.expr) -> list[str]:
    """Names of jax.config options that a call defines: `define_bool_state(name="jax_…")`, `DEFINE_bool("jax_…")`."""
    if not isinstance(value, ast.Call):
        return []
    name = chain_of(value.func) or ""
    if not name.endswith(_DEFINERS):
        return []
    first = [*value.args[:1], *(k.value for k in value.keywords if k.arg == "name")]
    return [s for a in first for s in strings_of(a) if s.startswith("jax_")]


def is_warning(stmt: ast.stmt) -> bool:
    return (
        isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Call)
        and (chain_of(stmt.value.func) or "").endswith("warn")
    )


def message_of(call: ast.Call) -> ast.expr:
    """The message of a call of a `warn` function; JAX's own takes the deprecation's identifier before it."""
    function = call.func
    own = isinstance(function, ast.Attribute) and "warnings" not in (chain_of(function.value) or "")
    return call.args[1] if own and len(call.args) > 1 else call.args[0]


def first_warning(body: Sequence[ast.stmt], known: dict[str, str]) -> str | None:
    """The message of a DeprecationWarning or FutureWarning given at the top level of a function's body."""
    texts = dict(known)
    for stmt in body:
        if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name):
            text = text_of(stmt.value, texts)
            if text is not None:
                texts[stmt.targets[0].id] = text
        if not is_warning(stmt):
            continue
        call = stmt.value  # type: ignore[attr-defined]
        text = text_of(message_of(call), texts) if call.args else None
        classes = [chain_of(a) for a in [*call.args[1:], *(k.value for k in call.keywords if k.arg == "category")]]
        category = next((c for c in classes if c and c.endswith("Warning")), None)
        if text and (category in ("DeprecationWarning", "FutureWarning") or "deprecated" in text or "renamed" in text):
            return text
    return None
