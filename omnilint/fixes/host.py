"""From jax.numpy to the host: an expression's calls rewritten to numpy, math or plain Python, span by span."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from omnilint import knowledge
from omnilint.fixes import limits
from omnilint.fixes.context import Page, Refusal
from omnilint.fixes.demands import Demands
from omnilint.fixes.flow import JAX_ONLY, TAKES_VALUES
from omnilint.fixes.forms import needs_array
from omnilint.fixes.imports import member, module_alias
from omnilint.fixes.number_kinds import Kind, Kinds
from omnilint.fixes.proven_arrays import unproven
from omnilint.fixes.static_values import is_builtin, is_number, is_shape
from omnilint.fixes.text import Span
from omnilint.fixes.twins import given, twins, unshared

_NUMPY = "jax.numpy."
_LEVEL = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.Div: 2, ast.FloorDiv: 2, ast.Mod: 2, ast.MatMult: 2, ast.Pow: 4}
_SIGN_LEVEL = {"+": 1, "-": 1, "*": 2, "//": 2, "%": 2, "**": 4, "==": 0, "!=": 0, "<": 0, "<=": 0, ">": 0, ">=": 0}


def jnp_name(page: Page, node: ast.AST) -> str | None:
    """The name within jax.numpy that an expression stands for; also through `from jax.numpy import *`."""
    dotted = page.dotted(node)
    if dotted is not None:
        return dotted[len(_NUMPY) :] if dotted.startswith(_NUMPY) and "." not in dotted[len(_NUMPY) :] else None
    if isinstance(node, ast.Name) and page.module.stars == ["jax.numpy"] and page.bindings(node) is None:
        return node.id if f"{_NUMPY}{node.id}" in knowledge.table("jax_functions") else None
    return None


class Host:
    """Collects the spans that bring expressions to the host, each expression once."""

    def __init__(self, named: Mapping[int, str]) -> None:
        self.named = named  # operations that the analysis knows by name, where the code doesn't show it
        self.spans: list[tuple[Page, Span]] = []
        self.calls: set[int] = set()
        self.plain: set[int] = set()  # those of them that give Python's own numbers then
        self.doubts: dict[str, None] = {}  # what a person should look at, in words
        self.kinds = Kinds(self.name_of)
        self._demands = Demands(self.name_of)
        self._done: set[int] = set()
        self._inner: dict[int, ast.expr] = {}

    def name_of(self, page: Page, node: ast.AST) -> str | None:
        """The jax.numpy function that a call calls."""
        if not isinstance(node, ast.Call):
            return None
        return jnp_name(page, node.func) or self.named.get(id(node))

    def stages(self, page: Page, node: ast.AST) -> bool:
        """Whether an expression holds a call that is staged out and would have to move."""
        return any(
            (name := self.name_of(page, n)) is not None and name not in twins()["static"]
            for n in _operands(page, node, self)
        )

    def move(self, page: Page, node: ast.expr) -> Iterator[ast.Name]:
        """Rewrite an expression; gives the names that it reads, which may have to move as well."""
        if id(node) in self._done:
            return
        self._done.add(id(node))
        if isinstance(node, ast.Name):
            yield node
        elif isinstance(node, ast.Attribute):
            yield from self._attribute(page, node)
        elif isinstance(node, ast.Call):
            yield from self._call(page, node)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            for generator in node.generators:
                yield from self.move(page, generator.iter)
            yield from self.move(page, node.elt)
        elif isinstance(node, (ast.Lambda, ast.DictComp, ast.Dict, ast.Await, ast.Yield, ast.YieldFrom)):
            return
        else:
            self._look_at(page, node)
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from self.move(page, child)

    def _look_at(self, page: Page, node: ast.expr) -> None:
        """Note what the host does in another way within an expression that moves."""
        if isinstance(node, ast.Subscript) and self.stages(page, node.value) and not limits.within(page, node):
            self.doubts[limits.BOUNDS] = None

    def _attribute(self, page: Page, node: ast.Attribute) -> Iterator[ast.Name]:
        name = jnp_name(page, node)
        if name is not None:
            if name not in twins()["constants"]:
                raise Refusal(f"`jnp.{name}` has no counterpart in NumPy")
            self._rename(page, node, f"numpy.{name}")
        elif node.attr in JAX_ONLY:
            raise Refusal(f"`.{node.attr}` is used on it, which NumPy's arrays don't have")
        return
        yield

    def _call(self, page: Page, node: ast.Call) -> Iterator[ast.Name]:
        name = self.name_of(page, node)
        if name is None:
            yield from self._other_call(page, node)
            return
        if name in twins()["static"]:
            return
        if page.frozen(node):
            raise Refusal("it stands in an f-string; compute it on a line of its own")
        whole = name in twins()["constants"] and name.lstrip("u").startswith("int")  # `jnp.int32(…)`
        exact, rounds = whole or name in twins()["exact"], name in twins()["rounds"]
        if not (exact or rounds):
            raise Refusal(f"`jnp.{name}` has no exact counterpart on the host")
        for unknown in unshared(name, node):
            raise Refusal(f"`{unknown}` of `jnp.{name}` has no counterpart in NumPy")
        if name in twins()["python"] and self._as_array(page, node):
            raise Refusal(f"`numpy.{name}` gives a Python value, and an array is needed")
        self.calls.add(id(node))
        self._doubt(page, node, name)
        if self._as_operator(page, node, name) or self._as_python(page, node, name):
            self.plain.add(id(node))
        else:
            self._as_numpy(page, node, name)
        for argument in [*node.args, *(k.value for k in node.keywords)]:
            yield from self.move(page, self._inner.get(id(argument), argument))

    def _doubt(self, page: Page, node: ast.Call, name: str) -> None:
        """Note what NumPy or Python may compute in another way than JAX."""
        kind = self.kinds.of(page, node)
        inner = max((self.kinds.of(page, a) for a in node.args), default=Kind.FLAG)
        ratio = len(node.args) == 1 and self.kinds.is_ratio(page, node.args[0]) and kind is Kind.ROUNDED
        if inner is Kind.UNKNOWN or kind is Kind.UNKNOWN:
            if self.kinds.is_narrow(page, node):
                self.doubts[limits.NARROW] = None
            elif not self._demands.whole(page, node):
                self.doubts[limits.MAYBE_FLOATS] = None
        elif kind is Kind.REAL or (inner is Kind.REAL and not ratio):
            self.doubts[limits.FLOATS] = None
        for what in (w for a in node.args for w in unproven(page, a)):
            self.doubts[f"whether `{what}` is an array isn't seen"] = None
        if name in twins()["bounds"]:
            self.doubts[limits.BOUNDS] = None
        if name in twins()["divides"] and not (len(node.args) == 2 and limits.is_nonzero(node.args[1])):
            self.doubts[limits.DIVISOR] = None
        grows = name in twins()["grows"] and not (name != "power" or limits.is_small(node.args[-1]))
        if grows or any(limits.is_large(a) for a in node.args):
            self.doubts[limits.WRAPS] = None

    def _other_call(self, page: Page, node: ast.Call) -> Iterator[ast.Name]:
        """A builtin on values, a method of a value that moves; of any other call nothing is known."""
        if isinstance(node.func, ast.Name) and node.func.id in TAKES_VALUES and is_builtin(page, node.func):
            if node.func.id not in ("len", "isinstance"):
                for argument in [*node.args, *(k.value for k in node.keywords)]:
                    yield from self.move(page, argument)
        elif isinstance(node.func, ast.Attribute) and page.dotted(node.func) is None:
            if not self.stages(page, node.func.value) and not isinstance(node.func.value, ast.Name):
                return
            if node.func.attr not in twins()["methods"]:
                if isinstance(node.func.value, ast.Name):
                    return
                raise Refusal(f"`.{node.func.attr}()` isn't a method that NumPy's arrays share")
            for argument in [node.func.value, *node.args, *(k.value for k in node.keywords)]:
                yield from self.move(page, argument)

    # How a call is written on the host

    def _as_operator(self, page: Page, node: ast.Call, name: str) -> bool:
        sign = twins()["operators"].get(name)
        both = twins()["builtins"].get(name)
        if (sign is None and both is None) or len(node.args) != 2 or node.keywords or self._as_array(page, node):
            return False
        left, right = node.args
        if not (self._number(page, left) and self._number(page, right)):
            return False
        if both is not None:
            if _hidden(page, both, node):
                return False
            self._replace(page, node.func, both)
            return True
        if self._has_comment(page, node):
            return False
        level = _SIGN_LEVEL[sign]
        start, end = page.text.span(node)
        (a, b), (c, d) = page.text.span(left), page.text.span(right)
        wrapped = self._needs_parentheses(page, node) or "\n" in page.text.cut(left) + page.text.cut(right)
        outer = "(" if wrapped else ""
        l_open, l_close = _paren(left, level, False)
        r_open, r_close = _paren(right, level, True)
        self.spans += [
            (page, Span(start, a, outer + l_open)),
            (page, Span(b, c, f"{l_close} {sign} {r_open}")),
            (page, Span(d, end, r_close + (")" if wrapped else ""))),
        ]
        return True

    def _as_python(self, page: Page, node: ast.Call, name: str) -> bool:
        """`math.prod(x.shape)`, `max(x.shape)`, `math.ceil(n / 2)`: what a person writes for Python numbers."""
        if len(node.args) != 1 or node.keywords or self._as_array(page, node):
            return False
        argument = node.args[0]
        inner = self._unwrapped(page, argument)
        if name in twins()["sequence"] and is_shape(page, inner):
            if name in ("max", "min", "amax", "amin") and not _surely_filled(inner):
                return False
            written = twins()["sequence"][name]
        elif name in twins()["scalar"] and inner is argument and is_number(page, argument):
            written = twins()["scalar"][name]
        else:
            return False
        if "." not in written and _hidden(page, written, node):
            return False
        if "." in written and not self._can_write(page, node.func, written):
            return False
        if inner is not argument:
            if self._has_comment(page, argument):
                return False
            self._unwrap(page, argument, inner)
        if "." in written:
            self._rename(page, node.func, written)
        else:
            self._replace(page, node.func, written)
        return True

    def _as_numpy(self, page: Page, node: ast.Call, name: str) -> None:
        weak = self._stays_weak(page, node, name)
        self._rename(page, node.func, f"numpy.{name}", "float(" if weak else "")
        if weak:
            end = page.text.span(node)[1]
            self.spans.append((page, Span(end, end, ")")))
        if name in twins()["stable"] and "kind" not in given(name, node):
            end = page.text.span(node.args[-1] if not node.keywords else node.keywords[-1])[1]
            if page.text.text[end : page.text.span(node)[1]].strip() not in (")", ",)"):
                raise Refusal("the argument stands in parentheses")
            self.spans.append((page, Span(end, end, ', kind="stable"')))

    def _stays_weak(self, page: Page, node: ast.Call, name: str) -> bool:
        """Whether the dtype of arrays wins over the result, as over Python's floats and not over NumPy's."""
        parent = page.parent(node)
        converted = (
            isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in TAKES_VALUES
        )
        return (
            self.kinds.of(page, node) is Kind.REAL
            and name in twins()["weak"]
            and not converted
            and not node.keywords
            and all(is_number(page, a) for a in node.args)
            and not (self._as_array(page, node) or _hidden(page, "float", node))
        )

    @staticmethod
    def _can_write(page: Page, node: ast.AST, dotted: str) -> bool:
        try:
            member(page, dotted, node)
        except Refusal:
            return False
        return True

    def _unwrapped(self, page: Page, node: ast.expr) -> ast.expr:
        """What `jnp.array` or `jnp.asarray` is made of, where it is given nothing else."""
        alone = isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords
        if alone and self.name_of(page, node) in ("array", "asarray"):
            assert isinstance(node, ast.Call)
            return node if isinstance(node.args[0], ast.Starred) else node.args[0]
        return node

    def _unwrap(self, page: Page, call: ast.expr, inner: ast.expr) -> None:
        (start, end), (a, b) = page.text.span(call), page.text.span(inner)
        self.calls.add(id(call))
        self._done.add(id(call))
        bare = isinstance(inner, ast.GeneratorExp)
        self.spans += [(page, Span(start, a, "(" if bare else "")), (page, Span(b, end, ")" if bare else ""))]
        self._inner[id(call)] = inner

    def _as_array(self, page: Page, node: ast.Call) -> bool:
        """Whether the code goes on with what only arrays have: a method, an index, `dtype`; `~` of a truth value."""
        flag = self.kinds.of(page, node) is Kind.FLAG
        return needs_array(page, node, flag, lambda p, n: self.name_of(p, n) is not None)

    def _number(self, page: Page, node: ast.expr, depth: int = 0) -> bool:
        """Whether an operand is a Python number, or becomes one with this repair."""
        if depth < 8 and self.name_of(page, node) in {**twins()["operators"], **twins()["builtins"]}:
            assert isinstance(node, ast.Call)
            if self.kinds.of(page, node) is Kind.FLAG:
                return False
            plain = len(node.args) == 2 and not node.keywords and not self._as_array(page, node)
            return plain and all(self._number(page, a, depth + 1) for a in node.args)
        return is_number(page, node)

    def _needs_parentheses(self, page: Page, node: ast.Call) -> bool:
        parent = page.parent(node)
        if isinstance(parent, ast.Call):
            return node is parent.func or self.name_of(page, parent) in twins()["operators"]
        if isinstance(parent, ast.Subscript):
            return node is parent.value
        return isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Await, ast.Starred, ast.Compare))

    @staticmethod
    def _has_comment(page: Page, node: ast.AST) -> bool:
        return "#" in page.text.cut(node)

    def _replace(self, page: Page, node: ast.AST, text: str) -> None:
        start, end = page.text.span(node)
        self.spans.append((page, Span(start, end, text)))

    def _rename(self, page: Page, node: ast.AST, dotted: str, before: str = "") -> None:
        module, _, leaf = dotted.rpartition(".")
        if module == "numpy":
            alias, added = module_alias(page, "numpy", node)
            written = f"{alias}.{leaf}"
        else:
            written, added = member(page, dotted, node)
        self._replace(page, node, before + written)
        self.spans += [(page, span) for span in added]


def _operands(page: Page, node: ast.AST, host: Host) -> Iterator[ast.AST]:
    """The nodes whose values an expression is computed from, without what is static in itself."""
    yield node
    if isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim", "size", "dtype"):
        return
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Call):
        name = host.name_of(page, node)
        builtin = isinstance(node.func, ast.Name) and node.func.id in TAKES_VALUES and node.func.id != "len"
        if name in twins()["static"]:
            return
        if name is None and not builtin:
            if isinstance(node.func, ast.Attribute) and page.dotted(node.func) is None:
                yield from _operands(page, node.func.value, host)
            return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.expr, ast.keyword, ast.comprehension)):
            yield from _operands(page, child, host)


def _surely_filled(node: ast.expr) -> bool:
    """`max()` of an empty shape raises, as jnp.max does: both need at least one number."""
    return isinstance(node, (ast.Attribute, ast.Tuple, ast.List, ast.Name, ast.Subscript, ast.Call, ast.BinOp))


def _hidden(page: Page, name: str, node: ast.AST) -> bool:
    """Whether a builtin's name means something else where a node stands."""
    return bool(page.module.stars) or not page.shadows.is_builtin(name, node)


def _paren(node: ast.expr, level: int, right: bool) -> tuple[str, str]:
    """The parentheses that an operand needs at an operator's level."""
    if isinstance(node, ast.BinOp):
        own = _LEVEL.get(type(node.op), 0)
        needed = own < level or (own == level and right) or level == 4
    elif isinstance(node, ast.UnaryOp):
        needed = level == 4 or isinstance(node.op, ast.Not)
    else:
        needed = isinstance(node, (ast.IfExp, ast.BoolOp, ast.Compare, ast.Lambda, ast.NamedExpr, ast.Starred))
    return ("(", ")") if needed else ("", "")
