"""The kinds of nodes that the interpreter reads: LibCST's, by their names and what they hold, without formatting.

They are classes of our own: importing LibCST takes as long as `ast.parse` takes for 40,000 lines, and a check that
edits nothing needs no more of it than the names.
"""

from omnilint.analysis.nodes.base import *  # noqa: F403
from omnilint.analysis.nodes.expressions import *  # noqa: F403
from omnilint.analysis.nodes.holds import HOLDS as HOLDS
from omnilint.analysis.nodes.signs import *  # noqa: F403
from omnilint.analysis.nodes.statements import *  # noqa: F403
