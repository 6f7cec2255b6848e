"""An exception as evidence: its type, JAX's own words, and where in the user's code it came from."""

from __future__ import annotations

import functools
import itertools
import os
import re
from typing import Any

_FRAMES = 60


@functools.lru_cache(maxsize=4096)
def real(path: str) -> str:
    """The real path of a file; it is asked for again and again, and no run moves its own code."""
    return os.path.realpath(path)


class Home:
    """Tells the user's files from everybody else's."""

    def __init__(self, folders: list[str]) -> None:
        self.folders = [os.path.join(real(f), "") for f in folders]
        self.known: dict[str, str | None] = {}

    def file(self, name: str) -> str | None:
        """The real path of `name` when it is the user's, else None."""
        if name not in self.known:
            path = real(name) if name and not name.startswith("<") else ""
            mine = any(path.startswith(f) and not self._vendored(path[len(f) :]) for f in self.folders)
            self.known[name] = path if mine else None
        return self.known[name]

    @staticmethod
    def _vendored(tail: str) -> bool:
        parts = tail.split(os.sep)
        return "site-packages" in parts or "dist-packages" in parts


_QUOTED = re.compile(r'File "([^"]+)", line (\d+), in ')
_JAX = os.sep + "jax" + os.sep


def _is_jax(name: str) -> bool:
    return _JAX in name and ("_src" in name or "site-packages" in name)


def _position(code: Any, at: int) -> Any:
    """[line, last line, column, end column] of an instruction, columns from 0; None before Python 3.11."""
    if not hasattr(code, "co_positions"):
        return None
    position = next(itertools.islice(code.co_positions(), at // 2, None), None)
    return None if position is None or None in position else list(position)


def _frames(error: BaseException, home: Home) -> list[Any]:
    """User frames, outermost first: file, line, function, whether JAX called it, which part of its text it is at."""
    found = []
    under_jax = False
    tb = error.__traceback__
    while tb is not None:
        code = tb.tb_frame.f_code
        mine = home.file(code.co_filename)
        if mine is not None:
            found.append([mine, tb.tb_lineno, code.co_name, under_jax, _position(code, tb.tb_lasti)])
        elif _is_jax(code.co_filename):
            under_jax = True
        tb = tb.tb_next
    return found[-_FRAMES:]


def _one(error: BaseException, home: Home) -> Any:
    try:
        message = str(error)
    except BaseException as e:
        message = f"<unprintable: {type(e).__name__}>"
    told: dict[str, Any] = {
        "type": type(error).__name__,
        "mro": [c.__name__ for c in type(error).__mro__],
        "message": message[:6000],
        "frames": _frames(error, home),
    }
    if "Traceback (most recent call last)" in message:
        # JAX re-raises some errors of user code with their traceback as text.
        quoted = [(home.file(f), int(n)) for f, n in _QUOTED.findall(message)]
        told["quoted"] = [[f, n] for f, n in quoted if f is not None][-20:]
    if isinstance(error, SyntaxError) and error.filename and home.file(error.filename):
        told["frames"].append([home.file(error.filename), error.lineno or 1, "<module>", False, None])
    return told


def describe(error: BaseException, home: Home) -> Any:
    """`error` as JSON, with the errors that led to it under "chain", nearest first."""
    told = _one(error, home)
    chain: list[Any] = []
    seen = {id(error)}
    cause = error.__cause__ or error.__context__
    while cause is not None and id(cause) not in seen and len(chain) < 5:
        seen.add(id(cause))
        chain.append(_one(cause, home))
        cause = cause.__cause__ or cause.__context__
    told["chain"] = chain
    return told
