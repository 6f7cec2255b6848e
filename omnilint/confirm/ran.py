"""What a run of the user's own says of a finding: an exception that came from its line, or that none came."""

from __future__ import annotations

from typing import Any

from omnilint.confirm.families import escaped, first_words, fits
from omnilint.confirm.known import Known
from omnilint.confirm.places import Site, real_file
from omnilint.confirm.state import left_behind
from omnilint.model import Finding, Status, Verdict

Json = dict[str, Any]

# A traced value on these lines raises nothing; what they do wrong shows in results.
_SILENT = frozenset({"OMN512", "OMN513", "OMN514"})


def failed(finding: Finding, site: Site, known: Known) -> Verdict | None:
    """Confirmed, when the recorded run met an exception of the finding's at its place or a related one."""
    recording = known.recording
    for file in dict.fromkeys([real_file(site.module), *(s.file for s in site.related)]):
        for entry in recording.errors(file):
            link = _of_finding(finding, site, entry["error"])
            if link is not None:
                frames = link.get("frames") or []
                return Verdict(
                    Status.CONFIRMED,
                    exception=str(link["type"]),
                    message=first_words(str(link.get("message", ""))),
                    line=int(frames[-1][1]) if frames else None,
                    reached=True,
                    inputs=entry["command"],
                    reason=_by(entry),
                    source="run",
                )
    return None


def _of_finding(finding: Finding, site: Site, error: Json) -> Json | None:
    for link in [error, *error.get("chain", ())]:
        frames = link.get("frames") or []
        if not fits(finding.code, link):
            continue
        if frames and site.raised(frames[-1]):
            return dict(link)
        if finding.code.startswith("OMN3") and any(site.place.holds(f[0], f[1]) for f in frames):
            return dict(link)
        if finding.code.startswith("OMN2") and escaped(link) and f"{site.place.file}:{site.place.first}" in str(link):
            return dict(link)
    return None


def passed(finding: Finding, site: Site, known: Known) -> Verdict | None:
    """What the recorded run says when no exception came from the place: refuted, a tracer left, or not reached."""
    recording = known.recording
    seen, command = recording.seen(site.place.file, site.place.first)
    if not seen.runs:
        return None
    told: Json = {"inputs": command, "source": "run", "reached": True}
    if finding.code.startswith("OMN2") and seen.traced:
        left = left_behind({"left": recording.left(site.place.file)}, site.written)
        if left:
            reason = f"after the run {left['path']} still holds a tracer ({left['type']})"
            return Verdict(Status.CONFIRMED, reason=reason, **told)
    raising = finding.code.startswith(("OMN1", "OMN5")) and finding.code not in _SILENT
    if raising and seen.traced and seen.tracer and site.always:
        times = f"{seen.traced} time{'s' if seen.traced > 1 else ''}"
        reason = (
            f"the run passed the line {times} under tracing, with a traced value on it, and nothing went wrong there"
        )
        return Verdict(Status.REFUTED, reason=reason, **told)
    if not seen.traced:
        return Verdict(Status.INCONCLUSIVE, reason="the run passed the line, but nothing was tracing there", **told)
    return Verdict(Status.INCONCLUSIVE, reason="the run passed the line under tracing and raised nothing there", **told)


def _by(entry: Json) -> str | None:
    return f"met in that run, under jax {entry['jax']}" if entry.get("jax") else "met in that run"
