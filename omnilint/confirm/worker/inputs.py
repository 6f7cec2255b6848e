"""Arguments from their descriptions: concrete small ones, and their abstract twins for tracing."""

from __future__ import annotations

from typing import Any

from . import compat


def _values(dtype: str, shape: Any) -> Any:
    """Distinct, tame numbers: positive, below two for floats, one or two for integers, mixed for booleans."""
    import numpy as np

    size = 1
    for n in shape:
        size *= n
    steps = np.arange(size)
    if dtype == "bool":
        flat: Any = steps % 2 == 0
    elif dtype.startswith(("int", "uint")):
        flat = 1 + steps % 2
    else:
        flat = 0.25 + (steps % 17) / 11.0
    # Cast by NumPy: JAX would compile a program for it.
    return flat.reshape(shape).astype(compat.jax().numpy.dtype(dtype))


def _array(spec: Any) -> Any:
    """An array of a description: with its own values when these are known, as NumPy's when it was one."""
    import numpy as np

    shape = tuple(spec["shape"])
    if "values" in spec:
        made = np.asarray(spec["values"], dtype=spec["dtype"]).reshape(shape)
    else:
        made = _values(spec["dtype"], shape)
    return made if spec.get("numpy") else compat.jax().numpy.asarray(made)


def build(spec: Any, namespace: Any) -> Any:
    """The concrete value of a description."""
    kind = spec["kind"]
    if kind == "array":
        return _array(spec)
    if kind == "key":
        random = compat.jax().random
        return random.key(0) if spec.get("typed") and hasattr(random, "key") else random.PRNGKey(0)
    if kind in ("literal", "scalar"):
        return eval(spec["source"], namespace)
    if kind == "tree":
        return {k: build(v, namespace) for k, v in spec["items"].items()}
    if kind == "sequence":
        return [build(v, namespace) for v in spec["items"]]
    if kind == "tuple":
        return tuple(build(v, namespace) for v in spec["items"])
    if kind == "made":
        return eval(spec["of"], namespace)(**{k: build(v, namespace) for k, v in spec["arguments"].items()})
    if kind == "instance":
        made = namespace[spec["class"]]
        return made(**{k: build(v, namespace) for k, v in spec["arguments"].items()})
    raise ValueError("unknown kind of argument: " + str(kind))


def is_traced(spec: Any, static: bool) -> bool:
    """Whether a transform would trace this argument; `static` says that whole numbers stay Python values."""
    kind = spec["kind"]
    if kind == "scalar":
        return not static or "." in spec["source"]
    if kind in ("tree", "sequence", "tuple", "made"):
        items = spec["arguments"].values() if kind == "made" else spec["items"]
        items = items.values() if kind == "tree" else items
        return all(is_traced(v, static) for v in items)
    return kind in ("array", "key")


def outline(spec: Any, namespace: Any) -> Any:
    """What `abstract` makes of the value of a description; arrays are not made for it, nor is a backend started."""
    kind, jax = spec["kind"], compat.jax()
    if kind == "array":
        return jax.ShapeDtypeStruct(tuple(spec["shape"]), jax.dtypes.canonicalize_dtype(spec["dtype"]))
    if kind == "tree":
        return {k: outline(v, namespace) for k, v in spec["items"].items()}
    if kind == "sequence":
        return [outline(v, namespace) for v in spec["items"]]
    if kind == "tuple":
        return tuple(outline(v, namespace) for v in spec["items"])
    return abstract(build(spec, namespace))


def abstract(value: Any) -> Any:
    """`value` with arrays and numbers replaced by shapes and dtypes."""
    jax = compat.jax()

    def leaf(x: Any) -> Any:
        if hasattr(x, "shape") and hasattr(x, "dtype"):
            return jax.ShapeDtypeStruct(x.shape, x.dtype)
        return x

    return jax.tree_util.tree_map(leaf, value)
