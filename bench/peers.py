"""Times the named workloads in Strew and in every other library that is installed.

Usage: peers.py [--rounds 5] [--threads 2] [--only NAME ...] [--json OUT.json]

Each library has a process of its own that stays, so that thread pools do not disturb each other; a round runs every library
once, in turn, and the table has the median of the rounds after one that is not measured. Every library is called as its
users call it, with a fresh output each time ("strew_out": Strew into an output that is kept). Results are compared
before anything is timed; where a library's differs, its time is not shown. plot_peers.py draws the JSON.
"""

import argparse
import json
import multiprocessing
import pathlib
import platform
import statistics
import time

import libraries
import numpy as np
import workloads


# Seconds between turns: the waiting threads of a pool spin for a while after a call (Strew's for some 16 ms) and would take
# a core from the next library.
PAUSE = 0.1


def serve(pipe, library, threads):
    """A library's process: takes ("load", workload), ("check", path) and ("time", _), answers with a value."""
    run, repeats = None, 1
    while True:
        verb, argument = pipe.recv()
        if verb == "load":
            workload = workloads.WORKLOADS[argument]
            repeats = workload.repeats
            run = libraries.LIBRARIES[library](workload, workloads.inputs_of(argument), threads)
            pipe.send(run is not None)
        elif verb == "check":
            np.save(argument, np.asarray(run()))
            pipe.send(True)
        elif verb == "time":
            begin = time.perf_counter()
            for _ in range(repeats):
                run()
            pipe.send((time.perf_counter() - begin) / repeats)
        else:
            return


class Server:
    """A library in its own process."""

    def __init__(self, library, threads):
        self.library = library
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, library, threads), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, verb, argument=None):
        self.pipe.send((verb, argument))
        return self.pipe.recv()


def agrees(workload, expected, result):
    """Equal to the last bit where nothing is added, else within rounding of a different order."""
    if expected.shape != result.shape:
        return False
    if workload.attributes.get("reduction") == "add":
        return bool(np.allclose(expected, result, rtol=1e-3 if workload.repeats == 1 else 1e-5))
    return bool((expected == result).all())


def check(servers, name, folder):
    """The servers whose result is the oracle's; numpy is the oracle."""
    paths = {server.library: folder / f"{server.library}.npy" for server in servers}
    for server in servers:
        server.ask("check", paths[server.library])
    expected = np.load(paths["numpy"], mmap_mode="r")
    good = []
    for server in servers:
        if agrees(workloads.WORKLOADS[name], expected, np.load(paths[server.library], mmap_mode="r")):
            good.append(server)
        else:
            print(f"{name}: the result of {server.library} is wrong")
    for path in paths.values():
        path.unlink()
    return good


def measure(servers, name, rounds, folder):
    """library -> seconds of each round."""
    able = [server for server in servers if server.ask("load", name)]
    good = check(able, name, folder)
    seconds = {server.library: [] for server in good}
    for round_number in range(rounds + 1):
        for server in good:
            time.sleep(PAUSE)
            spent = server.ask("time")
            if round_number > 0:
                seconds[server.library].append(spent)
    return seconds


def machine(names):
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    versions = {name: libraries.version(name) for name in names if not name.endswith("_out")}
    return {"cpu": cpu, "system": platform.platform(), "versions": versions, "date": time.strftime("%Y-%m-%d")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=list(workloads.WORKLOADS), metavar="NAME")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."), help="for outputs, while comparing")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    names = libraries.installed()
    print(f"{'milliseconds':28}" + "".join(f"{name:>13}" for name in names))
    results = {}
    for workload in options.only:
        # New processes for each workload: nothing of the one before is left in memory.
        servers = [Server(name, options.threads) for name in names]
        results[workload] = measure(servers, workload, options.rounds, options.folder)
        for server in servers:
            server.pipe.send(("end", None))
            server.process.join()
        medians = {library: statistics.median(seconds) * 1e3 for library, seconds in results[workload].items()}
        cells = [f"{medians[name]:13.4g}" if name in medians else f"{'-':>13}" for name in names]
        print(f"{workload:28}" + "".join(cells), flush=True)
        if options.json:  # after each workload, so that an interrupted run leaves what it has
            report = {"machine": machine(names), "threads": options.threads, "seconds": results}
            options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
