"""One requirement on JAX as packaging tools write it: `jax[cpu]>=0.4.30`, `jax @ git+https://…@jax-v0.4.30`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# What stands before a requirement that names JAX in a way that isn't understood.
ODD = "?"

_REQUIREMENT = re.compile(
    r"^\s*[\"']?(?i:jax)\s*(?:\[[^\]]*\])?\s*"
    r"(?P<spec>(?:\(?\s*(?:===|==|~=|>=|<=|!=|>|<)\s*[\w.*+!-]+\s*\)?\s*,?\s*)*)"
    r"\s*(?P<marker>;.*)?(?:\s+#.*|\s+--?\w.*)?[\"']?\s*\\?$"
)
# JAX by an address: a tag of its repository, or one of its archives.
_BY_ADDRESS = re.compile(
    r"^\s*(?:-e\s+|--editable[\s=]+)?[\"']?(?:(?i:jax)\s*(?:\[[^\]]*\])?\s*@\s*)?(?=\S*(?:://|\.whl|\.tar))(?P<address>\S+)"
)
_TAG = re.compile(r"/jax(?:\.git)?@(?:jax-)?v?([0-9]+(?:\.[0-9]+)+\w*)", re.I)  # not a hash
_ARCHIVE = re.compile(r"/jax-([0-9][\w.+]*?)(?:-py[0-9\w.]*-none-any\.whl|\.tar\.gz)", re.I)
_IS_JAX = re.compile(
    r"^\s*(?:-e\s+)?[\"']?jax\s*(?:\[[^\]]*\])?\s*(?:\(?\s*(?:[=<>~!]=|[<>]|=\s*[0-9])|@\s*\S|[0-9]+\.[0-9])|"
    r"^\s*(?:-e\s+)?[\"']?\w+\+\w+://\S*/jax(?:\.git)?(?:[@#\"'\s]|$)",
    re.I,
)


def requirements(lines: Iterable[str]) -> Iterator[str]:
    """The version parts of the requirements on JAX among some lines; with ODD before what isn't understood."""
    for line in lines:
        spec = requirement(line)
        if spec:
            yield spec


def requirement(line: str) -> str | None:
    """The version part of a requirement on JAX; "" for one without bounds, None for any other line."""
    m = _REQUIREMENT.match(line)
    if m is not None:
        return m.group("spec")
    found = _BY_ADDRESS.match(line)
    if found is not None:
        version = _TAG.search(found.group("address")) or _ARCHIVE.search(found.group("address"))
        if version is not None:
            return f"=={version.group(1)}"
    return ODD + line.partition("#")[0].strip().strip("\"'") if _IS_JAX.search(line) else None


def of_tag(tag: str) -> str | None:
    """The version part for a tag of JAX's repository, `jax-v0.4.30`; None for any other name of a commit."""
    m = re.fullmatch(r"(?:jax-)?v?([0-9]+(?:\.[0-9]+)+\w*)", tag.strip())
    return None if m is None else f"=={m.group(1)}"
