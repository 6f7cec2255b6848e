"""One walk over a module: its scopes, and every spot that may name something of JAX, with what guards it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from omnilint.api.fold import literal
from omnilint.api.guards import (
    After,
    Attempt,
    Guard,
    Quiet,
    Test,
    Tried,
    caught,
    expected,
    kept_mark,
    leaves,
    marks,
    skips,
    suppresses,
)
from omnilint.api.patterns import item, parts, test_of
from omnilint.api.readers import expression_in, reads_annotations
from omnilint.api.scopes import Binding, Dotted, Scope, enclosing, function_scope
from omnilint.api.spots import Spot, Walk
from omnilint.index.module import absolute

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def walk_module(tree: ast.Module, package: str, names: bool = True) -> Walk:
    """Read a module once. Every binding is known only when this returns, so names are resolved after it.

    `names`: plain names are spots too, which only star imports make worth the time.
    """
    walk = Walk(Scope(tree), package)
    _Walker(walk, names).block(tree.body, walk.scope, ())
    return walk


class _Walker:
    def __init__(self, walk: Walk, names: bool) -> None:
        self.walk = walk
        self.names = names
        self.statement: ast.stmt = ast.Pass()
        self.postponed = False
        self.read = False
        self.idle = False
        self.marks: list[Test] = []

    def spot(self, node: ast.AST, scope: Scope, guards: tuple[Guard, ...], text: ast.Constant | None = None) -> None:
        self.walk.spots.append(Spot(node, scope, guards, self.statement, text, self.idle))

    # Statements

    def block(self, body: Sequence[ast.stmt], scope: Scope, guards: tuple[Guard, ...]) -> None:
        for stmt in body:
            self.statement = stmt
            guards = self.one(stmt, scope, guards)

    def one(self, stmt: ast.stmt, scope: Scope, guards: tuple[Guard, ...]) -> tuple[Guard, ...]:
        """Walk one statement; returns the guards of the statements that follow it."""
        match stmt:  # the most frequent ones first
            case ast.Assign():
                self.expr(stmt.value, scope, guards)
                for target in stmt.targets:
                    self._target(target, stmt.value, scope, guards)
                if scope.parent is None and isinstance(target, ast.Name) and target.id == "pytestmark":
                    self.marks = [Test(condition, False, scope) for condition in marks(stmt.value)]
            case ast.Expr(value) | ast.Return(ast.expr() as value):
                self.expr(value, scope, guards)
                if type(stmt) is ast.Return:
                    scope.returns.append((value, guards))
            case ast.If() | ast.While():
                return self._branch(stmt, scope, guards)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(stmt, scope, guards)
            case ast.Import():
                self._import(stmt, scope, guards)
            case ast.ImportFrom():
                self._import_from(stmt, scope, guards)
            case ast.Try() | ast.TryStar():
                return self._try(stmt, scope, guards)
            case ast.Assert():
                self.expr(stmt.test, scope, guards)
                if stmt.msg:
                    self.expr(stmt.msg, scope, guards)
                return (*guards, Test(stmt.test, True, scope))
            case ast.With() | ast.AsyncWith():
                for item in stmt.items:
                    self.expr(item.context_expr, scope, guards)
                    if item.optional_vars:
                        self._target(item.optional_vars, None, scope, guards)
                inner = (*guards, Quiet("expected failure")) if suppresses(stmt) else guards
                self.block(stmt.body, scope, inner)
            case ast.ClassDef():
                self._class(stmt, scope, guards)
            case ast.For() | ast.AsyncFor():
                self.expr(stmt.iter, scope, guards)
                self._target(stmt.target, None, scope, guards)
                self.block(stmt.body, scope, guards)
                self.block(stmt.orelse, scope, guards)
            case ast.AnnAssign():
                local = isinstance(scope.node, FunctionNode) and isinstance(stmt.target, ast.Name)
                self.annotation(stmt.annotation, scope, guards, unevaluated=local)
                if stmt.value:
                    self.expr(stmt.value, scope, guards)
                if stmt.value or not isinstance(stmt.target, ast.Name) or isinstance(scope.node, ast.ClassDef):
                    self._target(stmt.target, stmt.value, scope, guards, stmt.annotation)
            case ast.AugAssign():
                self.expr(stmt.value, scope, guards)
                self._target(stmt.target, None, scope, guards)
            case ast.Global():
                for name in stmt.names:
                    scope.outer[name] = scope.module
            case ast.Nonlocal():
                for name in stmt.names:
                    scope.outer[name] = enclosing(scope, name)
            case ast.Match():
                self._match(stmt, scope, guards)
            case ast.Delete():
                for target in stmt.targets:
                    if not isinstance(target, ast.Name | ast.Attribute):
                        self.expr(target, scope, guards)
            case _:
                for child in ast.iter_child_nodes(stmt):
                    if isinstance(child, ast.expr):
                        self.expr(child, scope, guards)
        return guards

    def _import(self, stmt: ast.Import, scope: Scope, guards: tuple[Guard, ...]) -> None:
        for a in stmt.names:
            if a.asname:
                scope.bind(a.asname, Binding(Dotted(a.name, a.name.count(".") + 1), guards=guards))
            else:
                root = a.name.partition(".")[0]
                scope.bind(root, Binding(Dotted(root, 1), guards=guards))
            self.walk.imported.add(a.name)
        self.spot(stmt, scope, guards)

    def _import_from(self, stmt: ast.ImportFrom, scope: Scope, guards: tuple[Guard, ...]) -> None:
        module = absolute(self.walk.package, stmt.module, stmt.level)
        self.postponed = self.postponed or (module == "__future__" and any(a.name == "annotations" for a in stmt.names))
        for a in stmt.names:
            if a.name == "*":
                scope.stars.append(module)
            else:
                name = f"{module}.{a.name}" if module else a.name
                scope.bind(a.asname or a.name, Binding(Dotted(name, name.count(".") + 1), guards=guards))
        self.spot(stmt, scope, guards)

    def _branch(self, stmt: ast.If | ast.While, scope: Scope, guards: tuple[Guard, ...]) -> tuple[Guard, ...]:
        self.expr(stmt.test, scope, guards)
        yes, no = Test(stmt.test, True, scope), Test(stmt.test, False, scope)
        self.block(stmt.body, scope, (*guards, yes))
        self.block(stmt.orelse, scope, (*guards, no) if isinstance(stmt, ast.If) else guards)
        if isinstance(stmt, ast.If):
            if leaves(stmt.body):
                return (*guards, no)
            if leaves(stmt.orelse):
                return (*guards, yes)
        return guards

    def _match(self, stmt: ast.Match, scope: Scope, guards: tuple[Guard, ...]) -> None:
        self.expr(stmt.subject, scope, guards)
        for case in stmt.cases:
            self._pattern(case.pattern, stmt.subject, scope, guards)
            test = test_of(case.pattern, stmt.subject)
            if case.guard:
                self.expr(case.guard, scope, (*guards, Test(test, True, scope)))
                test = ast.BoolOp(ast.And(), [test, case.guard])
            self.block(case.body, scope, (*guards, Test(test, True, scope)))
            guards = (*guards, Test(test, False, scope))

    def _try(self, stmt: ast.Try | ast.TryStar, scope: Scope, guards: tuple[Guard, ...]) -> tuple[Guard, ...]:
        errors = set[str]().union(*(caught(h) for h in stmt.handlers))
        catches = expected(errors, stmt.body)
        attempt = Attempt(len(self.walk.spots), len(self.walk.spots), catches, stmt.body, scope)
        self.block(stmt.body, scope, (*guards, Tried(attempt)) if catches else guards)
        attempt.last = len(self.walk.spots)
        # What a function that only raises leaves to the handlers says nothing of names and arguments.
        told = catches - {"stub"}
        worked = After(attempt, False, told)
        for handler in stmt.handlers:
            if handler.type:
                self.expr(handler.type, scope, guards)
            if handler.name:
                scope.bind(handler.name, Binding())
            own = expected(caught(handler), stmt.body) - {"stub"}
            self.block(handler.body, scope, (*guards, After(attempt, True, own)) if own else guards)
        self.block(stmt.orelse, scope, (*guards, worked) if told else guards)
        self.block(stmt.finalbody, scope, guards)
        if told and all(leaves(h.body) for h in stmt.handlers):
            return (*guards, worked)
        return guards

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, guards: tuple[Guard, ...]) -> None:
        inner_guards = self._decorators(node, scope, guards)
        outside, self.read = self.read, self.read or reads_annotations(node)
        if node.returns:
            self.annotation(node.returns, scope, guards)
        inner = self._parameters(node, node.args, scope, guards)
        self.read = outside
        scope.bind(node.name, Binding(guards=guards, function=inner))
        statement = self.statement
        # A function defined inside a `try` runs after it.
        self.block(node.body, inner, tuple(g for g in inner_guards if not isinstance(g, Quiet | Tried)))
        self.statement = statement

    def _decorators(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: Scope, guards: tuple[Guard, ...]
    ) -> tuple[Guard, ...]:
        inner = guards
        for d in node.decorator_list:
            self.expr(d, scope, guards)
            condition = skips(d)
            condition = kept_mark(d, scope) if condition is None else condition
            if condition is not None:
                inner = (*inner, Test(condition, False, scope))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            inner = (*inner, *self.marks)
        return inner

    def _parameters(self, node: FunctionNode, args: ast.arguments, scope: Scope, guards: tuple[Guard, ...]) -> Scope:
        for default in [*args.defaults, *args.kw_defaults]:
            if default is not None:
                self.expr(default, scope, guards)
        inner = Scope(node, scope)
        for a in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
            if a is not None:
                inner.bind(a.arg, Binding(annotation=None if a in (args.vararg, args.kwarg) else a.annotation))
                if a.annotation:
                    self.annotation(a.annotation, scope, guards)
        inner.parameters = [a.arg for a in [*args.posonlyargs, *args.args]]
        return inner

    def _class(self, node: ast.ClassDef, scope: Scope, guards: tuple[Guard, ...]) -> None:
        inner = Scope(node, scope)
        scope.bind(node.name, Binding(body=inner))
        inner_guards = self._decorators(node, scope, guards)
        for child in [*node.bases, *(k.value for k in node.keywords)]:
            self.expr(child, scope, guards)
        statement = self.statement
        outside, self.read = self.read, reads_annotations(node)
        self.block(node.body, inner, inner_guards)
        self.statement, self.read = statement, outside

    # Targets

    def _target(
        self,
        target: ast.expr,
        value: ast.expr | None,
        scope: Scope,
        guards: tuple[Guard, ...],
        annotation: ast.expr | None = None,
    ) -> None:
        """Bind what an assignment binds; setting an attribute of a module names only what holds it."""
        match target:
            case ast.Name():
                scope.bind(target.id, Binding(value=value, guards=guards, annotation=annotation))
            case ast.Tuple() | ast.List():
                pairs = value.elts if isinstance(value, ast.Tuple | ast.List) else []
                star = next((i for i, e in enumerate(target.elts) if isinstance(e, ast.Starred)), None)
                same = len(pairs) == len(target.elts) and star is None
                for i, element in enumerate(target.elts):
                    if not same and value is not None and isinstance(element, ast.Name):
                        at = i if star is None or i < star else i - len(target.elts)
                        scope.bind(element.id, Binding(guards=guards, part=item(value, at)))
                        continue
                    self._target(element, pairs[i] if same else None, scope, guards)
            case ast.Starred():
                self._target(target.value, None, scope, guards)
            case ast.Attribute():
                self.walk.sets.append(Spot(target, scope, guards, self.statement))
                scope.set_attribute(target.attr, Binding(value=value, guards=guards, annotation=annotation))
                self.expr(target.value, scope, guards)
            case _:
                self.walk.sets.append(Spot(target, scope, guards, self.statement))
                self.expr(target, scope, guards)

    def _pattern(self, pattern: ast.pattern, subject: ast.expr, scope: Scope, guards: tuple[Guard, ...]) -> None:
        known = dict(parts(pattern, subject))
        for node in ast.walk(pattern):
            match node:
                case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                    scope.bind(name, Binding(part=known.get(name)))
                case ast.MatchMapping(rest=str(name)):
                    scope.bind(name, Binding())
                case ast.MatchClass(cls=expr) | ast.MatchValue(value=expr):
                    self.expr(expr, scope, guards)

    # Expressions

    def expr(self, node: ast.AST, scope: Scope, guards: tuple[Guard, ...], text: ast.Constant | None = None) -> None:
        # The hottest loop of the step: types are compared one by one, the most frequent ones first.
        kind = type(node)
        if kind is ast.Constant or (kind is ast.Name and not self.names):
            return
        if isinstance(node, (ast.Name, ast.Attribute)):
            self.spot(node, scope, guards, text)
            base: ast.expr = node
            while isinstance(base, ast.Attribute):
                base = base.value
            if base is not node:
                self.expr(base, scope, guards, text)
        elif isinstance(node, ast.Call):
            self.spot(node, scope, guards, text)
            if type(node.func) is ast.Name and node.func.id == "setattr" and len(node.args) == 3:
                name = literal(node.args[1])
                scope.set_attribute(name if isinstance(name, str) else "*", Binding())
            self.expr(node.func, scope, guards, text)
            for argument in node.args:
                self.expr(argument, scope, guards, text)
            for keyword in node.keywords:
                self.expr(keyword.value, scope, guards, text)
        elif isinstance(node, ast.Lambda):
            inner = self._parameters(node, node.args, scope, guards)
            self.expr(node.body, inner, guards, text)
        elif isinstance(node, ast.NamedExpr):
            self.expr(node.value, scope, guards, text)
            function_scope(scope).bind(node.target.id, Binding(value=node.value, guards=guards))
        elif isinstance(node, ast.IfExp):
            self.expr(node.test, scope, guards, text)
            self.expr(node.body, scope, (*guards, Test(node.test, True, scope)), text)
            self.expr(node.orelse, scope, (*guards, Test(node.test, False, scope)), text)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self.expr(value, scope, guards, text)
                guards = (*guards, Test(value, isinstance(node.op, ast.And), scope))
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            self._comprehension(node, scope, guards, text)
        else:
            for name in node._fields:
                child = getattr(node, name, None)
                for part in child if isinstance(child, list) else (child,):
                    if isinstance(part, ast.expr):
                        self.expr(part, scope, guards, text)

    def _comprehension(
        self, node: Comprehension, scope: Scope, guards: tuple[Guard, ...], text: ast.Constant | None
    ) -> None:
        inner = Scope(node, scope)
        for g in node.generators:
            self.expr(g.iter, scope if g is node.generators[0] else inner, guards, text)
            self._target(g.target, None, inner, guards)
            for test in g.ifs:
                self.expr(test, inner, guards, text)
                guards = (*guards, Test(test, True, inner))
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for part in parts:
            self.expr(part, inner, guards, text)

    def annotation(self, node: ast.expr, scope: Scope, guards: tuple[Guard, ...], unevaluated: bool = False) -> None:
        """Walk an annotation; a string in it is an expression too, save in `Literal[…]` and `Annotated[…, …]`."""
        outside, self.idle = self.idle, self.idle or unevaluated or (self.postponed and not self.read)
        self._annotation(node, scope, guards)
        self.idle = outside

    def _annotation(self, node: ast.expr, scope: Scope, guards: tuple[Guard, ...]) -> None:
        if isinstance(node, ast.Constant):
            inner = expression_in(node)
            if inner is not None:
                outside, self.idle = self.idle, not self.read
                self.expr(inner, scope, guards, node)
                self.idle = outside
        elif isinstance(node, ast.Subscript):
            self.expr(node.value, scope, guards)
            holder = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            if holder == "Literal":
                return
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for part in parts[:1] if holder == "Annotated" else parts:
                self._annotation(part, scope, guards)
        elif isinstance(node, ast.BinOp | ast.List | ast.Tuple):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self._annotation(child, scope, guards)
        else:
            self.expr(node, scope, guards)
