"""What a run leaves behind in modules, classes, closures and arguments, as JSON that two runs can be compared by."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import re
import sys
import types
from collections import deque
from typing import Any

from . import compat, proof
from .errors import Home, real
from .product import unwrapped

# Nodes told of all modules together, and of one value that a function was called with; how deep.
_MODULES, _VALUE = 20000, 2000
_DEPTH = 6
_PLAIN = 50  # numbers or texts in a row that are told as one from here on
_NUMBERS = 200

_FOREIGN = ("jax", "jaxlib", "numpy", "builtins", "functools", "itertools", "threading", "logging", "typing", "re")
_COUNTING = (itertools.count, itertools.cycle, itertools.repeat, range)


class Describer:
    """Describes values within a budget of nodes: a leaf as results have it, or a kind with its items by name.

    What is met again within one value, and what lies too deep, is told by its kind alone. `quickly` is for what is
    compared within one process.
    """

    def __init__(self, home: Home, most: int, quickly: bool = False) -> None:
        import numpy as np

        self.home = home
        self.left = most
        self.quickly = quickly
        self.kept: list[Any] = []
        self.arrays = (np.ndarray, np.generic, compat.jax().Array, compat.tracer_type())
        self.seen: dict[int, Any] = {}
        self.own: dict[str, bool] = {}

    def value(self, value: Any) -> Any:
        """One value, with nothing met before."""
        self.seen = {}
        return self._node(value, _DEPTH)

    def _node(self, value: Any, depth: int) -> Any:
        self.left -= 1
        value = compat.peeled(value)
        if value is None or isinstance(value, (str, bytes, bool, int, float, complex)):
            return {"leaf": proof.scalar(value)}
        if isinstance(value, self.arrays):
            if getattr(value.dtype, "kind", "") == "O":
                return self._inside(value, depth, lambda: enumerate(value.ravel().tolist()))
            if self.quickly and isinstance(value, compat.jax().Array):
                self.kept.append(value)
                return {"leaf": id(value)}  # which nobody can change
            return {"leaf": proof.leaf(value)}
        if isinstance(value, _COUNTING):
            return {"leaf": {"python": type(value).__name__, "repr": proof.address_free(repr(value))[:200]}}
        return self._inside(value, depth, lambda: self._items(value))

    def _inside(self, value: Any, depth: int, items: Any) -> Any:
        kind = type(value).__name__
        if id(value) in self.seen or not depth or self.left <= 0:
            return {"kind": kind}
        self.seen[id(value)] = value  # kept, so that no other value gets its id
        plain = _row(value)
        if plain is not None:
            return {"kind": kind, "leaf": plain}
        told = {}
        for name, item in items():
            told[str(name)] = self._node(item, depth - 1)
            if self.left <= 0:
                break
        return {"kind": kind, "items": told} if told or isinstance(value, _CONTAINERS) else {"kind": kind}

    def _items(self, value: Any) -> Any:
        """(a name, a value) of all that a value holds; nothing of the user's is run for it."""
        if isinstance(value, dict):
            for i, (key, item) in enumerate(list(dict.items(value))):
                yield f"[{_key(key, i)}]", item
        elif isinstance(value, (list, tuple, deque)):
            yield from ((f"[{i}]", item) for i, item in enumerate(list(value)))
        elif isinstance(value, (set, frozenset)):
            yield from ((f"{{{_key(item, i)}}}", None) for i, item in enumerate(sorted(value, key=repr)))
        elif isinstance(value, type):
            if self._mine(value):
                yield from ((f".{n}", v) for n, v in list(vars(value).items()) if _told(n) and not _machinery(v))
            return
        elif isinstance(value, types.ModuleType):
            return
        elif isinstance(value, types.MethodType):
            yield ".__self__", value.__self__
        elif isinstance(value, functools.partial):
            yield from ((".func", value.func), (".args", value.args), (".keywords", value.keywords))
        elif isinstance(value, (staticmethod, classmethod)):
            yield ".__func__", value.__func__
        elif _function(value) is not None:
            yield from self._of_function(_function(value))
        if not callable(value) or self._mine(type(value)):
            yield from self._attributes(value)

    def _of_function(self, function: Any) -> Any:
        if self.home.file(function.__code__.co_filename) is None:
            return
        yield from ((f"<default {i}>", v) for i, v in enumerate(function.__defaults__ or ()))
        yield from ((f"<default {n}>", v) for n, v in (function.__kwdefaults__ or {}).items())
        for i, cell in enumerate(function.__closure__ or ()):
            try:
                yield f"<{function.__code__.co_freevars[i]}>", cell.cell_contents
            except ValueError:
                continue
        yield from ((f".{n}", v) for n, v in list(vars(function).items()) if _told(n))

    def _attributes(self, value: Any) -> Any:
        kind = type(value)
        if kind.__module__.partition(".")[0] in _FOREIGN and kind is not types.SimpleNamespace:
            return
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict):
            yield from ((f".{n}", v) for n, v in list(held.items()) if _told(n))
        for name in getattr(kind, "__slots__", None) or ():
            if isinstance(name, str) and _told(name):
                try:
                    yield f".{name}", object.__getattribute__(value, name)
                except AttributeError:
                    continue

    def _mine(self, kind: Any) -> bool:
        """Whether a class is the user's."""
        name = str(getattr(kind, "__module__", None))
        if name not in self.own:
            self.own[name] = self.home.file(getattr(sys.modules.get(name), "__file__", None) or "") is not None
        return self.own[name]


