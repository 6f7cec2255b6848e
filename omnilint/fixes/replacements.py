"""What to write for a name of JAX that is gone: a dotted name, an expression, or a call with its arguments in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.judge import judge
from omnilint.api.replacement import available, instead_of
from omnilint.fixes import arrays, fits, list_indices, operands
from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.imports import USUAL, insertion, is_free, known_as, module_alias
from omnilint.fixes.pure import is_pure, keeps_order
from omnilint.fixes.text import Span

_CODE = re.compile(r"`([^`]+)`")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.\w+)+")


@cache
def _table() -> Mapping[str, Any]:
    return knowledge.table("repairs")


@cache
def call_rows() -> Mapping[str, Mapping[str, Any]]:
    """The calls that are written anew, by the old function's dotted name."""
    return {row["name"]: row for row in _table()["call"]}


@dataclass(frozen=True)
class Instead:
    """`text`: a dotted name, or an expression of dotted names; `exact`: it takes the same arguments for sure.

    `newer`: it is only there in the newest releases of the target, and the old name only in the oldest.
    """

    old: str
    text: str
    exact: bool
    newer: bool = False

    @property
    def dotted(self) -> bool:
        """Whether it is a name, not an expression."""
        return bool(_DOTTED.fullmatch(self.text))


def instead(name: str, indices: Sequence[int], said: str | None = None, typo: bool = False) -> Instead:
    """What may be written for `name` in all of the target's releases; refuses where that takes thought.

    `said` is a finding's own suggestion, in words; `typo`: the name never was, so nothing is lost.
    """
    words = said or (instead_of(name, indices) if name else None)
    if not words and (twin := _public(name)) is not None and available(twin, indices):
        return Instead(name, twin, True)
    if not words:
        verdict = judge(name, tuple(indices), name.count(".") + 1)
        words = verdict.instead if verdict is not None else None
    options = _CODE.findall(words or "")
    if words and not options:
        options = [words]
    fit = [o for o in options if _DOTTED.fullmatch(o) or re.fullmatch(r"-?[\w.]+", o)]
    if not fit:
        raise Refusal(f"nothing can simply be written for `{name}`" if words else f"nothing replaces `{name}`")
    if name in _table()["differs"]:
        raise Refusal(f"`{fit[0]}` takes other arguments than `{name}`")
    new = fit[0]
    if name in _table()["same"]:
        return Instead(name, new, True)
    if new.rpartition(".")[2] == name.rpartition(".")[2]:
        return Instead(name, new, True)
    if typo:
        return Instead(name, new, False)
    raise Refusal(f"`{new}` may take other arguments than `{name}`")


def _public(name: str) -> str | None:
    """The public name of the very object that a private one stands for; measured, see rules/measure_public_twins.py."""
    module, _, leaf = name.rpartition(".")
    if not module.startswith("jax._src"):
        return None
    homes = knowledge.table("public_twins").get(module, {})
    return next((f"{home}.{leaf}" for home, names in homes.items() if leaf in names.split()), None)


def write(page: Page, dotted: str, indices: Sequence[int], at: ast.AST | None = None) -> tuple[str, list[Span]]:
    """How the module writes a dotted name, by the imports that it has, and the import to add for it.

    `at` is where it will stand; without it no function may give the names another meaning.
    """
    if not dotted.startswith("jax"):
        module, _, leaf = dotted.rpartition(".")
        whole = known_as(page, dotted, at)
        if whole is not None:
            return whole, []
        if module == "functools" and leaf not in page.names - _imported(page, leaf):
            return leaf, [insertion(page, f"from functools import {leaf}", "functools")]
        alias, added = module_alias(page, module, at)
        return f"{alias}.{leaf}", added
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        head, rest = ".".join(parts[:n]), parts[n:]
        alias = known_as(page, head, at) or ""
        if alias and (not rest or accessible(dotted, n, indices)):
            return ".".join([alias, *rest]), []
    usual = next((h for h in USUAL if h != "jax" and dotted.startswith(f"{h}.")), None)
    if usual is not None and is_free(page, USUAL[usual][0], at):
        alias, added = module_alias(page, usual, at)
        return alias + dotted[len(usual) :], added
    if accessible(dotted, 1, indices) and is_free(page, "jax", at):
        return dotted, [insertion(page, "import jax", "jax")]
    for n in range(len(parts) - 1, 1, -1):
        head, rest = ".".join(parts[:n]), parts[n:]
        if not accessible(dotted, n, indices):
            continue
        name = USUAL.get(head, (parts[n - 1],))[0]
        if not is_free(page, name, at):
            continue
        parent = ".".join(parts[: n - 1])
        line = f"import {head} as {name}" if name != parts[n - 1] else f"from {parent} import {name}"
        return ".".join([name, *rest]), [insertion(page, line, "jax")]
    raise Refusal(f"the names that `{dotted}` could be imported under are taken")


def _imported(page: Page, leaf: str) -> frozenset[str]:
    """The name itself, where it is imported from JAX only: that import is what goes."""
    found = page.module.imports.get(leaf, "")
    return frozenset({leaf}) if found.startswith("jax") and found.endswith(f".{leaf}") else frozenset()


def accessible(dotted: str, imported: int, indices: Sequence[int]) -> bool:
    """Whether a name can be reached by attributes once its first `imported` parts are imported."""
    for module in _table()["apart"]:
        if module.count(".") + 1 > imported and (dotted == module or dotted.startswith(f"{module}.")):
            return False
    for i in indices:
        found = history.resolve(dotted, i, imported)
        if found.missing or not found.known:
            return False
    return True


