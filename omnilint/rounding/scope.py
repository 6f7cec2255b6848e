"""What names stand for: locals, closures, module constants, imports followed through the project, library symbols."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from omnilint.index.module import ModuleIndex
from omnilint.rounding import spots
from omnilint.rounding.copying import replace
from omnilint.rounding.frame import Frame
from omnilint.rounding.values import FAR, ClassRef, Function, Seq, Symbol, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# What the tables describe is never looked up in the project, even when the project is that library.
LIBRARIES = frozenset({"jax", "numpy", "scipy", "math"})


def lookup(m: Machine, name: str, frame: Frame) -> Value:
    """The value of `name` in `frame`: locals, then enclosing functions, then the module, then builtins."""
    scope: Frame | None = frame
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.closure
    found = module_name(m, frame.module, name)
    if found is not None:
        return found
    if hasattr(builtins, name):
        return m.symbol(f"builtins.{name}")
    return m.opaque("name", id(frame.module), name, depth=FAR)


def module_name(m: Machine, module: ModuleIndex, name: str) -> Value | None:
    """The value that a module binds to `name` at its top level, None when it doesn't."""
    at = (id(module), name)
    found = m.globals.get(at)
    if found is None:
        # While it is being worked out, a name that depends on itself is unknown.
        m.globals[at] = m.opaque("recursive", id(module), name, depth=FAR)
        found = _module_name(m, module, name)
        if found is None:
            del m.globals[at]
        else:
            m.globals[at] = found
    return found


def _module_name(m: Machine, module: ModuleIndex, name: str) -> Value | None:
    assigned = _assignments(m, module).get(name, [])
    definition = module.definitions.get(name)
    if definition is not None and not definition.owner:
        if assigned or f"{name}@" in " ".join(module.definitions):
            return m.opaque("ambiguous", id(module), name, depth=FAR)
        return define(m, definition.node, m.module_frame(module))
    if assigned:
        return _assigned(m, module, name, assigned)
    if name in module.imports:
        return resolve(m, module, module.imports[name])
    for star in module.stars:
        source = m.project.find(module, star)
        if source is not None and source is not module:
            found = module_name(m, source, name)
            if found is not None:
                return found
    return None


def define(m: Machine, node: ast.AST, frame: Frame) -> Value:
    """The value of a function or class definition, its decorators applied."""
    key = m.key("definition", id(node), frame.serial if frame.node else 0)
    value: Value
    if isinstance(node, ast.ClassDef):
        return ClassRef(key=key, form=key, module=frame.module, node=node)
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    closure = frame if frame.node else None
    depth = FAR if closure is None else frame.depth
    value = Function(key=key, form=key, depth=depth, module=frame.module, node=node, closure=closure)
    for decorator in reversed([] if isinstance(node, ast.Lambda) else node.decorator_list):
        value = m.call(m.evaluate(decorator, frame), [value], {}, decorator, frame)
    return value


def _assigned(m: Machine, module: ModuleIndex, name: str, statements: Sequence[ast.stmt]) -> Value:
    if len(statements) > 1:
        return m.opaque("reassigned", id(module), name, depth=FAR)
    frame = m.module_frame(module)
    statement = statements[0]
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            found = _part(m, target, m.evaluate(statement.value, frame), name)
            if found is not None:
                return far(found)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return far(m.evaluate(statement.value, frame))
    return m.opaque("assigned", id(module), name, depth=FAR)


def _part(m: Machine, target: ast.expr, value: Value, name: str) -> Value | None:
    if isinstance(target, ast.Name):
        return value if target.id == name else None
    if isinstance(target, (ast.Tuple, ast.List)):
        for i, element in enumerate(target.elts):
            if isinstance(value, Seq) and not value.open and len(value.items) == len(target.elts):
                item: Value = value.items[i]
            else:
                item = m.opaque("part", value.key, i, depth=FAR)
            found = _part(m, element, item, name)
            if found is not None:
                return found
    return None


def fixed(m: Machine, node: ast.expr, module: ModuleIndex) -> Value:
    """The value of an expression that a module evaluates once: a default, a class attribute."""
    found = m.fixed.get(node)
    if found is None:
        found = far(m.evaluate(node, m.module_frame(module)))
        if m.fuel >= 0:
            m.fixed[node] = found
    return found


def far(value: Value) -> Value:
    """The same value, supplied by no call frame."""
    return value if value.depth == FAR else replace(value, depth=FAR)


def _assignments(m: Machine, module: ModuleIndex) -> dict[str, list[ast.stmt]]:
    key = ("assignments", module.path)
    if key not in m.project.kept:
        found: dict[str, list[ast.stmt]] = {}
        for statement in _top_level(module.tree.body):
            for name in _targets(statement):
                found.setdefault(name, []).append(statement)
        m.project.kept[key] = found
    known: dict[str, list[ast.stmt]] = m.project.kept[key]
    return known


def _top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.ImportFrom)):
            continue
        for block in ("body", "orelse", "finalbody"):
            yield from _top_level(getattr(statement, block, []))
        for handler in getattr(statement, "handlers", []):
            yield from _top_level(handler.body)


def _targets(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign, ast.For)):
        targets = [statement.target]
    elif isinstance(statement, ast.With):
        targets = [item.optional_vars for item in statement.items if item.optional_vars is not None]
    else:
        targets = []
    for target in targets:
        yield from (n.id for n in spots.nodes_of(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def resolve(m: Machine, importer: ModuleIndex, dotted: str) -> Value:
    """The value of an imported dotted name: a definition of the project, or a library's symbol."""
    at = (id(importer), dotted)
    found = m.resolved.get(at)
    if found is None:
        m.resolved[at] = m.symbol(dotted)
        found = m.resolved[at] = _resolve(m, importer, dotted)
    return found


def _resolve(m: Machine, importer: ModuleIndex, dotted: str) -> Value:
    parts = dotted.split(".")
    if parts[0] in LIBRARIES or dotted in m.table.comparisons:
        return m.symbol(dotted)
    if m.project.find(importer, dotted) is not None:
        return m.symbol(dotted)
    for i in range(len(parts) - 1, 0, -1):
        module = m.project.find(importer, ".".join(parts[:i]))
        if module is None:
            continue
        value = module_name(m, module, parts[i])
        if value is None:
            return m.opaque("missing", dotted, depth=FAR)
        for attribute in parts[i + 1 :]:
            value = member(m, value, attribute, module)
        return value
    return m.symbol(dotted)


def member(m: Machine, value: Value, attribute: str, module: ModuleIndex) -> Value:
    """An attribute of a symbol or class, seen from `module`."""
    if isinstance(value, Symbol):
        return resolve(m, module, f"{value.dotted}.{attribute}")
    return m.opaque("attribute", value.key, attribute, depth=value.depth)
