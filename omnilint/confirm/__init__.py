"""Step 4: put each finding to the user's own JAX and say honestly what came of it. Runs user code."""

from omnilint.confirm.compiled import compile_findings
from omnilint.confirm.engine import confirm_findings, start_early
from omnilint.confirm.interpreter import ConfirmError
from omnilint.confirm.options import ConfirmOptions

__all__ = ["ConfirmError", "ConfirmOptions", "compile_findings", "confirm_findings", "start_early"]
