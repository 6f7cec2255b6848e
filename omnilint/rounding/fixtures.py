"""pytest fixtures: what a test's parameters hold when a fixture of the project supplies them."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from omnilint.index.module import ModuleIndex
from omnilint.rounding import scope
from omnilint.rounding.frame import Frame
from omnilint.rounding.values import Function, Value

if TYPE_CHECKING:
    from omnilint.rounding.machine import Machine

# Fixtures that need fixtures, so many deep; folders above a test that are searched for conftest.py.
DEPTH = 3
FOLDERS = 6


def supplied(m: Machine, name: str, frame: Frame, depth: int = 0) -> Value | None:
    """The value of the fixture `name` as a test of `frame`'s module would get it, None when there is none to see."""
    for module in _providers(m, frame.module):
        definition = module.definitions.get(name)
        if definition is None or not _is_fixture(definition.node):
            continue
        function = scope.module_name(m, module, name)
        if not isinstance(function, Function) or depth >= DEPTH:
            return None
        keywords: dict[str, Value] = {}
        for parameter in function.node.args.args:
            value = supplied(m, parameter.arg, frame, depth + 1)
            if value is not None:
                keywords[parameter.arg] = value
        return scope.far(m.call(function, [], keywords, function.node, frame))
    return None


def _providers(m: Machine, module: ModuleIndex) -> Iterator[ModuleIndex]:
    yield module
    folder = os.path.dirname(module.source.file or "")
    for _ in range(FOLDERS):
        conftest = m.project.by_file.get(os.path.join(folder, "conftest.py"))
        if conftest is not None:
            yield conftest
        folder = os.path.dirname(folder)


def _is_fixture(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    names = {n.id if isinstance(n, ast.Name) else n.attr for n in map(_callee, node.decorator_list) if n is not None}
    return "fixture" in names


def _callee(decorator: ast.expr) -> ast.Name | ast.Attribute | None:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return node if isinstance(node, (ast.Name, ast.Attribute)) else None
