"""``python -m strew.torch PROGRAM.py ARGUMENTS``: a program as it is, with Strew's kernels under PyTorch's operators."""

import argparse
import os
import runpy
import sys

from . import counts, install


def _installed() -> argparse.Namespace:
    """Installs what the process's arguments say; returns them."""
    parser = argparse.ArgumentParser(
        prog="python -m strew.torch",
        description="Runs a program as it is, with Strew's kernels under PyTorch's operators.",
        epilog="What the options mean: help(strew.torch.install).",
        allow_abbrev=False,
    )
    parser.add_argument("--counts", action="store_true", help="say at the end which calls Strew took, and why it left others")
    parser.add_argument("--operators", metavar="NAME,...", help="replace only these, as index_add,scatter_add")
    parser.add_argument("--threads", choices=("torch", "strew"), default="torch", help="whose threads run them")
    parser.add_argument(
        "--memory",
        choices=("all", "results", "torch"),
        default="all",
        help="which large tensors come from memory that Strew keeps",
    )
    parser.add_argument("--max-cached-bytes", metavar="BYTES", type=int, help="how many bytes in no use are kept at most")
    parser.add_argument("--min-elements", metavar="ELEMENTS", type=int, help="take calls from so many on; 1 is for tests")
    parser.add_argument("--no-compiled", dest="compiled", action="store_false", help="leave programs that are compiled alone")
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is the name of a module")
    parser.add_argument("program", metavar="PROGRAM", help="a file")
    own = parser.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="the program's own")
    own.required = False  # argparse of Python 3.12 and before says that they are
    given = parser.parse_args()
    if not given.module and not os.path.exists(given.program):
        parser.error(f"there is no file {given.program!r}")
    operators = None if given.operators is None else given.operators.split(",")
    try:
        install(
            operators,
            threads=given.threads,
            memory=given.memory,
            max_cached_bytes=given.max_cached_bytes,
            min_elements=given.min_elements,
            compiled=given.compiled,
        )
    except ValueError as error:
        parser.error(getattr(error, "text", str(error)))
    return given


def main() -> None:
    """Run the program that the process's arguments name; with ``--counts``, say at the end what became of its calls."""
    given = _installed()
    sys.argv = [given.program, *given.arguments]
    try:
        if given.module:
            runpy.run_module(given.program, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(given.program))
            runpy.run_path(given.program, run_name="__main__")
    finally:
        if given.counts:
            print(counts(), file=sys.stderr)


if __name__ == "__main__":
    main()
