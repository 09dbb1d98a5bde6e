"""The command line program: ``python -m strew`` and the script ``strew``."""

import os
import pathlib
import sys


def main():
    """Become the program with this process's arguments."""
    program = pathlib.Path(__file__).with_name("bin") / "strew"
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(program, ["strew", *sys.argv[1:]])


if __name__ == "__main__":
    main()
