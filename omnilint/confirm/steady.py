"""Verdicts without what is different in each run: two runs of the same code must say the same."""

from __future__ import annotations

import re
from dataclasses import replace

from omnilint.model import Finding, Verdict

_ADDRESS = re.compile(r"( at)? 0x[0-9a-fA-F]{6,16}\b|\bid=\d{9,20}\b")


def steady(finding: Finding) -> Finding:
    """The finding, its verdicts without addresses in memory."""
    return replace(finding, verdicts=tuple(_steady(v) for v in finding.verdicts))


def _steady(v: Verdict) -> Verdict:
    return replace(v, message=_plain(v.message), reason=_plain(v.reason), inputs=_plain(v.inputs))


def _plain(text: str | None) -> str | None:
    return None if text is None else _ADDRESS.sub("", text)
