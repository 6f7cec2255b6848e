"""The JAX releases that code must run on: one, or a range with both ends and all that lies between."""

from __future__ import annotations

import re
from dataclasses import dataclass

from omnilint.api import history
from omnilint.errors import ConfigError

# A release, or a version before or after one: a candidate, a nightly build, a local build.
_VERSION = re.compile(r"[vV]?[0-9]+(\.[0-9]+){0,3}([a-z]+[0-9]*)?(\.(dev|post|rc)[0-9]*)*(\+[a-z0-9.]+)?$")

_HINT = "write one such as 0.9, or two as 0.4.30,0.10"


class TargetError(ConfigError, ValueError):
    """A target that names no JAX release; the message says what to write instead."""


def release(text: str, hint: str = "write one such as 0.9") -> str:
    """The version that a user wrote; raises TargetError for what is none, or older than all that is known."""
    version = text.strip().lstrip("vV")
    if not _VERSION.match(version):
        raise TargetError(f"{version!r} is no JAX version; {hint}")
    if history.index_of(version) < 0:
        raise TargetError(f"JAX {version} is older than {history.releases()[0]}, the first release that is known")
    return version


@dataclass(frozen=True, slots=True)
class Target:
    """`versions` as the user wrote them, oldest first; `origin` says where they were read; `start`: upgrade from it.

    `folder` is where `origin` lies, for a file of a project.
    """

    versions: tuple[str, ...]
    origin: str = ""
    start: str | None = None
    folder: str = ""

    @classmethod
    def parse(cls, text: str, origin: str = "", start: str | None = None) -> Target:
        """Read `0.9` or `0.4.30,0.10`.

        Raises TargetError for anything else, and for versions before the first that the history covers.
        """
        versions = [release(v, _HINT) for v in text.split(",") if v.strip()]
        if not versions:
            raise TargetError(f"no JAX version given; {_HINT}")
        return cls(tuple(sorted(versions, key=history.version_key)), origin, release(start) if start else None)

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

    @property
    def judged_as(self) -> str | None:
        """The newest release known, where the target goes beyond it: what comes after is unknown, and not judged."""
        newest = history.releases()[-1]
        return newest if history.version_key(self.versions[-1]) > history.version_key(newest) else None

    def ends_before(self, version: str) -> bool:
        """Whether all of the target is older than a release; releases that aren't known count by their numbers."""
        index, newest = history.index_of(version), len(history.releases()) - 1
        if index != self.newest_index or index < newest:
            return index > self.newest_index
        keys = (history.version_key(v) for v in (version, self.versions[-1], history.releases()[-1]))
        wanted, own, known = (k + (0,) * (4 - len(k)) for k in keys)
        return wanted > max(own, known)

    def __str__(self) -> str:
        return ",".join(self.versions)
