"""Import the user's module under the name it has for its siblings."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from .errors import real


def module(spec: Any) -> Any:
    """The module that `spec` names (`name`, `file`, `paths` for sys.path), freshly imported."""
    for folder in reversed(spec.get("paths", ())):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    name = spec["name"]
    sys.argv = [spec["file"]]
    loaded = importlib.import_module(name)
    found = getattr(loaded, "__file__", None)
    if found is None or real(found) != real(spec["file"]):
        # Another module of that name was first (an installed copy, a library): load the file itself.
        return _by_file(name, spec["file"])
    return loaded


def _by_file(name: str, file: str) -> Any:
    import importlib.util

    parent = name.rpartition(".")[0]
    given = importlib.util.spec_from_file_location(name, file)
    if given is None or given.loader is None:
        raise ImportError("cannot load " + file, name=name, path=file)
    loaded = importlib.util.module_from_spec(given)
    if parent:
        importlib.import_module(parent)
    sys.modules[name] = loaded
    given.loader.exec_module(loaded)
    return loaded
