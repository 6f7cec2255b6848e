"""Calls into libraries: comparisons, transforms, control flow, tree functions, array functions."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from omnilint.rounding import asserting, control, creation, differences, iteration, numbers, trees
from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.trees import record
from omnilint.rounding.values import Array, Check, Const, Opaque, Partial, Record, Symbol, Value, Wrapped, least

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

UNITTEST = frozenset({"assertTrue", "assertIs", "assertLess", "assertLessEqual", "assertGreater", "assertEqual"})

# Context managers of 64-bit mode, and what they do without an argument.
X64_CONTEXTS = {
    "jax.enable_x64": "on",
    "jax.experimental.enable_x64": "on",
    "jax.experimental.disable_x64": "off",
}


def call(
    m: Machine, callee: Symbol, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value:
    """The value of calling a library function; `method.NAME` is a method of its first argument."""
    dotted = callee.dotted
    if dotted.startswith("method."):
        return _method(m, dotted.removeprefix("method."), arguments, keywords, node, frame)
    comparison = m.table.comparisons.get(dotted)
    if comparison is not None:
        return asserting.compare(m, comparison, arguments, keywords, node, frame)
    difference = m.table.differences.get(dotted)
    if difference is not None:
        return differences.numerical(m, difference, arguments, keywords, node, frame)
    for handler in (_functional, control.call, _container, numbers.call):
        value = handler(m, dotted, arguments, keywords, node, frame)
        if value is not None:
            return value
    if dotted in ("numpy.finfo", "jax.numpy.finfo", "ml_dtypes.finfo") and arguments:
        return m.symbol(f"finfo.{creation.dtype_of(m, arguments[0])}")
    if dotted == "numpy.dtype" and arguments and creation.dtype_of(m, arguments[0]):
        return m.const(creation.dtype_of(m, arguments[0]), arguments[0].depth)
    if (
        dotted in ("jax.disable_jit", "chex.fake_jit")
        and truth(arguments[0] if arguments else m.const(True, 0)) != "off"
    ):
        return m.symbol("mode.eager")
    if dotted.startswith("x64.") and arguments:  # used as a decorator
        return wrapped(m, dotted, arguments[0])
    if dotted in X64_CONTEXTS:
        return m.symbol(f"x64.{truth(arguments[0]) if arguments else X64_CONTEXTS[dotted]}")
    _switch(m, dotted, arguments, frame)
    return _unknown(m, dotted, arguments, keywords, frame)


def _unknown(m: Machine, name: str, arguments: Sequence[Value], keywords: Mapping[str, Value], frame: Frame) -> Opaque:
    values = [*arguments, *keywords.values()]
    key, form = m.keys(("call", name), values)
    return Opaque(key=key, form=form, depth=least(frame.depth, values))


def _functional(
    m: Machine, dotted: str, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value | None:
    """Transforms and partial application."""
    if dotted in ("functools.partial", "jax.tree_util.Partial") and arguments:
        key = m.key("partial", *(v.key for v in arguments), *((k, v.key) for k, v in keywords.items()))
        depth = min(v.depth for v in [*arguments, *keywords.values()])
        return Partial(
            key=key, form=key, depth=depth, callee=arguments[0], arguments=tuple(arguments[1:]), keywords=dict(keywords)
        )
    transform = m.table.transforms.get(dotted)
    if transform is None:
        return None
    if not arguments:
        # `@jit(static_argnames=...)`, `@wraps(f)`: the function comes with the next call.
        symbol = m.symbol(dotted)
        return Partial(key=symbol.key, form=symbol.form, callee=symbol, arguments=(), keywords=dict(keywords))
    if transform == "plain":
        if dotted == "functools.wraps":
            symbol = m.symbol("typing.cast")
            return Partial(key=symbol.key, form=symbol.form, callee=symbol, arguments=(), keywords={})
        return arguments[-1]
    if transform in ("grad", "value_and_grad"):
        given = dict(zip(("fun", "argnums", "has_aux"), arguments, strict=False)) | dict(keywords)
        differentiated = wrapped(m, transform, arguments[0])
        return replace(differentiated, argnums=given.get("argnums"), auxiliary=given.get("has_aux"))
    return wrapped(m, "jit" if transform == "same" else transform, arguments[0])


def wrapped(m: Machine, transform: str, callee: Value) -> Wrapped:
    """A callable under a transform; `jit` keeps the key, since it computes the same."""
    form = m.key(transform, callee.form)
    key = callee.key if transform == "jit" else m.key(transform, callee.key)
    return Wrapped(key=key, form=form, depth=callee.depth, transform=transform, callee=callee)


def _container(
    m: Machine, dotted: str, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value | None:
    """`dict(a=1)`, and Python's functions on containers."""
    if dotted == "builtins.dict" and not arguments:
        return record(m, keywords, frame.depth)
    return iteration.call(m, dotted, arguments, node, frame)


