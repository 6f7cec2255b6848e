"""Python imports this at its start when the folder is on PYTHONPATH: it starts the recorder."""

import os
import sys


def _start() -> None:
    import importlib
    import importlib.util

    here = os.path.dirname(os.path.abspath(__file__))
    worker = os.path.dirname(here)
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    spec = importlib.util.spec_from_file_location(
        "_omnilint_worker", os.path.join(worker, "__init__.py"), submodule_search_locations=[worker]
    )
    package = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules["_omnilint_worker"] = package
    spec.loader.exec_module(package)  # type: ignore[union-attr]
    importlib.import_module("_omnilint_worker.record").install(os.environ["OMNILINT_RECORD"])


try:
    if os.environ.get("OMNILINT_RECORD"):
        _start()
except Exception as error:
    sys.stderr.write(f"omnilint record: nothing is recorded in this process ({type(error).__name__}: {error})\n")

# The environment's own sitecustomize, which this one stands in front of.
_this = sys.modules.pop("sitecustomize")
try:
    import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
except ImportError:
    pass
finally:
    sys.modules.setdefault("sitecustomize", _this)  # Python looks for it when this import ends
