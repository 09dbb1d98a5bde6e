"""Fails if the code of one of the ten largest object files grew by a third.

The time to compile a kernel grows with its bytes of code, which are reproducible for one compiler. The table names the
compiler. It omits unity files, because their contents depend on the number of groups. A file that is missing from
the table may be as large as the smallest file in the table.

Usage: code_bytes.py TABLE COMPILER [--write] OBJECT...
"""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from compiler_table import SKIPPED, read_table, write_table  # noqa: E402

MOST = 4 / 3  # times the table's number
LARGEST = 10


def measure(objects):
    """Return the bytes of code of the largest files."""
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
        write_table(compiler, measure(objects[1:]))
        return 0
    expected = read_table(table, compiler)
    failed = False
    for name, size in measure(objects).items():
        most = expected.get(name, min(expected.values())) * MOST
        failed |= size > most
        print(f"{size:>7} of at most {most:>9.0f} {name}{'  MORE' if size > most else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
