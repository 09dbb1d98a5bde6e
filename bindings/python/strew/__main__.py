"""The command line program: ``python -m strew`` and the script ``strew``."""

import os
import sys

from . import _strew


def main() -> None:
    """Run the program with this process's arguments and exit with its code. ``playground`` is the package's own."""
    if sys.argv[1:2] == ["playground"]:
        from ._playground import main as run_playground

        sys.exit(run_playground(sys.argv[2:]))
    sys.exit(_strew._run_program([b"strew", *map(os.fsencode, sys.argv[1:])]))


if __name__ == "__main__":
    main()
