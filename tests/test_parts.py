"""The parts of an analysis: none sees what another did, so that each can be kept or worked out elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omnilint.analysis.calls import MAX_COST, MAX_RUNS
from omnilint.analysis.definitions import ClassVal, Func, Instance
from omnilint.analysis.options import AnalysisOptions
from omnilint.analysis.session import TOGETHER, Part, Session, merged
from omnilint.analysis.values import Mapping, Seq, Tup, Value
from omnilint.index.project import Project
from omnilint.model import Source

FILES = {
    "state.py": """
import jax
import jax.numpy as jnp

log = []
table = {"a": 1}
size = 3

class Box:
    kind = "plain"

    def __init__(self):
        self.held = None

box = Box()

@jax.jit
def doubled(x):
    return x * size

def keep(x, into=[]):
    into.append(x)
    return into
""",
    "first/writes.py": """
import jax
import state

def host(x):
    state.log.append(x)
    state.table["b"] = 2
    state.size = 5
    state.box.held = x
    state.Box.kind = "other"
    state.keep(1)
    return jax.jit(lambda y: y * state.size)(x)
""",
    "second/reads.py": """
import jax
import state

@jax.jit
def step(x, n):
    state.log.append(x)
    if x > 0:
        return state.doubled(x)
    return x

def run(x):
    return step(x, len(state.log))
""",
    "third/calls.py": """
import jax
from second import reads

def run(x):
    state = jax.jit(reads.step)(x, 2)
    return state
""",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project()
    files = {str(tmp_path / name): text for name, text in FILES.items()}
    for file, text in files.items():
        made.add(Source(file, text, file=file), set(files))
    # Scripts of one folder find each other; here the folders stand for import roots.
    made.roots = dict.fromkeys(made.roots, str(tmp_path))
    return made


def said(parts: dict[str, Part]) -> dict[str, tuple[object, ...]]:
    return {
        name: ([d.finding for d in p.drafts], p.problems, p.spent, p.called, p.traced, p.entered, p.staged)
        for name, p in parts.items()
    }


def test_parts_say_the_same_in_any_order(project: Project) -> None:
    with Session(project, AnalysisOptions()) as session:
        forward = {g[0].path: session.own(g) for g in session.groups}
        backward = {g[0].path: session.own(g) for g in reversed(session.groups)}
    assert len(forward) == 4
    assert said(forward) == said(backward)
    assert any(p.drafts for p in forward.values())


def test_what_imports_take_of_a_budget_is_no_parts_loss(tmp_path: Path) -> None:
    """A function is entered so often and for so many steps and no more; those of imports don't count."""
    runs = MAX_RUNS - 4
    body = "".join(f"    y = x + {n}\n" for n in range(MAX_COST // runs + 1))
    calls = "".join(f"kept_{n} = many({n}, 1)\n" for n in range(runs))
    used = "".join(f"    many('{n}', 2)\n" for n in range(MAX_RUNS - runs + 1))
    text = f"import jax\n\ndef many(n, x):\n{body}    return n\n\n{calls}\n"
    text += f"@jax.jit\ndef step(x):\n{used}    return float(x)\n"
    project, file = Project(), str(tmp_path / "m.py")
    project.add(Source(file, text, file=file), {file})
    with Session(project, AnalysisOptions()) as session:
        (key,) = session.made
        first, again = session.generic(key), session.generic(key)
    assert first.drafts
    assert not first.spent
    assert said({"": first}) == said({"": again})


def test_what_a_part_does_to_shared_state_is_taken_back(project: Project) -> None:
    with Session(project, AnalysisOptions()) as session:
        before = [*state(session)]
        for group in session.groups:
            session.own(group)
            assert [*state(session)] == before, group[0].path
    assert any("'log'" in line for line in before)


def test_a_function_that_another_module_calls_is_not_called_generically(project: Project) -> None:
    with Session(project, AnalysisOptions()) as session:
        own = [session.own(g) for g in session.groups]
        keys = session.uncalled(own)
    assert [key for key in session.made if "state.py" in key]
    assert not keys


def test_of_transformed_functions_that_call_each_other_one_stays() -> None:
    first, second, third = Part(called=["b"]), Part(called=["a", "c"]), Part()
    answer = merged(Part(), [], {"a": first, "b": second, "c": third}, [])
    assert answer.findings == []
    from omnilint.analysis.session import _kept

    assert _kept({"a": first, "b": second, "c": third}) == ["a"]


def test_a_part_is_one_folder_and_not_too_large(tmp_path: Path) -> None:
    project = Project()
    files = [str(tmp_path / folder / f"m{n}.py") for folder in ("a", "b") for n in range(TOGETHER + 1)]
    for file in files:
        project.add(Source(file, "import jax\n", file=file), set(files))
    with Session(project, AnalysisOptions()) as session:
        assert [len(g) for g in session.groups] == [TOGETHER, 1, TOGETHER, 1]


def state(session: Session) -> Iterator[str]:
    """Everything reachable from the modules' names, as text."""
    for path, module in sorted(session.it.modules.items()):
        for name, value in sorted(module.scope.vars.items()):
            yield f"{path} {name!r} {shape(value, set())}"


def shape(value: Value | None, seen: set[int]) -> object:
    if value is None or id(value) in seen:
        return None
    seen.add(id(value))
    if isinstance(value, Tup):
        return [shape(v, seen) for v in value.items]
    if isinstance(value, Seq):
        return value.kind, None if value.items is None else [shape(v, seen) for v in value.items], value.trace
    if isinstance(value, Mapping):
        return {k: shape(v, seen) for k, v in value.items.items()}, shape(value.elem, seen), value.trace
    if isinstance(value, Instance):
        return {k: shape(v, seen) for k, v in value.attrs.items()}, value.open, value.trace
    if isinstance(value, ClassVal):
        return value.name, {k: shape(v, seen) for k, v in value.attrs.items()}, value.tree
    if isinstance(value, Func):
        return value.code.name, {k: shape(v, seen) for k, v in (value.defaults or {}).items()}, value.code.runs
    return str(value.key())