def at_use(page: Page, node: ast.expr, new: Instead, indices: Sequence[int]) -> list[Span]:
    """The spans that replace one use of a name; of a chain only what has to change."""
    start, end = page.text.span(node)
    if not new.dotted:
        text, added = expression(page, new.text, indices, node)
        needs = text.startswith("-") and isinstance(page.parent(node), (ast.BinOp, ast.Attribute, ast.UnaryOp))
        return [Span(start, end, f"({text})" if needs else text), *added]
    base: ast.AST = node
    while isinstance(base, ast.Attribute):
        base = base.value
        head = page.dotted(base)
        parts = _imported_parts(page, base, head) if head else 0
        if head and new.text.startswith(head + ".") and accessible(new.text, parts, indices):
            return [Span(page.text.span(base)[1], end, new.text[len(head) :])]
    text, added = write(page, new.text, indices, node)
    return [Span(start, end, text), *added]


def _imported_parts(page: Page, base: ast.AST, head: str) -> int:
    """How many parts of a dotted name an import named for sure; of an attribute only its root's."""
    while isinstance(base, ast.Attribute):
        base = base.value
    root = page.dotted(base)
    return (root or head).count(".") + 1


def expression(page: Page, text: str, indices: Sequence[int], at: ast.AST) -> tuple[str, list[Span]]:
    """An expression with its dotted names of JAX written as the module does."""
    added: list[Span] = []

    def written(match: re.Match[str]) -> str:
        name, spans = write(page, match.group(), indices, at)
        added.extend(spans)
        return name

    return re.sub(r"\bjax(?:\.\w+)+", written, text), added


def rewritten_call(page: Page, call: ast.Call, name: str, indices: Sequence[int]) -> tuple[list[Span], bool]:
    """(the spans that write a call anew as the table says, whether it surely means the same).

    Refuses where arguments can't be told.
    """
    row = call_rows()[name]
    if "since" in row and indices[0] < history.index_of(row["since"]):
        raise Refusal(f"before JAX {row['since']} it can't be written so")
    given = operands.bound(call, row["parameters"])
    whole: str = row["write"]
    made = row.get("array", "")
    if made in given and not arrays.is_array(page, given[made]):
        whole = whole.replace(f"{{{made}}}", f"jax.numpy.asarray({{{made}}})", 1)
    used = set(re.findall(r"\{(\w+)\}", whole))
    dropped = [p for p in given if p not in used and p not in row.get("keep", ())]
    if not used <= set(given) or any(p not in row.get("drop", ()) for p in dropped):
        raise Refusal("its arguments don't fit")
    if not all(is_pure(given[p]) for p in dropped):
        raise Refusal("an argument that would go may do something")
    places = [*re.findall(r"\{(\w+)\}", whole), *(p for p in row.get("keep", ()) if p in given)]
    if not keeps_order([given[p] for p in places]):
        raise Refusal("its arguments would be computed in another order")
    if "#" in page.text.cut(call):
        raise Refusal("a comment stands inside the call")
    for argument, function in fits.accepts(re.sub(r"\{(\w+)\}", r"\1", whole), indices).items():
        raise Refusal(f"`{function}` has no `{argument}` in all of the target's releases")
    text, added = expression(page, whole, indices, call)
    within = {p: list_indices.written(page, given[p]) for p in row.get("spread", ()) if p in given}
    added += [span for _, spans, _ in within.values() for span in spans]
    exact = all(sure for _, _, sure in within.values())

    def filled(match: re.Match[str]) -> str:
        node = given[match[1]]
        if match[1] in within:
            text = within[match[1]][0]
        elif whole == match.group() or (whole.startswith(match.group() + ".") and match.start() == 0):
            text = operands.operand(page, node)
        else:
            text = operands.argument(page, node)
        if isinstance(node, (ast.Name, ast.Constant)):
            return text
        return text.replace(page.text.cut(node), f"\0{match[1]}\0", 1)

    pieces = re.split(r"\0(\w+)\0", re.sub(r"\{(\w+)\}", filled, text))
    extra = [f"{p}={operands.argument(page, given[p])}" for p in row.get("keep", ()) if p in given]
    if extra:
        pieces[-1] = f"{pieces[-1][:-1]}, {', '.join(extra)})"
    text = "".join(page.text.cut(given[p]) if i % 2 else p for i, p in enumerate(pieces))
    parent = page.parent(call)
    if isinstance(parent, ast.Assign) and [page.text.cut(t) for t in parent.targets if is_pure(t)] == [text]:
        from omnilint.fixes.import_parts import statement_gone

        return [statement_gone(page, parent)], exact  # `x = tie_in(y, x)` would leave `x = x`
    if "\n" in text and not text.endswith((")", "]")):
        text, pieces[0], pieces[-1] = f"({text})", f"({pieces[0]}", f"{pieces[-1]})"
    return [*_around(page, call, pieces, given, text), *added], exact


def _around(
    page: Page, call: ast.Call, pieces: Sequence[str], given: Mapping[str, ast.expr], text: str
) -> Iterator[Span]:
    """The call written anew around its arguments, which stay as they are: they may have repairs of their own.

    `pieces` are what is written, with the parameters at odd places; in another order than theirs it is one span.
    """
    start, end = page.text.span(call)
    spans = [page.text.span(given[p]) for p in pieces[1::2]]
    if spans != sorted(set(spans)):
        yield Span(start, end, text)
        return
    for written, (first, last) in zip(pieces[::2], [*spans, (end, end)], strict=True):
        yield Span(start, first, written)
        start = last
