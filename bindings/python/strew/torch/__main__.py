"""``python -m strew.torch PROGRAM.py ARGUMENTS``: a program as it is, with Strew's kernels under PyTorch's operators."""

import os
import runpy
import sys

from . import counts, install

_USAGE = "usage: python -m strew.torch [--counts] [--memory all|results|torch] (PROGRAM.py | -m MODULE) [ARGUMENT ...]"


def main() -> None:
    """Run the program that the process's arguments name; with ``--counts``, say at the end what became of its calls."""
    arguments = sys.argv[1:]
    tell = arguments[:1] == ["--counts"]
    arguments = arguments[tell:]
    memory = "all"
    if arguments[:1] == ["--memory"] and len(arguments) > 1:
        memory, arguments = arguments[1], arguments[2:]
    module = arguments[:1] == ["-m"]
    arguments = arguments[module:]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(_USAGE)
    try:
        install(memory=memory)
    except ValueError as error:
        sys.exit(str(error))
    sys.argv = arguments
    try:
        if module:
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
            runpy.run_path(arguments[0], run_name="__main__")
    finally:
        if tell:
            for kernel, (taken, left, why) in counts().items():
                print(f"{kernel}: {taken} taken, {left} left {why or ''}".rstrip(), file=sys.stderr)


if __name__ == "__main__":
    main()
