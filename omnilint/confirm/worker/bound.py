"""What names of a module stand for, once it is imported: values, or whose members they are."""

from __future__ import annotations

import sys
import types
from typing import Any

from . import compat, proof
from .errors import real

_FOUND = (types.FunctionType, types.BuiltinFunctionType, type)


def values(wanted: Any, home: Any) -> Any:
    """By file and name: a value's tree, or the name that JAX or another library has it by; None for the rest."""
    files = {real(file): file for file in wanted}
    told: dict[str, Any] = {}
    for module in list(sys.modules.values()):
        file = files.get(real(getattr(module, "__file__", None) or ""))
        for name in wanted[file] if file is not None else ():
            told[f"{file}\0{name}"] = _value(vars(module).get(name), home)
    return told


def _value(value: Any, home: Any) -> Any:
    if isinstance(value, types.ModuleType):
        return None if _own(value, home) else {"member": value.__name__}
    if isinstance(value, _FOUND):
        module, name = str(getattr(value, "__module__", None)), str(getattr(value, "__qualname__", None))
        holder = sys.modules.get(module)
        if holder is None or _own(holder, home) or vars(holder).get(name) is not value:
            return None
        return {"member": f"{module}.{name}"}
    leaves = compat.jax().tree_util.tree_leaves(value)
    if not leaves or any(callable(x) for x in leaves):
        return None
    try:
        return {"value": proof.tree(value, some=True)}
    except Exception:
        return None


def _own(module: Any, home: Any) -> bool:
    """Whether a module is the user's: what its names stand for may be another thing after an edit."""
    return home.file(getattr(module, "__file__", None) or "") is not None
