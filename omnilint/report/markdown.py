"""A summary in Markdown, for a pull request or `$GITHUB_STEP_SUMMARY`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from omnilint.model import Finding, Report
from omnilint.report import matrix, rules, summary
from omnilint.report.text import message, position, proofs, repair

# GitHub refuses a step summary of more than 1 MiB; a row of this many characters at most fits well.
MOST_ROWS = 500
LONGEST_CELL = 400


def render(report: Report) -> str:
    """Counts by rule, a table of findings, what kept something from being checked, and what was read."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    first, *rest = summary.lines(report)
    yield "## omnilint"
    yield ""
    yield f"**{_text(first)}**"
    yield ""
    if report.findings:
        yield from _table(("Rule", "Hazard", "Findings"), _counts(report))
        yield from _table(
            ("Where", "Rule", "What", "What JAX says and what to do"), map(_row, report.findings[:MOST_ROWS])
        )
        if len(report.findings) > MOST_ROWS:
            yield f"… and {len(report.findings) - MOST_ROWS} more."
            yield ""
    if report.problems:
        yield "Not checked:"
        yield ""
        yield from (f"- {_text(str(problem))}" for problem in report.problems)
        yield ""
    heads = [heading for _, heading in matrix.columns(report)]
    if heads:
        compared = ((_code(position(f.place)), f.code, *words) for f, words in list(matrix.rows(report))[:MOST_ROWS])
        yield from _table(("Where", "Rule", *map(_text, heads)), compared)
    told = set(matrix.lines(report))
    yield from (f"{_text(line)}  " for line in rest if line not in told)


def _table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "| " + " | ".join("---" for _ in heads) + " |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def _counts(report: Report) -> Iterator[tuple[str, ...]]:
    counts = Counter((f.code, rules.name(f), rules.hazard(f)) for f in report.findings)
    for (code, name, hazard), n in sorted(counts.items()):
        yield f"{code} {name}", hazard, str(n)


def _row(finding: Finding) -> tuple[str, ...]:
    verdicts = "<br>".join(map(_text, [*proofs(finding), *repair(finding)]))
    return _code(position(finding.place)), f"{finding.code} {rules.name(finding)}", _text(message(finding)), verdicts


def _text(text: str) -> str:
    """Text that Markdown shows as it is; what stands between backticks stays code."""
    short = text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
    parts = " ".join(short.split()).split("`")
    for i in range(0, len(parts), 2):
        for mark in "\\*_<>[]":
            parts[i] = parts[i].replace(mark, "\\" + mark)
    if len(parts) % 2 == 0:  # a lone backtick
        parts[-2:] = [parts[-2] + "\\`" + parts[-1]]
    return "`".join(parts).replace("|", "\\|")


def _code(text: str) -> str:
    return "`" + text.replace("`", "'").replace("|", "\\|") + "`"
