"""Fails if a file includes a header that its folder may not include, or has more than 400 lines (300 in src). Also fails
unless strew/strew.h includes all public headers except the headers that users include by name, or if the Python module
uses a macro that the stable interface of CPython lacks.

Usage: include_rule.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

FOLDERS = ["include", "src", "apps", "bindings", "examples", "tests", "bench", "fuzz", "cmake", "scripts", "site"]
SUFFIXES = {".h", ".cc", ".cu", ".py", ".sh", ".cmake"}
MAX_LINES = 400
MAX_LINES_OF_SRC = 300
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Folder -> the first parts of the names that its files may include; "strew" is the public interface.
ROOMS = {
    "include/strew": {"strew"},
    "src/core": {"strew", "core"},
    "src/plan": {"strew", "core", "plan"},
    "src/index": {"strew", "core", "index"},
    "src/kernel": {"strew", "core", "kernel"},
    "src/io": {"strew", "core", "io"},
    "src/onnx": {"strew", "core", "io", "plan", "onnx"},
    "src/picture": {"strew", "core", "index", "picture"},
    "src/c": {"strew", "core", "plan", "c"},
    "src/engine": {"strew", "core", "plan", "index", "kernel", "engine"},
    "src/graph": {"strew", "core", "index", "kernel", "graph"},
    "src/shard": {"strew", "core", "index", "shard"},
    "src/cuda": {"strew", "core", "index", "kernel", "engine", "cuda"},
    "apps/strew": {"strew"},
    "bindings": {"strew"},
    "examples": {"strew"},
}
INNER_ROOMS = {room.removeprefix("src/") for room in ROOMS if room.startswith("src/")}

# Public headers that strew/strew.h does not include: for C, for few users, or for a library on top of libstrew.
BY_NAME = {"strew/c.h", "strew/shard.h", "strew/model.h", "strew/tensor_file.h", "strew/picture.h"}

# The layers of folders with subfolders, lowest first. A file may include files of its own layer and of lower layers. "" is
# the layer of files outside the subfolders: the pipeline of the engine, and the kernels that the edge kernels use.
FLOORS = {"engine": ["geometry", "reduce", "traversal", "strategy", ""], "kernel": ["", "edge"]}

# Only these folders may have code that needs an operating system; a folder plain beside them has code for any system.
SYSTEM_FOLDERS = ("src/core/linux", "src/io/linux", "src/onnx/linux", "src/cuda/nvidia")
SYSTEM_HEADER = re.compile(r"(sys|linux|asm|bits|arpa|netinet)/|(pthread|sched|signal|fcntl|unistd|dirent|dlfcn|poll)\.h$"
                           r"|(thread|mutex|shared_mutex|condition_variable|semaphore|csignal|fstream|future)$")
SYSTEM_MACRO = re.compile(r"__(linux|unix|APPLE|EMSCRIPTEN|wasm|wasi)\w*|_WIN32|_WIN64|_MSC_VER")
# Macros of CPython that its stable interface lacks. The wheel for Python 3.12 and later uses this interface; the build of
# the tests does not.
UNSTABLE_MACRO = re.compile(r"\bPy\w+_(AS|GET|SET)_[A-Z]\w*")

# Folders that may include each third-party library; tests may include all of them.
LIBRARIES = {
    "tl/": ("include/strew", "src"),
    "hwy/": ("src/core", "src/index", "src/kernel", "src/shard"),
    "minizip/": ("src/io/linux",),
    "CLI/": ("apps",),
    "fmt/": ("apps",),
    "nanobind/": ("bindings/python",),
    "numpy/": ("bindings/python",),
    "onnxruntime_": ("bindings/onnxruntime", "examples/onnxruntime"),
    "ATen/": ("bindings/torch",),
    "c10/": ("bindings/torch",),
    "torch/": ("bindings/torch",),
    "nlohmann/": ("apps",),
    "cuda_runtime": ("src/cuda/nvidia", "bindings/cuda", "examples"),
    "cub/": ("src/cuda/nvidia",),
    "gtest/": ("fuzz",),
    "gmock/": (),
}


def within(path, folder):
    return path.startswith(folder + "/")


def floor_of(name):
    """Return the folder and the layer of a file by its name in an include line; None if the folder has no layers."""
    room, *folders = name.split("/")[:-1] or [""]
    floors = FLOORS.get(room)
    return floors and (room, floors.index(folders[0] if folders and folders[0] in floors else ""))


def cycles(includes):
    """Return an error for each cycle of includes in src. In src/engine a .cc file and its header count as one file."""
    done, broken = set(), []

    def visit(name, way):
        if name in way:
            broken.append(" -> ".join([*way[way.index(name) :], name]))
        elif name not in done:
            for other in sorted(includes.get(name, ())):
                visit(other, [*way, name])
            done.add(name)

    for name in sorted(includes):
        visit(name, [])
    return [f"src: files include each other: {way}" for way in broken]


def broken_rules(path, text):
    """Yield an error for each rule that the file breaks."""
    lines = text.splitlines()
    most = MAX_LINES_OF_SRC if within(path, "src") else MAX_LINES
    if len(lines) > most:
        yield f"{path}: has {len(lines)} lines, at most {most} are allowed"
    if not path.endswith((".h", ".cc", ".cu")):
        return
    room = next((room for room in ROOMS if within(path, room)), None)
    if room is None and within(path, "src"):
        yield f"{path}: its folder has no line in ROOMS of tests/include_rule.py"
        return
    for number, line in enumerate(lines, 1):
        if within(path, "src") and SYSTEM_MACRO.search(line):
            yield f"{path}:{number}: tests for an operating system; code for one belongs in a folder linux or plain"
        if within(path, "bindings/python") and UNSTABLE_MACRO.search(line):
            yield f"{path}:{number}: uses a macro that the stable interface of CPython lacks"
        match = INCLUDE.match(line)
        if not match:
            continue
        name, first = match[2], match[2].split("/")[0]
        if room and first in INNER_ROOMS and "/" in name and first not in ROOMS[room]:
            yield f"{path}:{number}: includes {name}, but {room} may include only {', '.join(sorted(ROOMS[room]))}"
        here, there = floor_of(path.removeprefix("src/")), floor_of(name)
        if within(path, "src") and here and there and here[0] == there[0] and there > here:
            yield f"{path}:{number}: includes {name}, which is in a higher layer of src/{here[0]}"
        if ".." in name.split("/"):
            yield f"{path}:{number}: includes {name}, a path with '..'; write the path from the source root"
        in_linux = any(within(path, folder) for folder in SYSTEM_FOLDERS)
        if within(path, "src") and not in_linux and SYSTEM_HEADER.match(name):
            yield f"{path}:{number}: includes <{name}>, which only {', '.join(SYSTEM_FOLDERS)} may"
        folder = f"src/{pathlib.PurePosixPath(name).parent}"
        if first in INNER_ROOMS and folder.endswith(("/linux", "/plain")) and not path.startswith(("tests/", folder)):
            yield f"{path}:{number}: includes {name}, which only files in its folder may"
        for library, folders in LIBRARIES.items():
            if name.startswith(library) and not any(within(path, folder) for folder in ("tests", *folders)):
                yield f"{path}:{number}: includes {name}, which only {', '.join(folders) or 'tests'} may"


def left_out(root):
    """Return an error for each public header that strew/strew.h omits, or that it includes although BY_NAME has it."""
    headers = {f"strew/{path.name}" for path in (root / "include/strew").glob("*.h")} - {"strew/strew.h", *BY_NAME}
    included = {match[2] for match in map(INCLUDE.match, (root / "include/strew/strew.h").read_text().splitlines()) if match}
    return [f"include/strew/strew.h: {'includes' if name in included else 'does not include'} {name}"
            for name in sorted(headers ^ included)]


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
    includes = {}
    for path in [*(root / "src").rglob("*.h"), *(root / "src/engine").rglob("*.cc")]:
        name = path.relative_to(root / "src").with_suffix("").as_posix()
        names = {match[2].removesuffix(".h") for match in map(INCLUDE.match, path.read_text("utf-8").splitlines()) if match}
        room = name.split("/")[0] + "/"
        includes.setdefault(name, set()).update(other for other in names - {name} if other.startswith(room))
    broken += cycles(includes) + left_out(root)
    print("\n".join(broken) or f"{len(files)} files keep the rules")
    return 1 if broken or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
