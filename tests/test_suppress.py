"""Comments that silence a finding: their forms, and the statement that they speak for."""

from __future__ import annotations

import ast
import contextlib
import random
from pathlib import Path

import pytest

from omnilint.model import Finding, Place, Source
from omnilint.statements import Statements
from omnilint.suppress import Suppressions, find


def prefixes(text: str, kind: str = "python") -> list[tuple[str, ...]]:
    source = Source("a", text, kind)
    found = list(find(source))
    with contextlib.suppress(SyntaxError):
        assert list(find(source, Statements(ast.parse(text)))) == found, "statement by statement as in one go"
    return [s.prefixes for s in found]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# noqa", [()]),
        ("#noqa", [()]),
        ("# NoQA", [()]),
        ("# noqa: OMN101", [("OMN101",)]),
        ("# noqa:OMN101,OMN2", [("OMN101", "OMN2")]),
        ("# noqa: OMN101 OMN2", [("OMN101", "OMN2")]),
        ("# noqa : omn101", [("OMN101",)]),
        ("# noqa: E501, OMN101", [("OMN101",)]),
        ("# noqa: E501", []),
        ("# noqa: E501 OMN101", [("OMN101",)]),
        ("# noqabc", []),
        ("# type: ignore  # noqa: OMN5", [("OMN5",)]),
        ("# omnilint: ignore", [()]),
        ("# omnilint: ignore[OMN101] the shape is static here", [("OMN101",)]),
        ("# omnilint:ignore[OMN101, SHAPE]", [("OMN101", "OMN1")]),
        ("# omnilint: ignore[E501]", []),
        ("# omnilint: ignore[]", []),
        ("# omnilint: inputs(f32[3,4])", []),
        ("# nothing", []),
    ],
)
def test_forms(comment: str, expected: list[tuple[str, ...]]) -> None:
    assert prefixes(f"x = 1  {comment}\n") == expected


def test_a_comment_in_a_string_is_no_comment() -> None:
    assert prefixes('x = "# noqa"\ny = """\n# noqa\n"""\n') == []


@pytest.mark.parametrize(
    "text",
    [
        "x = ('a'  # noqa\n     '# noqa')  # noqa\n",
        "if a:\n    b = 1\nelse:  # noqa\n    c = '''\n# noqa\n'''  # noqa\n",
        "try:\n    a\nexcept (  # noqa\n    B,\n    C,  # noqa\n):\n    d  # noqa\n",
        "try:\n    a\nexcept b['''\n# noqa\n''']:  # noqa\n    c\n",
        "match a:\n    case '''\n# noqa\n''':  # noqa\n        b  # noqa\n",
        "@d  # noqa\n# noqa\ndef f(a,  # noqa\n      b='# noqa'):  # noqa\n    'a # noqa'\n    # noqa\n",
        "a = 1; b = '# noqa'  # noqa\n\x0c\nc = 1  # noqa\n",
        "a = 1 + \\\n  2  # noqa\nb = f'{a}# noqa'  # noqa\n",
        "class A:\n    a = [\n  1,  # noqa\n]  # noqa\n    if b: c = d  # noqa\n",
        "# omnilint: ignore-file\nx = '''\n# omnilint: ignore-file\n'''\r\ny = 1  # noqa\r\n",
    ],
)
def test_statement_by_statement_as_in_one_go(text: str) -> None:
    assert prefixes(text), "it says something"


def test_real_files_statement_by_statement_as_in_one_go() -> None:
    """Comments strewn over our own files: what lies between tokens is found, what lies in strings isn't."""
    chosen = random.Random(4410)
    files = sorted((Path(__file__).parent.parent / "omnilint").rglob("*.py"))
    for file in chosen.sample(files, 40):
        lines = file.read_text().split("\n")
        strings = [n for n, line in enumerate(lines) if '"' in line]
        for n in chosen.sample(strings, min(5, len(strings))):
            lines[n] += "  # noqa"
        prefixes("\n".join(lines))


def test_comments_of_configuration_text() -> None:
    assert prefixes("export A=1  # noqa: OMN406\n", "text") == [("OMN406",)]


def test_a_file_that_python_cannot_tokenize_keeps_what_was_read() -> None:
    assert prefixes("x = 1  # noqa\ny = (\n") == [()]


def silenced(text: str, line: int, code: str = "OMN101") -> bool:
    source = Source("a", text)
    finding = Finding(code, "m", Place("a", line, 1, line, 2))
    return Suppressions(source, Statements(ast.parse(text))).of(finding) is not None


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("x = f(\n  1,\n)  # noqa\n", 1, True),
        ("x = f(  # noqa\n  1,\n)\n", 2, True),
        ("x = 1  # noqa\ny = 2\n", 2, False),
        ("def f(\n  a,  # noqa\n):\n  return a\n", 1, True),
        ("def f(\n  a,  # noqa\n):\n  return a\n", 4, False),
        ("@d  # noqa\ndef f(a):\n  return a\n", 2, True),
        ("@d\ndef f(a):  # noqa\n  return a\n", 1, True),
        ("if (a and\n    b):  # noqa\n  c\n", 1, True),
        ("if a:  # noqa\n  b\n  c\n", 3, False),
        ("match a:  # noqa\n  case 1:\n    b\n", 3, False),
        ("x = 1  # noqa: OMN2\n", 1, False),
        ("x = 1  # noqa: OMN1\n", 1, True),
        ("# omnilint: ignore-file[OMN1]\n\nx = 1\n", 3, True),
        ("# omnilint: ignore-file[OMN2]\n\nx = 1\n", 3, False),
        ("# omnilint: ignore-file\n\nx = 1\n", 3, True),
        ("# omnilint: ignore\n\nx = 1\n", 3, False),
    ],
)
def test_a_comment_speaks_for_its_statement(text: str, line: int, expected: bool) -> None:
    assert silenced(text, line) is expected
