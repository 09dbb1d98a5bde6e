"""Times the named workloads in two builds of the Python package, in turn.

Usage: builds.py BEFORE AFTER [--only PATTERN ...] [--modes fresh kept in_place] [--threads 1 2] [--rounds 7] [--json FILE]

BEFORE and AFTER are wheels, or folders from pip install --target. Each build runs in its own process. BEFORE runs in a second process
too, to show the noise. Each round gives a ratio: AFTER's time divided by BEFORE's. The table has the median; below 1, AFTER is faster.
"""

import argparse
import fnmatch
import json
import pathlib
import statistics
import sys
import tempfile
import zipfile

import libraries
import machine
import peers
import servers
import workloads


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path, metavar="BEFORE", help="wheel or folder")
    parser.add_argument("after", type=pathlib.Path, metavar="AFTER")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN", help="patterns of workloads, such as gather_*")
    parser.add_argument("--modes", nargs="+", default=libraries.MODES, choices=libraries.MODES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def folder_of(build, scratch):
    """Return the folder to import a build from: the build itself if it is a folder, else its unpacked wheel."""
    if build.is_dir():
        return build.resolve()
    folder = scratch / f"build_{len(list(scratch.iterdir()))}"
    zipfile.ZipFile(build).extractall(folder)
    return folder


class Build(servers.Server):
    """A build's package in its own process, with a name for the table."""

    def __init__(self, name, folder, threads):
        sys.path.insert(0, str(folder))  # a spawned process starts with the path of its parent
        super().__init__("strew", threads)
        sys.path.pop(0)
        self.library = name


def ratios(seconds, name):
    return [after / before for before, after in zip(seconds["before"], seconds[name], strict=True)]


def measure(name, options, threads, folders, scratch):
    """Yield (mode, row) for each mode that the workload has."""
    workload = workloads.WORKLOADS[name]
    paths = peers.write_inputs(name, scratch)
    expected = peers.write_expected(workload, paths, scratch)
    started = [Build(title, folder, threads) for title, folder in folders.items()]
    servers.ask_all(started, "inputs", (workload._replace(inputs=None), paths))
    for mode in options.modes:
        if not all(servers.ask_all(started, "load", mode).values()):
            continue
        agree = servers.ask_all(started, "check", expected)
        if not all(agree.values()):
            raise SystemExit(f"{name} ({mode}, {threads} threads): wrong results: {agree}")
        seconds = servers.take_turns(started, options.rounds)
        yield mode, {title: statistics.median(ratios(seconds, title)) for title in ("after", "again")} | {"seconds": seconds}
    for server in started:
        server.end()


def main():
    options = arguments()
    rows = {}
    print(f"{'':40}{'after/before':>14}{'noise':>10}{'before, ms':>14}")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if pathlib.Path("/dev/shm").exists() else None) as made:
        scratch = pathlib.Path(made)
        before, after = (folder_of(build, scratch) for build in (options.before, options.after))
        folders = {"before": before, "after": after, "again": before}
        names = [name for name in workloads.WORKLOADS if any(fnmatch.fnmatch(name, pattern) for pattern in options.only)]
        for threads in options.threads:
            for name in names:
                for mode, row in measure(name, options, threads, folders, scratch):
                    key = f"{name}/{mode}/{threads}"
                    rows[key] = row
                    middle = statistics.median(row["seconds"]["before"]) * 1e3
                    print(f"{key:40}{row['after']:14.3f}{row['again']:10.3f}{middle:14.4g}", flush=True)
                    if options.json:
                        report = {"machine": machine.describe([]), "builds": [options.before.name, options.after.name]}
                        options.json.write_text(json.dumps(report | {"rows": rows}, indent=1) + "\n")
    for title in ("after", "again"):
        print(f"geometric mean of {title}/before: {statistics.geometric_mean(row[title] for row in rows.values()):.3f}")


if __name__ == "__main__":
    main()
