"""The figures that earn a report its silence: what was read, analysed, traced, skipped, and what JAX said."""

from __future__ import annotations

from collections import Counter

from omnilint.model import Applicability, Repaired, Report, TargetUsed
from omnilint.report import matrix, rules
from omnilint.report.text import position, rewrite
from omnilint.visible import visible

MOST_REASONS = 4
MOST_FIXED = 20
MOST_PATHS = 3
MOST_NAMES = 10
# Rules on names of JAX: one finding a use, so that the summary says which names they are about.
NAMED = ("OMN401", "OMN402", "OMN403", "OMN404", "OMN405", "OMN407", "OMN408")


def lines(report: Report) -> list[str]:
    """The summary for people, a few plain lines."""
    out = [_findings(report), *_names(report), _read(report)]
    if report.repaired is not None:
        out += repaired(report.repaired)
    if report.suppressed:
        out.append(f"{count(len(report.suppressed), 'finding')} silenced by comments")
    if report.summary.known or report.summary.gone:
        out.append(f"{count(report.summary.known, 'finding')} known to the baseline{_gone(report)}")
    if report.summary.elsewhere:
        out.append(f"{count(report.summary.elsewhere, 'finding')} on lines that did not change")
    if report.summary.passed_over:
        told = _some(report.summary.passed_over)
        out.append(
            f"settings not taken: {told} (those of the first path hold for all; check other projects by themselves)"
        )
    if report.summary.unmatched:
        out.append(f"warning: nothing here matches {', '.join(report.summary.unmatched)}; check the spelling")
    verdicts = Counter(v.status.value for f in report.findings for v in f.verdicts)
    if verdicts or report.confirmed_with:
        by = f" by {', '.join(report.confirmed_with)}" if report.confirmed_with else ""
        told = ", ".join(f"{n} {status}" for status, n in sorted(verdicts.items())) or "nothing to confirm"
        out.append(f"verdicts{by}: {told}")
        out += matrix.lines(report)
    if report.summary.cut_short:
        paths = sorted({p.path or "?" for p in report.summary.cut_short})
        number = count(len(report.summary.cut_short), "place")
        out.append(f"cut short at the analysis' budget in {number} (OMN903): {_some(paths)}")
    out += skipped(report)
    return out


def count(n: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _findings(report: Report) -> str:
    if not report.findings:
        return "no findings" + (f", but {_could_not(report)}" if report.problems else "")
    severities = Counter(rules.severity(f).value for f in report.findings)
    hazards = Counter(rules.hazard(f) for f in report.findings)
    files = len({f.place.path for f in report.findings})
    grave = ", ".join(count(severities[s], s) for s in ("error", "warning", "note") if severities[s])
    classes = ", ".join(f"{hazard} {n}" for hazard, n in sorted(hazards.items(), key=lambda kv: (-kv[1], kv[0])))
    text = f"{count(len(report.findings), 'finding')} in {count(files, 'file')} ({grave}): {classes}"
    return text + (f"; {_could_not(report)}" if report.problems else "")


def names(report: Report) -> dict[str, int]:
    """How many findings each name of JAX has (an argument as `jax.numpy.clip(a_min)`), the most frequent first."""
    counts: Counter[str] = Counter()
    for f in report.findings:
        name, argument = f.data.get("name"), f.data.get("argument")
        if f.code in NAMED and isinstance(name, str) and name:
            counts[f"{name}({argument})" if argument else name] += 1
    return dict(sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])))


def _names(report: Report) -> list[str]:
    """The names of JAX behind the findings, where some name has several."""
    counts = names(report)
    if not counts or max(counts.values()) == 1:
        return []
    told = ", ".join(f"{name} {n}" for name, n in list(counts.items())[:MOST_NAMES])
    more = f" and {len(counts) - MOST_NAMES} more" if len(counts) > MOST_NAMES else ""
    return [f"JAX names: {told}{more}"]


