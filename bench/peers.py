"""Times the named workloads in Strew and in every other library that is installed, or in two builds of Strew.

Usage: peers.py [--only PATTERN ...] [--modes fresh kept in_place] [--threads 1 2] [--quick] [--missing] [--json FILE]
                [--builds BEFORE AFTER]

Each library has a process of its own; a round runs every library once, in turn. Before anything is timed, the results
are compared with NumPy's; Strew's must have the same bits. A row of the JSON is a workload, a mode (see
libraries/__init__.py) and a number of threads. A finished row replaces the row of this name in FILE; --missing skips
existing rows.

BEFORE and AFTER are wheels, or folders from pip install --target. BEFORE runs in two processes, to show the noise. The
last lines have the geometric means of times divided by BEFORE's in the same round; below 1, AFTER is faster.
"""

import pathlib
import statistics
import sys
import tempfile
import time
import zipfile

import libraries
import machine
import numpy as np
import program
import workers
import workloads

ROUNDS, QUICK_ROUNDS, BUILD_ROUNDS = 5, 2, 7
# A library with more than SLOW seconds, and TIMES_SLOWER times the fastest library's seconds, has only two rounds.
SLOW, TIMES_SLOWER = 0.25, 6


def arguments():
    parser = program.parser(__doc__)
    parser.add_argument("--modes", nargs="+", default=libraries.MODES, choices=libraries.MODES)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} rounds")
    parser.add_argument("--missing", action="store_true", help="only rows that the file lacks")
    parser.add_argument("--builds", nargs=2, type=pathlib.Path, metavar=("BEFORE", "AFTER"))
    return parser.parse_args()


class Calls:
    """A library's calls; its process answers requests with these methods."""

    def __init__(self, library, threads):
        self.library, self.threads, self.call = library, threads, None

    def read(self, name, paths):
        self.workload, self.inputs = workloads.WORKLOADS[name], [np.load(path) for path in paths]

    def make(self, mode):
        """Return whether the library has the workload's call in this mode."""
        self.call = None  # frees its output
        op, attributes = self.workload[:2]
        self.call = libraries.make_call(self.library, op, attributes, self.inputs, self.threads, mode)
        return self.call is not None

    def check(self, path):
        """Return whether the result equals the expected one: bit for bit, or within rounding if peers add."""
        expected, owner = np.load(path, mmap_mode="r"), self.call()
        result = libraries.array_of(owner, self.inputs[0].dtype)
        if expected.shape != result.shape:
            return False
        if self.workload.attributes.get("reduction") == "add" and self.library != "strew":
            return bool(np.allclose(expected, result, rtol=1e-3 if self.workload.repeats == 1 else 1e-5))
        return bool((expected == result).all())

    def time(self, wakes):
        """Return the seconds of a call; a first call wakes the threads."""
        if wakes:
            self.call()
        begin = time.perf_counter()
        for _ in range(self.workload.repeats):
            self.call()
        return (time.perf_counter() - begin) / self.workload.repeats


class Server(workers.Worker):
    """The process of a library, or of a build of Strew in a folder."""

    def __init__(self, library, threads, folder=None):
        super().__init__(__file__, workers.SERVE, library, threads, environment=folder and {"PYTHONPATH": str(folder)})
        self.library, self.threads = library, threads


def take_turns(servers, rounds):
    """Return name -> seconds of each round, after one round that is not measured."""
    seconds = {name: [] for name in servers}
    for number in range(rounds + 1):
        for name, server in servers.items():
            mine = seconds[name]
            fastest = min((times[-1] for times in seconds.values() if times), default=0)
            if number > 2 and mine[-1] > SLOW and mine[-1] > TIMES_SLOWER * fastest:
                continue
            spent = server.ask("time", not mine or mine[-1] < SLOW)
            if server.threads > 1:
                time.sleep(libraries.PAUSES.get(server.library, 0))
            if number > 0:
                mine.append(spent)
    return seconds


