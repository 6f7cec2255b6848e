"""The user's source with notes in it: which functions were entered with what, which lines ran, what was raised.

Line numbers stay what they are, so tracebacks, coverage and debuggers see the code as it is written.
"""

from __future__ import annotations

import ast
from typing import Any

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

NAME = "__omnilint__"


def _call(method: str, *arguments: Any) -> Any:
    """The statement `__omnilint__.method(…)`."""
    function = ast.Attribute(ast.Name(NAME, ast.Load()), method, ast.Load())
    return ast.Expr(ast.Call(function, list(arguments), []))


def _noted(body: Any, number: int, enters: bool) -> Any:
    """A body that tells when it is entered, unless it is a module's, and what leaves it as an exception."""
    rest = list(body)
    head = []
    if rest and isinstance(rest[0], ast.Expr) and isinstance(rest[0].value, ast.Constant):
        head.append(rest.pop(0))
    while rest and isinstance(rest[0], ast.ImportFrom) and rest[0].module == "__future__":
        head.append(rest.pop(0))
    if not rest:
        return head or body
    which = ast.Constant(number)
    if enters:
        head.append(_at(_call("enter", which, ast.Call(ast.Name("locals", ast.Load()), [], [])), rest[0]))
    failed = _at(_call("left", which), rest[-1])
    again = _at(ast.Raise(), rest[-1])
    handler = _at(ast.ExceptHandler(None, None, [failed, again]), rest[-1])
    head.append(_at(ast.Try(rest, [handler], [], []), rest[0]))
    return head


def _at(node: Any, where: Any) -> Any:
    """`node` where `where` stands; what is inside of it follows when the tree is finished."""
    return ast.copy_location(node, where)


class _Notes(ast.NodeTransformer):
    """Puts in the notes that a plan asks for."""

    def __init__(self, plan: Any) -> None:
        self.functions = {int(f["line"]): int(f["number"]) for f in plan["functions"]}
        self.places = list(plan["places"])

    def run(self, tree: Any, module: int) -> Any:
        """The whole module, changed in place."""
        for place in self.places:
            found = _statement(tree, int(place["first"]))
            if found is not None:
                self._mark(found, int(place["number"]))
        self.visit(tree)
        tree.body = _noted(tree.body, module, enters=False)
        return ast.fix_missing_locations(tree)

    @staticmethod
    def _mark(found: Any, number: int) -> None:
        body, statement = found
        which = ast.Constant(number)
        i = next(i for i, s in enumerate(body) if s is statement)
        if isinstance(statement, _SIMPLE):
            body.insert(i + 1, _at(_call("after", which), statement))
        body.insert(i, _at(_call("at", which), statement))

    def _function(self, node: Any) -> Any:
        self.generic_visit(node)
        number = self.functions.get(node.lineno)
        if number is not None:
            node.body = _noted(node.body, number, enters=True)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: Any) -> Any:
        return self._function(node)


def _statement(tree: Any, line: int) -> Any:
    """(the list that holds it, the innermost statement that covers a line), None when there is none."""
    best = None
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if not isinstance(body, list):
                continue
            for statement in body:
                if not isinstance(statement, ast.stmt):
                    continue
                first = min([statement.lineno] + [d.lineno for d in getattr(statement, "decorator_list", ())])
                last = getattr(statement, "end_lineno", None) or statement.lineno
                if first <= line <= last and (best is None or first >= best[0]):
                    best = (first, body, statement)
    if best is None or (isinstance(best[2], ast.ImportFrom) and best[2].module == "__future__"):
        return None
    return best[1:]


def tree_of(source: Any, file: str, plan: Any) -> Any:
    """`source` (text, bytes or a tree) as a tree with the notes of `plan`; raises SyntaxError as Python would."""
    tree = source if isinstance(source, ast.AST) else ast.parse(source, filename=file)
    return _Notes(plan).run(tree, int(plan["module"]))
