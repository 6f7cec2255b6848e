"""Which comments would be lost where a text is replaced: people wrote them, and no repair knows what they are about."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable

from omnilint.fixes.text import Span, Text

_SIGN = re.compile(r"#[^\r\n]*")


def lost(text: Text, spans: Iterable[Span]) -> str | None:
    """A comment of a Python text that stands in what these spans replace, and in nothing that they write.

    What is said of a statement on its own last line goes with it.
    """
    spans = list(spans)
    if not any("#" in text.text[s.start : s.end] for s in spans):
        return None
    found = Counter(
        text.text[start:end].rstrip()
        for start, end in _comments(text)
        for s in spans
        if s.start < end and start < s.end and not _goes_along(text, s, end)
    )
    written = "\n".join(s.content for s in spans)
    return next((comment for comment, times in found.items() if written.count(comment) < times), None)


def _goes_along(text: Text, span: Span, end: int) -> bool:
    """Whether a comment that ends at `end` stands on the last of the whole lines that are taken out."""
    lines = not span.content and text.whole_lines(span.start, max(span.start, span.end - 1)) == (span.start, span.end)
    return lines and text.text[end : span.end].strip("\r\n") == "" and text.text[span.start : end].lstrip()[:1] != "#"


def _comments(text: Text) -> list[tuple[int, int]]:
    """Where comments begin and end; where that can't be told, everything behind a number sign is one."""
    source = io.StringIO(text.text, newline="")
    try:
        return [
            (text.starts[t.start[0] - 1] + t.start[1], text.starts[t.end[0] - 1] + t.end[1])
            for t in tokenize.generate_tokens(source.readline)
            if t.type == tokenize.COMMENT
        ]
    except (tokenize.TokenError, SyntaxError, IndexError):
        return [m.span() for m in _SIGN.finditer(text.text)]
