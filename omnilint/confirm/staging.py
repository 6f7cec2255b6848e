"""What a function stages out today and what trace-time folding gave before: both pictures of one call."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from omnilint import problems, sources
from omnilint.confirm.families import first_words
from omnilint.confirm.guess import assignments
from omnilint.confirm.host import Worker
from omnilint.confirm.interpreter import ConfirmError, choose
from omnilint.confirm.observe import Limits
from omnilint.confirm.search import instances, owner_spec, static_parameters
from omnilint.confirm.specs import Spec, parse, show_call
from omnilint.errors import did_you_mean
from omnilint.index.module import Definition, ModuleIndex, index_module
from omnilint.index.project import module_identity
from omnilint.model import Problem
from omnilint.sources.kinds import PYTHON, Skip


@dataclass(frozen=True, slots=True)
class Picture:
    """One side: the program in three languages with its size, or the error that tracing ended with."""

    jaxpr: tuple[tuple[str, bool], ...] = ()
    stablehlo: str = ""
    hlo: str = ""
    operations: int = 0
    foldable: int = 0
    constants: tuple[dict[str, Any], ...] = ()
    constant_bytes: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Staging:
    """Both pictures, the call they are of, and the JAX that drew them."""

    call: str
    today: Picture
    before: Picture
    python: str
    jax: str


def _module(path: str) -> tuple[ModuleIndex, str]:
    """The indexed module in a file, and the folder it is imported from."""
    if not os.path.exists(path):
        raise ConfirmError(f"{path}: no such file; write FILE.py::FUNCTION")
    if os.path.isdir(path):
        raise ConfirmError(f"{path}: is a folder; write FILE.py::FUNCTION")
    file = os.path.abspath(path)
    try:
        source = sources.read(sources.Found(path, file, PYTHON))
    except Skip as skip:
        raise ConfirmError(f"{path}: {skip}") from None
    if isinstance(source, Problem):
        raise ConfirmError(str(source))
    try:
        root, name, package, is_package = module_identity(file, set())
        return index_module(source, name, package, is_package), root
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        raise ConfirmError(str(problems.of_parsing(source, e))) from e


def _function(module: ModuleIndex, name: str) -> Definition:
    definition = module.definitions.get(name)
    functions = [q for q, d in module.definitions.items() if not isinstance(d.node, ast.ClassDef) and "@" not in q]
    if definition is None or isinstance(definition.node, ast.ClassDef):
        if not functions:
            raise ConfirmError(f"{module.path} has no functions")
        what = "is a class, not a function" if definition is not None else "is not a function there"
        raise ConfirmError(f"{module.path}: {name!r} {what}; {did_you_mean(name, functions)}")
    if definition.in_function:
        raise ConfirmError(
            f"{module.path}: {name!r} is defined inside another function; give the outer one, or what calls it"
        )
    if isinstance(definition.node, ast.AsyncFunctionDef):
        raise ConfirmError(f"{module.path}: {name!r} is async, which JAX cannot trace")
    return definition


def bind(definition: Definition, method: bool, given: Sequence[str]) -> dict[str, Spec]:
    """`--input` values by parameter name; raises ConfirmError for one too many, unknown or given twice."""
    node = definition.node
    assert isinstance(node, ast.FunctionDef)
    a = node.args
    positional = [p.arg for p in (*a.posonlyargs, *a.args)][1 if method else 0 :]
    names = [*positional, *(p.arg for p in a.kwonlyargs)]
    bound: dict[str, Spec] = {}
    left = list(positional)
    for text in given:
        name, spec = parse(text)
        if name is None:
            if not left:
                raise ConfirmError(f"--input {text!r}: {node.name} takes {len(positional)} positional argument(s) only")
            name = left.pop(0)
        elif name in left:
            left.remove(name)
        if name not in names and a.kwarg is None:
            raise ConfirmError(f"--input {text!r}: {node.name} has no parameter {name!r}; {did_you_mean(name, names)}")
        if name in bound:
            raise ConfirmError(f"--input {text!r}: {name} is given twice")
        bound[name] = spec
    return bound


def _picture(told: dict[str, Any]) -> Picture:
    if "error" in told:
        frames = told.get("frames") or []
        at = f" (line {frames[-1][1]})" if frames else ""
        return Picture(error=f"{told['error']}{at}: {first_words(told['message'])}")
    return Picture(
        jaxpr=tuple((line["text"], line["folded"]) for line in told["jaxpr"]),
        stablehlo=told.get("stablehlo", ""),
        hlo=told.get("hlo", ""),
        operations=told["operations"],
        foldable=told["foldable"],
        constants=tuple(told["constants"]),
        constant_bytes=told["constant_bytes"],
    )


def stage(what: str, given: Sequence[str] = (), pythons: Sequence[str] = (), limits: Limits | None = None) -> Staging:
    """Both pictures of `FILE::FUNCTION` with the `--input` values of `given`; runs the file's code.

    Raises ConfirmError for anything that keeps them from being drawn.
    """
    path, sep, name = what.rpartition("::")
    if not sep or not path or not name:
        raise ConfirmError(f"{what!r}: write FILE.py::FUNCTION, for a method FILE.py::CLASS.METHOD")
    module, root = _module(path)
    definition = _function(module, name)
    owner = module.definitions.get(definition.owner)
    method = owner is not None and isinstance(owner.node, ast.ClassDef)
    bound = bind(definition, method, given)
    node = definition.node
    assert isinstance(node, ast.FunctionDef)
    tried: list[dict[str, Spec]] = []
    static = static_parameters(node)
    for guess in assignments(node, method, instances(module), static):
        merged = {**guess, **bound}
        if merged not in tried:
            tried.append(merged)
    spec: dict[str, Any] = {"kind": "synth", "qualname": name, "assignments": tried, "static": sorted(static)}
    spec["numbers_static"] = True
    if owner is not None and method:
        spec.update(owner_spec(module, owner.qualname))
    package = module.name.partition(".")[0]
    interpreter = choose(pythons, [path])[0]
    limits = limits or Limits(seconds=60.0)
    with Worker(interpreter) as worker:
        seen = worker.ask(
            {
                "op": "staging",
                "home": [os.path.join(root, package) if module.package else root],
                "module": {"name": module.name, "file": os.path.realpath(path), "paths": [root]},
                "entry": spec,
                "seconds": limits.seconds,
                "memory": limits.memory,
                "file_size": limits.file_size,
            }
        )
        if "timeout" in seen:
            raise ConfirmError(f"{what} was still not traced after {limits.seconds:g} s and was ended")
        if "died" in seen:
            raise ConfirmError(f"{what}: the process {seen['died']}")
        if "exception" in seen:
            raise ConfirmError(_why(what, seen["exception"]))
        chosen = tried[seen["chosen"]]
        return Staging(
            call=show_call(name, chosen),
            today=_picture(seen["today"]),
            before=_picture(seen["before"]),
            python=worker.python,
            jax=worker.jax,
        )


def _why(what: str, error: dict[str, Any]) -> str:
    frames = error.get("frames") or []
    at = f" at line {frames[-1][1]}" if frames else ""
    words = first_words(error["message"])[:300]
    return f"{what} cannot be traced: {error['type']}{at}: {words} (give its arguments with --input)"
