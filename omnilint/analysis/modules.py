"""Modules of the run, executed abstractly when somebody needs a name of theirs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from omnilint.analysis import classes, tables
from omnilint.analysis import nodes as cst
from omnilint.analysis.code import Code, Scope, Unit
from omnilint.analysis.definitions import ClassVal, Ext, Func, ModuleVal
from omnilint.analysis.interp import Frame, Interp
from omnilint.analysis.values import UNKNOWN, Const, Seq, Static, Tup, Value
from omnilint.index.module import ModuleIndex, absolute

if TYPE_CHECKING:
    from omnilint.index.project import Project

# Decorators that leave a function as it is, as far as tracing goes.
_PLAIN_DECORATORS = {
    "abstractmethod",
    "override",
    "overload",
    "final",
    "wraps",
    "contextmanager",
    "fixture",
    "parametrize",
    "parameters",
    "named_parameters",
    "product",
    "skipif",
    "skip",
    "xfail",
    "mark",
    "compact",
    "nowrap",
    "command",
    "option",
    "jaxtyped",
    "setter",
    "getter",
    "deleter",
    "deprecated",
    "no_type_check",
}
_METHOD_KINDS = {
    "property": "property",
    "staticmethod": "staticmethod",
    "classmethod": "classmethod",
    "cached_property": "cached_property",
}


class ModuleState:
    """The names of one module, bound by executing its top level abstractly, once, on demand."""

    def __init__(self, it: Interp, index: ModuleIndex) -> None:
        self.it = it
        self.index = index
        self.scope = Scope(None, None)
        self.done = False
        self.running = False
        self.value = ModuleVal(self)
        self._stored: dict[str, bool] = {}
        self._starred: set[str] = set()  # what star imports from JAX bound
        self._stars: list[str] = []  # JAX's modules of these, which others may import from here
        self._speaks: bool | None = None
        self.of_jax = index.name.startswith("jax.")  # what JAX's own functions do is in the tables

    # -- names ----------------------------------------------------------------------------------

    def get(self, name: str) -> Value | None:
        """The value of a module-level name, None when there is none."""
        if not self.done and not self.running:
            self.execute()
        if (own := tables.own_names()) and f"{self.index.name}.{name}" in own:
            return Ext(f"{self.index.name}.{name}")
        if self.of_jax and tables.jax_function(tables.canonical(f"{self.index.name}.{name}")) is not None:
            return Ext(f"{self.index.name}.{name}")
        return self.scope.vars.get(name)

    def stored_into(self, name: str) -> bool:
        """Does a function here store items under this name, as far as the text tells?"""
        known = self._stored.get(name)
        if known is None:
            pattern = rf"^[ \t]+(?:\w+\.)*{re.escape(name)}\[[^\]\n]*\]\s*=[^=]"
            known = self._stored[name] = re.search(pattern, self.index.source.text, re.MULTILINE) is not None
        return known

    @property
    def speaks_of_releases(self) -> bool:
        """Does its text have words for versions, or for what a library has?"""
        if self._speaks is None:
            self._speaks = re.search(r"version|hasattr|getattr", self.index.source.text) is not None
        return self._speaks

    def submodule(self, name: str) -> Value | None:
        """A module of the run below this package."""
        if not self.index.is_package:
            return None
        return self.module_value(f"{self.index.name}.{name}")

    def module_value(self, dotted: str) -> Value | None:
        """The module of the run that a dotted name stands for here."""
        found = self.project.find(self.index, dotted)
        return None if found is None else state_of(self.it, found).value

    @property
    def project(self) -> Project:
        return self.it.project

    def imported(self, dotted: str) -> Value:
        """What `import dotted` binds."""
        return self.module_value(dotted) or Ext(dotted)

    def imported_from(self, module: str, name: str) -> Value:
        """What `from module import name` binds."""
        found = self.project.find(self.index, module)
        if found is not None:
            state = state_of(self.it, found)
            value = state.get(name)
            if value is None:
                value = state.module_value(f"{found.name}.{name}") or self.module_value(f"{module}.{name}")
            return UNKNOWN if value is None else value
        return self.module_value(f"{module}.{name}") or Ext(f"{module}.{name}")

    def star(self, module: str) -> dict[str, Value]:
        """What `from module import *` binds."""
        found = self.project.find(self.index, module)
        if found is None:
            return self._star_of_library(module)
        state = state_of(self.it, found)
        state.get("")
        bound = {k: v for k, v in state.scope.vars.items() if not k.startswith("_")}
        if "__all__" in state.scope.vars or not state._stars:
            return bound
        passed: dict[str, Value] = {}
        for library in state._stars:
            passed.update(self._star_of_library(library))
        return passed | bound

    def _star_of_library(self, module: str) -> dict[str, Value]:
        """Of JAX, the functions that the module mentions; any other library may bind anew what a star bound before."""
        if module.partition(".")[0] != "jax":
            unknown: dict[str, Value] = dict.fromkeys(self._starred, UNKNOWN)
            self._stars.clear()
            return unknown
        self._stars.append(module)
        bound: dict[str, Value] = {}
        for name in self.index.identifiers:
            dotted = tables.canonical(f"{module}.{name}")
            if tables.jax_function(dotted) is not None or dotted in tables.transforms():
                bound[name] = UNKNOWN if name in tables.words("newer_builtins") else Ext(f"{module}.{name}")
        self._starred.update(bound)
        return bound

    def dotted_value(self, dotted: str) -> Value:
        """The value of a dotted name as written in this module."""
        from omnilint.analysis.objects import attribute_by_name

        first, *rest = dotted.split(".")
        if not first.isidentifier():
            return UNKNOWN
        value = self.get(first)
        if value is None:
            from omnilint.analysis.calls import builtin

            value = builtin(first)
        for part in rest:
            if not isinstance(value, (Ext, ModuleVal, ClassVal)):
                return UNKNOWN
            value = attribute_by_name(self.it, value, part)
        return value

    def static_value(self, node: ast.expr) -> Value:
        """The value of a simple expression, from its `ast` alone: names, literals, tuples of these."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self.dotted_value(ast.unparse(node))
        if isinstance(node, ast.Constant):
            return Const(node.value)
        if isinstance(node, ast.Tuple):
            return Tup(self.static_value(e) for e in node.elts)
        if isinstance(node, ast.List):
            return Seq("list", [self.static_value(e) for e in node.elts], None, None)
        if isinstance(node, ast.Subscript):  # Generic[T], NamedTuple parametrisations
            return self.static_value(node.value)
        if isinstance(node, ast.Call):
            return _partial_text(self, node)
        return UNKNOWN

    # -- execution ------------------------------------------------------------------------------

    def execute(self) -> None:
        """Run the top level in order; functions and classes are only bound."""
        self.running = True
        it = self.it
        it.ledger.begin(it, self.index.path, self.scope)
        steps, it.steps = it.steps, 0  # what is imported has a budget of its own
        trace, folding, uncertain, guard, care = it.trace, it.folding, it.uncertain, it.guard, it.care
        it.trace, it.folding, it.uncertain, it.guard, it.care = None, 0, 0, 0, 0
        try:
            for s in self.index.tree.body:
                if not self._bind(s):
                    self._run(s)
        finally:
            it.trace, it.folding, it.uncertain, it.guard, it.care = trace, folding, uncertain, guard, care
            it.steps = steps
            it.ledger.end(it)
            self.running = False
            self.done = True

    def _bind(self, s: ast.stmt) -> bool:
        """Handle a statement from its `ast` alone; False when it has to be run."""
        names = self.scope.vars
        if isinstance(s, ast.Import):
            for a in s.names:
                root = a.name if a.asname else a.name.partition(".")[0]
                names[a.asname or root] = self.imported(root)
        elif isinstance(s, ast.ImportFrom):
            module = absolute(self.index.package, s.module, s.level)
            for a in s.names:
                if a.name == "*":
                    names.update(self.star(module))
                else:
                    names[a.asname or a.name] = self.imported_from(module, a.name)
        elif isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)):
            func = Func(Code(self.index, s.name, s.name, definition=s), None)
            names[s.name] = self.decorated(func, s)
        elif isinstance(s, ast.ClassDef):
            names[s.name] = classes.from_definition(self.it, self, s, s.name)
        elif isinstance(s, ast.Expr):
            return isinstance(s.value, ast.Constant)
        elif isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
            value = self._literal(s.value)
            if value is None:
                return False
            names[s.targets[0].id] = value
        elif isinstance(s, ast.AnnAssign) and s.value is None:
            return True
        else:
            return isinstance(s, (ast.Pass, ast.Delete))
        return True

    def _literal(self, node: ast.expr) -> Value | None:
        if isinstance(node, ast.Constant):
            text = isinstance(node.value, (str, bytes)) and len(node.value) > 2000
            return Static("str") if text else Const(node.value)
        if isinstance(node, (ast.Name, ast.Attribute)):
            value = self.static_value(node)
            return None if value is UNKNOWN else value
        if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) > 64:
            return _long(node)
        if isinstance(node, ast.Dict) and len(node.keys) > 200:
            return Static("object")
        return None

    def _run(self, s: ast.stmt) -> None:
        from omnilint.analysis.statements import run_statement

        unit = Unit(self.index, s)
        frame = Frame(self, unit, self.scope)
        for node in unit.body:
            run_statement(self.it, frame, node)

    def run_line(self, s: ast.stmt, names: dict[str, Value]) -> dict[str, Value]:
        """Run one statement of a class body in a scope that has these names; the names that it has then."""
        from omnilint.analysis.statements import run_statement

        unit = Unit(self.index, s)
        frame = Frame(self, unit, Scope(None, None))
        frame.scope.vars.update(names)
        with self.it.under(None):
            for node in unit.body:
                run_statement(self.it, frame, node)
        return frame.scope.vars

    def decorated(
        self, func: Func, s: ast.FunctionDef | ast.AsyncFunctionDef, names: dict[str, Callable[[], Value]] | None = None
    ) -> Value:
        """Apply the decorators of a function at module or class level, where `names` were bound before."""
        from omnilint.analysis.statements import decorate

        serious = False
        for d in s.decorator_list:
            target = d.func if isinstance(d, ast.Call) else d
            word = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
            if word in _METHOD_KINDS:
                func.kind = _METHOD_KINDS[word]
            elif word not in _PLAIN_DECORATORS:
                serious = True
        if not serious:
            return func
        node = func.code.node
        assert type(node) is cst.FunctionDef
        scope = self.scope
        if names:
            scope = Scope(None, None)
            scope.vars.update({n: get() for n, get in names.items()})
        frame = Frame(self, func.code.unit, scope)
        func.kind = "function"
        with self.it.under(None):
            return decorate(self.it, frame, func, node.decorators)


def _long(node: ast.List | ast.Tuple) -> Value:
    """A long table: of its items no more is known than that they are numbers, or texts."""
    items = [e.operand if isinstance(e, ast.UnaryOp) else e for e in node.elts]
    kinds = {type(e.value).__name__ if isinstance(e, ast.Constant) else "" for e in items}
    kind = kinds.pop() if len(kinds) == 1 else ""
    item = Static(kind) if kind in ("int", "float", "str") else UNKNOWN
    return Seq("tuple" if isinstance(node, ast.Tuple) else "list", None, item, None)


def _partial_text(state: ModuleState, node: ast.Call) -> Value:
    func = state.static_value(node.func)
    return func if isinstance(func, ClassVal) else UNKNOWN


def state_of(it: Interp, index: ModuleIndex) -> ModuleState:
    """The state of a module, made when first asked for."""
    state = it.modules.get(index.path)
    if state is None:
        state = it.modules[index.path] = ModuleState(it, index)
    return state
