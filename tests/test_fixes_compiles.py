"""No repair is written that Python can't compile, though its parser may take it."""

from __future__ import annotations

import pytest

from omnilint.fixes.rewrite import Unfixable, edited
from omnilint.model import Edit, Place, Source


def made(text: str, content: str) -> bytes:
    source = Source("a.py", text)
    return edited(text.encode(), source, [Edit(Place("a.py", 1, 5, 1, 5), content)])


def test_a_repeated_keyword_is_not_written() -> None:
    with pytest.raises(Unfixable, match=r"would not be Python \(keyword argument repeated"):
        made("f(a,b=1)\n", "b=2, ")


def test_what_did_not_compile_before_need_not_after() -> None:
    text = "f(a,b=1)\nreturn 1\n"
    assert made(text, "c=2, ") == b"f(a,c=2, b=1)\nreturn 1\n"
    with pytest.raises(Unfixable, match="would not be Python"):
        made(text, ")")
