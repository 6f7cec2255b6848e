"""Names as people can read them: what a terminal would swallow or obey is written out."""

from __future__ import annotations

import re

# Controls, line and paragraph ends, and what Python makes of bytes in a name that are no text.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def visible(name: str) -> str:
    r"""The name with hidden characters as escapes: `\n`, `\x1b`, and `\xff` for a byte that is no text."""
    return _HIDDEN.sub(_escape, name)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of the file system, by os.fsdecode
        code -= 0xDC00
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
