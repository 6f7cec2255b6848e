"""JSON Lines: each finding, error and finally the summary on a line of its own, for streams and `jq`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from omnilint.model import Report
from omnilint.report import json_format


def render(report: Report) -> str:
    """The lines; `type` says what a line holds, its other keys are those of the JSON document."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in _entries(report))


def _entries(report: Report) -> Iterator[dict[str, Any]]:
    for finding in report.findings:
        yield {"type": "finding", **json_format.finding(finding)}
    for problem in report.problems:
        yield {"type": "error", **json_format.problem(problem)}
    yield {"type": "summary", **json_format.summary(report)}
