"""What one module of a release binds at its top level, read from its syntax in the order of execution."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from omnilint.api.build.docstrings import documented, of_value, sets_docstring
from omnilint.api.build.expressions import (
    chain_of,
    first_warning,
    is_warning,
    message_of,
    options_of,
    strings_of,
    text_of,
)
from omnilint.api.build.signature import class_signature, function_signature, keeps_signature, wrapped_name


@dataclass(frozen=True, slots=True)
class Bound:
    """One binding. `kind`: "from" (module, name), "module" (dotted), "alias" (dotted chain in this module), "value".

    `calls_warn` is the message of a function that warns of its deprecation whenever it is called. `documented`: it
    has a docstring; None where that can't be told, and for what has none by nature.
    """

    kind: str
    target: str = ""
    name: str = ""
    signature: str | None = None
    calls_warn: str | None = None
    documented: bool | None = None


@dataclass(frozen=True, slots=True)
class Deprecated:
    """An entry of a module's table of deprecations; `value` None means that access raises."""

    message: str
    value: Bound | None


@dataclass(slots=True)
class Namespace:
    """A module's names; `dynamic` when it also binds names that its syntax doesn't show.

    `sets` are attributes that it sets on other modules, as (name of the module here, attribute).
    """

    name: str
    package: str
    names: dict[str, Bound] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    exported: list[str] | None = None
    deprecations: dict[str, Deprecated] = field(default_factory=dict)
    tables: dict[str, dict[str, Deprecated]] = field(default_factory=dict)
    lazy: list[str] = field(default_factory=list)
    dynamic: bool = False
    warns: str | None = None
    raises: bool = False
    prefixed: bool = False
    options: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    sets: list[tuple[str, str]] = field(default_factory=list)
    documented: bool = False


def read_namespace(text: str, name: str, package: str) -> Namespace:
    """Read one module's source; raises SyntaxError when it isn't valid for this Python."""
    ns = Namespace(name, package)
    tree = ast.parse(text)
    ns.documented = ast.get_docstring(tree) is not None
    _Reader(ns).block(tree.body)
    if "globals()[" in text:
        ns.dynamic = ns.dynamic or any(
            isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and _is_globals(n.value)
            for n in ast.walk(tree)
        )
    return ns


