"""The life of every public name of JAX across its releases, and where a dotted name leads in one of them."""

from __future__ import annotations

import json
import lzma
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from omnilint import knowledge

_TABLES = "tables"


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a dotted name leads in one release.

    `missing` counts the parts up to and including the first one that isn't there (0: all are there, or what
    isn't is beyond judging). `module` and `attribute` say where it was looked up, by real module names.
    `warns` is the message of the first deprecated part, of which `warns_at` counts the parts.
    """

    missing: int = 0
    module: str = ""
    attribute: str = ""
    known: bool = True
    warns: str | None = None
    warns_at: int = 0
    on_call: bool = False


@dataclass(frozen=True, slots=True)
class _Part:
    """One table file: lives of names by module, and details that few names have."""

    names: Mapping[str, Mapping[str, int]]
    lives: Sequence[str]
    texts: Sequence[str]
    raw: Mapping[str, Any]


def version_key(text: str) -> tuple[int, ...]:
    """A release number as integers, to compare by; letters and what follows them are ignored."""
    found = re.match(r"[vV]?([0-9]+(?:\.[0-9]+)*)", text.strip())
    return tuple(int(n) for n in found.group(1).split(".")) if found else ()


def _load(part: str) -> _Part:
    path = knowledge.folder() / _TABLES / f"jax_api_{part}.json.xz"
    try:
        raw = json.loads(lzma.decompress(path.read_bytes()))
    except (OSError, ValueError, lzma.LZMAError) as e:
        raise knowledge.KnowledgeError(f"{path}: {e}; reinstall omnilint") from e
    names = {
        module: {name: int(life) for life, text in lives.items() for name in text.split(" ")}
        for module, lives in raw["modules"].items()
    }
    return _Part(names, raw["lives"], raw["texts"], raw)


@cache
def _part(name: str) -> _Part:
    return _load(name)


@cache
def _runs(text: str) -> tuple[tuple[int, int], ...]:
    runs = []
    for piece in text.split():
        first, _, last = piece.partition("-")
        runs.append((int(first), int(last) if last else 1 << 30))
    return tuple(runs)


def alive(text: str, index: int) -> bool:
    return any(a <= index <= b for a, b in _runs(text))


def _at(changes: Sequence[int], index: int) -> int:
    """The value in force at `index` of a list of (index, value) changes; -1 when there is none."""
    value = -1
    for i in range(0, len(changes), 2):
        if changes[i] > index:
            break
        value = changes[i + 1]
    return value


def private(name: str) -> bool:
    """Whether a part of a dotted name is underscored, which JAX's compatibility page says is private."""
    return any(p.startswith("_") and not p.startswith("__") for p in name.split("."))


@cache
def releases() -> tuple[str, ...]:
    """Every release that the history covers, oldest first."""
    return tuple(_part("names").raw["releases"])


@cache
def index_of(version: str) -> int:
    """The index of the newest release that isn't newer than `version`; -1 for versions before the first.

    A series that began with another release than its zeroth (0.4 began with 0.4.1) means its first.
    """
    wanted = _full(version_key(version))
    best = bisect_right(_keys(), wanted) - 1
    series = wanted
    while series and not series[-1]:
        series = series[:-1]
    begins = 0 <= best < len(_keys()) - 1 and len(series) > 1 and _keys()[best + 1][: len(series)] == series
    return best + 1 if begins and _keys()[best][: len(series)] != series else best


@cache
def _keys() -> tuple[tuple[int, ...], ...]:
    return tuple(_full(version_key(r)) for r in releases())


def _full(key: tuple[int, ...]) -> tuple[int, ...]:
    """A version's numbers, with the zeros that need not be written."""
    return key + (0,) * (4 - len(key))


def _entry(module: str, name: str) -> tuple[_Part, int] | None:
    """The part of the table that a name (or, for "", a module) stands in, and its life."""
    part = _part("private" if private(f"{module}.{name}") else "names")
    life = part.names.get(module, {}).get(name)
    return None if life is None else (part, life)


