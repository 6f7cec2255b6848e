"""From a file's bytes to a Source: encodings by PEP 263, size limits, and one clear line when it can't be read."""

from __future__ import annotations

import io
import os
import re
import tokenize

from omnilint.model import Problem, Source
from omnilint.sources import notebook
from omnilint.sources.discover import Found, reason_of
from omnilint.sources.kinds import (
    LARGEST_NOTEBOOK,
    LARGEST_PYTHON,
    LARGEST_TEXT,
    NOTEBOOK,
    PYTHON,
    TEXT,
    Skip,
    kind_of,
    kind_of_script,
)

# What standard input is called when nobody names it.
STDIN = "<stdin>"
LIMITS = {PYTHON: LARGEST_PYTHON, NOTEBOOK: LARGEST_NOTEBOOK, TEXT: LARGEST_TEXT}


def read(found: Found) -> Source | Problem:
    """The file as a Source, or the Problem that kept it from being read.

    Raises Skip for a file that isn't worth a complaint: a huge or binary configuration file.
    """
    try:
        with open(found.file, "rb") as f:
            limit = LIMITS[found.kind]
            size = os.fstat(f.fileno()).st_size
            if size > limit:
                return _too_large(found.path, found.kind, size, limit)
            raw = f.read(limit + 1)
    except FileNotFoundError:
        return Problem("vanished", "the file went away while the run was on; run again", found.path)
    except OSError as error:
        return Problem("unreadable", f"can't be read ({reason_of(error)}); mend that or exclude the file", found.path)
    return decode(raw, found.path, found.kind, found.file)


def read_stdin(raw: bytes, filename: str | None) -> Source | Problem:
    """Standard input as a Source; `filename` says what kind of file it is and names it in findings."""
    path = filename or STDIN
    kind = PYTHON
    if filename:
        kind = kind_of(os.path.basename(filename)) or kind_of_script(raw.partition(b"\n")[0]) or PYTHON
    # A named buffer belongs to its folder: imports of its neighbours resolve as they do on disk.
    file = os.path.abspath(filename) if filename else None
    try:
        return decode(raw, path, kind, file)
    except Skip as skip:
        return Problem("unreadable", str(skip), path)


def decode(raw: bytes, path: str, kind: str, file: str | None) -> Source | Problem:
    """Bytes to text by the rules of the kind of file."""
    if kind == PYTHON:
        text = _python(raw, path)
    elif kind == NOTEBOOK:
        return notebook.read(raw, path, file)
    else:
        if b"\0" in raw:
            raise Skip("binary, not text")
        text = raw.decode("utf-8-sig", "replace")
    return text if isinstance(text, Problem) else Source(path, text, kind, file)


def _python(raw: bytes, path: str) -> str | Problem:
    encoding, complaint = "utf-8", ""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    except SyntaxError as error:  # an unknown encoding, or none and bytes that aren't UTF-8
        complaint = error.msg
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        name = "UTF-8" if encoding.startswith("utf-8") else encoding
        message = f"byte 0x{raw[error.start]:02x} is not {name}; save the file as UTF-8 or declare its encoding"
        return Problem("encoding", message, path, line)
    if complaint:
        return Problem("encoding", f"{complaint}; save the file as UTF-8 and say so", path, 1)
    return text


def _too_large(path: str, kind: str, size: int, limit: int) -> Problem:
    message = f"{size / 2**20:.1f} MiB, more than the {limit >> 20} MiB that are read; exclude it"
    if kind == TEXT:
        raise Skip(f"larger than {limit >> 20} MiB")
    return Problem("too-large", message, path)


_LINE = re.compile(r"\r\n|\r|\n")


def split_lines(text: str) -> list[str]:
    """The lines of a source as Python counts them (`str.splitlines` also splits at form feeds and more)."""
    return _LINE.split(text)
