"""Fails if a small call takes more instructions than allowed.

callgrind counts the instructions of each call in small_call_counts.cc; the counts of one build are reproducible. A table
has the allowed counts, and names their compiler.

Usage: small_call_counts.py PROGRAM TABLE COMPILER [--write]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from compiler_table import SKIPPED, read_table, write_table  # noqa: E402

MOST = 1.03  # times the table's number


def count(program):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        watch = "measured_call"
        calls = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--toggle-collect={watch}", f"--dump-after={watch}",
             "--combine-dumps=no", f"--callgrind-out-file={out}", program],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # Else a measured call could be the first to call a function of another library, and would look it up.
            env=dict(os.environ, LD_BIND_NOW="1"),
        ).stdout.split()
        # The last file, without a number, is for the end of the program.
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
        write_table(compiler, count(program))
        return 0
    expected = read_table(table, compiler)
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
