"""Repairs that are only offered, proven while confirm runs: each by itself, within bounds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from omnilint.confirm.options import ConfirmOptions
from omnilint.fixes.prove import Prover
from omnilint.fixes.repair import Proof
from omnilint.fixes.rewrite import spans_of
from omnilint.fixes.text import apply
from omnilint.index.project import Project
from omnilint.model import Applicability, Finding, Fix, Problem, Report, Status
from omnilint.problems import of_crash
from omnilint.progress import Progress, silent

# What a run spends on proofs nobody asked for one by one: a proof is some ten runs, each of them short as a rule.
MOST, MOST_SECONDS = 50, 15.0
# What confirm could not run before a repair, it can't after it.
_RAN = (Status.CONFIRMED, Status.REFUTED)


def prove_offers(
    report: Report,
    project: Project,
    pythons: Sequence[str],
    options: ConfirmOptions,
    progress: Progress = silent,
) -> None:
    """Say of each repair that `report` offers whether it is proven, and if not, why; in place.

    A safe repair that fails its proof is a mistake of omnilint: it is told as a problem.
    """
    prover = Prover(pythons, options, project)
    started, tried = time.monotonic(), 0
    for i, finding in enumerate(report.findings):
        fix = finding.fix
        if fix is None:
            continue
        why = _unasked(finding, fix)
        if why is None and (tried == MOST or time.monotonic() - started > MOST_SECONDS):
            why = "the time for proofs is spent (--fix --diff proves all)"
        if why is None:
            tried += 1
            progress(f"proving the repair of {finding.place.path}:{finding.place.line}", i, len(report.findings))
            try:
                proof = _proof(finding, fix, report, prover)
            except Exception as error:  # a mistake of ours costs this proof, not the run
                report.problems.append(of_crash(finding.place.path, "the proof of a repair", error))
                proof = Proof(reason="its proof ended with an error of omnilint")
        else:
            proof = Proof(reason=why)
        if proof.failed is not None and fix.applicability is Applicability.SAFE:
            report.problems.append(Problem("repair", proof.failed))
        report.findings[i] = replace(finding, fix=told(fix, proof))


def _unasked(finding: Finding, fix: Fix) -> str | None:
    """Why a repair need not be tried."""
    if fix.applicability is Applicability.DISPLAY:
        return "its callers change with it"
    if not any(v.status in _RAN for v in finding.verdicts):
        return "confirm didn't come to run it"
    return None


def _proof(finding: Finding, fix: Fix, report: Report, prover: Prover) -> Proof:
    paths = dict.fromkeys(e.place.path for e in fix.edits)
    sources = {path: report.sources[path] for path in paths}
    own = {path: spans_of(s, [e for e in fix.edits if e.place.path == path]) for path, s in sources.items()}
    after = {path: apply(sources[path].text, spans) for path, spans in own.items()}
    return prover([finding], report, {path: s.text for path, s in sources.items()}, after)


def told(fix: Fix, proof: Proof) -> Fix:
    """The repair with what its proof said."""
    if proof.verified:
        return replace(fix, verified=True)
    if proof.failed is not None:
        return replace(fix, verified=False, reason=proof.failed)
    return replace(fix, reason=proof.reason)
