"""Step 4: put each finding to the user's own JAX and say honestly what came of it. Runs user code."""

from omnilint.confirm.engine import ConfirmOptions, confirm_findings
from omnilint.confirm.interpreter import ConfirmError

__all__ = ["ConfirmError", "ConfirmOptions", "confirm_findings"]
