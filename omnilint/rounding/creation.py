"""New arrays: filled, counted, converted and random ones."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from omnilint.rounding.copying import replace
from omnilint.rounding.dtypes import FLOATS, RANK, default_float
from omnilint.rounding.frame import Frame
from omnilint.rounding.operands import as_array, entered
from omnilint.rounding.table import Creation
from omnilint.rounding.values import Array, Const, Symbol, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine


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


def create(
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
        peak=_peak(m, creation, uniform, arguments, frame),
        traced=library == "jax",
    )
    return (
        array
        if grid or dtype not in FLOATS
        else entered(m, replace(array, dtype="float64"), dtype, library, node, frame)
    )


def _peak(
    m: Machine, creation: Creation, uniform: float | None, arguments: Sequence[Value], frame: Frame
) -> float | None:
    """The largest size of a new array's elements: of its one value, of the ends of its range."""
    if creation.grid:
        return 1.0
    if uniform is not None:
        return abs(uniform)
    if creation.ends:
        ends = [as_array(m, v, frame).peak for v in arguments[:2]]
        known = [e for e in ends if e is not None]
        return max(known) if known and len(known) == len(ends) else None
    return None


def draw(
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
