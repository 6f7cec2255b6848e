"""Import the user's modules in part: what fails, and what only a script would do, is left out and told."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from typing import Any

from . import edited
from .errors import Home

# Statements that make names. Calls, loops and the like at module level are the work of a script.
_KEPT = (
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.If,
    ast.Try,
)


class Loader(importlib.abc.Loader):
    """Runs a module statement by statement; a statement that fails costs its own names only."""

    def __init__(self, file: str, skipped: list[Any]) -> None:
        self.file = file
        self.skipped = skipped

    def create_module(self, spec: Any) -> Any:
        """The default module object."""
        return None

    def exec_module(self, module: Any) -> None:
        """Run what makes names."""
        tree = ast.parse(edited.read(self.file), filename=self.file)
        for statement in tree.body:
            if isinstance(statement, _KEPT):
                self._run(statement, vars(module))
            elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                self._skip(statement, "only a script needs it")

    def _run(self, statement: Any, namespace: Any) -> None:
        try:
            exec(compile(ast.Module([statement], []), self.file, "exec"), namespace)
        except Exception as e:
            pieces = self._pieces(statement)
            if not pieces:
                self._skip(statement, f"{type(e).__name__}: {e}")
            for piece in pieces:
                self._run(piece, namespace)

    @staticmethod
    def _pieces(statement: Any) -> Any:
        """An import of several names as imports of one; the body of a block; nothing for the rest."""
        if isinstance(statement, ast.ImportFrom) and len(statement.names) > 1:
            made: list[Any] = [ast.ImportFrom(statement.module, [n], statement.level) for n in statement.names]
        elif isinstance(statement, ast.Import) and len(statement.names) > 1:
            made = [ast.Import([n]) for n in statement.names]
        else:
            return []
        return [ast.fix_missing_locations(ast.copy_location(m, statement)) for m in made]

    def _skip(self, statement: Any, why: str) -> None:
        if len(self.skipped) < 200:
            self.skipped.append([self.file, statement.lineno, why[:200]])


class Finder(importlib.abc.MetaPathFinder):
    """Finds the user's modules as Python would, and has them loaded in part."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.skipped: list[Any] = []
        self.restored: list[str] = []

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """The usual spec with our loader, for files of the user's; None leaves it to Python."""
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            return None
        if self.home.file(spec.origin) is None:
            return None
        spec.loader = Loader(spec.origin, self.skipped)
        return spec


def _resolve(dotted: str) -> Any:
    """The module or object of a dotted name; raises when it is not there."""
    parts = dotted.split(".")
    value = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], 1):
        if not hasattr(value, part):
            importlib.import_module(".".join(parts[: i + 1]))
        value = getattr(value, part)
    return value


def restore(moved: Any) -> list[str]:
    """Give names that went what stands for them now, in this process only; tells which."""
    restored = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for old, candidates in sorted(moved.items()):
            holder, _, leaf = old.rpartition(".")
            try:
                parent = _resolve(holder)
                if hasattr(parent, leaf):
                    continue
            except Exception:
                continue
            for new in candidates:
                with contextlib.suppress(Exception):
                    value = _resolve(new)
                    setattr(parent, leaf, value)
                    if isinstance(value, type(sys)):
                        sys.modules.setdefault(old, value)
                    restored.append(old)
                    break
    return restored


def install(home: Home, moved: Any = ()) -> Finder:
    """Import the user's modules in part from now on; the finder tells what was skipped and what was restored."""
    finder = Finder(home)
    finder.restored = restore(dict(moved))
    sys.meta_path.insert(0, finder)
    return finder