_CONTAINERS = (list, tuple, dict, set, frozenset, deque)


def _told(name: Any) -> bool:
    return isinstance(name, str) and not (name.startswith("__") and name.endswith("__"))


def _machinery(value: Any) -> bool:
    """Whether an attribute of a class is no data: slots and properties."""
    return isinstance(value, (property, types.MemberDescriptorType, types.GetSetDescriptorType))


def _function(value: Any) -> Any:
    """The Python function that a callable is, or wraps; no __getattr__ of the user's is run for it."""
    known = isinstance(value, types.FunctionType) or type(value).__module__.partition(".")[0] in ("jax", "jaxlib")
    if not known and not (callable(value) and "__wrapped__" in (getattr(value, "__dict__", None) or ())):
        return None
    inner = unwrapped(value)
    return inner if isinstance(inner, types.FunctionType) else None


def _key(key: Any, number: int) -> str:
    """A key in words; one that has no words of its own by its number."""
    if key is None or isinstance(key, (str, bytes, int, float)):
        return repr(key)[:80]
    if isinstance(key, tuple):
        return "(" + ", ".join(_key(k, number) for k in key[:8]) + ")"
    return f"{type(key).__name__} {number}"


def _row(value: Any) -> Any:
    """A long row of numbers, or of texts, as one leaf."""
    if not isinstance(value, (list, tuple, deque)) or len(value) < _PLAIN:
        return None
    kinds = {type(x) for x in value}
    if kinds <= {str, int, bool, bytes, type(None)}:
        return {"object": f"row of {len(value)}", "whole": True, "hash": _hash(repr(list(value)))}
    if kinds <= {float, int}:
        step = -(-len(value) // _NUMBERS)
        numbers = [proof.number(float(x)) for x in list(value)[::step]]
        return {"object": f"row of {len(value)}", "numbers": numbers, "eps": 1.2e-7}
    return None


def _hash(text: str) -> str:
    return hashlib.sha256(re.sub(r"\b0x[0-9a-f]+", "0x", text).encode("utf-8", "replace")).hexdigest()[:16]


def _digest(node: Any) -> str:
    return _hash(json.dumps(node, sort_keys=True))


class Modules:
    """The globals of the user's modules: what they are when a call begins, and which it left otherwise."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.first = Describer(home, _MODULES, quickly=True)
        self.before: dict[str, str] = {}

    def begin(self) -> None:
        """The modules are imported, the call comes now."""
        self.before = {name: _digest(self.first.value(value)) for name, value in self._globals()}

    def told(self, files: Any) -> Any:
        """By file and name, globals that are other than when the call began, and all data of these files.

        "whole" says whether all could be looked at.
        """
        wanted = {real(f) for f in files or ()}
        again, describer = Describer(self.home, _MODULES, quickly=True), Describer(self.home, _MODULES)
        nodes, changed = {}, []
        for name, value in self._globals():
            other = self.before.get(name) != _digest(again.value(value))
            if other:
                changed.append(name)
            if other or name.partition("\0")[0] in wanted:
                node = describer.value(value)
                if other or len(node) > 1 or "leaf" in node:  # a kind alone says nothing
                    nodes[name] = node
        whole = min(self.first.left, again.left, describer.left) > 0
        return {"nodes": nodes, "changed": changed, "whole": whole}

    def _globals(self) -> Any:
        for module in list(sys.modules.values()):
            file = self.home.file(getattr(module, "__file__", None) or "")
            for name, value in list(vars(module).items()) if file else ():
                if _told(name) and not isinstance(value, types.ModuleType):
                    yield f"{file}\0{name}", value


class Values:
    """What a function was called with, and what it closes over: told is what its call left otherwise."""

    def __init__(self, home: Home, values: Any) -> None:
        self.home = home
        self.values = dict(values)
        self.first = Describer(home, _VALUE, quickly=True)
        self.before = {name: _digest(self.first.value(value)) for name, value in self.values.items()}

    def told(self, free: Any) -> Any:
        """By name; `free` are the values now of what it closes over. "whole" as for modules."""
        again, describer = Describer(self.home, _VALUE, quickly=True), Describer(self.home, _VALUE)
        now = {**self.values, **free}
        nodes = {n: describer.value(v) for n, v in now.items() if self.before.get(n) != _digest(again.value(v))}
        whole = min(self.first.left, again.left, describer.left) > 0
        return {"nodes": nodes, "whole": whole} if nodes or not whole else None


def of_object(home: Home, value: Any) -> Any:
    """What an object that a result has as a leaf holds."""
    return Describer(home, _VALUE).value(value)
