"""Tasks shared out to worker processes, when there are enough of them; the answers come in the order of the tasks."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from omnilint.analysis import tables
from omnilint.desk import Answer, Desk, Task
from omnilint.errors import ConfigError
from omnilint.index.outline import Outline, imported
from omnilint.index.project import Project
from omnilint.model import Problem

if TYPE_CHECKING:
    from concurrent.futures import Future

DIED = "a worker process died (out of memory?); its files were checked again without it"
TWICE = "the worker process died twice on {}; exclude what is too large for this machine, or use --jobs 1"

_desk: Desk | None = None


def cores() -> int:
    """How many processes the system lets us keep busy."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processes(word: str) -> int:
    """How many processes `--jobs` asks for; raises ConfigError for what is no number."""
    if word == "auto":
        return cores()
    if not word.isdigit() or not int(word):
        raise ConfigError(f"--jobs {word}: write a number from 1 on, or auto")
    return int(word)


def share(desk: Desk, tasks: Sequence[Task], jobs: int, told: list[Problem]) -> list[Answer]:
    """The answers to the tasks, worked out by up to `jobs` processes; `told` gets a problem when one dies."""
    if jobs <= 1 or len(tasks) <= 1:
        return [desk.do(task) for task in tasks]
    answers: dict[int, Answer] = {}
    _round(desk, list(enumerate(tasks)), jobs, answers)
    left = [(n, task) for n, task in enumerate(tasks) if n not in answers]
    if left:
        told.append(Problem("worker", DIED))
    for n, task in left:  # one by one, so that a task that kills its worker takes no other with it
        _round(desk, [(n, task)], 1, answers)
        if n not in answers:
            answers[n] = Answer(problems=[Problem("internal", TWICE.format(_name(task)))], failed=True)
    return [answers[n] for n in range(len(tasks))]


def _round(desk: Desk, tasks: Sequence[tuple[int, Task]], jobs: int, answers: dict[int, Answer]) -> None:
    # Loaded here: a run by one process, or of what is remembered, needs none of it.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    global _desk
    _desk = desk  # what is forked has it already
    fork = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    fork = fork and sys.platform != "darwin"
    context = multiprocessing.get_context("fork" if fork else "spawn")
    start: dict[str, Any] = {} if fork else {"initializer": _begin, "initargs": (_portable(desk), tables.extension())}
    try:
        with ProcessPoolExecutor(min(jobs, len(tasks)), context, **start) as pool:
            waiting: dict[Future[list[Answer]], list[int]] = {}
            for chunk in _chunks(tasks, jobs):
                waiting[pool.submit(_work, [task for _, task in chunk])] = [n for n, _ in chunk]
            _gather(waiting, answers)
    except BrokenProcessPool:
        pass
    finally:
        _desk = None


def _gather(waiting: dict[Future[list[Answer]], list[int]], answers: dict[int, Answer]) -> None:
    from concurrent.futures import as_completed
    from concurrent.futures.process import BrokenProcessPool

    for future in as_completed(waiting):
        try:
            answers.update(zip(waiting[future], future.result(), strict=True))
        except BrokenProcessPool:
            continue


def _chunks(tasks: Sequence[tuple[int, Task]], jobs: int) -> Iterable[Sequence[tuple[int, Task]]]:
    """Few enough that sending costs nothing, many enough that no worker waits long for the last one."""
    size = max(1, min(16, len(tasks) // (jobs * 4)))
    return (tasks[i : i + size] for i in range(0, len(tasks), size))


def _portable(desk: Desk) -> Desk:
    """The desk as it can be sent: modules as text, which the worker parses when it needs more."""
    project, modules = Project(), {}
    for path, m in desk.modules.items():
        modules[path] = Outline(m.source, m.name, m.package, m.is_package, imported(m))
        project.insert(modules[path], desk.project.root_of(m))
    return Desk(project, dict(modules), desk.targets, desk.options)


def _begin(desk: Desk, own: tables.Rows) -> None:
    global _desk
    _desk = desk
    tables.extend(own)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3_000))


def _work(tasks: Sequence[Task]) -> list[Answer]:
    assert _desk is not None
    return [_desk.do(task) for task in tasks]


def _name(task: Task) -> str:
    return str(task[1]) if task[0] in ("names", "tolerance") else "a part of the analysis"
