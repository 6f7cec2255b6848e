"""Every example on a rule's page is executed: by omnilint, and by real JAX where there is one.

A fence's info string says what a case is for:
    ```python report                    omnilint reports exactly the lines marked `# expect: CODE`
    ```python report raises=ValueError  … and JAX raises that when the case runs (no `raises`: it must run clean)
    ```python silent                    omnilint says nothing, and JAX is content
    ```python miss                      wrong, and omnilint says nothing: fails as soon as that is mended
    ```python problem kind=syntax       omnilint can't read it and says so
    ```python confirm                   omnilint says nothing without --confirm; JAX as for report
`nojax` keeps a case from JAX, `jax=0.10` from other releases; `file=Dockerfile` names the file it is checked as.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from omnilint import knowledge
from omnilint.model import Severity

FENCE = re.compile(r"^```(\w+)((?: [\w=.\-]+)+)\n(.*?)^```$", re.M | re.S)
EXPECT = re.compile(r"#\s*expect:\s*([A-Z0-9, ]+)")
SECTIONS = ["What it does", "Why it is wrong", "Example", "Use instead", "When it stays silent", "Cases"]
KINDS = {"report", "silent", "miss", "problem", "confirm"}
WITHOUT_REPORT = {"OMN903"}  # needs more code than a page wants to hold
PAGES_SPEAK_OF = "0.10."
ANSWERS_IN_TIME = 600


@dataclass(frozen=True)
class Case:
    """One fenced example of a page."""

    id: str
    page: str
    language: str
    kind: str
    code: str
    options: dict[str, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        return self.options.get("file", "case.py")

    @property
    def expected(self) -> list[tuple[int, str]]:
        """(line, code) of every marked line."""
        found = []
        for number, line in enumerate(self.code.splitlines(), 1):
            if match := EXPECT.search(line):
                found += [(number, code) for code in re.findall(r"OMN\d{3}", match[1])]
        return found


def cases_of(code: str) -> list[Case]:
    """All executable fences of the page of `code`."""
    out = []
    for number, (language, words, body) in enumerate(FENCE.findall(knowledge.rule(code).page), 1):
        kind, *rest = words.split()
        options = dict(word.partition("=")[::2] for word in rest)
        out.append(Case(f"{code}-{kind}-{number}", code, language, kind, body, options))
    return out


CASES = [case for code in knowledge.codes() for case in cases_of(code)]
PYTHON = [
    case for case in CASES if case.language == "python" and "nojax" not in case.options and case.kind != "problem"
]


@pytest.mark.parametrize("code", knowledge.codes())
def test_a_page_is_complete(code: str) -> None:
    rule = knowledge.rule(code)
    assert rule.code == code
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.fix in ("none", "safe", "unsafe", "display", "safe or unsafe", "unsafe or display")
    assert rule.summary
    assert len(rule.summary) < 100
    assert all(reference.startswith("https://") for reference in rule.references)
    assert re.findall(r"^## (.+)$", rule.page, re.M) == SECTIONS
    assert rule.page.startswith(f"# {code} {rule.name}\n")


@pytest.mark.parametrize("code", knowledge.codes())
def test_a_page_shows_what_is_reported_what_is_not_and_what_is_missed(code: str) -> None:
    kinds = {case.kind for case in cases_of(code)}
    assert kinds <= KINDS
    assert kinds & {"report", "problem", "confirm"} or code in WITHOUT_REPORT
    assert "silent" in kinds
    assert "miss" in kinds or knowledge.rule(code).hazard in ("XLA", "META")


def test_names_and_codes_are_unique_and_codes_carry_their_hazard() -> None:
    rules = knowledge.rules()
    assert len({rule.name for rule in rules.values()}) == len(rules)
    first = {"1": "SHAPE", "2": "STATE", "3": "TOL", "4": "INTERNAL", "5": "CONC", "6": "XLA", "9": "META"}
    assert all(rule.hazard == first[code[3]] for code, rule in rules.items())


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """What JAX said of every Python case, from one process."""
    pytest.importorskip("jax", reason="the pages' cases are executed under real JAX")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("run_page_cases.py"))],
        input=json.dumps([{"id": case.id, "code": case.code} for case in PYTHON]),
        capture_output=True,
        text=True,
        timeout=ANSWERS_IN_TIME,
        env={"JAX_PLATFORMS": "cpu", "PATH": "", "HOME": "/nonexistent"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize("case", PYTHON, ids=lambda case: case.id)
def test_jax_says_what_the_page_says(case: Case, answers: dict[str, Any]) -> None:
    version, got = answers["version"], answers[case.id]
    if not version.startswith(case.options.get("jax", "")):
        pytest.skip(f"the page speaks of JAX {case.options['jax']}, installed is {version}")
    wanted = case.options.get("raises")
    if version.startswith(PAGES_SPEAK_OF) or wanted is None:
        assert got["exception"] == wanted, got["message"]
    else:  # other releases may name the same failure differently
        assert got["exception"] is not None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_omnilint_says_what_the_page_says(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from omnilint.config import Settings
    from omnilint.pipeline import check

    (tmp_path / case.file).write_text(case.code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    rule = knowledge.rule(case.page)
    report = check([case.file], Settings(select=() if rule.default else ("ALL",)))
    found = sorted({(finding.place.line, finding.code) for finding in report.findings})
    severity = Severity(case.options.get("severity", rule.severity))
    assert {f.severity or rule.severity for f in report.findings if f.code == rule.code} <= {severity}
    if case.kind == "report":
        assert found == case.expected
        assert case.expected
    elif case.kind in ("silent", "confirm"):
        assert found == []
        assert not report.problems
    elif case.kind == "miss":
        assert found == [], "this miss is mended: make it a report case"
    else:
        assert [problem.kind for problem in report.problems] == [case.options["kind"]]
