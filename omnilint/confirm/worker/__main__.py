"""Start the worker: `python <this folder>/__main__.py`, requests on stdin, replies on stdout.

The sibling modules are loaded as the package `_omnilint_worker`, so that neither omnilint has to be
installed in this interpreter nor can a module here shadow one of the user's.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys


def load() -> int:
    """Import the worker under its private name and serve until the host hangs up."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    spec = importlib.util.spec_from_file_location(
        "_omnilint_worker", os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["_omnilint_worker"] = package
    spec.loader.exec_module(package)
    server = importlib.import_module("_omnilint_worker.server")
    return int(server.main())


if __name__ == "__main__":
    sys.exit(load())
