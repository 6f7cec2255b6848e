"""Look a dotted JAX name up as an import, a from-import or an attribute, and check one keyword argument."""

from __future__ import annotations

import importlib
import inspect
import warnings
from typing import Any

from . import compat


def _import_prefix(parts: list[str]) -> tuple[Any, int]:
    """The longest importable prefix as an object, and how many parts it took."""
    value = importlib.import_module(parts[0])
    for i in range(1, len(parts)):
        if hasattr(value, parts[i]) and not isinstance(getattr(value, parts[i]), type(importlib)):
            return value, i
        try:
            value = importlib.import_module(".".join(parts[: i + 1]))
        except ImportError:
            return value, i
    return value, len(parts)


def look_up(name: str, form: str) -> Any:
    """The object; raises what the same access raises in code."""
    parts = name.split(".")
    if form == "import":
        value, taken = _import_prefix(parts)
        if taken == len(parts):
            return value
        if not hasattr(value, parts[taken]):
            return importlib.import_module(name)
    if form == "from" and len(parts) > 1:
        head, leaf = ".".join(parts[:-1]), parts[-1]
        scope: dict[str, Any] = {}
        try:
            exec(f"from {head} import {leaf}", scope)
            return scope[leaf]
        except ModuleNotFoundError:
            # `from jax.a import B` with a use of `B.c` names `jax.a.B.c`, which no import statement can reach.
            value, taken = _import_prefix(parts[:-1])
            if taken == len(parts) - 1 or not hasattr(value, parts[taken]):
                raise
    value, taken = _import_prefix(parts)
    for part in parts[taken:]:
        value = getattr(value, part)
    return value


def _argument(value: Any, argument: str) -> Any:
    """True or False: does the signature take this keyword; None when it doesn't tell. With the error it raises."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None, None
    if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return (True, None) if argument in signature.parameters else (None, None)
    if argument in signature.parameters:
        return True, None
    name = getattr(value, "__name__", "function")
    return False, {"type": "TypeError", "message": f"{name}() got an unexpected keyword argument {argument!r}"}


def resolve(request: Any) -> Any:
    """Whether the name is there, where it is defined, what it warns, whether it takes an argument."""
    jax = compat.jax()
    told: dict[str, Any] = {"jax": str(jax.__version__)}
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            value = look_up(request["name"], request.get("form", "attribute"))
            told["resolved"] = True
        except Exception as e:
            told["exception"] = {
                "type": type(e).__name__,
                "mro": [c.__name__ for c in type(e).__mro__],
                "message": str(e),
            }
            return told
        finally:
            words = [str(w.message) for w in noted if issubclass(w.category, (DeprecationWarning, FutureWarning))]
            told["warning"] = words[0] if words else None
    told["defined"] = getattr(value, "__module__", None) or getattr(value, "__name__", None)
    if request.get("argument"):
        accepts, error = _argument(value, str(request["argument"]))
        told["accepts"] = accepts
        if error:
            told["exception"] = error
    return told


def switches(request: Any) -> Any:
    """The omnistaging switches that this JAX still knows, and what using the one in question raises."""
    jax = compat.jax()
    known = [n for n in dir(jax.config) if "omnistaging" in n.lower()]
    held = getattr(jax.config, "values", None)
    if isinstance(held, dict):
        known += [n for n in held if "omnistaging" in str(n).lower()]
    told: dict[str, Any] = {"jax": str(jax.__version__), "known": sorted(set(known))}
    try:
        told["unknown"] = not _flip(jax.config, str(request.get("name") or ""), str(request.get("use") or ""))
    except BaseException as e:
        told["exception"] = {"type": type(e).__name__, "message": str(e)}
    return told


def _flip(config: Any, name: str, use: str) -> bool:
    """Use a switch the way the code does; False when nobody can tell what way that is."""
    word = name.partition("=")[0]
    leaf = word.rpartition(".")[2]
    if word.startswith("--"):
        return _flag(config, name)
    if word.isupper() or use in ("hasattr", "get"):  # a variable of the environment, a question with an answer
        return True
    if use in ("update", "read"):
        config.update(leaf, False) if use == "update" else config.read(leaf)
    elif use in ("assigned attribute", "setattr"):
        setattr(config, leaf, False)
    elif use == "assigned key":
        config.values[leaf] = False
    elif use == "key":
        config.values[leaf]
    elif use in ("attribute", "getattr") or not leaf.startswith("jax_"):
        getattr(config, leaf)
    else:
        return False
    return True


def _flag(config: Any, flag: str) -> bool:
    """Have absl read a command line for JAX, as the programs do that know the flags of JAX."""
    try:
        flags = importlib.import_module("absl.flags")
    except ImportError:
        return True
    prepare = getattr(config, "config_with_absl", None)
    if prepare is not None:
        prepare()
    flags.FLAGS(["program", flag])
    return True
