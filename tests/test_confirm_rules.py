"""Pieces of the decision that need no JAX: families of errors, places, calls, results compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omnilint.confirm import state
from omnilint.confirm.families import about_tracers, escaped, first_words, fits
from omnilint.confirm.literal import literal_calls
from omnilint.confirm.places import by_path, site
from omnilint.confirm.reach import Reach
from omnilint.model import Finding, Place
from tests.confirm_support import project_of


def error(kind: str, message: str = "", frames: Any = (), mro: Any = None) -> dict[str, Any]:
    return {"type": kind, "message": message, "frames": list(frames), "mro": mro or [kind, "Exception"]}


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("TracerBoolConversionError", "Attempted boolean conversion of traced array with shape bool[]."),
        ("IndexError", "Slice entries must be static integers. Got slice(None, JitTracer(~int32[]), None)"),
        ("TypeError", "Shapes must be 1D sequences of concrete values of integer type, got (JitTracer(~int32[]),)."),
        ("TypeError", "unhashable type: 'DynamicJaxprTracer'"),
        ("TypeError", "As of JAX v0.7, parameters to jaxpr equations must have __hash__ and __eq__ methods."),
        ("TypeError", "expected a sequence of integers or a single integer, got 'JitTracer(~int32[])'"),
        ("ValueError", "setting an array element with a sequence."),
        ("ValueError", "Non-hashable static arguments are not supported."),
        ("TypeError", "unsupported format string passed to DynamicJaxprTracer.__format__"),
    ],
)
def test_errors_about_tracers_by_class_and_by_message(kind: str, message: str) -> None:
    assert about_tracers(error(kind, message))
    assert fits("OMN502", error(kind, message))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("ValueError", "operands could not be broadcast together with shapes (3,) (2,)"),
        ("TypeError", "dot_general requires contracting dimensions to have the same shape, got (3,) and (4,)."),
        ("KeyError", "'bias'"),
        ("ZeroDivisionError", "division by zero"),
    ],
)
def test_other_errors_are_not(kind: str, message: str) -> None:
    assert not about_tracers(error(kind, message))
    assert not fits("OMN502", error(kind, message))


def test_an_assertion_is_a_tolerance_and_nothing_else() -> None:
    assert fits("OMN301", error("AssertionError"))
    assert not fits("OMN501", error("AssertionError", "Not equal to tolerance"))


def test_a_tracer_met_outside_of_any_trace_has_escaped() -> None:
    outside, inside = [["a.py", 3, "f", False]], [["a.py", 3, "f", True]]
    assert escaped(error("ConcretizationTypeError", "traced array", outside))
    assert not escaped(error("ConcretizationTypeError", "traced array", inside))
    assert escaped(error("UnexpectedTracerError", "", inside))


def test_jaxs_signposts_are_kept() -> None:
    where = "The error occurred while tracing the function f at a.py:3 for jit."
    assert first_words(f"Abstract tracer value.\nMore.\n\n{where} \nSee x") == f"Abstract tracer value. {where}"


def leaf(*numbers: float, dtype: str = "float32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": [len(numbers)], "hash": repr(numbers), "numbers": list(numbers)}


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        pytest.param(leaf(1.0), leaf(1.0), True, id="equal"),
        pytest.param(leaf(1.0), leaf(1.0000001), True, id="rounding"),
        pytest.param(leaf(0.3), leaf(0.47), False, id="another random number"),
        pytest.param(leaf(2101, dtype="int32"), leaf(2102, dtype="int32"), False, id="whole numbers differ or don't"),
        pytest.param(leaf(float("nan")), leaf(float("nan")), True, id="nan"),
        pytest.param({"python": "int", "repr": "1"}, {"python": "int", "repr": "2"}, False, id="Python values"),
    ],
)
def test_results_compared(a: dict[str, Any], b: dict[str, Any], same: bool) -> None:
    assert state.same([a], [b]) is same


def test_what_is_left_behind_must_be_what_the_line_writes() -> None:
    seen = {"left": [{"path": "m.CACHE['x']", "type": "T"}, {"path": "m.model.ring", "type": "T"}]}
    assert state.left_behind(seen, ("ring", "self")) == seen["left"][1]
    assert state.left_behind(seen, ("other",)) is None


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [
        pytest.param(4, 3, 5, id="a statement over several lines"),
        pytest.param(6, 6, 6, id="the header of a block, not the block"),
        pytest.param(9, 8, 9, id="a decorated function, to its def"),
    ],
)
def test_a_place_is_its_statement(tmp_path: Path, line: int, first: int, last: int) -> None:
    file = tmp_path / "code.py"
    file.write_text("import x\n\ny = x(\n    1,\n)\nif y:\n    y = 2\n@x\ndef f():\n    return 1\n")
    project = project_of([file])
    at = site(Finding("OMN501", "", Place("code.py", line, 1, line, 2)), by_path(project))
    assert at is not None
    assert (at.place.first, at.place.last) == (first, last)


def test_literal_calls_put_locals_in_and_leave_unknowns_out(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text(
        "import numpy as np\n"
        "def f(x, n): pass\n"
        "def a(unknown):\n"
        "    x = np.ones(3)\n"
        "    f(x, n=2)\n"
        "    f(unknown, 2)\n"
        "    y = x\n"
        "    y = 2\n"
        "    f(y, 3)\n"
    )
    (module,) = project_of([file]).modules()
    assert list(literal_calls(module, "f")) == ["f(np.ones(3), n=2)"]


def test_reach_follows_names_through_helpers_classes_and_assignments(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text(
        "def goal(): pass\n"
        "wrapped = goal\n"
        "class C:\n"
        "    def m(self): wrapped()\n"
        "def start(): C().m()\n"
        "def other(): pass\n"
    )
    project = project_of([file])
    (module,) = project.modules()
    reach = Reach(project)
    target = (module, frozenset({"goal"}))
    assert reach.distance({"start"}, [module], target) == 3
    assert reach.distance({"other"}, [module], target) is None
