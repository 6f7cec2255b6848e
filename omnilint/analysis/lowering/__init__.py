"""A statement of the standard library's `ast` as LibCST nodes that hold what has a meaning, and no formatting.

The interpreter reads nodes of LibCST's kinds (`analysis.nodes`). Parsing with LibCST costs about ten times what
`ast.parse` does, most of it for white space that no analysis looks at. The `ast` is there already, from the index: so
a node is made from it when a function is first entered. Such a node has the attributes listed in `FIELDS` and no
others; LibCST's own parser is for edits.
"""

from omnilint.analysis.lowering.fields import FIELDS, every, parts, same
from omnilint.analysis.lowering.lower import Lowering, module_of

__all__ = ["FIELDS", "Lowering", "every", "module_of", "parts", "same"]
