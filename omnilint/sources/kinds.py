"""Which files are looked at, as what, and which folders are left out by default."""

from __future__ import annotations

PYTHON, NOTEBOOK, TEXT = "python", "notebook", "text"

PYTHON_SUFFIXES = (".py", ".pyi", ".pyw")
NOTEBOOK_SUFFIXES = (".ipynb",)

# Where a dead switch such as JAX_OMNISTAGING can hide: everything that sets environment variables
# or passes flags, batch-system scripts included.
TEXT_SUFFIXES = (
    *(".sh", ".bash", ".zsh", ".ksh", ".fish", ".envrc", ".env"),
    *(".slurm", ".sbatch", ".pbs", ".qsub", ".lsf"),
    *(".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf"),
    *(".mk", ".dockerfile"),
)
TEXT_NAMES = ("dockerfile", "containerfile", "makefile", "gnumakefile", ".env", ".envrc")
TEXT_NAME_PREFIXES = ("dockerfile.", "containerfile.", "makefile.", ".env.")

# Name of a folder → whether its being left out is worth a word. Folders that only tools write to
# never hold anybody's code, so nobody misses them in a report.
EXCLUDED_FOLDERS = {
    **dict.fromkeys((".git", ".hg", ".svn", ".bzr", "__pycache__", ".ipynb_checkpoints"), False),
    **dict.fromkeys((".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".pytype"), False),
    **dict.fromkeys((".venv", "venv", ".tox", ".nox", ".eggs", ".direnv", "__pypackages__"), True),
    **dict.fromkeys(("node_modules", "site-packages", "build", "dist", "_build"), True),
}
# Common names of packages too: left out only when they are no package.
MAYBE_PACKAGES = frozenset({"build", "dist", "_build", "venv"})

LARGEST_PYTHON = 8 * 2**20
LARGEST_NOTEBOOK = 64 * 2**20
LARGEST_TEXT = 2**20


class Skip(Exception):
    """The file needs no check; the message says why."""


def kind_of(name: str) -> str | None:
    """What a file of this name is read as; None for a file that is not looked at."""
    lower = name.lower()
    if lower.endswith(PYTHON_SUFFIXES):
        return PYTHON
    if lower.endswith(NOTEBOOK_SUFFIXES):
        return NOTEBOOK
    if lower.endswith(TEXT_SUFFIXES) or lower in TEXT_NAMES or lower.startswith(TEXT_NAME_PREFIXES):
        return TEXT
    return None


def kind_of_script(first_line: bytes) -> str | None:
    """What a file without a telling name is, by its `#!` line."""
    if not first_line.startswith(b"#!"):
        return None
    words = first_line[2:].replace(b"/", b" ").split()
    if any(w.startswith((b"python", b"pypy")) for w in words):
        return PYTHON
    if any(w in {b"sh", b"bash", b"zsh", b"dash", b"ksh", b"fish"} for w in words):
        return TEXT
    return None
