"""SHAPE: the whole chain that feeds a Python value moves from jax.numpy to numpy, math or plain Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from omnilint.fixes.context import Book, Page, Refusal, Repair
from omnilint.fixes.flow import Flow
from omnilint.fixes.host import Host
from omnilint.fixes.host_arguments import adapted
from omnilint.fixes.host_forms import Forms
from omnilint.fixes.parameters import default_of
from omnilint.fixes.static_values import is_shape
from omnilint.model import Applicability, Finding, Place

_OPERATION = re.compile(r"`jnp\.(\w+)` is staged out here")


def propose(finding: Finding, book: Book) -> Repair:
    """The repair of a SHAPE finding; refuses where a link of the chain has no exact counterpart on the host."""
    steps = list(dict.fromkeys(s for need in finding.data.get("needs", ()) for s in need["steps"]))
    if not steps:
        raise Refusal("where the value was staged isn't known")
    found = [(page, node, message) for place, message in steps for page, node in [_node(book, place)]]
    named = {id(node): m[1] for _, node, message in found if (m := _OPERATION.match(message))}
    needs = frozenset(_needs(finding, book))
    chain = _Chain(Host(named), needs)
    for page, node, _ in found:
        chain.step(page, node)
    if not chain.host.spans:
        raise Refusal("nothing in the chain is a call of jax.numpy that is seen here")
    reasons = list(dict.fromkeys([*chain.host.doubts, *chain.reasons(), *_taken(finding, book, chain.host)]))
    description = "compute it on the host, while tracing"
    if reasons:
        description += f" (look at it: {'; '.join(reasons[:3])})"
    return Repair(Applicability.UNSAFE if reasons else Applicability.SAFE, description, chain.host.spans)


def _needs(finding: Finding, book: Book) -> Iterator[int]:
    for need in finding.data.get("needs", ()):
        page = book.page(need["place"].path)
        yield from (id(n) for n in page.at(need["place"])) if page is not None else ()


def _taken(finding: Finding, book: Book, host: Host) -> Iterator[str]:
    """Have what needs the value take it in NumPy's form; in words, where it isn't seen whether it does."""
    forms = Forms(host)
    for need in finding.data.get("needs", ()):
        page = book.page(need["place"].path)
        for node in page.at(need["place"]) if page is not None else ():
            if page is None or not isinstance(node, ast.Call) or id(node) in host.calls or not need.get("parameter"):
                continue
            for found in adapted(page, node, need["parameter"], forms):
                if isinstance(found, str):
                    yield found
                else:
                    host.spans.append((page, found))


def _node(book: Book, place: Place) -> tuple[Page, ast.expr]:
    page = book.page(place.path)
    node = page.expression(place) or _unpacked(page, place) if page is not None else None
    if page is None or node is None:
        raise Refusal("a link of the chain can't be found in the code")
    return page, node


def _unpacked(page: Page, place: Place) -> ast.expr | None:
    """What an assignment takes apart: JAX stages that out as well."""
    found = [n for n in page.at(place) if isinstance(n, ast.Assign)]
    return found[0].value if found else None


class _Chain:
    """The steps of one finding, and the variables that carry them from one to the next."""

    def __init__(self, host: Host, needs: frozenset[int]) -> None:
        self.host = host
        self.flow = Flow(self._moves, needs, host.kinds)
        self._starts: list[tuple[Page, ast.expr]] = []
        self._targets: list[tuple[Page, ast.Name]] = []
        self._seen: set[int] = set()

    def step(self, page: Page, node: ast.expr) -> None:
        """Bring one staged expression, and what it reads, to the host."""
        for above in page.above(node):
            if isinstance(above, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
                generators = getattr(above, "generators", ())
                if not all(_counts(page, g.iter) for g in generators):
                    raise Refusal("the same expression also runs on other values, which may be traced")
        self._starts.append((page, node))
        self._expression(page, node)

    def _expression(self, page: Page, node: ast.expr) -> None:
        for name in list(self.host.move(page, node)):
            self._name(page, name)

    def _name(self, page: Page, name: ast.Name) -> None:
        hit = page.bindings(name)
        if hit is None:
            return
        scope, bindings = hit
        default = default_of(scope.node, name.id)
        if default is not None and self.host.stages(page, default):
            raise Refusal(f"`{name.id}` is an array by default, which NumPy hands back to JAX")
        staged = [b.value for b in bindings if b.value is not None and self.host.stages(page, b.value)]
        if not staged:
            return
        if len(staged) != len(bindings):
            raise Refusal(f"`{name.id}` is assigned in several ways")
        for value in staged:
            if id(value) not in self._seen:
                self._seen.add(id(value))
                self._starts.append((page, value))
                self._expression(page, value)

    def _moves(self, page: Page, node: ast.AST) -> bool:
        return id(node) in self.host.calls

    def reasons(self) -> Iterator[str]:
        """What a person should look at: uses of the moved values that don't want Python values."""
        for page, node in self._starts:
            yield from self.flow.beside(page, node)


def _counts(page: Page, node: ast.expr) -> bool:
    """Whether an iterable gives Python numbers only: a shape or a range."""
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return is_shape(page, node) or called in ("range", "enumerate")
