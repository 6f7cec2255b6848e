"""Where the text comes from: paths, ignore files, encodings, notebooks and standard input."""

from omnilint.sources.discover import EXCLUDED, Discovery, Found, discover, excluded, shown
from omnilint.sources.read import STDIN, read, read_stdin

__all__ = ["EXCLUDED", "STDIN", "Discovery", "Found", "discover", "excluded", "read", "read_stdin", "shown"]
