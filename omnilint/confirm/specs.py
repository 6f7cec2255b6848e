"""Descriptions of arguments, as people write them (`f32[3,4]`, `n=4`) and as the worker builds them."""

from __future__ import annotations

import ast
import re
from typing import Any

from omnilint.confirm.interpreter import ConfirmError

Spec = dict[str, Any]

DTYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "c64": "complex64",
    "c128": "complex128",
    "bool": "bool",
    "pred": "bool",
}
_FULL = frozenset(DTYPES.values())
_ARRAY = re.compile(r"(?P<dtype>[A-Za-z]\w*)\s*\[(?P<shape>[\d,\s]*)\]")
_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*=(?!=)\s*(?P<value>.+)", re.DOTALL)


def array(dtype: str, shape: tuple[int, ...]) -> Spec:
    """An array to be traced."""
    return {"kind": "array", "dtype": dtype, "shape": list(shape)}


def literal(source: str) -> Spec:
    """A Python value, written as source that is evaluated in the module; never traced."""
    return {"kind": "literal", "source": source}


def scalar(source: str) -> Spec:
    """A Python number that a transform would trace."""
    return {"kind": "scalar", "source": source}


KEY: Spec = {"kind": "key"}


def parse(text: str) -> tuple[str | None, Spec]:
    """(parameter name or None, spec) of one `--input`: `f32[3,4]`, `i32[]`, `key`, `n=4`, `x=f32[2]`.

    Raises ConfirmError for anything else.
    """
    name: str | None = None
    value = text.strip()
    named = _NAMED.fullmatch(value)
    if named:
        name, value = named["name"], named["value"].strip()
    if value == "key":
        return name, KEY
    found = _ARRAY.fullmatch(value)
    if found:
        dtype = DTYPES.get(found["dtype"], found["dtype"])
        if dtype not in _FULL:
            known = ", ".join(DTYPES)
            raise ConfirmError(f"--input {text!r}: {found['dtype']!r} is not a dtype; use one of {known}")
        parts = [p.strip() for p in found["shape"].split(",") if p.strip()]
        return name, array(dtype, tuple(int(p) for p in parts))
    try:
        ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ConfirmError(
            f"--input {text!r}: write an array as f32[3,4] or i32[], a random key as key, "
            "and any other argument as a Python literal (n=4)"
        ) from None
    return name, literal(value)


_SHORT = {full: short for short, full in reversed(DTYPES.items())}


def show(spec: Spec) -> str:
    """A spec as people write it."""
    kind = spec["kind"]
    if kind == "array":
        return f"{_SHORT.get(spec['dtype'], spec['dtype'])}[{','.join(str(n) for n in spec['shape'])}]"
    if kind in ("literal", "scalar"):
        return str(spec["source"])
    if kind == "tree":
        return "{" + ", ".join(f"{k}: {show(v)}" for k, v in spec["items"].items()) + "}"
    if kind == "sequence":
        return "[" + ", ".join(show(v) for v in spec["items"]) + "]"
    if kind == "tuple":
        return "(" + ", ".join(show(v) for v in spec["items"]) + ("," if len(spec["items"]) == 1 else "") + ")"
    if kind == "made":
        return f"{spec['name']}({', '.join(f'{k}={show(v)}' for k, v in spec['arguments'].items())})"
    if kind == "instance":
        return f"{spec['class']}({', '.join(f'{k}={show(v)}' for k, v in spec['arguments'].items())})"
    return str(kind)


def show_call(name: str, arguments: dict[str, Spec]) -> str:
    """A call with described arguments: `f(x=f32[3], n=4)`."""
    return f"{name}({', '.join(f'{k}={show(v)}' for k, v in arguments.items())})"
