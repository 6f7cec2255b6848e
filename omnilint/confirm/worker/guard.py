"""What keeps a run from hurting anybody: limits, process groups, orphans, private descriptors."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

try:
    import resource
except ImportError:  # not a Unix: no limits to set
    resource = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def _prctl(option: int, value: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def die_with_parent(sig: int = signal.SIGKILL) -> None:
    """Have the kernel send `sig` to this process when its parent dies (Linux)."""
    _prctl(_PR_SET_PDEATHSIG, sig)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies, so that none gets away (Linux)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _pages(pid: str, column: int) -> int:
    """Bytes of a process by /proc: address space (column 0) or resident memory (column 1); 0 when unknown."""
    try:
        with open("/proc/" + pid + "/statm", encoding="ascii") as f:
            return int(f.read().split()[column]) * (resource.getpagesize() if resource else 4096)
    except (OSError, ValueError, IndexError):
        return 0


def resident(pid: int) -> int:
    """Bytes of memory that a process really has; 0 when that cannot be told."""
    return _pages(str(pid), 1)


def threads() -> int:
    """How many threads this process has, those of C code too; 1 when that cannot be told."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


def limit(memory: int, seconds: float, file_size: int) -> None:
    """Bound this process: bytes of memory on top of what it has, CPU seconds, bytes of any file it writes."""
    if resource is None:
        return
    # Threads reserve stacks and arenas that they hardly use, so address space is a poor measure of memory: it
    # stops a single absurd allocation, while the server watches what is really used.
    space = _pages("self", 0) or (1 << 30)
    space += 2 * memory + (os.cpu_count() or 1) * (128 << 20)
    cpu = int(seconds * 4) + 5  # the wall clock is the real limit; this ends what escapes it
    wanted = [
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_CORE, 0),
    ]
    for which, value in wanted:
        _, hard = resource.getrlimit(which)
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (ceiling, ceiling))


def kill_group(pid: int) -> None:
    """Kill the process group that `pid` leads; no error when it is gone."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def children() -> list[int]:
    """The process ids whose parent is this process, by /proc; empty where there is none."""
    found = []
    me = str(os.getpid())
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open("/proc/" + name + "/stat", encoding="utf-8", errors="replace") as f:
                parent = f.read().rpartition(")")[2].split()[1]
        except (OSError, IndexError):
            continue
        if parent == me:
            found.append(int(name))
    return found


def sweep() -> None:
    """Kill and reap every remaining child, and what they leave, round by round."""
    for _ in range(64):
        left = children()
        for pid in left:
            kill_group(pid)
        for pid in left:
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)
        if not left:
            return


def quiet_descriptors(output: int) -> None:
    """Nothing on stdin, everything printed to `output`, also by C code."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for fd in {null, output} - {0, 1, 2}:
        os.close(fd)
    with contextlib.suppress(Exception):
        sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115


def high(fd: int) -> int:
    """A copy of `fd` well above the numbers that programs use, not inherited through exec; `fd` is closed."""
    try:
        import fcntl

        copy = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100)
    except (ImportError, OSError):
        copy = os.dup(fd)
    os.close(fd)
    return copy


def default_signals() -> None:
    """Give the signals that the server handles back their default meaning."""
    for sig in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sig, signal.default_int_handler if sig == signal.SIGINT else signal.SIG_DFL)


def describe_status(status: int) -> str:
    """A wait status in words: "died of SIGABRT", "ended with exit code 3"."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            return "died of " + signal.Signals(number).name
        except ValueError:
            return f"died of signal {number}"
    return f"ended with exit code {os.WEXITSTATUS(status)}"
