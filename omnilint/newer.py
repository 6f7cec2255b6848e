"""Which Python a file needs that the one under omnilint can't parse: LibCST knows the grammars of newer ones too."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst as cst

Version = tuple[int, int]

# Without one of these in the text LibCST, which takes half a second to import, needn't be asked.
_SIGNS = re.compile(r"""\btype\s+\w+|\b(?:def|class)\s+\w+\s*\[|\b(?:[ft]r?|r[ft])["']""", re.IGNORECASE)


def explain(text: str, running: Version = sys.version_info[:2]) -> str | None:
    """What a file that can't be parsed asks for, if a newer Python can parse it; None where that isn't why."""
    if not _SIGNS.search(text):
        return None
    import libcst as cst

    try:
        found = [need for need in _needs(cst.parse_module(text)) if need[0] > running]
    except (cst.ParserSyntaxError, cst.CSTValidationError, ValueError, RecursionError, MemoryError):
        return None
    if not found:
        return None
    (major, minor), what = max(found)
    here, needed = f"{running[0]}.{running[1]}", f"{major}.{minor}"
    return f"{what} need Python {needed}, and omnilint runs under {here}; install omnilint for {needed} or newer"


def _needs(module: cst.Module) -> Iterator[tuple[Version, str]]:
    """The newer syntax in a module: the version that brought it, and what it is called."""
    import libcst as cst

    nodes: list[cst.CSTNode] = [module]
    for node in nodes:
        nodes.extend(node.children)
        match node:
            case cst.TypeParam(default=cst.BaseExpression()):
                yield (3, 13), "defaults of type parameters"  # https://peps.python.org/pep-0696/
            case cst.TypeAlias():
                yield (3, 12), "`type` statements"  # https://peps.python.org/pep-0695/
            case cst.TypeParameters():
                yield (3, 12), "type parameters"
            case cst.TemplatedString():
                yield (3, 14), "t-strings"  # https://peps.python.org/pep-0750/
            case cst.FormattedString() if any(_free(part, node.end, module) for part in node.parts):
                yield (3, 12), "quotes, backslashes, comments and new lines inside the braces of an f-string"


def _free(part: cst.CSTNode, quote: str, module: cst.Module) -> bool:
    """Whether a part of an f-string holds what only PEP 701 allows there (https://peps.python.org/pep-0701/)."""
    import libcst as cst

    if not isinstance(part, cst.FormattedStringExpression):
        return False
    code = module.code_for_node(part)
    inner = module.code_for_node(part.expression)
    return quote in code or "\\" in inner or "#" in code or (len(quote) == 1 and "\n" in code)
