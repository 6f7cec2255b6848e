"""The life of a name or an argument over all releases: periods in which nothing about it changes."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from omnilint.api import history, methods
from omnilint.api.arguments import judge_call, note_on, parameters_at
from omnilint.api.attributes import is_there, judge_attribute, near_attributes, object_in, remark
from omnilint.api.judge import DEPRECATED as JUDGED_DEPRECATED
from omnilint.api.judge import raises, tier
from omnilint.api.replacement import instead_of, remark_on

_ALIASES = {"jnp": "jax.numpy", "jsp": "jax.scipy", "lax": "jax.lax", "jr": "jax.random", "jrandom": "jax.random",
            "tree_util": "jax.tree_util"}  # fmt: skip
_QUERY = re.compile(
    r"^\s*`?(?P<name>[A-Za-z_]\w*(?:\.\w+)*)(?:\(\s*(?P<argument>\w+)?\s*=?\s*(?:…|\.\.\.)?\s*\))?`?\s*$"
)

THERE, DEPRECATED, CALL, MISSING, UNKNOWN = "there", "deprecated", "deprecated on call", "missing", "not judged"
STUB = "stub"  # there, and raises when it is called
DOCUMENTED, UNDOCUMENTED, UNTOLD = "documented", "undocumented", "not told"


class QueryError(ValueError):
    """The text isn't a name or an argument of JAX; the message says what to write."""


@dataclass(frozen=True, slots=True)
class Period:
    """Releases `first` to `last` (None: the newest known) in one state; `message`: JAX's own words."""

    first: str
    last: str | None
    state: str
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Life:
    """A name's or an argument's periods, and what to use instead in the newest release.

    `imports`: the periods of `import NAME`, where that went while the name stayed as something else than a module.
    `documented`: periods of the releases that have the name, as to its docstring; none where it can't be told.
    `signature`: that of the function in the newest release, as Python writes it.
    """

    name: str
    argument: str | None
    kind: str
    tier: str
    periods: tuple[Period, ...]
    instead: str | None
    note: str | None
    signature: str | None
    imports: tuple[Period, ...] = ()
    documented: tuple[Period, ...] = ()

    @property
    def known(self) -> bool:
        """Whether any release has it."""
        return any(p.state in (THERE, STUB, DEPRECATED, CALL) for p in self.periods)


def parse(query: str) -> tuple[str, str | None]:
    """(dotted name, argument or None) of a query such as `jnp.clip(a_min=)`.

    Raises QueryError for anything else.
    """
    m = _QUERY.match(query)
    if m is None:
        raise QueryError(f"{query!r} is no name; write one such as jax.tree_map, or an argument as jax.jit(device)")
    head, _, rest = m.group("name").partition(".")
    name = _ALIASES.get(head, head) + (f".{rest}" if rest else "")
    if head == "jaxlib":
        raise QueryError(
            f"{name}: jaxlib is a package of its own, of which no history is kept; what JAX passes on of it has one, "
            "as jax.lib.xla_client"
        )
    if name.partition(".")[0] != "jax":
        name = f"jax.{name}"
    return name, m.group("argument")


def state_of(name: str, index: int) -> tuple[str, str | None]:
    """(state, JAX's words) of a dotted name in a release, imported in whichever way works."""
    found = history.resolve(name, index, name.count(".") + 1)
    if found.missing and (found.missing <= name.count(".") or object_in(name)[0]):
        # No module on the way, or one that an object hides: an attribute of an object then, if of anything.
        other = history.resolve(name, index, 1)
        found = found if other.missing else other
    if found.missing:
        option = history.option_exists(name.rpartition(".")[2], index) if name.startswith("jax.config.") else None
        return (THERE, None) if option else (MISSING, history.gone_message(found.module, found.attribute))
    if not found.known:
        return _attribute_state(name, index) or _stub_state(name, index) or (UNKNOWN, None)
    error = raises(name, index)
    if error is not None:
        return STUB, f"calling it raises {error}"
    if found.warns is not None:
        return (CALL if found.on_call else DEPRECATED), found.warns
    return THERE, None


def _attribute_state(name: str, index: int) -> tuple[str, str | None] | None:
    """The state of an attribute of one of JAX's objects, where the tables say anything of it."""
    kind, attribute = object_in(name)
    if not kind:
        return None
    option = history.option_exists(attribute, index) if kind == "config" else None
    if option is not None:
        return (THERE if option else MISSING), None
    verdict = judge_attribute(kind, attribute, (index,))
    if verdict is None:
        return (THERE, None) if is_there(kind, attribute, index) else None
    if verdict.code == JUDGED_DEPRECATED:
        return DEPRECATED, verdict.message
    return MISSING, None


def _stub_state(name: str, index: int) -> tuple[str, str | None] | None:
    """The state of a function of NumPy for which an old `jax.numpy` had a stub that raises."""
    head, _, leaf = name.rpartition(".")
    if history.stub(head, leaf, index) != "always":
        return None
    return STUB, "calling it raises NotImplementedError"


def life_of(name: str, argument: str | None = None) -> Life:
    """The life of a dotted name, or of one argument of the function that it names."""
    releases = history.releases()
    last = len(releases) - 1
    states = [state_of(name, i) if argument is None else _argument_state(name, argument, i) for i in range(last + 1)]
    periods = tuple(_periods(states))
    gone = states[last][0] in (MISSING, STUB) or states[last][0].startswith("deprecated")
    text = next((m for _, m in reversed(states) if m), None)
    instead, note = _advice(name, argument, last, text) if gone else (None, None)
    imports = tuple(_imports(name, states)) if argument is None else ()
    is_module = not imports and any(history.is_module(name, i) for i in range(last + 1))
    verdict = tier(name, (last,))
    rank = "public" if verdict is None else "private" if verdict.code.endswith("403") else "internal"
    kind = "argument" if argument else "module" if is_module else _kind(name)
    documented = _documentation(name, states) if argument is None else ()
    return Life(name, argument, kind, rank, periods, instead, note, _signature(name, last), imports, documented)