def exists(module: str, name: str, index: int) -> bool:
    """Whether `module` has `name` (or, for "", is there itself) in a release."""
    found = _entry(module, name)
    return found is not None and alive(found[0].lives[found[1]], index)


def ever(dotted: str) -> bool:
    """Whether a module had a name in any release."""
    module, _, name = dotted.rpartition(".")
    return _entry(module, name) is not None


def always(dotted: str) -> bool:
    """Whether a module had a name in every release."""
    module, _, name = dotted.rpartition(".")
    found = _entry(module, name)
    return found is not None and found[0].lives[found[1]] == "0-"


def is_module(dotted: str, index: int) -> bool:
    """Whether `import dotted` works in a release."""
    return exists(dotted, "", index)


def _detail(kind: str, module: str, name: str, index: int) -> str | None:
    found = _entry(module, name)
    if found is None:
        return None
    changes = found[0].raw["details"].get(kind, {}).get(module, {}).get(name)
    value = -1 if changes is None else _at(changes, index)
    return None if value < 0 else found[0].texts[value]


def _leads_to(module: str, name: str, index: int) -> str | None:
    """The module that an attribute of a module is; None when it is no module of JAX."""
    target = _detail("kind", module, name, index)
    if target is not None:
        return None if target == "!" else target
    found = _entry(module, name)
    child = found and found[0].raw["details"].get("child", {}).get(module, {}).get(name)
    if found and child is not None and alive(found[0].lives[child], index):
        return f"{module}.{name}"
    return None


def judged(module: str, name: str, index: int) -> bool:
    """Whether the absence of a name says anything: the module binds only what its source shows, and is tracked."""
    if f"{module}.{name}".count(".__"):
        return False
    dynamic = _part("names").raw.get("dynamic", {}).get(module)
    if dynamic is not None and alive(_part("names").lives[dynamic], index):
        return stub(module, name, index) == "never"
    # Of private names only those that the table holds are known at all.
    return not private(f"{module}.{name}") or _entry(module, name) is not None


def stub(module: str, name: str, index: int) -> str | None:
    """Whether a module fills up with stubs for NumPy's functions, and one of this name: "always", "sometimes", "never".

    None for a module that doesn't; which functions NumPy has depends on the NumPy beside JAX.
    """
    part = _part("names")
    dynamic = part.raw.get("dynamic", {}).get(module)
    if dynamic is None or not alive(part.lives[dynamic], index):
        return None
    names = knowledge.table("numpy_stubs")["jax.numpy" if module.endswith(".lax_numpy") else module]
    return next((how for how in ("always", "sometimes") if name in names[how].split(" ")), "never")


def resolve(dotted: str, index: int, imported: int = 1) -> Resolution:
    """Follow a dotted name that starts with `jax` in one release.

    `imported` says how many of its parts an import statement named: of those, all but the last have to be
    modules, so that a module wins over an attribute of the same name (`jax.config` was both).
    """
    parts = dotted.split(".")
    module = parts[0]
    warns: str | None = None
    warns_at = 0
    on_call = False
    for i in range(1, len(parts)):
        name = parts[i]
        own = f"{module}.{name}"
        if i + 1 < imported and is_module(own, index):
            module, message = own, _detail("access", own, "", index)
        elif i + 1 < imported and private(own) and _entry(own, "") is None:
            return Resolution(known=False, warns=warns, warns_at=warns_at)
        elif i + 1 < imported and _detail("kind", module, name, index) != "!":
            return Resolution(i + 1, module, name, warns=warns, warns_at=warns_at)
        elif exists(module, name, index):
            target = _leads_to(module, name, index)
            # Importing a submodule sets it on its package, so that no `__getattr__` is asked for it.
            message = _detail("access", module, name, index) if target != own or not is_module(own, index) else None
            call = _detail("call", module, name, index) if i + 1 == len(parts) else None
            if message is None and target is not None:
                message = _detail("access", target, "", index)
            if message is None and call is not None:
                message, on_call = call, True
            if target is None:
                if message is not None and warns is None:
                    warns, warns_at = message, i + 1
                if i + 1 < len(parts) and _in_namespace(own, parts[i + 1], index) is False:
                    return Resolution(i + 2, own, parts[i + 1], warns=warns, warns_at=warns_at)
                # What an object of JAX or a module of another package holds is beyond this table.
                return Resolution(0, module, name, _is_told(own, parts[i + 1 :], index), warns, warns_at, on_call)
            module = target
        else:
            if not judged(module, name, index):
                return Resolution(known=False, warns=warns, warns_at=warns_at)
            return Resolution(i + 1, module, name, warns=warns, warns_at=warns_at)
        if message is not None and warns is None:
            warns, warns_at = message, i + 1
    return Resolution(module=module, warns=warns, warns_at=warns_at, on_call=on_call)


