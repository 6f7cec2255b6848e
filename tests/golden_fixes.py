"""Golden repairs: `fixtures/fixes/KIND/NAME/` holds what stood there, the patch, and what comes of it.

`python tests/golden_fixes.py` writes the patches and results of all of them anew; look at what git says then.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omnilint import config, pipeline
from omnilint.commands.fixing import patch
from omnilint.fixes.repair import Outcome, Repairs
from omnilint.model import Applicability, Report, Source

FIXES = Path(__file__).parent.parent / "fixtures" / "fixes"
UNSAFE = "unsafe"
DISPLAY = "display"


@dataclass(frozen=True)
class Golden:
    """One folder: `before.*`, `after.*` beside it and `fix.patch`; its name says what is special."""

    folder: Path

    @property
    def id(self) -> str:
        return str(self.folder.relative_to(FIXES))

    @property
    def kind(self) -> str:
        """`safe`, `unsafe` or `display`: the folder above."""
        return self.folder.parent.name

    @property
    def before(self) -> Path:
        return next(p for p in sorted(self.folder.iterdir()) if p.stem.startswith("before"))

    @property
    def after(self) -> Path:
        return self.folder / f"after{self.before.suffix}"

    @property
    def patch(self) -> Path:
        return self.folder / "fix.patch"


def goldens() -> list[Golden]:
    """All of them, by name."""
    return [Golden(p.parent) for p in sorted(FIXES.glob("*/*/before*"))]


def repair(file: Path, unsafe: bool) -> Outcome:
    """The repairs of a file, made in memory."""
    settings = config.load((str(file),), None)

    def check(edited: Mapping[str, bytes]) -> Report:
        return pipeline.check([str(file)], settings, edited=edited)

    def read(source: Source) -> bytes:
        return Path(source.file or source.path).read_bytes()

    return Repairs(check, read, unsafe).run()


def repaired(text: str, folder: Path, unsafe: bool = True) -> str:
    """A module's text after its repairs."""
    file = folder / "a.py"
    file.write_text(text)
    return next(iter(repair(file, unsafe).after.values()), file.read_bytes()).decode()


def loaded(text: str, name: str = "f") -> Any:
    """What a module binds to a name; the text is run."""
    names: dict[str, Any] = {"__name__": "made", "__file__": "made.py"}
    exec(compile(text, "made.py", "exec"), names)
    return names[name]


def result(golden: Golden) -> tuple[bytes, bytes]:
    """(what comes of it, the patch); of repairs that are only shown, what would come of them."""
    raw = golden.before.read_bytes()
    out = repair(golden.before, golden.kind == UNSAFE)
    after = next(iter(out.after.values()), raw)
    if golden.kind == DISPLAY:
        after = shown(out, raw)
    return after, b"".join(patch(golden.before.name, raw, after))


def shown(out: Outcome, raw: bytes) -> bytes:
    """What the repairs that are only shown would come to."""
    from omnilint.fixes.rewrite import edited

    for finding in out.report.findings:
        if finding.fix is not None and finding.fix.applicability is Applicability.DISPLAY:
            raw = edited(raw, out.report.sources[finding.place.path], finding.fix.edits)
            break
    return raw


def main() -> int:
    """Write the results and patches of all goldens."""
    for golden in goldens():
        after, diff = result(golden)
        if not diff:
            print("nothing comes of", golden.id)
        golden.after.write_bytes(after)
        golden.patch.write_bytes(diff)
    return 0


if __name__ == "__main__":
    sys.exit(main())
