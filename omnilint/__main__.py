"""`python -m omnilint`: the same program as the console script."""

import os
import sys

# `-m` puts the current directory first on the path, and a file there called click.py would be run:
# what is checked must never run, so the directory goes unless omnilint itself lives in it.
if not sys.flags.safe_path and sys.path[:1] != [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]:
    del sys.path[:1]

from omnilint.cli import main

if __name__ == "__main__":
    main()
