"""Fails if the code of one of the ten largest object files grew by a third.

The time to compile a kernel follows its bytes of code, which each build of one compiler reproduces. The table names
the compiler. It omits groups of files that are compiled together, since their contents depend on the number of groups.
A file that is not in the table may be as large as the smallest file in it.

Usage: code_bytes.py TABLE COMPILER [--write] OBJECT...
"""

import pathlib
import re
import shutil
import subprocess
import sys

MOST = 4 / 3  # of the table's number
LARGEST = 10
SKIPPED = 77


def read_table(path):
    """The compiler that the numbers are of, and the number of each file."""
    lines = [line.split(maxsplit=1) for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    table = dict(reversed(line) for line in lines)
    compiler = next((name for name, value in table.items() if value == "compiler"), "")
    return compiler, {name: int(value) for name, value in table.items() if value != "compiler"}


def measure(objects):
    """The bytes of code of the largest files."""
    alone = [path for path in objects if path.endswith(".o") and "/Unity/" not in path]
    report = subprocess.run(["size", "-A", "-d", *alone], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for part in report.split("\n\n"):
        if sections := re.findall(r"^\.text\S*\s+(\d+)", part, re.M):
            path = pathlib.Path(part.split(maxsplit=1)[0])
            found[f"{path.parent.name}/{path.name.removesuffix('.o')}"] = sum(map(int, sections))
    return dict(sorted(found.items(), key=lambda each: -each[1])[:LARGEST])


def main(table, compiler, *objects):
    if shutil.which("size") is None:
        print("skipped: size (binutils) is not installed")
        return SKIPPED
    if objects[0] == "--write":
        print("\n".join([f"compiler {compiler}", *(f"{size:>7} {name}" for name, size in measure(objects[1:]).items())]))
        return 0
    of, expected = read_table(pathlib.Path(table))
    if compiler != of:
        print(f"skipped: this build is of {compiler}, the table of {of}")
        return SKIPPED
    failed = False
    for name, size in measure(objects).items():
        most = expected.get(name, min(expected.values())) * MOST
        failed |= size > most
        print(f"{size:>7} of at most {most:>9.0f} {name}{'  MORE' if size > most else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
