"""The requirements on JAX in conda's files: environments as they are declared, and locked ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ITEM = re.compile(
    r"^\s*-\s*[\"']?(?:[\w-]+::)?(?i:jax)\s*(?:\[[^\]]*\])?"
    r"(?P<spec>\s*[=<>!~][^\"'#;]*|\s+\d[^\"'#;]*)?\s*[\"']?\s*([#;].*)?$"
)
# A list in brackets, which may hold others, and what stands in it.
_FLOW = re.compile(r"(?:dependencies|pip):\s*\[")
_FLOW_PART = re.compile(r""""[^"]*"|'[^']*'|[\[\]{}]|[^,\s"'\[\]{}][^,\n\[\]{}]*""")
_COMMENT = re.compile(r"(?m)(?:^|\s)#.*$")
_ARCHIVE = re.compile(r"[/\\]jax-(\d+(?:\.\d+)*)-[^/\\]*\.(?:conda|tar\.bz2|whl)\b")
_LOCKED = re.compile(r"(?m)^\s*-\s+name:\s*jax\s*\n\s+version:\s*[\"']?(\d+(?:\.\d+)*)")


def locked(text: str) -> Iterator[str]:
    """The releases that a lock file names, as `==0.4.30`."""
    for version in dict.fromkeys([*_LOCKED.findall(text), *_ARCHIVE.findall(text)]):
        yield f"=={version}"


def declared(text: str) -> Iterator[str]:
    """What an environment file asks for, in the operators of PEP 440; choices one by one."""
    bare = _COMMENT.sub("", text)
    items = [f"- {item}" for start in _FLOW.finditer(bare) for item in _flow(bare, start.end())]
    for line in dict.fromkeys([*text.splitlines(), *items]):
        m = _ITEM.match(line)
        spec = (m.group("spec") or "").strip() if m else ""
        for choice in spec.split("|") if spec else ():
            yield ",".join(_clause(clause.strip()) for clause in choice.split(","))


def _flow(text: str, start: int) -> Iterator[str]:
    """What stands in the list whose bracket opens before `start`, and in those that it holds."""
    depth = 1
    for part in _FLOW_PART.finditer(text, start):
        word = part.group()
        depth += (word in "[{") - (word in "]}")
        if not depth:
            return
        yield word


def _clause(clause: str) -> str:
    """A clause in the operators of PEP 440: `=0.4` is 0.4.*, `0.4.30` that release; a build after it is dropped."""
    if not re.match(r"=[^=]|\d", clause):
        return clause
    version = re.split(r"[\s=]", clause.removeprefix("=").strip())[0]
    is_prefix = clause.startswith("=") and version.count(".") < 2 and "*" not in version
    return f"=={version}.*" if is_prefix else f"=={version}"
