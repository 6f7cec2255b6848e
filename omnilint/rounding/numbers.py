"""Array functions and methods: new arrays, random draws, conversions, operations of the table."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from omnilint.rounding.arithmetic import FLOATS, RANK, as_array, default_float, entered, result
from omnilint.rounding.frame import Frame
from omnilint.rounding.table import Creation
from omnilint.rounding.values import Array, Check, Const, Seq, Symbol, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

ROOTS = {"jax": "jax", "numpy": "numpy", "scipy": "numpy", "math": "numpy", "builtins": "python"}
PYTHON_CASTS = {"float": "float64", "int": "int", "bool": "bool"}
# Arguments of array functions that are not operands.
_SETTINGS = "axis dtype keepdims shape size n length out precision preferred_element_type order ddof"
SETTINGS = frozenset(_SETTINGS.split())


def call(
    m: Machine, dotted: str, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST, frame: Frame
) -> Value | None:
    """The array that a function of jax, numpy, scipy or math gives; None when the table doesn't know it."""
    root, _, _ = dotted.partition(".")
    parent, _, name = dotted.rpartition(".")
    library = ROOTS.get(root)
    if library is None:
        return None
    if parent == "builtins":
        return _python(m, name, arguments, node, frame)
    if any(parent == module or parent.startswith(module + ".") for module in m.table.draws.modules):
        return _draw(m, parent, name, library, arguments, keywords, node, frame)
    if name in m.table.dtypes and arguments:
        return converted(m, arguments[0], m.table.dtypes[name], library, node, frame)
    creation = m.table.creations.get(name)
    if creation is not None and (arguments or keywords):
        return _create(m, name, creation, library, arguments, keywords, node, frame)
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
    if name == "item":
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
    operands = [v for v in operands if not isinstance(v, Const) or isinstance(v.value, bool | int | float)]
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
    key = m.key(library, name, *(v.key for v in values), *keywords)
    form = m.key(library, name, *(v.form for v in values), *keywords)
    # The rounding of this very operation is known by all of its arguments, axes included.
    errors = {key if e.node is node else k: e for k, e in value.errors.items()}
    return replace(value, key=key, form=form, errors=errors)


def _short(dotted: str) -> str:
    return dotted.replace("jax.numpy.", "jnp.").replace("numpy.", "np.")


