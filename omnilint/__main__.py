"""`python -m omnilint`: the same program as the console script."""

import os
import sys

# `-m` puts the current directory first on the path, and a file there called click.py would be run:
# what is checked must never run, so the directory goes unless omnilint itself lives in it.
if sys.path and os.path.abspath(sys.path[0] or ".") == os.getcwd() != os.path.dirname(os.path.dirname(__file__)):
    del sys.path[0]

from omnilint.cli import main

if __name__ == "__main__":
    main()
