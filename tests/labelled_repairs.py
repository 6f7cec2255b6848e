"""How many findings in the labelled cases have a repair, by hazard: safe, unsafe, only shown.

    python tests/labelled_repairs.py

Each case is checked by itself, as its author would. Not a test: the figures are those of docs/repairs.md.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from omnilint import knowledge
from omnilint.config import Settings
from omnilint.pipeline import check

CASES = Path(__file__).parent.parent / "fixtures" / "cases" / "hazards"


def main() -> None:
    found: Counter[str] = Counter()
    repaired: dict[str, Counter[str]] = {}
    for case in sorted(p.parent for p in CASES.glob("*/meta.json")):
        for finding in check([str(case)], Settings()).findings:
            hazard = knowledge.rule(finding.code).hazard.value
            found[hazard] += 1
            if finding.fix is not None:
                repaired.setdefault(hazard, Counter())[finding.fix.applicability.value] += 1
    for hazard, number in sorted(found.items()):
        kinds = repaired.get(hazard, Counter[str]())
        of_kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
        print(f"{hazard:8} {number:4} findings, {kinds.total():4} with a repair{f': {of_kinds}' if of_kinds else ''}")


if __name__ == "__main__":
    main()