def _method(
    m: Machine, name: str, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value:
    owner, rest = arguments[0], arguments[1:]
    if isinstance(owner, Check) and name in ("all", "item", "block_until_ready"):
        return owner
    if isinstance(owner, Array):
        value = numbers.method(m, name, owner, rest, keywords, node, frame)
        return value if value is not None else _unknown(m, f"method.{name}", arguments, keywords, frame)
    if isinstance(owner, Record):
        return _dict_method(m, owner, name, arguments, frame)
    comparison = m.table.comparisons.get(f"self.{name}")
    if comparison is not None:
        return asserting.compare(m, comparison, rest, keywords, node, frame)
    if name in UNITTEST and rest:
        _unittest(m, name, rest, node, frame)
        return m.const(None, frame.depth)
    if name == "variant" and rest:
        return wrapped(m, "jit", rest[0])
    return _unknown(m, f"method.{name}", arguments, keywords, frame)


def _dict_method(m: Machine, owner: Record, name: str, arguments: Sequence[Value], frame: Frame) -> Value:
    match name, list(arguments[1:]):
        case "get", [key, *rest]:
            found = owner.items.get(trees.name_of(m, key))
            return found or (rest[0] if rest else m.const(None, frame.depth))
        case "values", _:
            return m.seq(list(owner.items.values()), frame.depth)
        case "keys", _:
            return m.seq([m.const(k, frame.depth) for k in owner.items], frame.depth)
        case "items", _:
            return m.seq(
                [m.seq([m.const(k, frame.depth), v], frame.depth) for k, v in owner.items.items()], frame.depth
            )
    return _unknown(m, f"method.{name}", arguments, {}, frame)


def _unittest(m: Machine, name: str, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> None:
    if name == "assertTrue":
        asserting.asserted(m, arguments[0], frame)
    operators: dict[str, ast.cmpop] = {
        "assertLess": ast.Lt(),
        "assertLessEqual": ast.LtE(),
        "assertGreater": ast.Gt(),
        "assertEqual": ast.Eq(),
    }
    if name in operators and len(arguments) >= 2:
        check = asserting.compared_by_operator(m, operators[name], arguments[0], arguments[1], node, frame)
        if check is not None:
            asserting.asserted(m, check, frame)


def truth(value: Value) -> str:
    """The mode that a switch is set to."""
    return "unknown" if not isinstance(value, Const) else "on" if value.value else "off"


def _switch(m: Machine, dotted: str, arguments: Sequence[Value], frame: Frame) -> None:
    """`jax.config.update("jax_enable_x64", value)` counts from here on, in this frame and its callers."""
    if not dotted.endswith("config.update") or len(arguments) != 2:
        return
    name, value = arguments
    if isinstance(name, Const) and name.value == "jax_enable_x64":
        state = truth(value)
        for caller in frame.chain():
            caller.x64 = state