def dtype_of(m: Machine, value: Value | None) -> str | None:
    """The table's name of a dtype given as a string, a scalar type or another array's `dtype`."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return m.table.dtypes.get(value.value)
    if isinstance(value, Symbol):
        return m.table.dtypes.get(value.dotted.rpartition(".")[2])
    return None


def converted(m: Machine, value: Value, dtype: str | None, library: str, node: ast.AST, frame: Frame) -> Value:
    """The value converted to a dtype: narrowing rounds each element once, as part of the input."""
    if dtype == "float64" and library == "jax" and frame.x64 != "on":
        dtype = default_float(frame)
    array = as_array(m, value, frame)
    if isinstance(value, Const) and array.library == "unknown":
        return m.opaque("converted", value.key, dtype, depth=value.depth)
    moved = entered(m, array, dtype, library, node, frame)
    discrete = dtype is not None and dtype not in FLOATS
    return replace(
        moved,
        key=m.key("convert", value.key, dtype),
        form=m.key("convert", value.form, dtype),
        depth=min(frame.depth, value.depth),
        library=library,
        dtype=dtype,
        errors={} if discrete else moved.errors,
        traced=array.traced or library == "jax",
        grid=moved.grid or discrete,
    )


def _create(
    m: Machine,
    name: str,
    creation: Creation,
    library: str,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
) -> Value:
    given = keywords.get("dtype")
    if given is None and creation.dtype is not None and len(arguments) > creation.dtype:
        given = arguments[creation.dtype]
    explicit = dtype_of(m, given)
    if given is not None and explicit is None and not (isinstance(given, Const) and given.value is None):
        dtype = None
    else:
        dtype = explicit
        if library == "jax" and dtype == "float64" and frame.x64 != "on":
            dtype = default_float(frame)
    known = dtype is not None or given is None
    first = arguments[0] if arguments else next(iter(keywords.values()))
    values = [*arguments, *keywords.values()]
    depth = min([frame.depth, *(v.depth for v in values)])
    key, form = m.key(name, *(v.key for v in values)), m.key(name, *(v.form for v in values))
    default = default_float(frame) if library == "jax" else "float64"
    if creation.convert:
        source = as_array(m, first, frame)
        if source.library == "unknown" and dtype is None:
            return replace(source, key=key, form=form, depth=depth, library=library, traced=library == "jax")
        if dtype is None and known:
            dtype = source.dtype
            if library == "jax" and (source.library == "python" or dtype == "float64") and dtype in ("float64",):
                dtype = default_float(frame)
        moved = converted(m, first, dtype, library, node, frame)
        return replace(moved, key=key, form=form, depth=depth)
    uniform, grid = creation.value, True
    if creation.fill is not None:
        fill = arguments[creation.fill] if len(arguments) > creation.fill else keywords.get("fill_value")
        number = as_array(m, fill, frame) if fill is not None else None
        uniform = number.uniform if number is not None else None
        grid = number is not None and number.grid
        default = default if number is None or number.dtype in FLOATS or number.dtype is None else number.dtype
    if creation.like and dtype is None and known:
        dtype = as_array(m, first, frame).dtype
    elif creation.operands:
        sources = [as_array(m, v, frame) for v in arguments]
        grid = all(a.grid for a in sources)
        if dtype is None and known:
            widest = max((a.dtype for a in sources if a.dtype), key=RANK.__getitem__, default=None)
            dtype = "int" if widest in ("int", "bool") else default if widest is not None else None
    elif dtype is None and known:
        dtype = default
    if creation.rounds:
        grid = False
    array = Array(
        key=key,
        form=form,
        depth=depth,
        library=library,
        dtype=dtype,
        grid=grid,
        uniform=uniform,
        peak=1.0 if creation.grid else None if uniform is None else abs(uniform),
        traced=library == "jax",
    )
    return (
        array
        if grid or dtype not in FLOATS
        else entered(m, replace(array, dtype="float64"), dtype, library, node, frame)
    )


def _draw(
    m: Machine,
    parent: str,
    name: str,
    library: str,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    frame: Frame,
) -> Value | None:
    draws = m.table.draws
    if name in draws.generators:
        return m.symbol(f"numpy.random.{name}")
    values = [*arguments, *keywords.values()]
    depth = min([frame.depth, *(v.depth for v in values)])
    key = m.key("draw", parent, name, *(v.key for v in values))
    form = m.key("draw", parent, name, *(v.form for v in values))
    if name in draws.keys:
        key = m.key(key, id(node))
        return m.opaque("key", key, depth=depth)
    if name in draws.shuffles and arguments:
        source = as_array(m, arguments[1] if library == "jax" and len(arguments) > 1 else arguments[0], frame)
        return replace(source, key=key, form=form, depth=depth, uniform=None)
    if name[:1].isupper() or name.startswith("get_"):
        return None
    given = keywords.get("dtype") or next(
        (v for v in arguments if dtype_of(m, v) is not None and not isinstance(v, Array)), None
    )
    explicit = dtype_of(m, given)
    if name in draws.integers:
        dtype: str | None = "int"
    elif given is not None:
        dtype = explicit
    else:
        dtype = default_float(frame) if library == "jax" else "float64"
    if library == "jax" and dtype == "float64" and frame.x64 != "on":
        dtype = default_float(frame)
    return Array(
        key=key,
        form=form,
        depth=depth,
        library=library,
        dtype=dtype,
        grid=dtype == "int",
        traced=library == "jax",
    )


def _python(m: Machine, name: str, arguments: Sequence[Value], node: ast.AST, frame: Frame) -> Value | None:
    if name in PYTHON_CASTS and len(arguments) == 1:
        value = arguments[0]
        if isinstance(value, Const) and isinstance(value.value, bool | int | float):
            try:
                return m.const({"float": float, "int": int, "bool": bool}[name](value.value), value.depth)
            except (ValueError, OverflowError):
                return None
        if isinstance(value, Array):
            if name == "float":
                return replace(value, library="python", dtype="float64" if value.dtype else None)
            return converted(m, value, PYTHON_CASTS[name], "python", node, frame)
        return None
    if name == "abs" and len(arguments) == 1:
        value = arguments[0]
        if isinstance(value, Const) and isinstance(value.value, int | float):
            return m.const(abs(value.value), value.depth)
        if isinstance(value, Array):
            return result(m, node, frame, "abs", [value], library=value.library, kind="exact", spread=0.0)
    if name in ("sum", "max", "min") and arguments and isinstance(arguments[0], Seq | Array):
        value = as_array(m, arguments[0], frame)
        if value.library in ("jax", "numpy", "python"):
            return operation(m, name, value.library, [arguments[0]], {}, node, frame, f"builtins.{name}")
    return None
