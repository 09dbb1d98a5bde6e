"""The command line program: ``python -m strew`` and the script ``strew``."""

import os
import sys

from . import _strew


def main() -> None:
    """Run the program with this process's arguments and exit with its code."""
    sys.exit(_strew._run_program([b"strew", *map(os.fsencode, sys.argv[1:])]))


if __name__ == "__main__":
    main()