def write_operands(name, folder):
    """Write the inputs and the expected output. Return their paths."""
    inputs = workloads.inputs_of(name)
    paths = [folder / f"input_{number}.npy" for number in range(len(inputs))]
    for path, array in zip(paths, inputs):
        np.save(path, array)
    expected = folder / "expected.npy"
    np.save(expected, libraries.make_call("numpy", *workloads.WORKLOADS[name][:2], inputs, 1, "fresh")())
    return paths, expected


def measure(name, modes, servers, rounds, folder):
    """Yield (mode, row) for each mode."""
    paths, expected = write_operands(name, folder)
    workers.ask_all(servers, "read", name, paths)
    for mode in modes:
        able = workers.ask_all(servers, "make", mode)
        timed = {side: server for side, server in servers.items() if able[side]}
        if not timed:
            continue
        differs = [side for side, good in workers.ask_all(timed, "check", expected).items() if not good]
        if any(timed[side].library == "strew" for side in differs):
            raise SystemExit(f"{name} ({mode}): Strew's result is wrong")
        row = {"date": time.strftime("%Y-%m-%d %H:%M"), "commit": machine.commit()}
        yield mode, row | {"seconds": take_turns(timed, rounds), "differs": differs}


def show(key, row, names):
    cells = []
    for name in names:
        times = row["seconds"].get(name)
        mark = "*" if name in row["differs"] else ""
        cells.append(f"{statistics.median(times) * 1e3:.4g}{mark}" if times else "-")
    print(f"{key:40}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


def unpacked(build, folder):
    """Return the folder to import a build from: the build itself if it is a folder, else its unpacked wheel."""
    if build.is_dir():
        return build.resolve()
    zipfile.ZipFile(build).extractall(folder)
    return folder


def sides_of(builds, scratch):
    """Return name -> library and folder of its package, or None for the installed one."""
    if not builds:
        return {library: (library, None) for library in libraries.installed()}
    before, after = (unpacked(build, scratch / title) for build, title in zip(builds, ("before", "after")))
    return {"before": ("strew", before), "after": ("strew", after), "again": ("strew", before)}


def compare_builds(rows):
    for title in ("after", "again"):
        ratios = [
            statistics.median(b / a for a, b in zip(row["seconds"]["before"], row["seconds"][title])) for row in rows
        ]
        print(f"geometric mean of {title}/before: {statistics.geometric_mean(ratios):.3f}")


def main():
    options = arguments()
    rounds = QUICK_ROUNDS if options.quick else BUILD_ROUNDS if options.builds else ROUNDS
    report = program.load(options.json, rows={})
    report["machine"] = machine.describe([] if options.builds else libraries.installed())
    measured = []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if pathlib.Path("/dev/shm").exists() else None) as made:
        folder = pathlib.Path(made)
        sides = sides_of(options.builds, folder)
        print(f"{'milliseconds; *: different result':40}" + "".join(f"{name:>12}" for name in sides))
        for threads in options.threads:
            for name in program.matching(workloads.WORKLOADS, options.only):
                keys = {mode: f"{name}/{mode}/{threads}" for mode in options.modes}
                modes = [mode for mode, key in keys.items() if not options.missing or key not in report["rows"]]
                if not modes:
                    continue
                servers = {side: Server(library, threads, build) for side, (library, build) in sides.items()}
                for mode, row in measure(name, modes, servers, rounds, folder):
                    report["rows"][keys[mode]] = row
                    measured.append(row)
                    show(keys[mode], row, sides)
                    program.save(options.json, report)
                for server in servers.values():
                    server.end()
    if options.builds:
        compare_builds(measured)


if __name__ == "__main__":
    if sys.argv[1:2] == [workers.SERVE]:
        workers.serve(Calls, sys.argv[2], int(sys.argv[3]))
    else:
        main()
