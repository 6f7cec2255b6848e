"""`python -m omnilint`: the same program as the console script."""

from omnilint.cli import main

if __name__ == "__main__":
    main()
