"""Where the text comes from: paths, ignore files, encodings, notebooks and standard input."""

from omnilint.sources.discover import Discovery, Found, discover
from omnilint.sources.read import read, read_stdin

__all__ = ["Discovery", "Found", "discover", "read", "read_stdin"]