def _is_globals(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and chain_of(node.func) == "globals"


class _Reader:
    def __init__(self, ns: Namespace) -> None:
        self.ns = ns

    def block(self, body: Sequence[ast.stmt]) -> None:
        for stmt in body:
            self.one(stmt)

    def one(self, stmt: ast.stmt) -> None:
        match stmt:
            case ast.Import():
                for a in stmt.names:
                    if a.asname:
                        self.ns.names[a.asname] = Bound("module", a.name)
                    else:
                        root = a.name.partition(".")[0]
                        self.ns.names[root] = Bound("module", root)
            case ast.ImportFrom():
                self._import_from(stmt)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(stmt)
            case ast.ClassDef():
                bound = Bound("value", signature=class_signature(stmt), documented=documented(stmt, self._known))
                self.ns.names[stmt.name] = bound
            case ast.Assign():
                for name in sets_docstring(stmt.targets):
                    if name in self.ns.names:
                        self.ns.names[name] = replace(self.ns.names[name], documented=True)
                for target in stmt.targets:
                    self._assign(target, stmt.value)
            case ast.AnnAssign():
                if stmt.value is not None:
                    self._assign(stmt.target, stmt.value)
            case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
                self.ns.exported = [*(self.ns.exported or []), *strings_of(value)]
            case ast.Delete():
                for target in stmt.targets:
                    self._delete(target)
            case ast.If():
                self._if(stmt)
            case ast.Try() | ast.TryStar():
                self._try(stmt)
            case ast.With():
                self.block(stmt.body)
            case ast.For():
                self._assign(stmt.target, ast.Constant(None))
                self.block(stmt.body)
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case ast.Raise():
                self.ns.raises = True

    def _delete(self, target: ast.expr) -> None:
        """`del a, b` takes names away, `del rules[a.b]` none."""
        if isinstance(target, ast.Name):
            self.ns.names.pop(target.id, None)
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._delete(element)

    def _import_from(self, stmt: ast.ImportFrom) -> None:
        parts = self.ns.package.split(".")
        base = ".".join(parts[: len(parts) - stmt.level + 1]) if stmt.level else ""
        module = ".".join(p for p in (base, stmt.module or "") if p)
        for a in stmt.names:
            if a.name == "*":
                self.ns.stars.append(module)
            else:
                self.ns.names[a.asname or a.name] = Bound("from", module, a.name)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if any((chain_of(d) or "").endswith("overload") for d in node.decorator_list):
            return
        if node.name == "__getattr__":
            self._getattr(node)
        warn = first_warning(node.body, self.ns.texts)
        signature = function_signature(node)
        wrapped = self.ns.names.get(wrapped_name(node) or "")
        if signature is not None and wrapped is not None and wrapped.signature is not None:
            signature = wrapped.signature
        told = documented(node, self._known)
        self.ns.names[node.name] = Bound("value", signature=signature, calls_warn=warn, documented=told)

    def _known(self, name: str) -> tuple[bool | None, str]:
        bound = self.ns.names.get(name)
        return (None, "") if bound is None else (bound.documented, bound.target.partition(".")[0])

    def _getattr(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A hand-written module `__getattr__`: names that it compares with literals are there, and may warn."""
        parameter = node.args.args[0].arg if node.args.args else ""
        for n in ast.walk(node):
            if isinstance(n, ast.Attribute) and n.attr == "startswith":
                self.ns.prefixed = True
            if not (isinstance(n, ast.If) and isinstance(n.test, ast.Compare) and len(n.test.ops) == 1):
                continue
            if not isinstance(n.test.ops[0], ast.Eq | ast.In) or any(isinstance(s, ast.Raise) for s in n.body):
                continue
            warn = next((s.value for s in n.body if is_warning(s)), None)  # type: ignore[attr-defined]
            for name in filter(str.isidentifier, strings_of(n.test.comparators[0])):
                if warn is None:
                    self.ns.lazy.append(name)
                else:
                    text = text_of(message_of(warn), {**self.ns.texts, parameter: name}) if warn.args else None
                    self.ns.deprecations[name] = Deprecated(text or "deprecated", Bound("value"))

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            pairs = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            same = len(pairs) == len(target.elts)
            if isinstance(value, ast.Call) and (chain_of(value.func) or "").endswith("attach") and len(value.args) > 1:
                self.ns.lazy.extend(strings_of(value.args[1]))
                return
            for i, t in enumerate(target.elts):
                self._assign(t, pairs[i] if same else ast.Constant(None))
            return
        if isinstance(target, ast.Attribute):
            holder = chain_of(target.value)
            if holder is not None:
                self.ns.sets.append((holder, target.attr))
            return
        if not isinstance(target, ast.Name):
            return
        name = target.id
        if name == "__all__":
            self.ns.exported = strings_of(value)
        elif name == "__getattr__":
            self._deprecation_getattr(value)
            return
        text = text_of(value, self.ns.texts)
        if text is not None:
            self.ns.texts[name] = text
        table = _table(value, self.ns)
        if table:
            self.ns.tables[name] = table
        self.ns.options.extend(options_of(value))
        chain = chain_of(value)
        if chain is not None and chain != name and chain.partition(".")[0] in self.ns.names:
            self.ns.names[name] = bound_of(value, self.ns) or Bound("value")
            return
        self.ns.names[name] = Bound("value", signature=self._wrapped(value), documented=of_value(value, self._known))

    def _wrapped(self, value: ast.expr) -> str | None:
        """The signature of `wrapper(function, …)`, where the wrapper keeps it."""
        if (
            isinstance(value, ast.Call)
            and keeps_signature(value.func)
            and value.args
            and isinstance(value.args[0], ast.Name)
        ):
            inner = self.ns.names.get(value.args[0].id)
            return inner.signature if inner is not None else None
        return None

    def _deprecation_getattr(self, value: ast.expr) -> None:
        if not isinstance(value, ast.Call):
            return
        for arg in value.args:
            if isinstance(arg, ast.Name) and arg.id in self.ns.tables:
                self.ns.deprecations.update(self.ns.tables[arg.id])
            elif isinstance(arg, ast.Dict):
                self.ns.deprecations.update(_table(arg, self.ns))

    def _if(self, stmt: ast.If) -> None:
        test = stmt.test
        negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        inner = test.operand if isinstance(test, ast.UnaryOp) else test
        if (chain_of(inner) or "").endswith("TYPE_CHECKING"):
            self.block(stmt.body if negated else stmt.orelse)
            return
        if isinstance(test, ast.Compare) and chain_of(test.left) == "__name__":
            self.block(stmt.orelse)  # a script's part, which no import runs
            return
        # The other branch first, so that the first branch wins where both bind a name. A branch that
        # only raises, and what only an "accelerated" deprecation does, isn't what users meet.
        if "is_accelerated" in ast.dump(test):
            self.block(stmt.orelse)
            return
        warns = self.ns.warns
        self._unless_raising(stmt.orelse)
        self._unless_raising(stmt.body)
        self.ns.warns = warns  # a warning on some machines only

    def _unless_raising(self, body: Sequence[ast.stmt]) -> None:
        if not any(isinstance(s, ast.Raise) for s in body):
            self.block(body)

    def _try(self, stmt: ast.Try | ast.TryStar) -> None:
        before = dict(self.ns.names)
        self.block(stmt.body)
        done, warns = dict(self.ns.names), self.ns.warns
        for handler in stmt.handlers:
            self.ns.names = dict(before)
            self._unless_raising(handler.body)
            done = {**self.ns.names, **done}
        self.ns.names = done
        self.ns.warns = warns  # a warning of what went wrong on some machines
        self.block(stmt.orelse)
        self.block(stmt.finalbody)

    def _call(self, call: ast.Call) -> None:
        name = chain_of(call.func) or ""
        if is_warning(ast.Expr(call)) and call.args:
            message = message_of(call)
            if isinstance(message, ast.Call) and message.args:
                message = message.args[0]
            self.ns.warns = text_of(message, self.ns.texts) or "deprecated"
        elif name.endswith(".update") and name.rpartition(".")[0] in self.ns.tables and call.args:
            self.ns.tables[name.rpartition(".")[0]].update(_table(call.args[0], self.ns))
        self.ns.options.extend(options_of(call))


def _table(value: ast.expr, ns: Namespace) -> dict[str, Deprecated]:
    """A table of deprecations, `{"name": (message, value or None), …}`; empty for any other expression."""
    if not isinstance(value, ast.Dict):
        return {}
    out: dict[str, Deprecated] = {}
    for key, entry in zip(value.keys, value.values, strict=True):
        if key is None:
            inner = chain_of(entry)
            out.update(ns.tables.get(inner or "", {}))
            continue
        name = text_of(key, ns.texts)
        if name is None or not isinstance(entry, ast.Tuple) or len(entry.elts) != 2:
            continue
        message = text_of(entry.elts[0], ns.texts) or ""
        out[name] = Deprecated(message, bound_of(entry.elts[1], ns))
    return out


def bound_of(node: ast.expr, ns: Namespace) -> Bound | None:
    """What an expression leads to, through names of the module; None for the literal None."""
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    chain = chain_of(node)
    if chain is None:
        return Bound("value")
    root, _, rest = chain.partition(".")
    source = ns.names.get(root)
    if source is None:
        return Bound("value")
    if not rest:
        return source
    head, _, leaf = rest.rpartition(".")
    if source.kind == "module":
        return Bound("from", ".".join(p for p in (source.target, head) if p), leaf)
    if source.kind == "from":
        return Bound("from", ".".join(p for p in (source.target, source.name, head) if p), leaf)
    return Bound("value")
