"""Fails where a file includes what its room must not see, or has more than 400 lines.

Usage: include_rule.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

FOLDERS = ["include", "src", "apps", "bindings", "examples", "tests", "bench", "fuzz", "cmake", "scripts"]
SUFFIXES = {".h", ".cc", ".cu", ".py", ".sh", ".cmake"}
MAX_LINES = 400
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# What each folder may include of the project, by the first part of the name: "strew" is the public interface.
ROOMS = {
    "include/strew": {"strew"},
    "src/core": {"strew", "core"},
    "src/plan": {"strew", "core", "plan"},
    "src/index": {"strew", "core", "index"},
    "src/kernel": {"strew", "core", "kernel"},
    "src/io": {"strew", "core", "io"},
    "src/onnx": {"strew", "core", "io", "onnx"},
    "src/engine": {"strew", "core", "plan", "index", "kernel", "engine"},
    "apps/strew": {"strew"},
    "bindings": {"strew"},
    "examples": {"strew"},
}
INNER_ROOMS = {room.removeprefix("src/") for room in ROOMS if room.startswith("src/")}

# Where a library of others may be included; tests may include all of them.
LIBRARIES = {
    "tl/": ("include/strew", "src"),
    "hwy/": ("src/core", "src/index", "src/kernel"),
    "protozero/": ("src/onnx",),
    "zip.h": ("src/io",),
    "CLI/": ("apps",),
    "fmt/": ("apps",),
    "nanobind/": ("bindings/python",),
    "numpy/": ("bindings/python",),
    "onnxruntime_": ("bindings/onnxruntime", "examples/onnxruntime"),
    "nlohmann/": ("apps",),
    "gtest/": ("fuzz",),
    "gmock/": (),
}


def within(path, folder):
    return path.startswith(folder + "/")


def broken_rules(path, text):
    """The rules that the file breaks, as lines to print."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        yield f"{path}: has {len(lines)} lines, at most {MAX_LINES} are allowed"
    if not path.endswith((".h", ".cc", ".cu")):
        return
    room = next((room for room in ROOMS if within(path, room)), None)
    if room is None and within(path, "src"):
        yield f"{path}: its folder has no line in ROOMS of tests/include_rule.py"
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        name, first = match[2], match[2].split("/")[0]
        if room and first in INNER_ROOMS and "/" in name and first not in ROOMS[room]:
            yield f"{path}:{number}: includes {name}, but {room} sees only {', '.join(sorted(ROOMS[room]))}"
        if ".." in name.split("/"):
            yield f"{path}:{number}: includes {name}, a path that goes up; write it from the source root"
        for library, folders in LIBRARIES.items():
            if name.startswith(library) and not any(within(path, folder) for folder in ("tests", *folders)):
                yield f"{path}:{number}: includes {name}, which only {', '.join(folders) or 'tests'} may"


def main(root):
    files = [
        path
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in SUFFIXES or path.name == "CMakeLists.txt"
    ]
    broken = [
        rule for path in files for rule in broken_rules(path.relative_to(root).as_posix(), path.read_text("utf-8"))
    ]
    print("\n".join(broken) or f"{len(files)} files keep the rules")
    return 1 if broken or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
