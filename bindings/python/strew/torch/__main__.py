"""The command ``python -m strew.torch PROGRAM.py ARGUMENTS`` runs an unchanged program with Strew's kernels."""

import argparse
import importlib.util
import os
import runpy
import sys

from . import counts, install


def _has_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False


def _installed() -> argparse.Namespace:
    """Install Strew's kernels with the options on the command line, and return the parsed arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m strew.torch",
        description="Runs an unchanged program with Strew's kernels under PyTorch's operators.",
        epilog="help(strew.torch.install) describes the options.",
        allow_abbrev=False,
    )
    parser.add_argument("--counts", action="store_true", help="print the counts of calls at the end")
    parser.add_argument("--operators", metavar="NAME,...", help="replace only these operators, such as index_add,scatter_add")
    parser.add_argument("--threads", choices=("torch", "strew"), default="torch", help="whose threads run the kernels")
    parser.add_argument(
        "--memory",
        choices=("all", "results", "torch"),
        default="all",
        help="which large tensors use memory that Strew caches",
    )
    parser.add_argument("--max-cached-bytes", metavar="BYTES", type=int, help="largest number of unused bytes to cache")
    parser.add_argument("--min-elements", metavar="ELEMENTS", type=int, help="smallest call to handle; 1 for tests")
    parser.add_argument("--no-compiled", dest="compiled", action="store_false", help="do not change compiled programs")
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is the name of a module")
    parser.add_argument("program", metavar="PROGRAM", help="the program's file")
    own = parser.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="the program's arguments")
    own.required = False  # argparse in Python 3.12 and earlier marks it as required
    given = parser.parse_args()
    if not (_has_module(given.program) if given.module else os.path.exists(given.program)):
        parser.error(f"there is no {'module' if given.module else 'file'} {given.program!r}")
    operators = None if given.operators is None else given.operators.split(",")
    try:
        install(
            operators, threads=given.threads, memory=given.memory, max_cached_bytes=given.max_cached_bytes,
            min_elements=given.min_elements, compiled=given.compiled,
        )
    except (ImportError, ValueError) as error:
        parser.error(getattr(error, "text", str(error)))
    return given


def main() -> None:
    """Run the program named by the process's arguments; with ``--counts``, print the counts of its calls at the end."""
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
