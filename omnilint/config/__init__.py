"""The settings of a run: defaults, configuration files, the command line, in this order."""

from omnilint.config.files import load, parse, passed_over
from omnilint.config.keys import KEYS
from omnilint.config.settings import Settings, override

__all__ = ["KEYS", "Settings", "load", "override", "parse", "passed_over"]