def _namespace(dotted: str, index: int) -> Mapping[str, str]:
    """The members, with their lives, of a plain namespace of JAX, such as `jax.ad`; empty for any other name."""
    members: Mapping[str, str] = knowledge.table("jax_namespaces")["namespaces"].get(dotted, {})
    return members if members and alive(members[""], index) else {}


def _in_namespace(dotted: str, member: str, index: int) -> bool | None:
    """Whether a plain namespace has a member in a release; None for what is no such namespace."""
    members = _namespace(dotted, index)
    if not members or member.startswith("__"):
        return None
    return member in members and alive(members[member], index)


def _is_told(own: str, rest: Sequence[str], index: int) -> bool:
    return not rest or (len(rest) == 1 and _in_namespace(own, rest[0], index) is True)


def gone_message(module: str, name: str) -> str | None:
    """What JAX itself says on access to a removed name, where it says anything."""
    part = _part("private" if private(f"{module}.{name}") else "names")
    value = part.raw["gone"].get(module, {}).get(name)
    return None if value is None else part.texts[value]


def names_of(module: str, index: int) -> Iterator[str]:
    """The public names that a module has in a release."""
    part = _part("names")
    for name, life in part.names.get(module, {}).items():
        if name and alive(part.lives[life], index):
            yield name
    yield from (member for member in _namespace(module, index) if member and _in_namespace(module, member, index))


def modules() -> Iterator[str]:
    """Every public module of any release."""
    yield from _part("names").names


@cache
def changing() -> frozenset[str]:
    """The names of the module jax itself that some releases have and others lack."""
    part = _part("names")
    return frozenset(n for n, life in part.names["jax"].items() if n and part.lives[life] != "0-")


def every_name() -> Iterator[str]:
    """Every public name and module of any release."""
    for module, names in _part("names").names.items():
        for name in names:
            if not name.startswith("_"):
                yield f"{module}.{name}" if name else module


def option_exists(name: str, index: int) -> bool | None:
    """Whether `jax.config` has an option in a release; None for one that no release had."""
    life = _part("names").raw.get("options", {}).get(name)
    return None if life is None else alive(_part("names").lives[life], index)


def options() -> Iterator[str]:
    """Every option that `jax.config` ever had."""
    yield from _part("names").raw.get("options", {})


@cache
def _documented(module: str) -> Mapping[str, int]:
    part = _part("names")
    which = part.raw.get("documented", {}).get(module, "").split()
    return {name: int(number) for name, number in zip(part.names.get(module, ()), which, strict=True)}


def documented(module: str, name: str, index: int) -> bool | None:
    """Whether a public name (for "": the module itself) has a docstring in a release; None where that isn't known."""
    which = _documented(module).get(name)
    value = -1 if which is None else _at(_part("names").raw["documents"][which], index)
    return None if value < 0 else bool(value)


def signature(module: str, name: str, index: int) -> str | None:
    """The signature text (see omnilint.api.build.signature) of a public function or class in a release."""
    part = _part("signatures")
    life = part.names.get(module, {}).get(name)
    if life is None:
        return None
    value = _at(json.loads(part.lives[life]), index)
    return None if value < 0 else part.texts[value]
