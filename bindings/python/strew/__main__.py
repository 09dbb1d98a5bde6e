"""The command line program: ``python -m strew`` and the script ``strew``."""

import os
import pathlib
import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Become the program with this process's arguments."""
    program = pathlib.Path(__file__).with_name("bin") / "strew"
    sys.stdout.flush()
    sys.stderr.flush()
    # Python ignores SIGPIPE, and a process keeps that when it becomes another program.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(program, ["strew", *sys.argv[1:]])


if __name__ == "__main__":
    main()
