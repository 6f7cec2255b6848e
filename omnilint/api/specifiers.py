"""Version specifiers of PEP 440 (`>=0.4,<0.5`), and whether a release meets them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from omnilint.api import history

CLAUSE = re.compile(r"(===|==|~=|>=|<=|!=|>|<)\s*([\w.*+!-]+)")


def fits(key: tuple[int, ...], op: str, version: str) -> bool:
    """Whether a release meets one clause of a requirement, as PEP 440 has it."""
    wanted = history.version_key(version.rstrip(".*"))
    width = max(len(key), len(wanted))
    have, want = key + (0,) * (width - len(key)), wanted + (0,) * (width - len(wanted))
    if op in ("==", "===", "!="):
        same = key[: len(wanted)] == wanted if "*" in version else have == want
        return same is not (op == "!=")
    if op == "~=":
        return have >= want and key[: len(wanted) - 1] == wanted[:-1]
    return {">=": have >= want, ">": have > want, "<=": have <= want, "<": have < want}[op]


@dataclass(frozen=True)
class Specifiers:
    """`SpecifierSet(text)`: the releases, as integers, that meet all of its clauses."""

    text: str

    def __contains__(self, key: tuple[int, ...]) -> bool:
        return all(fits(key, *clause) for clause in CLAUSE.findall(self.text))
