"""Fails if a call runs functions of more files of the project than MOST allows (docs/design.md explains the numbers).

A build without inlining records each function that a call enters; addr2line finds its file. Public headers do not count,
because every function uses the accessors of their types.

Usage: walks.py SOURCE_FOLDER BUILD_FOLDER, of the preset traced
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Maximum number of files of each call. For a large call, strategy and files depend on the machine.
MOST = {
    "run of a plan": 5,
    "scatter_nd from C++": 12,
    "small scatter_nd from Python": 13,
    "large scatter_nd from Python": 62,
    "gather_scatter from Python": 20,
}

SMALL = """
data, indices, updates = np.zeros((8, 4), "f4"), np.array([[3], [1], [0], [3]]), np.ones((4, 4), "f4")
call = lambda: strew.scatter_nd(data, indices, updates, reduction="add")
"""
LARGE = """
data = np.zeros(1 << 20, "f4")
indices = np.random.default_rng(0).integers(0, data.size, (1 << 20, 1))
updates = np.ones(len(indices), "f4")
strew.set_num_threads(2)
call = lambda: strew.scatter_nd(data, indices, updates, reduction="add")
"""
FUSED = """
data = np.ones((64, 4), "f4")
edges = strew.Edges(np.arange(256) % 64, np.sort(np.arange(256) % 32), 64, 32)
call = lambda: strew.gather_scatter(data, edges)
"""
RECORD = """
call()
recorder = ctypes.CDLL({recorder!r})
recorder.strew_walk_begin()
call()
recorder.strew_walk_end({out!r}.encode())
"""


def files_of(record):
    """Return the project's files with a recorded function, sorted by name. The build names the source folder /strew,
    because ccache reuses objects of other folders."""
    offsets = {}
    for line in record.read_text("utf-8").splitlines():
        loaded, offset = line.rsplit(" ", 1)
        offsets.setdefault(loaded, []).append(offset)
    files = set()
    for loaded, of_it in offsets.items():
        lines = subprocess.run(["addr2line", "-e", loaded], input="\n".join(of_it), text=True, check=True,
                               stdout=subprocess.PIPE).stdout.splitlines()
        for line in lines:
            path = os.path.normpath(line.rsplit(":", 1)[0])
            if path.startswith("/strew/"):
                files.add(path.removeprefix("/strew/"))
    return sorted(name for name in files if not name.startswith(("include/", "tests/", "build")))


def main(source, build):
    source, build = pathlib.Path(source).resolve(), pathlib.Path(build).resolve()
    recorder = str(build / "tests/walks/libstrew_walk_recorder.so")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(source / "bindings/python/strew", folder / "strew")
        for module in (build / "bindings/python").glob("_strew*.so"):
            shutil.copy(module, folder / "strew")
        record = folder / "record"
        python = dict(os.environ, LD_PRELOAD=recorder, PYTHONPATH=str(folder))
        head = "import ctypes, numpy as np, strew\n"
        tail = RECORD.format(recorder=recorder, out=str(record))
        program = str(build / "tests/walks/small_walk")
        walks = {
            "run of a plan": ([program, "run", str(record)], None),
            "scatter_nd from C++": ([program, "scatter_nd", str(record)], None),
            "small scatter_nd from Python": ([sys.executable, "-c", head + SMALL + tail], python),
            "large scatter_nd from Python": ([sys.executable, "-c", head + LARGE + tail], python),
            "gather_scatter from Python": ([sys.executable, "-c", head + FUSED + tail], python),
        }
        failed = False
        for name, (command, environment) in walks.items():
            subprocess.run(command, check=True, env=environment)
            files = files_of(record)
            failed |= not 0 < len(files) <= MOST[name]
            print(f"{name}: {len(files)} files, at most {MOST[name]}", *files, sep="\n  ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
