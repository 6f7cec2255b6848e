"""The equations of a program in the order in which it is printed: what each is, whether it needs any input."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

# Equations that only wrap a program of their own; what counts as an operation is inside.
_CALLS = frozenset(("pjit", "jit", "closed_call", "core_call", "xla_call", "custom_jvp_call", "custom_vjp_call"))

# `a:f32[3] b:i32[] = add …`, at the start of a line or behind the `let` of a program that fits on one line.
_PRINTED = re.compile(r"(?:^\s*|\blet )(?:[\w.]+(?::[^\s=]+)? )*= ([\w-]+)")


class Equation(NamedTuple):
    """One equation: primitive, its results' types, whether it depends on no input, whether it is an operation."""

    primitive: str
    types: str
    alone: bool
    counts: bool

    @property
    def words(self) -> str:
        """What it is, to find it again in another program."""
        return self.primitive + " " + self.types


def is_literal(variable: Any) -> bool:
    """Whether an operand is a number in the text of the program."""
    return hasattr(variable, "val")


def inner(eqn: Any) -> list[Any]:
    """(parameter, program) of the programs inside an equation, as open jaxprs, in the order of printing."""
    found = []
    for name in sorted(eqn.params):
        value = eqn.params[name]
        for item in value if isinstance(value, (tuple, list)) else (value,):
            jaxpr = getattr(item, "jaxpr", item)
            if hasattr(jaxpr, "eqns"):
                found.append((name, jaxpr))
    return found


def _depends(eqn: Any, name: str, jaxpr: Any, flags: list[bool]) -> list[bool]:
    """Which inputs of a program inside an equation depend on the whole program's: all but captured constants."""
    primitive, count = eqn.primitive.name, len(jaxpr.invars)
    if primitive in _CALLS and count == len(flags):
        return flags
    captured: list[bool] = []
    if primitive == "scan":
        captured = flags[: eqn.params.get("num_consts", 0)]
    elif primitive == "while":
        first, second = eqn.params.get("cond_nconsts", 0), eqn.params.get("body_nconsts", 0)
        captured = flags[:first] if name == "cond_jaxpr" else flags[first : first + second]
    return (captured + [True] * count)[:count]


def walk(jaxpr: Any, depends: Any = None) -> list[Equation]:
    """All equations of an open jaxpr; `depends` says of each of its inputs whether it is one of the whole program's."""
    given = [True] * len(jaxpr.invars) if depends is None else depends
    tainted = {id(v) for i, v in enumerate(jaxpr.invars) if given[i]}
    told = []
    for eqn in jaxpr.eqns:
        flags = [not is_literal(v) and id(v) in tainted for v in eqn.invars]
        if any(flags):
            tainted.update(id(v) for v in eqn.outvars)
        types = " ".join(str(v.aval) for v in eqn.outvars)
        inside = inner(eqn)
        wraps = eqn.primitive.name in _CALLS and len(inside) == 1
        told.append(Equation(eqn.primitive.name, types, not any(flags), not wraps))
        for name, program in inside:
            below = walk(program, _depends(eqn, name, program, flags))
            told += below if any(flags) else [e._replace(alone=True) for e in below]
    return told


def lines(text: str, equations: list[Equation], marks: list[bool]) -> Any:
    """The lines of a printed program, each with the mark of the equation on it.

    A line inside of a marked equation is marked too. Where the text can't be matched with the equations
    (programs used twice are printed once, by name), nothing is marked.
    """
    split = text.splitlines()
    found = [(n, m.group(1)) for n, line in enumerate(split) for m in _PRINTED.finditer(line)]
    marked = [False] * len(split)
    if [name for _, name in found] == [e.primitive for e in equations]:
        for i, (n, _) in enumerate(found):
            if marks[i]:
                marked[n] = True
                indent = len(split[n]) - len(split[n].lstrip())
                end = found[i + 1][0] if i + 1 < len(found) else len(split)
                for k in range(n + 1, end):  # the equation's own parameters
                    if len(split[k]) - len(split[k].lstrip()) <= indent:
                        break
                    marked[k] = True
    return [{"text": line.rstrip(), "folded": marked[n]} for n, line in enumerate(split)]
