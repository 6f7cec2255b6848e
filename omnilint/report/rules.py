"""What the formats say of a finding's rule: name, hazard and severity."""

from __future__ import annotations

from omnilint import knowledge
from omnilint.model import Finding, Severity


def name(finding: Finding) -> str:
    """The rule's name, as in `shape-maths-as-size`."""
    return knowledge.rule(finding.code).name


def hazard(finding: Finding) -> str:
    """The class of trouble, as in `SHAPE`."""
    return knowledge.rule(finding.code).hazard.value


def severity(finding: Finding) -> Severity:
    """The finding's own severity, or else that of its rule."""
    return finding.severity or knowledge.rule(finding.code).severity
