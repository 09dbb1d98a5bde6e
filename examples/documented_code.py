"""Fails unless every line of C++ shown in these documents stands in an example, which is built and run."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def key(line):
    """A line without its comment and spacing."""
    return re.sub(r"\s+", "", line.split("//")[0])


known = {key(line) for path in (root / "examples").glob("*.cc") for line in path.read_text().splitlines()}
missing = [
    f"{document}: {line}"
    for document in ("README.md", "docs/cpp.md", "docs/cuda.md")
    for block in re.findall(r"```cpp\n(.*?)```", (root / document).read_text(), re.S)
    for line in block.splitlines()
    if key(line) not in known
]
print("\n".join(missing) or "every line shown is run")
sys.exit(bool(missing))
