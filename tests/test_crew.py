"""Worker processes: the answers of one process, and one clear line when a worker dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from omnilint import crew
from omnilint.analysis.options import AnalysisOptions
from omnilint.cli import run
from omnilint.desk import Answer, Desk, Task
from omnilint.errors import ConfigError
from omnilint.index.project import Project
from omnilint.model import Problem


class Ward(Desk):
    """A desk whose tasks name a file: the first to find it missing makes it, and dies."""

    def do(self, task: Task) -> Answer:
        mark = Path(task[1])
        if task[0] == "dies always" or (task[0] == "dies once" and not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Answer(problems=[Problem("done", f"{task[0]} {task[1]}")])


def desk() -> Ward:
    return Ward(Project(), {}, None, AnalysisOptions())


def test_answers_come_in_the_order_of_the_tasks() -> None:
    told: list[Problem] = []
    answers = crew.share(desk(), [("works", str(n)) for n in range(40)], 2, told)
    assert [a.problems[0].message for a in answers] == [f"works {n}" for n in range(40)]
    assert told == []


def test_a_worker_that_dies_is_told_and_its_tasks_are_done(tmp_path: Path) -> None:
    told: list[Problem] = []
    tasks = [("works", "a"), ("dies once", str(tmp_path / "mark")), ("works", "b"), ("works", "c")]
    answers = crew.share(desk(), tasks, 2, told)
    assert [a.problems[0].message.partition(" ")[0] for a in answers] == ["works", "dies", "works", "works"]
    assert [(p.kind, str(p)) for p in told] == [("worker", crew.DIED)]


def test_a_task_that_always_kills_its_worker_costs_itself_alone(tmp_path: Path) -> None:
    told: list[Problem] = []
    tasks = [("works", "a"), ("dies always", str(tmp_path / "mark")), ("works", "b")]
    answers = crew.share(desk(), tasks, 2, told)
    assert [a.problems[0].kind for a in answers] == ["done", "internal", "done"]
    assert answers[1].failed
    assert "use --jobs 1" in answers[1].problems[0].message


def test_processes_that_start_from_nothing_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    from omnilint.model import Source

    project = Project()
    modules = {
        path: project.add(Source(path, "import jax\njax.tree_map(abs, 1)\n", file=f"/nowhere/{path}"), set())
        for path in ("a.py", "b.py")
    }
    deep = Source("c.py", "import jax\nx = " + " + ".join(["1"] * 300) + "\n", file="/nowhere/c.py")
    modules["c.py"] = project.add(deep, set())
    real = Desk(project, modules, None, AnalysisOptions())
    tasks = [("names", "a.py"), ("names", "b.py"), ("own", 0)]
    answers = crew.share(real, tasks, 2, [])
    assert [f.code for a in answers for f in a.findings] == ["OMN401", "OMN401"]
    assert answers[2].part is not None


def test_verdicts_name_no_address() -> None:
    from omnilint.confirm.steady import steady
    from omnilint.model import Finding, Place, Status, Verdict

    verdict = Verdict(Status.INCONCLUSIVE, reason="no shape for <f at 0x7f12ab34cd56> (id=140234567890123)", line=3)
    (again,) = steady(Finding("OMN101", "m", Place("a.py", 1, 1, 1, 1), verdicts=(verdict,))).verdicts
    assert (again.reason, again.line) == ("no shape for <f> ()", 3)


def test_the_number_of_processes() -> None:
    assert crew.processes("3") == 3
    assert crew.processes("auto") == crew.cores() >= 1
    with pytest.raises(ConfigError, match="from 1 on"):
        crew.processes("-1")


def test_a_dead_worker_is_no_failed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("omnilint.inspection.WORTHWHILE", 0)
    mark = tmp_path / "mark"
    real = Desk.do

    def die_once(self: Desk, task: Task) -> Answer:
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return real(self, task)

    monkeypatch.setattr(Desk, "do", die_once)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("import jax\njax.tree_map(abs, 1)\n")
    assert run(["check", "--jobs", "2", "--no-cache", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert shown.out.count("OMN401") == 2
    assert shown.err.count(crew.DIED) == 1
