"""`omnilint check --fix` and `--diff`: repairs made or shown, standard input answered on standard output."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from omnilint.fixes import chains, rewrite
from omnilint.fixes.repair import Outcome, Prover
from omnilint.model import Problem, Repaired, Report, Source

if TYPE_CHECKING:
    from omnilint.confirm import ConfirmOptions

Examine = Callable[[Mapping[str, bytes], bool], Report]


@dataclass
class Work:
    """The report of what is left, what was repaired, and the bytes of the files before and after."""

    report: Report
    outcome: Outcome
    stdin: bytes | None
    piped: set[str]

    @property
    def changed(self) -> bool:
        """Whether anything was repaired."""
        return bool(self.outcome.fixed)

    @contextlib.contextmanager
    def streams(self, piped: bool, diff: bool) -> Iterator[None]:
        """A patch, or what came in by standard input as it is now, goes to stdout; what is said about it to stderr."""
        if diff or piped:
            out = sys.stdout.buffer
            out.write(self._patch() if diff else self._stdin())
            out.flush()
        if diff and (base := self._base()) != os.curdir:
            print(f"the patch's paths count from {base}: git -C {base} apply, or patch -p1 -d {base}", file=sys.stderr)
        if piped and not diff:
            with contextlib.redirect_stdout(sys.stderr):
                yield
        else:
            yield

    def _stdin(self) -> bytes:
        return next((self.outcome.after[p] for p in self.piped if p in self.outcome.after), self.stdin or b"")

    def _patch(self) -> bytes:
        out, base = self.outcome, self._base()
        names = {path: path if base == os.curdir else os.path.relpath(path, base) for path in out.changed()}
        return b"".join(line for path in names for line in patch(names[path], out.before[path], out.after[path]))

    def _base(self) -> str:
        """The folder that the patch's paths count from: no patch leads out of the one that it is applied in.

        It is this one, the nearest that holds all that is patched too, or the root for what was named from there.
        """
        here, paths = os.getcwd(), self.outcome.changed()
        if any(map(os.path.isabs, paths)):
            return os.path.abspath(os.sep)
        return os.path.relpath(os.path.commonpath([here, *map(os.path.abspath, paths)]), here)


@contextlib.contextmanager
def prover(pythons: Sequence[str], how: ConfirmOptions | None) -> Iterator[Prover | None]:
    """What proves repairs by running them, as `--confirm` says how to; None without it."""
    if how is None:
        yield None
        return
    from omnilint.fixes.prove import Prover as Real

    try:
        yield Real(pythons, how)
    finally:
        how.pool.close()


def repair(
    examine: Examine,
    stdin: bytes | None,
    stdin_path: str,
    unsafe: bool,
    *,
    write: bool,
    prove: Prover | None = None,
) -> Work:
    """Repair what can be repaired and, with `write`, write it to the files; the report is of what is left.

    Standard input, which goes by `stdin_path`, is never written to a file. With `prove` each repair is proven before
    it counts, and what is left is confirmed.
    """
    piped = set() if stdin is None else {stdin_path}

    def read(source: Source) -> bytes:
        if source.path in piped:
            assert stdin is not None
            return stdin
        assert source.file is not None
        with open(source.file, "rb") as f:
            return f.read()

    def check(edited: Mapping[str, bytes]) -> Report:
        return examine(edited, False)

    outcome = chains.run(check, read, unsafe, prove)
    problems = list(outcome.defects)
    failed = list(_write(outcome, piped)) if write else []
    if failed:
        outcome.drop({p.path for p in failed if p.path})
    report = outcome.report
    if prove is not None or failed:
        unwritten = {path: raw for path, raw in outcome.after.items() if not write or path in piped}
        report = examine(unwritten, prove is not None)
        told = {f.fix.reason for f in report.findings if f.fix and outcome.knows(frozenset([f.fingerprint]))}
        report.problems = [p for p in report.problems if p.kind != "repair" or p.message not in told]
    problems += failed
    report.problems += [p for p in problems if p not in report.problems]
    report.repaired = Repaired(outcome.fixed, dict(outcome.reasons), write)
    return Work(report, outcome, stdin, piped)


def _write(outcome: Outcome, piped: set[str]) -> Iterator[Problem]:
    for path in outcome.changed():
        if path in piped:
            continue
        file = outcome.report.sources[path].file
        assert file is not None
        try:
            with open(file, "rb") as f:
                if f.read() != outcome.before[path]:
                    yield Problem("vanished", "the file changed while the run was on; it was left as it is", path)
                    continue
            rewrite.write(file, outcome.after[path])
        except OSError as error:
            why = error.strerror or type(error).__name__
            yield Problem("unwritable", f"can't be written ({why}); its repairs are not made", path)


def patch(path: str, before: bytes, after: bytes) -> Iterator[bytes]:
    """A unified diff of one file, byte for byte, as `git apply` and `patch -p1` take it."""
    name = os.fsencode(path.replace(os.sep, "/").removeprefix("./").lstrip("/"))
    old, new = (re.findall(rb"[^\n]*\n|[^\n]+", text) for text in (before, after))  # a lone \r ends no line there
    end = b"\t" if b" " in name else b""  # as git does: else `patch` takes the first word for the name
    lines = difflib.diff_bytes(difflib.unified_diff, old, new, b"a/" + name + end, b"b/" + name + end)
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
