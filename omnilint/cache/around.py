"""Files that have a say in what modules mean though no module imports them: test settings, conftest files, packages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from omnilint.rounding.x64 import SETTINGS, workflow_files

# Above a file, so many folders are looked at.
LEVELS = 10
NAMES = ("__init__.py", "conftest.py", *SETTINGS, "setup.py", ".git")


def files_around(folders: Iterable[str]) -> Iterator[str]:
    """What there is of these in the folders and above them."""
    above: set[str] = set()
    for folder in folders:
        for _ in range(LEVELS):
            if folder in above:
                break
            above.add(folder)
            folder = os.path.dirname(folder)
    for folder in sorted(above):
        for name in NAMES:
            file = os.path.join(folder, name)
            if os.path.exists(file):
                yield file
        yield from workflow_files(folder)
