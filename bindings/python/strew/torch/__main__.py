"""``python -m strew.torch PROGRAM.py ARGUMENTS``: a program as it is, with Strew's kernels under PyTorch's operators."""

import argparse
import os
import runpy
import sys

from . import counts, install


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m strew.torch",
        description="Runs a program as it is, with Strew's kernels under PyTorch's operators.",
        allow_abbrev=False,
    )
    parser.add_argument("--counts", action="store_true", help="say at the end which calls Strew took, and why it left others")
    parser.add_argument(
        "--memory",
        choices=("all", "results", "torch"),
        default="all",
        help="which large tensors come from memory that Strew keeps (see install)",
    )
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is the name of a module")
    parser.add_argument("program", metavar="PROGRAM", help="a file")
    parser.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="the program's own")
    given = parser.parse_args()
    if not given.module and not os.path.exists(given.program):
        parser.error(f"there is no file {given.program!r}")
    return given


def main() -> None:
    """Run the program that the process's arguments name; with ``--counts``, say at the end what became of its calls."""
    given = _arguments()
    install(memory=given.memory)
    sys.argv = [given.program, *given.arguments]
    try:
        if given.module:
            runpy.run_module(given.program, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(given.program))
            runpy.run_path(given.program, run_name="__main__")
    finally:
        if given.counts:
            for kernel, (taken, left, why) in counts().items():
                print(f"{kernel}: {taken} taken, {left} left {why or ''}".rstrip(), file=sys.stderr)


if __name__ == "__main__":
    main()
