"""Confirm on small modules: the verdict, its evidence, and what must not be said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from omnilint.model import Confidence, Status, Verdict
from tests.confirm_support import DATA, QUICK, confirm, marked, project_of, verdict

pytest.importorskip("jax", reason="confirm runs code under JAX")


def exceptional(name: str, code: str) -> Verdict:
    found = verdict("hazards", name, code)
    assert found.status is Status.CONFIRMED, found
    assert found.reached
    assert found.jax
    assert found.python
    assert found.backend == "cpu"
    return found


@pytest.mark.parametrize(
    ("name", "code", "exception", "legacy"),
    [
        pytest.param("branch", "OMN501", "TracerBoolConversionError", False, id="raised on the line"),
        pytest.param("shape_size", "OMN101", "TypeError", True, id="raised on a related line, worked when folded"),
        pytest.param("elsewhere", "OMN101", "TypeError", True, id="raised elsewhere, folding the line alone helps"),
        pytest.param("escaped", "OMN203", "UnexpectedTracerError", False, id="stored here, escaped later"),
        pytest.param("pytree_checks", "OMN512", "AttributeError", False, id="pytree rebuilt with a placeholder"),
        pytest.param("embedded", "OMN501", "ValueError", False, id="JAX quotes the traceback in its message"),
        pytest.param("devices", "OMN501", "TracerBoolConversionError", False, id="several devices, by pmap"),
        pytest.param("tight", "OMN301", "AssertionError", False, id="a comparison that fails"),
    ],
)
def test_an_exception_confirms(name: str, code: str, exception: str, legacy: bool) -> None:
    found = exceptional(name, code)
    assert (found.exception, found.legacy) == (exception, legacy)
    assert found.message
    assert found.line


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        pytest.param("counter", "OMN201", "2 jitted calls of ticket", id="a number frozen at trace time"),
        pytest.param("global_key", "OMN201", "global_key.KEY still holds a tracer", id="a tracer left in a global"),
        pytest.param("local_leak", "OMN204", "leak checker", id="a tracer left in a local container"),
        pytest.param("stale", "OMN208", "2 jitted calls of scaled", id="an outer value that changed later"),
        pytest.param("clock", "OMN207", "2 jitted calls of stamped", id="a clock, called once by the code"),
        pytest.param("coarse_clock", "OMN207", "2 jitted calls of stamped", id="a clock finer than the dtype"),
        pytest.param("lost_gradient", "OMN515", "its part of the gradient is lost", id="item() under grad"),
        pytest.param("printed", "OMN514", "shows a tracer", id="a tracer printed"),
    ],
)
def test_what_raises_nothing_is_confirmed_by_what_it_does(name: str, code: str, words: str) -> None:
    found = exceptional(name, code)
    assert found.exception is None
    assert words in (found.reason or "")
    assert found.legacy is False


def test_a_tracer_in_a_functions_cache_is_found_by_the_call_that_is_traced() -> None:
    found = verdict("hazards", "memoised", "OMN209")
    assert (found.status, found.legacy) == (Status.CONFIRMED, True), found
    assert "memoised.steps.cache" in (found.reason or "")


def test_a_neighbours_results_are_no_evidence() -> None:
    reason = verdict("hazards", "coarse_clock", "OMN207", "mark: interval").reason or ""
    assert "jitted calls of aged" in reason


def test_a_repeated_random_number_is_shown_as_numbers() -> None:
    reason = verdict("hazards", "global_key", "OMN201").reason or ""
    assert "2 jitted calls of draw with the same arguments gave one result" in reason
    assert "while eager calls gave" in reason


@pytest.mark.parametrize(
    ("name", "code", "status", "words"),
    [
        pytest.param("clean_branch", "OMN501", Status.REFUTED, "nothing went wrong", id="traced, and fine"),
        pytest.param("roomy", "OMN301", Status.REFUTED, "with room", id="a comparison with room"),
        pytest.param("eager_only", "OMN501", Status.INCONCLUSIVE, "nothing was tracing", id="ran, but not traced"),
        pytest.param("trace_counter", "OMN204", Status.INCONCLUSIVE, "no result depends on it", id="counts traces"),
        pytest.param("other_error", "OMN501", Status.UNREACHED, "ValueError at other_error.py:7", id="ended before"),
    ],
)
def test_nothing_is_claimed_that_was_not_seen(name: str, code: str, status: Status, words: str) -> None:
    found = verdict("hazards", name, code)
    assert found.status is status, found
    assert words in (found.reason or "")


def test_a_module_that_cannot_be_imported_is_imported_in_part_and_that_is_said() -> None:
    found = exceptional("unimportable", "OMN501")
    assert found.exception == "TracerBoolConversionError"
    assert "imported in part, without unimportable.py:2 (ModuleNotFoundError" in (found.reason or "")


def test_a_script_is_imported_without_its_work() -> None:
    found = exceptional("script_on_import", "OMN101")
    assert (found.exception, found.legacy) == ("TypeError", True)
    assert "and 3 more" in (found.reason or "")


def test_code_older_than_its_jax_is_given_what_old_names_became() -> None:
    found = exceptional("older_names", "OMN101")
    assert (found.exception, found.legacy) == ("TypeError", True)
    assert "and 2 more became" in (found.reason or "")


def test_a_module_that_must_be_imported_whole_and_cannot_be_is_inconclusive() -> None:
    found = verdict("hazards", "unimportable", "OMN501", options=replace(QUICK, importing="whole"))
    assert found.status is Status.INCONCLUSIVE
    assert "cannot be imported: ModuleNotFoundError" in (found.reason or "")


def test_a_conditional_finding_is_put_to_jit_when_the_code_only_calls_it_eagerly() -> None:
    found = verdict("hazards", "eager_only", "OMN501", confidence=Confidence.CONDITIONAL)
    assert (found.status, found.exception) == (Status.CONFIRMED, "TracerBoolConversionError")
    assert found.inputs == "sign(x=f32[])"


def test_two_findings_of_one_module_get_their_own_verdicts() -> None:
    file = DATA / "hazards" / "other_error.py"
    project = project_of([file])
    findings = [marked(project, file.name, "OMN501"), marked(project, file.name, "OMN203")]
    report = confirm([file], findings, project)
    assert [f.verdicts[0].status for f in report.findings] == [Status.UNREACHED, Status.UNREACHED]
    assert len(report.confirmed_with) == 1


def test_findings_about_files_are_left_alone() -> None:
    file = DATA / "hazards" / "branch.py"
    project = project_of([file])
    finding = marked(project, file.name, "OMN901")
    report = confirm([file], [finding], project)
    assert report.findings == [finding]
    assert report.confirmed_with == []


def test_progress_counts_every_finding() -> None:
    from omnilint.confirm import confirm_findings
    from omnilint.model import Report

    file = DATA / "hazards" / "branch.py"
    project = project_of([file])
    steps: list[tuple[str, int, int]] = []
    report = Report(findings=[marked(project, file.name, "OMN501")] * 2)
    import sys

    confirm_findings(report, project, [sys.executable], lambda *step: steps.append(step), QUICK)
    assert [s[1:] for s in steps] == [(1, 2), (2, 2)]
    assert steps[0][0] == "confirming branch.py:7"
