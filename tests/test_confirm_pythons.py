"""The worker says the same under every interpreter and JAX: OMNILINT_TEST_PYTHONS names more than this one.

    OMNILINT_TEST_PYTHONS=/old/bin/python:/new/bin/python pytest tests/test_confirm_pythons.py

What JAX calls an exception changes between releases, so families are compared, not names.
"""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import replace

import pytest

from omnilint.model import Status, Verdict
from tests.confirm_support import DATA, QUICK, confirm, marked, project_of

pytest.importorskip("jax", reason="confirm runs code under JAX")

PYTHONS = [sys.executable, *filter(None, os.environ.get("OMNILINT_TEST_PYTHONS", "").split(os.pathsep))]
TRUTH = {"TracerBoolConversionError", "ConcretizationTypeError"}
CASES = [
    pytest.param("hazards", "branch", "OMN501", Status.CONFIRMED, TRUTH, False, id="a branch"),
    pytest.param("hazards", "shape_size", "OMN101", Status.CONFIRMED, {"TypeError"}, True, id="a staged size"),
    pytest.param("hazards", "escaped", "OMN203", Status.CONFIRMED, {"UnexpectedTracerError"}, False, id="an escape"),
    pytest.param("hazards", "global_key", "OMN201", Status.CONFIRMED, {None}, False, id="a tracer left"),
    pytest.param("hazards", "counter", "OMN201", Status.CONFIRMED, {None}, False, id="a frozen number"),
    pytest.param("hazards", "stale", "OMN208", Status.CONFIRMED, {None}, False, id="a stale constant"),
    pytest.param("hazards", "coarse_clock", "OMN207", Status.CONFIRMED, {None}, False, id="a frozen clock"),
    pytest.param("hazards", "tight", "OMN301", Status.CONFIRMED, {"AssertionError"}, None, id="a tight tolerance"),
    pytest.param("hazards", "devices", "OMN501", Status.CONFIRMED, TRUTH, False, id="eight devices"),
    pytest.param("hazards", "clean_branch", "OMN501", Status.REFUTED, {None}, None, id="a branch that is fine"),
    pytest.param("hazards", "script_on_import", "OMN503", Status.CONFIRMED, {"TypeError"}, None, id="a slice"),
    pytest.param("hostile", "exits", "OMN501", Status.CRASHED, {None}, None, id="a module that exits"),
]


@functools.cache
def verdicts(python: str) -> dict[str, Verdict]:
    """All verdicts of one interpreter, asked at once."""
    names = [case.values for case in CASES]
    files = [DATA / str(folder) / f"{name}.py" for folder, name, *_ in names]
    project = project_of(files)
    findings = [marked(project, f"{name}.py", str(code)) for _, name, code, *_ in names]
    report = confirm(files, findings, project, replace(QUICK), python)
    assert report.problems == []
    return {f.place.path: f.verdicts[0] for f in report.findings}


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(("folder", "name", "code", "status", "exceptions", "legacy"), CASES)
def test_the_same_under_each(
    python: str,
    folder: str,
    name: str,
    code: str,
    status: Status,
    exceptions: set[str | None],
    legacy: bool | None,
) -> None:
    found = verdicts(python)[f"{name}.py"]
    assert found.status is status, found
    assert found.exception in exceptions
    assert legacy is None or found.legacy is legacy
