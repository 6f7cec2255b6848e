"""The JAX releases that code must run on: one, or a range with both ends and all that lies between."""

from __future__ import annotations

import re
from dataclasses import dataclass

from omnilint.api import history
from omnilint.errors import ConfigError

_VERSION = re.compile(r"[vV]?\d+(\.\d+){0,3}([a-z]+\d*)?$")


class TargetError(ConfigError, ValueError):
    """A target that names no JAX release; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Target:
    """`versions` as the user wrote them, oldest first; `origin` says where they were read; `start`: upgrade from it."""

    versions: tuple[str, ...]
    origin: str = ""
    start: str | None = None

    @classmethod
    def parse(cls, text: str, origin: str = "", start: str | None = None) -> Target:
        """Read `0.9` or `0.4.30,0.10`.

        Raises TargetError for anything else, and for versions before the first that the history covers.
        """
        versions = [v.strip().lstrip("vV") for v in text.split(",") if v.strip()]
        for v in [*versions, *([start] if start else [])]:
            if not _VERSION.match(v):
                raise TargetError(f"{v!r} is no JAX version; write one such as 0.9, or two as 0.4.30,0.10")
            if history.index_of(v) < 0:
                raise TargetError(f"JAX {v} is older than {history.releases()[0]}, the first release that is known")
        if not versions:
            raise TargetError("no JAX version given; write one such as 0.9, or two as 0.4.30,0.10")
        return cls(tuple(sorted(versions, key=history.version_key)), origin, start)

    @classmethod
    def newest(cls) -> Target:
        """The newest release that the history covers."""
        return cls((history.releases()[-1],), "the newest release known")

    @property
    def indices(self) -> range:
        """The releases from the oldest to the newest of the target, by their index in the history."""
        return range(history.index_of(self.versions[0]), history.index_of(self.versions[-1]) + 1)

    @property
    def newest_index(self) -> int:
        """The newest release of the target."""
        return history.index_of(self.versions[-1])

    def __str__(self) -> str:
        return ",".join(self.versions)
