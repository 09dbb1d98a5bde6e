"""Reads and writes tables of numbers that every build with one compiler reproduces. A table names its compiler."""

import pathlib
import sys

SKIPPED = 77


def write_table(compiler, numbers):
    print("\n".join([f"compiler {compiler}", *(f"{number:>7} {name}" for name, number in numbers.items())]))


def read_table(path, compiler):
    """Return the number of each name. If the table is for another compiler, end the process as a skipped test."""
    lines = [line.split(maxsplit=1) for line in pathlib.Path(path).read_text("utf-8").splitlines() if not line.startswith("#")]
    table = dict(reversed(line) for line in lines)
    of = next((name for name, value in table.items() if value == "compiler"), "")
    if compiler != of:
        print(f"skipped: this build is of {compiler}, the table of {of}")
        sys.exit(SKIPPED)
    return {name: int(value) for name, value in table.items() if value != "compiler"}