def repaired(done: Repaired) -> list[str]:
    """How many findings were repaired, and why the rest were not."""
    n = len(done.findings)
    proven = sum(bool(f.fix and f.fix.verified) for f in done.findings)
    did = "fixed" if done.written or not n else "would be fixed"
    out = [f"{count(n, 'finding')} {did}" + (f", {proven} of them verified" if proven else "")]
    for f in done.findings[:MOST_FIXED]:
        assert f.fix is not None
        out.append(f"- {position(f.place)} {f.code}: {f.fix.description}{' [verified]' if f.fix.verified else ''}")
    if n > MOST_FIXED:
        out.append(f"- and {n - MOST_FIXED} more (`--format json` lists them)")
    left = sum(done.reasons.values())
    if left:
        reasons = sorted(done.reasons.items(), key=lambda kv: (-kv[1], kv[0]))
        told = "; ".join(f"{k} because {why}" if k > 1 else why for why, k in reasons[:MOST_REASONS])
        more = f"; and {count(len(reasons) - MOST_REASONS, 'other reason')}" if len(reasons) > MOST_REASONS else ""
        out.append(f"{left} not fixed: {told}{more}")
    return out


def shown(report: Report) -> list[str]:
    """The repairs that are never made, as people would make them: what goes with `-`, what comes with `+`."""
    out: list[str] = []
    for f in report.findings:
        if f.fix is not None and f.fix.applicability is Applicability.DISPLAY:
            out.append(f"only shown: {position(f.place)} {f.code}: {f.fix.description}")
            out += rewrite(f, report)
    return out


def _gone(report: Report) -> str:
    gone = report.summary.gone
    if not gone:
        return ""
    done = "taken out of it" if report.summary.pruned else "--prune-baseline takes it out"
    told = _some([f"{code} in {path}" + (f" ({symbol})" if symbol else "") for path, code, symbol in gone])
    return f"; {len(gone)} of it no more ({done}): {told}"


def _could_not(report: Report) -> str:
    return f"{count(len(report.problems), 'problem')} kept something from being checked"


def _read(report: Report) -> str:
    s = report.summary
    text = f"checked {count(s.python_files, 'Python file')} ({s.jax_files} with JAX)"
    if s.text_files:
        text += f" and {count(s.text_files, 'configuration file')}"
    text += f": {count(s.functions, 'function')} analysed, {s.traced} of them traced"
    if len(report.targets) == 1:
        text += f", for {_target(report.targets[0])}"
    elif report.targets:
        told = (f"{_target(t)} in {count(t.files, 'file')}" for t in report.targets)
        text += f", each file for the JAX of its project: {'; '.join(told)}"
    notes = [t.notes for t in report.targets if t.notes]
    return text + (f" (passed over: {'; '.join(notes)})" if notes else "")


def _target(target: TargetUsed) -> str:
    beyond = f"judged as {target.judged_as}, the newest release known" if target.judged_as else ""
    remarks = "; ".join(filter(None, (target.origin, beyond)))
    start = f", only what changes from {target.from_jax} on" if target.from_jax else ""
    return f"JAX {target.target_jax}" + (f" ({remarks})" if remarks else "") + start


def skipped(report: Report) -> list[str]:
    """What was left out, by the reason for it."""
    by_reason: dict[str, list[str]] = {}
    for path, reason in sorted(report.summary.skipped.items()):
        by_reason.setdefault(reason, []).append(path)
    out = []
    for reason, paths in list(by_reason.items())[:MOST_REASONS]:
        out.append(f"skipped, {reason}: {_some(paths)}")
    if len(by_reason) > MOST_REASONS:
        rest = sum(len(paths) for paths in list(by_reason.values())[MOST_REASONS:])
        out.append(f"skipped for other reasons: {count(rest, 'path')} (`--format json` lists them)")
    return out


def _some(paths: list[str]) -> str:
    more = f" and {len(paths) - MOST_PATHS} more" if len(paths) > MOST_PATHS else ""
    return ", ".join(map(visible, paths[:MOST_PATHS])) + more
