"""Our own mistakes: a repair that fails its proof, kept with all that a report of it needs."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from omnilint.confirm.recording import FOLDER
from omnilint.model import Finding


def keep(finding: Finding, before: Mapping[str, str], after: Mapping[str, str], why: str) -> str:
    """A folder with the texts, the repair and what went wrong, as people see it; the reason when there can't be one.

    `before` and `after` are texts by path; `before` may lack what nothing was repaired in so far.
    """
    assert finding.fix is not None
    edits = [dataclasses.asdict(e) for e in finding.fix.edits]
    told = {"code": finding.code, "why": why, "fix": finding.fix.description, "edits": edits}
    files = {"defect.json": json.dumps(told, indent=1)}
    for name, texts in (("before", before), ("after", after)):
        files |= {f"{name}-{os.path.basename(path)}": texts[path] for path in after if path in texts}
    content = json.dumps(files, sort_keys=True).encode()
    folder = Path.cwd() / FOLDER / "repairs" / f"{finding.code}-{hashlib.sha256(content).hexdigest()[:8]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder.parent.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    except OSError as error:
        return f"(no bundle: {folder} can't be written, {error.strerror})"
    return os.path.relpath(folder)