def _kind(name: str) -> str:
    kind, attribute = object_in(name)
    if kind == "config" and history.option_exists(attribute, 0) is not None:
        return "option"
    return "attribute" if kind else "name"


def _documentation(name: str, states: list[tuple[str, str | None]]) -> tuple[Period, ...]:
    """Whether a name has a docstring, release by release; nothing where no release's source tells."""
    told = [_documented(name, i) if state != MISSING else MISSING for i, (state, _) in enumerate(states)]
    if DOCUMENTED not in told and UNDOCUMENTED not in told:
        return ()
    return tuple(p for p in _periods([(state, None) for state in told]) if p.state != MISSING)


def _documented(name: str, index: int) -> str:
    found = history.resolve(name, index, name.count(".") + 1)
    if found.missing or not found.known:
        return UNTOLD
    has = history.documented(found.module, found.attribute, index)
    return UNTOLD if has is None else DOCUMENTED if has else UNDOCUMENTED


def _imports(name: str, states: list[tuple[str, str | None]]) -> Iterator[Period]:
    """The life of a name as a module, where that ended and the name didn't."""
    if states[-1][0] == MISSING or not any(history.is_module(name, i) for i in range(len(states))):
        return
    found = [history.resolve(name, i, name.count(".") + 2) for i in range(len(states))]
    if found[-1].missing:
        yield from _periods([_import_state(f) for f in found])


def _import_state(found: history.Resolution) -> tuple[str, str | None]:
    if found.missing:
        return MISSING, None
    return (DEPRECATED if found.warns is not None else THERE), found.warns


def _callee(name: str) -> str:
    """A function as rules on arguments call it: a method of arrays is `Array.clip` there."""
    kind, attribute = object_in(name)
    return f"{kind}.{attribute}" if kind == "Array" else name


def _advice(name: str, argument: str | None, index: int, text: str | None) -> tuple[str | None, str | None]:
    """(what to use instead, a remark where there is nothing) in a release."""
    if argument is not None:
        given = judge_call(_callee(name), (), {argument: ast.Name("value")}, True, (index,))
        told = next((v.instead for _, v in given if v.instead), None)
        return told, (_argument_note(name, argument, index) if told is None else None)
    kind, attribute = object_in(name)
    verdict = judge_attribute(kind, attribute, (index,)) if kind else None
    instead = instead_of(name, (index,), text) or (verdict.instead if verdict else None)
    return instead, (remark_on(name) or (remark(kind, attribute) if kind else None) if instead is None else None)


def _argument_note(name: str, argument: str, index: int) -> str | None:
    """What to do about an argument that nothing replaces."""
    known = parameters_at(_callee(name), index)
    by_position = known is not None and argument in known.positional_only
    return note_on(_callee(name), argument) or ("pass it by position" if by_position else None)


def _signature(name: str, index: int) -> str | None:
    found = history.resolve(name, index, name.count("."))
    there = not found.missing and found.known and found.attribute
    text = history.signature(found.module, found.attribute, index) if there else None
    text = methods.signature(_callee(name), index) if text is None else text
    if text is None:
        return None
    shown = [p.rstrip("=!") + ("=…" if p[-1] in "=!" else "") for p in text.split(",")] if text else []
    return f"{name}({', '.join(shown)})"


def _argument_state(name: str, argument: str, index: int) -> tuple[str, str | None]:
    for _, verdict in judge_call(_callee(name), (), {argument: ast.Name("value")}, True, (index,)):
        return (DEPRECATED if verdict.code.endswith("408") else MISSING), verdict.message
    known = parameters_at(_callee(name), index)
    if known is None:
        missing = history.resolve(name, index, name.count(".")).missing
        return (MISSING, None) if missing else (UNKNOWN, None)
    return (THERE if known.open or argument in known.names else MISSING), None


def _periods(states: list[tuple[str, str | None]]) -> Iterator[Period]:
    releases = history.releases()
    start = 0
    for i in range(1, len(states) + 1):
        if i == len(states) or states[i][0] != states[start][0]:
            last = None if i == len(states) else releases[i - 1]
            # JAX words a message anew now and then; the last one is the best.
            message = next((m for _, m in reversed(states[start:i]) if m), None)
            yield Period(releases[start], last, states[start][0], message)
            start = i


def near_arguments(name: str, argument: str) -> list[str]:
    """Arguments of a function, in any release, that look most like `argument`, the likeliest first."""
    known = (parameters_at(_callee(name), i) for i in range(len(history.releases())))
    names = sorted({n for p in known if p is not None for n in p.names})
    close = difflib.get_close_matches(argument, names, 4, 0.6)
    return [f"{name}({n})" for n in close]


def near(name: str) -> list[str]:
    """Names of any release that look most like `name`, the likeliest first."""
    kind, attribute = object_in(name)
    if kind:
        return [f"{name.rpartition('.')[0]}.{n}" for n in near_attributes(kind, attribute)]
    every = list(history.every_name())
    leaf = name.rpartition(".")[2]
    same = [n for n in every if n.rpartition(".")[2] == leaf]
    close = difflib.get_close_matches(name, every, 5, 0.8)
    return list(dict.fromkeys([*sorted(same, key=lambda n: (n.count("."), n))[:5], *close]))[:6]
