"""The arguments that a user gives for a function: a comment beside it, or the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping

from omnilint.confirm.interpreter import ConfirmError
from omnilint.confirm.specs import Spec, parse
from omnilint.index.module import FunctionNode, ModuleIndex


class HintError(Exception):
    """Inputs of the user's that can't be read; the message says where and what is wrong."""


_HINT = re.compile(r"#\s*omnilint:\s*inputs\((.*)\)\s*$")


def hint(
    module: ModuleIndex, node: FunctionNode, qualname: str = "", settings: Mapping[str, str] | None = None
) -> dict[str, Spec] | None:
    """The arguments that a comment `# omnilint: inputs(f32[3,4], n=4)` on or above the def or a decorator asks for.

    Without a comment, those that `settings` have for the function's dotted name. Raises HintError when
    they can't be read.
    """
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    for number in range(node.lineno, first - 2, -1):
        found = _HINT.search(module.lines[number - 1]) if 0 < number <= len(module.lines) else None
        if found:
            return _bind(found[1], node, f"{module.path}:{number}")
    text = (settings or {}).get(f"{module.name}.{qualname}")
    return None if text is None else _bind(text, node, f"inputs of {module.name}.{qualname} in the configuration")


def _bind(text: str, node: FunctionNode, where: str) -> dict[str, Spec]:
    a = node.args
    names = [p.arg for p in (*a.posonlyargs, *a.args) if p.arg not in ("self", "cls")]
    allowed = {*names, *(p.arg for p in a.kwonlyargs)}
    given: dict[str, Spec] = {}
    for part in _split(text):
        try:
            name, spec = parse(part)
        except ConfirmError as e:
            raise HintError(f"{where}: {e}".replace("--input", "inputs:")) from None
        left = [n for n in names if n not in given]
        if name is None and not left:
            raise HintError(f"{where}: {node.name} takes {len(names)} argument(s) only")
        if name is not None and name not in allowed and a.kwarg is None:
            raise HintError(f"{where}: {node.name} has no parameter {name!r}")
        given[name if name is not None else left[0]] = spec
    return given


def _split(text: str) -> list[str]:
    """Cut at commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p for p in (*parts, text[start:]) if p.strip()]
