"""Syntax of a newer Python than the one under omnilint: the message says so, and nothing else is taken for it."""

from __future__ import annotations

import ast
import sys

import pytest

from omnilint.model import Source
from omnilint.newer import explain
from omnilint.problems import of_parsing

NEWER = [
    pytest.param("type X = int\n", (3, 12), "`type` statements", id="an alias"),
    pytest.param("def f[T](x: T) -> T:\n    return x\n", (3, 12), "type parameters", id="a generic function"),
    pytest.param("class A[T]:\n    pass\n", (3, 12), "type parameters", id="a generic class"),
    pytest.param("class A[T = int]:\n    pass\n", (3, 13), "defaults of type parameters", id="a default"),
    pytest.param('x = f"{a["b"]}"\n', (3, 12), "quotes", id="the same quote"),
    pytest.param("x = f'a {'\\n'.join(a)}'\n", (3, 12), "quotes", id="a backslash"),
    pytest.param('x = f"{\n1}"\n', (3, 12), "quotes", id="a new line"),
    pytest.param('x = f"""{\n1  # why\n}"""\n', (3, 12), "quotes", id="a comment"),
    pytest.param('x = t"hello {1}"\n', (3, 14), "t-strings", id="a template"),
]


@pytest.mark.parametrize(("text", "version", "what"), NEWER)
def test_newer_syntax_is_told_with_what_to_do(text: str, version: tuple[int, int], what: str) -> None:
    older = (version[0], version[1] - 1)
    told = explain(text, older)
    assert told is not None
    assert told.startswith(what)
    assert f"need Python {version[0]}.{version[1]}, and omnilint runs under {older[0]}.{older[1]}" in told
    assert told.endswith(f"install omnilint for {version[0]}.{version[1]} or newer")
    assert explain(text, version) is None


@pytest.mark.parametrize(
    "text",
    [
        "def f[T](x: T) -> T:\n    return x +\n",
        "x = f'{a'\n",
        'print "type a"\n',
        "try:\n    type(x)\nexcept ValueError, e:\n    f(f'{e}')\n",
        "def f(x:\n",
        "x = (\n",
    ],
    ids=["newer, and wrong", "an f-string without its end", "Python 2", "an exception of Python 2", "half", "open"],
)
def test_what_is_wrong_under_every_python_stays_a_syntax_error(text: str) -> None:
    assert explain(text, (3, 11)) is None


@pytest.mark.parametrize(("text", "version", "what"), NEWER)
def test_this_python_agrees(text: str, version: tuple[int, int], what: str) -> None:
    """What is said of a version is what the Python that runs this test does."""
    if sys.version_info[:2] >= version:
        ast.parse(text)
        return
    with pytest.raises(SyntaxError) as raised:
        ast.parse(text)
    assert what in of_parsing(Source("a.py", text), raised.value).message
