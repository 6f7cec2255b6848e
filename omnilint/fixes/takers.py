"""Whether all that uses a Python number would take a tracer in its place, and give a result of the same dtype."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from omnilint.fixes.context import Page
from omnilint.fixes.flow import parameter_of, static_parameters
from omnilint.fixes.homes import WITH_SCIPY
from omnilint.fixes.proven_arrays import is_proven
from omnilint.fixes.static_values import is_builtin
from omnilint.fixes.widths import NUMBER, width

_NEEDED = "the Python number is needed where it goes"
DTYPE = "what it is computed with may have another dtype, which the Python number leaves as it is"
_UNSEEN = "whether all that uses it takes an array isn't seen"
_LOOPS = ("jax.lax.fori_loop",)
_CONTROL = frozenset({"cond", "switch", "while_loop", "fori_loop", "scan", "map", "associative_scan"})
_MAKERS = frozenset({"array", "asarray", "full", "arange", "linspace", "stack", "zeros", "ones", "eye"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_DEPTH = 12


@dataclass
class Takers:
    """Follows one value: `wanted` is the builtin that made it a Python number, `own` the dtype that it has without."""

    wanted: str
    own: str | None
    meets_unknown: bool = False
    _seen: set[tuple[int, str, bool]] = field(default_factory=set)

    def refusal(self, page: Page, node: ast.expr, held: bool = False, depth: int = 0) -> str | None:
        """In words, what wouldn't take an array for `node`; `held`: the value is in a container that `node` is."""
        if depth > _DEPTH:
            return _UNSEEN
        parent = page.parent(node)
        if isinstance(parent, ast.Expr):
            return None
        if isinstance(parent, ast.Return) or (isinstance(parent, ast.Lambda) and parent.body is node):
            return self._returned(page, page.function(node), held, depth)
        if isinstance(parent, (ast.Tuple, ast.List)) and isinstance(parent.ctx, ast.Load):
            above = page.parent(parent)
            if isinstance(above, ast.Subscript) and above.slice is parent:
                return self._indexed(page, above, held)
            return self.refusal(page, parent, True, depth + 1)
        if isinstance(parent, ast.Dict) and node in parent.values:
            return self.refusal(page, parent, True, depth + 1)
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            return self._bound(page, parent, held, depth)
        if held:
            return _UNSEEN
        if isinstance(parent, ast.Subscript) and parent.slice is node:
            return self._indexed(page, parent, held)
        if isinstance(parent, ast.BinOp):
            other = parent.right if parent.left is node else parent.left
            return self._met(page, parent, [other], depth)
        if isinstance(parent, ast.AugAssign) and parent.value is node:
            return self._added(page, parent, depth)
        if isinstance(parent, ast.UnaryOp) and not isinstance(parent.op, ast.Not) and self.wanted != "bool":
            return self.refusal(page, parent, False, depth + 1)
        if isinstance(parent, ast.IfExp) and parent.test is not node:
            return self.refusal(page, parent, False, depth + 1)
        if isinstance(parent, ast.Compare) and self._compares(page, parent, node):
            return Takers("bool", "bool", False, self._seen).refusal(page, parent, False, depth + 1)
        if isinstance(parent, ast.keyword):
            call = page.parent(parent)
            return self._called(page, call, node, depth) if isinstance(call, ast.Call) else _UNSEEN
        if isinstance(parent, ast.Call) and node in parent.args:
            return self._called(page, parent, node, depth)
        return _NEEDED

    def _compares(self, page: Page, node: ast.Compare, value: ast.expr) -> bool:
        sides = [node.left, *node.comparators]
        plain = len(sides) == 2 and not isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Is, ast.IsNot))
        return plain and all(s is value or width(page, s) is not None or is_proven(page, s) for s in sides)

    def _indexed(self, page: Page, node: ast.Subscript, held: bool) -> str | None:
        return None if self.wanted == "int" and not held and is_proven(page, node.value) else _NEEDED

    def _met(self, page: Page, whole: ast.expr, others: list[ast.expr], depth: int) -> str | None:
        """The value is computed with others: where these are Python numbers, the result is one as well."""
        widths = [width(page, o) for o in others]
        arrays = [(o, w) for o, w in zip(others, widths, strict=True) if w != NUMBER]
        if not arrays:
            return self.refusal(page, whole, False, depth + 1)
        for other, found in arrays:
            if self.wanted == "float":
                if found is None or found != self.own:
                    return DTYPE
            elif found == self.own == "bool" or (found or "").lstrip("u") in ("int8", "int16", "int4", "uint32"):
                return DTYPE
            elif not is_proven(page, other) and found in (None, f"that of {ast.unparse(other)}"):
                return _UNSEEN
            else:
                self.meets_unknown = self.meets_unknown or self.wanted == "int"
        return None

    def _added(self, page: Page, node: ast.AugAssign, depth: int) -> str | None:
        if not isinstance(node.target, ast.Name):
            return _UNSEEN
        hit = page.bindings(node.target)
        values = [b.value for b in hit[1] if b.value is not None and b.imported is None] if hit is not None else []
        if not values:
            values = [ast.Name(node.target.id, ast.Load())]
        told = (
            self._met(page, node.value, [v for v in values if width(page, v) != NUMBER], depth)
            if any(width(page, v) != NUMBER for v in values)
            else None
        )
        return told or self._readings(page, node.target, False, depth)

    def _called(self, page: Page, call: ast.Call, node: ast.expr, depth: int) -> str | None:
        dotted = page.dotted(call.func) or ""
        if isinstance(call.func, ast.Name) and is_builtin(page, call.func):
            plain = call.func.id == "abs" and self.wanted != "bool"
            return self.refusal(page, call, False, depth + 1) if plain else _NEEDED
        if isinstance(call.func, ast.Attribute) and not dotted:
            at = call.func.value
            update = isinstance(at, ast.Subscript) and isinstance(at.value, ast.Attribute) and at.value.attr == "at"
            if update and isinstance(at, ast.Subscript) and isinstance(at.value, ast.Attribute):
                return self._met(page, call, [at.value.value], depth)
            return _UNSEEN
        if dotted == "jax.debug.print":
            return None
        leaf = dotted.rpartition(".")[2]
        if not dotted.startswith(WITH_SCIPY) or (dotted not in _LOOPS and leaf in _CONTROL):
            return _UNSEEN
        if parameter_of(dotted, call, node) in static_parameters(dotted):
            return _NEEDED
        if dotted in _LOOPS:
            return None if self.wanted == "int" and node in call.args[:2] else DTYPE
        if leaf == "where" and call.args[:1] == [node]:
            return None
        if any(k.arg == "dtype" for k in call.keywords):
            return None
        if leaf in _MAKERS:
            return DTYPE if self.wanted == "float" else None
        if leaf == "full_like":
            return None
        others = [a for a in call.args if a is not node]
        if leaf == "where":
            others = others[1:]
        if any(isinstance(a, (ast.Starred, ast.Tuple, ast.List)) for a in others):
            return _UNSEEN
        return self._met(page, call, others, depth)

    def _bound(
        self, page: Page, node: ast.Assign | ast.AnnAssign | ast.NamedExpr, held: bool, depth: int
    ) -> str | None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if not isinstance(target, ast.Name):
                return _UNSEEN
            told = self._readings(page, target, held, depth)
            if told is not None:
                return told
        return self.refusal(page, node, held, depth + 1) if isinstance(node, ast.NamedExpr) else None

    def _readings(self, page: Page, target: ast.Name, held: bool, depth: int) -> str | None:
        """Every place that reads the name, whatever it holds there."""
        function = page.function(target)
        if not isinstance(function, _FUNCTIONS):
            return _UNSEEN
        if any(target.id in d.names for d in page.inside(function).declared):
            return _UNSEEN
        key = (id(function), target.id, held)
        if key in self._seen:
            return None
        self._seen.add(key)
        nodes = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == target.id)
        for read in nodes:
            if isinstance(read.ctx, ast.Load):
                told = self.refusal(page, read, held, depth + 1)
                if told is not None:
                    return told
        return None

    def _returned(self, page: Page, function: ast.AST | None, held: bool, depth: int) -> str | None:
        """A function that JAX traces may return arrays; of another, so may those that call it."""
        if isinstance(function, ast.Lambda):
            parent = page.parent(function)
            return None if isinstance(parent, ast.Call) and (page.dotted(parent.func) or "")[:4] == "jax." else _UNSEEN
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return _UNSEEN
        if function.decorator_list:
            return None
        for call in _calls(page, function):
            told = self.refusal(page, call, held, depth + 1)
            if told is not None:
                return told
        return None


def _calls(page: Page, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Call]:
    for node in page.mentions(function.name):
        parent = page.parent(node)
        if isinstance(parent, ast.Call) and parent.func is node and page.function(parent) is not None:
            yield parent
