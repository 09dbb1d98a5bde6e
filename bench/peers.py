"""Times the named workloads in Strew and in every other library that is installed.

Usage: peers.py [--only PATTERN ...] [--modes fresh kept in_place] [--threads 1 2] [--rounds 5] [--quick] [--json FILE]

Each library has a process of its own; a round runs every library once, in turn. Before anything is timed, the results
are compared with NumPy's; Strew's must have the same bits. A row of the JSON is a workload, a mode (see
libraries/__init__.py) and a number of threads. A finished row replaces the row of this name in FILE; --missing skips
existing rows.
"""

import argparse
import fnmatch
import json
import pathlib
import shutil
import statistics
import tempfile
import time

import libraries
import machine
import numpy as np
import servers
import workloads


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN", help="patterns of workloads, such as gather_*")
    parser.add_argument("--modes", nargs="+", default=libraries.MODES, choices=libraries.MODES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--libraries", nargs="+", default=libraries.installed(), choices=libraries.MODULES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="2 rounds")
    parser.add_argument("--missing", action="store_true", help="only rows that the file lacks")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def write_inputs(name, folder):
    paths = []
    for number, array in enumerate(workloads.inputs_of(name)):
        paths.append(folder / f"input_{number}.npy")
        np.save(paths[-1], array)
    return paths


def write_expected(workload, paths, folder):
    inputs = [np.load(path) for path in paths]
    np.save(folder / "expected.npy", libraries.make_call("numpy", *workload[:2], inputs, 1, "fresh")())
    return folder / "expected.npy"


def measure(name, modes, threads, options, folder):
    """Yield (mode, row) for each mode."""
    workload = workloads.WORKLOADS[name]
    started = [servers.Server(library, threads) for library in options.libraries]
    paths = write_inputs(name, folder)
    expected = write_expected(workload, paths, folder)
    servers.ask_all(started, "inputs", (workload._replace(inputs=None), paths))
    rounds = 2 if options.quick else options.rounds
    for mode in modes:
        able = servers.ask_all(started, "load", mode)
        timed = [server for server in started if able[server.library]]
        if not timed:
            continue
        agree = servers.ask_all(timed, "check", expected)
        if not agree.get("strew", True):
            raise SystemExit(f"{name} ({mode}, {threads} threads): the result of Strew is wrong")
        seconds = servers.take_turns(timed, rounds)
        row = {"date": time.strftime("%Y-%m-%d %H:%M"), "commit": machine.commit(), "seconds": seconds}
        yield mode, row | {"differs": [library for library, good in agree.items() if not good]}
    for server in started:
        server.end()


def show(key, row, names):
    cells = []
    for name in names:
        times = row["seconds"].get(name)
        mark = "*" if name in row["differs"] else ""
        cells.append(f"{statistics.median(times) * 1e3:.4g}{mark}" if times else "-")
    print(f"{key:40}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


def save(path, report):
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(report, indent=1) + "\n")
    fresh.replace(path)


def main():
    options = arguments()
    report = {"machine": {}, "rows": {}}
    if options.json and options.json.exists():
        report = json.loads(options.json.read_text())
    report["machine"] = machine.describe(options.libraries)
    shared_memory = pathlib.Path("/dev/shm")
    folder = pathlib.Path(tempfile.mkdtemp(dir=shared_memory if shared_memory.exists() else None))
    names = [n for n in workloads.WORKLOADS if any(fnmatch.fnmatch(n, pattern) for pattern in options.only)]
    print(f"{'milliseconds; *: another result':40}" + "".join(f"{name:>12}" for name in options.libraries))
    try:
        for threads in options.threads:
            for name in names:
                modes = [m for m in options.modes if not options.missing or f"{name}/{m}/{threads}" not in report["rows"]]
                for mode, row in measure(name, modes, threads, options, folder) if modes else ():
                    report["rows"][f"{name}/{mode}/{threads}"] = row
                    show(f"{name}/{mode}/{threads}", row, options.libraries)
                    if options.json:
                        save(options.json, report)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
