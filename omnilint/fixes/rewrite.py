"""The bytes of a file with edits in them: encoding, BOM and line ends as they were, never what doesn't parse."""

from __future__ import annotations

import ast
import codecs
import contextlib
import io
import os
import stat
import tempfile
import tokenize
import warnings
from collections.abc import Sequence

from omnilint.fixes import notebook_file
from omnilint.fixes.text import Span, apply, fit, text_of
from omnilint.model import Edit, Problem, Source
from omnilint.sources.kinds import PYTHON
from omnilint.sources.notebook import Notebook
from omnilint.sources.read import decode


class Unfixable(Exception):
    """These edits can't be made in this file; the message says why."""


def spans_of(source: Source, edits: Sequence[Edit]) -> list[Span]:
    """The edits of one source as spans of its text; cells of a notebook counted back."""
    text = text_of(source)
    return list(dict.fromkeys(text.of_edit(_in_text(source, edit)) for edit in edits))


def _in_text(source: Source, edit: Edit) -> Edit:
    p = edit.place
    if p.cell is None or not isinstance(source, Notebook):
        return edit
    first = source.line_of(p.cell, p.line)
    place = type(p)(p.path, first, p.column, first + p.end_line - p.line, p.end_column)
    return Edit(place, edit.content)


def edited(raw: bytes, source: Source, edits: Sequence[Edit]) -> bytes:
    """The file's bytes with the edits made; raises Unfixable where that isn't possible or gives no valid file."""
    now = decode(raw, source.path, source.kind, source.file)
    if isinstance(now, Problem) or now.text != source.text:
        raise Unfixable("the file has changed since it was read; run again")
    spans = spans_of(source, edits)
    if isinstance(source, Notebook):
        spans = notebook_file.within_cells(source, spans)
    if not fit(spans):
        raise Unfixable("its edits overlap")
    new = apply(source.text, spans)
    if source.kind != "text":
        _parse(source.text, new)
    if isinstance(source, Notebook):
        out = notebook_file.edited(raw, source, spans)
    else:
        out = _encode(raw, source, new)
    after = decode(out, source.path, source.kind, source.file)
    if isinstance(after, Problem) or after.text != new:
        raise Unfixable("the result would not read back as it was meant")
    return out


def _parse(before: str, after: str) -> None:
    """Refuse a result that Python doesn't compile, or doesn't parse where it didn't compile the text before either."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        error = _error(after)
        if error is not None and _error(before) is None:
            raise Unfixable(f"the result would not be Python ({error})")
        try:
            ast.parse(after)
        except _ERRORS as error:
            raise Unfixable(f"the result would not be Python ({error})") from None


_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)


def _error(text: str) -> Exception | None:
    """Why a text, of a notebook maybe, doesn't compile: the parser alone lets repeated keywords pass."""
    try:
        compile(text, "<repaired>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except _ERRORS as error:
        return error
    return None


def _encode(raw: bytes, source: Source, text: str) -> bytes:
    encoding = "utf-8-sig" if raw.startswith(codecs.BOM_UTF8) else "utf-8"
    if source.kind == PYTHON:
        with contextlib.suppress(SyntaxError):
            encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        raise Unfixable(f"the result can't be written in {encoding}") from None


def write(file: str, raw: bytes) -> None:
    """Replace a file's content in one step, its mode and owner kept; a link's target is written, not the link.

    Raises OSError where the folder or the file can't be written.
    """
    target = os.path.realpath(file)
    was = os.stat(target)
    if not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", target)
    handle, name = tempfile.mkstemp(prefix=".omnilint-", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(raw)
            f.flush()
            os.fsync(f.fileno())
        with contextlib.suppress(OSError, AttributeError):  # only root may give files away
            os.chown(name, was.st_uid, was.st_gid)
        os.chmod(name, stat.S_IMODE(was.st_mode))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
