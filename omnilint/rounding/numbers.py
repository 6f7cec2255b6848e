"""Array functions and methods: conversions, and the operations of the table."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from omnilint.rounding import creation, solvers
from omnilint.rounding.arithmetic import computed_by, result
from omnilint.rounding.copying import replace
from omnilint.rounding.creation import converted, dtype_of
from omnilint.rounding.frame import Frame
from omnilint.rounding.operands import as_array
from omnilint.rounding.values import Array, Check, Const, Seq, Symbol, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# `isinstance` with several would make floats of them where the module is compiled.
NUMBERS = (bool, int, float)
ROOTS = {"jax": "jax", "numpy": "numpy", "scipy": "numpy", "math": "numpy", "builtins": "python"}


PYTHON_CASTS = {"float": "float64", "int": "int", "bool": "bool"}


# Arguments of array functions that are not operands.
_SETTINGS = "axis dtype keepdims shape size n length out precision preferred_element_type order ddof"


SETTINGS = frozenset(_SETTINGS.split())


@cache
def _parts(dotted: str) -> tuple[str | None, str, str]:
    """Whose function it is (None: a library without arrays), its module and its name."""
    parent, _, name = dotted.rpartition(".")
    return ROOTS.get(dotted.partition(".")[0]), parent, name


def call(
    m: Machine, dotted: str, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value | None:
    """The array that a function of jax, numpy, scipy or math gives; None when the table doesn't know it."""
    library, parent, name = _parts(dotted)
    if library is None:
        return None
    if parent == "builtins":
        return _python(m, name, arguments, node, frame)
    if f"{parent}.".startswith(m.table.draws.prefixes):
        return creation.draw(m, parent, name, library, arguments, keywords, node, frame)
    if name in m.table.dtypes and arguments:
        return converted(m, arguments[0], m.table.dtypes[name], library, node, frame)
    made = m.table.creations.get(name)
    if made is not None and (arguments or keywords):
        return creation.create(m, name, made, library, arguments, keywords, node, frame)
    if name in m.table.results:
        return solvers.solved(m, name, library, arguments, keywords, node, frame, dotted)
    if name in m.table.operations:
        return operation(m, name, library, arguments, keywords, node, frame, dotted)
    return None


def method(
    m: Machine,
    name: str,
    owner: Array,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
) -> Value | None:
    """The value of an array's method, None when the table doesn't know it."""
    if name in ("astype", "view") and (arguments or "dtype" in keywords):
        given = arguments[0] if arguments else keywords["dtype"]
        moved = converted(m, owner, dtype_of(m, given), owner.library, node, frame)
        return replace(moved, depth=min(moved.depth, given.depth))
    if name in ("item", "tolist"):
        return replace(owner, library="python")
    if name in m.table.operations and owner.library != "unknown":
        kind = m.table.operations[name].kind
        # The arguments of a method are shapes and axes, except where it takes a second operand.
        operands = [owner, *arguments] if name in ("dot", "matmul", "add", "clip") else [owner]
        if kind == "exact" and len(operands) == 1:
            return replace(
                result(m, node, frame, name, operands, library=owner.library, kind="exact", spread=0.0),
                key=m.key(name, owner.key, *(v.key for v in arguments), *((k, v.key) for k, v in keywords.items())),
                form=m.key(name, owner.form, *(v.form for v in arguments), *((k, v.form) for k, v in keywords.items())),
                dtype=owner.dtype,
            )
        return operation(m, name, owner.library, operands, keywords, node, frame, f"array.{name}", extra=arguments)
    return None


def operation(
    m: Machine,
    name: str,
    library: str,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
    dotted: str,
    extra: Sequence[Value] = (),
) -> Value:
    """One operation of the table applied to its array arguments."""
    facts = m.table.operations[name]
    operands = [*arguments, *(v for k, v in keywords.items() if k not in SETTINGS)]
    operands = [v for v in operands if not isinstance(v, Const) or isinstance(v.value, (bool, int, float))]
    if name in ("sum", "mean", "max", "min", "prod", "norm", "std", "var", "softmax", "reshape", "transpose", "argmax"):
        operands = operands[:1]
    if name == "where":
        operands = operands[-2:]
    if name == "einsum":
        operands = list(arguments[1:])
    operands = [v for v in operands if not isinstance(v, Symbol)]
    if not operands:
        return m.opaque("call", dotted, *(v.key for v in arguments), depth=frame.depth)
    if any(isinstance(v, Check) for v in operands):
        return next(v for v in operands if isinstance(v, Check))
    given = keywords.get("dtype", keywords.get("preferred_element_type"))
    dtype = dtype_of(m, given) if given is not None else None
    if facts.kind == "discrete":
        floats = name in ("floor", "ceil", "round", "rint", "trunc", "fix", "sign")
        dtype = as_array(m, operands[0], frame).dtype if floats else "int"
    value = result(
        m,
        node,
        frame,
        name,
        operands,
        library=library,
        kind=facts.kind,
        spread=facts.spread,
        dtype=dtype,
        text=f"`{_short(dotted)}`",
    )
    values = [*arguments, *extra, *keywords.values()]
    by = computed_by(library, facts.kind, value.dtype)
    value.key, value.form = m.keys((by, name, *keywords), values)  # it is new, so it may be changed in place
    # The rounding of this very operation is known by all of its arguments, axes included.
    value.errors = {value.key if e.node is node else k: e for k, e in value.errors.items()}
    return value


def _short(dotted: str) -> str:
    return dotted.replace("jax.numpy.", "jnp.").replace("numpy.", "np.")


def _python(m: Machine, name: str, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    if name in PYTHON_CASTS and len(arguments) == 1:
        value = arguments[0]
        if isinstance(value, Const) and isinstance(value.value, (bool, int, float)):
            try:
                return m.const({"float": float, "int": int, "bool": bool}[name](value.value), value.depth)
            except (ValueError, OverflowError):
                return None
        if isinstance(value, Array):
            if name == "float":
                held = value.held or value.dtype
                return replace(value, library="python", dtype="float64" if value.dtype else None, held=held)
            return converted(m, value, PYTHON_CASTS[name], "python", node, frame)
        return None
    if name == "abs" and len(arguments) == 1:
        value = arguments[0]
        if isinstance(value, Const) and type(value.value) in NUMBERS:
            return m.const(abs(value.value), value.depth)
        if isinstance(value, Array):
            return result(m, node, frame, "abs", [value], library=value.library, kind="exact", spread=0.0)
    if name in ("sum", "max", "min") and arguments and isinstance(arguments[0], (Seq, Array)):
        value = as_array(m, arguments[0], frame)
        if value.library in ("jax", "numpy", "python"):
            return operation(m, name, value.library, [arguments[0]], {}, node, frame, f"builtins.{name}")
    return None
