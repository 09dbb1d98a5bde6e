"""Fails if a small call takes more instructions than allowed.

callgrind counts the instructions of each call that small_call_counts.cc makes: for one build the same number every
time. Those of commit 2a41c65 stand in a table, beside the compiler that the numbers are of.

Usage: small_call_counts.py PROGRAM TABLE COMPILER [--write]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MOST = 1.03  # of the table's number
SKIPPED = 77


def read_table(path):
    """The compiler that the numbers are of, and the number of each call."""
    lines = [line.split(maxsplit=1) for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    table = dict(reversed(line) for line in lines)
    compiler = next((name for name, value in table.items() if value == "compiler"), "")
    return compiler, {name: int(value) for name, value in table.items() if value != "compiler"}


def count(program):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        watch = "measured_call"
        calls = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--toggle-collect={watch}", f"--dump-after={watch}",
             "--combine-dumps=no", f"--callgrind-out-file={out}", program],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ).stdout.split()
        # The last, which has no number, is of the end of the program.
        dumps = sorted(out.parent.glob("counts.*"), key=lambda path: int(path.suffix[1:]))
        totals = [int(re.search(r"^(?:totals|summary): (\d+)", path.read_text(), re.M)[1]) for path in dumps]
    if len(calls) != len(totals):
        sys.exit(f"{len(calls)} calls were made, {len(totals)} were counted")
    return dict(zip(calls, totals))


def main(program, table, compiler, *how):
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    if "--write" in how:
        lines = [f"{number:>6} {name}" for name, number in count(program).items()]
        print("\n".join([f"compiler {compiler}", *lines]))
        return 0
    of, expected = read_table(pathlib.Path(table))
    if compiler != of:
        print(f"skipped: this build is of {compiler}, the table of {of}")
        return SKIPPED
    failed = False
    counted = count(program)
    for name in expected.keys() | counted.keys():
        if name not in expected or name not in counted:
            print(f"{name} is not in {table}" if name in counted else f"{name} was not counted")
            failed = True
    for name, number in counted.items():
        if name not in expected:
            continue
        share = number / expected[name]
        more = share > MOST
        failed |= more
        print(f"{number:>6} {expected[name]:>6} {share:5.2f} {name}{'  MORE' if more else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
