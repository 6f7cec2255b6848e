"""The verdict on an option of `jax.config`, as `jax.config.update("…")` names it."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache

from omnilint import knowledge
from omnilint.api import history
from omnilint.api.judge import REMOVED, UNKNOWN, Verdict
from omnilint.api.nearest import nearest
from omnilint.index.module import ModuleIndex
from omnilint.index.project import Project

_PREFIX = "jax_"
# Packages that define no options of JAX's configuration.
_QUIET = {"jax", "jaxlib", "numpy", "scipy", "ml_dtypes"}
# The switch of omnistaging, which is reported as such wherever it stands.
DEAD_OPTION = re.compile(r"jax_omnistaging(=\w+)?")


@cache
def _others() -> frozenset[str]:
    """Options of JAX without its prefix, which the history doesn't hold."""
    return frozenset(knowledge.table("internal")["options"]["others"])


def judge_option(name: str, indices: Sequence[int]) -> Verdict | None:
    """The verdict on an option in a target; None for one that all of its releases have, or that isn't known well."""
    if name in _others():
        return None
    there = [history.option_exists(name, i) for i in indices]
    if all(there):
        return None
    if there[0] is None:
        return _unknown(name, indices[-1])
    releases = history.releases()
    index = next(i for i, t in zip(indices, there, strict=True) if not t)
    before = [i for i in range(index) if history.option_exists(name, i)]
    full, shown = f"jax.config.{name}", f"jax.config option `{name}`"
    if before:
        gone = releases[before[-1] + 1]
        return Verdict(REMOVED, full, 1, f"{shown} was removed in JAX {gone}", None, None, gone)
    came = next(r for i, r in enumerate(releases) if history.option_exists(name, i))
    return Verdict(UNKNOWN, full, 1, f"{shown} isn't in JAX {releases[index]}: it came with JAX {came}", None, came)


def _unknown(name: str, index: int) -> Verdict:
    """The verdict on an option that no release had."""
    known = [o for o in history.options() if history.option_exists(o, index)]
    close = _PREFIX + name if _PREFIX + name in known else nearest(name, known)
    hint = f"; did you mean `{close}`?" if close else ""
    if "omnistaging" in name:
        close, hint = None, "; omnistaging is always on since JAX 0.2.12: drop it"
    return Verdict(UNKNOWN, f"jax.config.{name}", 1, f"JAX has no option `{name}` of jax.config{hint}", close)


def defines(module: ModuleIndex, project: Project | None, name: str) -> bool:
    """Whether a module, or one of the project that it imports, defines an option of its own by this name."""
    pattern = re.compile(rf"(?i)(?:define_\w+|add_option)\(\s*(?:name\s*=\s*)?[\"']{re.escape(name)}[\"']")
    imported = {n for i in module.imports.values() for n in (i, i.rpartition(".")[0]) if n}
    others = [project.find(module, n) for n in sorted(imported)] if project is not None else []
    return any(pattern.search(m.source.text) for m in [module, *others] if m is not None)


def may_be_defined(module: ModuleIndex, name: str) -> bool:
    """Whether an option of which JAX has none may be defined by another package that a module imports.

    Of options without JAX's prefix the history doesn't hold all that JAX has.
    """
    return not name.startswith(_PREFIX) or bool(module.roots - _QUIET - sys.stdlib_module_names)
