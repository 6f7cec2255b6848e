"""What functions gave, call by call: what is to stay the same when they are edited."""

from __future__ import annotations

import dis
from typing import Any

from . import compat, proof
from .errors import real
from .left import Values

# Calls told of one function, leaves told of all calls together.
_CALLS, _LEAVES = 40, 3000
_GIVES = ("RETURN", "YIELD", "INSTRUMENTED_RETURN", "INSTRUMENTED_YIELD")


class Results:
    """The results of some functions' calls, known by file, first line and name; told by the identity they were given.

    What a generator yields counts as a result each; a call that ends with an exception has none. With `home` it is
    noted too what a call leaves otherwise of what it was given.
    """

    def __init__(self, functions: Any, probes: Any = None, home: Any = None) -> None:
        self.known = {(real(f["file"]), int(f["line"]), str(f["name"])): str(f["id"]) for f in functions or ()}
        self.codes: dict[Any, Any] = {}
        self.off = False
        self.probes = probes
        self.home = home
        self.reset()

    def reset(self) -> None:
        """Nothing was called."""
        self.calls: dict[str, Any] = {}
        self.counts: dict[str, int] = {}
        self.open: dict[int, Any] = {}
        self.leaves = 0

    def enters(self, frame: Any) -> bool:
        """Whether a frame that begins, or goes on, is of one of these functions."""
        code = frame.f_code
        if code not in self.codes:
            name = code.co_filename
            place = None if name.startswith("<") else (real(name), code.co_firstlineno, code.co_name)
            self.codes[code] = self.known.get(place) if place else None
        which = self.codes[code]
        if which is None or self.off:
            return False
        if self.probes is not None:
            self.probes.entered(which, frame.f_locals)
        room = self._room(which)
        given = Values(self.home, self._given(frame)) if room and self.home is not None else None
        self.open[id(frame)] = (which, self._arguments(frame) if room else None, given)
        return True

    def leaves_with(self, frame: Any, value: Any) -> None:
        """A frame ends, or waits, with a value."""
        found = self.open.pop(id(frame), None)
        if found is None or self.off or (value is None and not _gives(frame)):
            return
        which, arguments, given = found
        self.counts[which] = self.counts.get(which, 0) + 1
        if arguments is not None and self._room(which):
            told = {"arguments": arguments, "result": self._tree(value)}
            if given is not None:
                left = given.told({n: frame.f_locals[n] for n in frame.f_code.co_freevars if n in frame.f_locals})
                if left is not None:
                    told["left"] = left
            self.calls.setdefault(which, []).append(told)

    def told(self) -> Any:
        """By function: how many calls gave something, and what the first ones were given and gave."""
        return {which: {"count": n, "calls": self.calls.get(which, [])} for which, n in self.counts.items()}

    def _room(self, which: str) -> bool:
        return len(self.calls.get(which, ())) < _CALLS and self.leaves < _LEAVES

    def _arguments(self, frame: Any) -> Any:
        return [_shapes(frame.f_locals.get(name)) for name in _parameters(frame.f_code)]

    @staticmethod
    def _given(frame: Any) -> Any:
        names = (*_parameters(frame.f_code), *frame.f_code.co_freevars)
        return {name: frame.f_locals[name] for name in names if name in frame.f_locals}

    def _tree(self, value: Any) -> Any:
        try:
            told = proof.tree(value, some=True, home=self.home)
        except Exception as e:  # a user's odd container
            told = {"structure": type(e).__name__, "leaves": [], "count": 0}
        self.leaves += len(told["leaves"])
        return told


def _parameters(code: Any) -> Any:
    n = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return code.co_varnames[:n]


def _gives(frame: Any) -> bool:
    """Whether a frame is left by giving a value: None is also what an exception that leaves it shows."""
    at = frame.f_lasti
    code = frame.f_code.co_code
    return bool(0 <= at < len(code) and dis.opname[code[at]].startswith(_GIVES))


def _shapes(value: Any) -> Any:
    """An argument by what stays the same when it is traced: dtype and shape of arrays, how things are nested."""
    try:
        leaves, structure = compat.jax().tree_util.tree_flatten(value)
        return [proof.address_free(structure), [_shape(x) for x in leaves[:40]]]
    except Exception as e:
        return type(e).__name__


def _shape(value: Any) -> str:
    if isinstance(value, (bool, int, float, complex)):
        return "number"
    value = compat.peeled(value)
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype}{list(value.shape)}" if value.shape else "number"
    return repr(value)[:80] if isinstance(value, str) else type(value).__name__
