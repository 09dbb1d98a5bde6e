"""Times the named workloads on 1 to 16 threads of the CPU, in Strew and PyTorch, and compares Strew's bits."""

import os
import statistics
import time

import checks
import libraries
import numpy as np
import workloads

THREADS = (1, 2, 4, 8, 16)
ROUNDS = 3


def seconds(call):
    call()  # the first call after a pause wakes the threads
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def bits(array):
    return array.reshape(-1).view(np.uint8)


def setters():
    """Return each installed library's function that sets its number of threads."""
    import strew

    found = {"strew": strew.set_num_threads}
    try:
        import torch

        import libraries.torch_calls  # noqa: F401 (it needs ml_dtypes)
    except ImportError:
        return found
    return found | {"torch": torch.set_num_threads}


def times_of(name, counts, set_threads):
    """Return the median seconds of a workload by library and number of threads."""
    workload, inputs = workloads.WORKLOADS[name], workloads.inputs_of(name)
    make = lambda library: libraries.make_call(library, workload.op, workload.attributes, inputs, 1, "kept")  # noqa: E731
    calls = {library: call for library in set_threads if (call := make(library))}
    taken = {library: {n: [] for n in counts} for library in calls}
    wanted = bits(calls["strew"]()).copy()
    for _ in range(ROUNDS):
        for n in counts:
            for library, call in calls.items():
                set_threads[library](n)
                spent, result = seconds(call)
                taken[library][n].append(spent)
                if n > 1:
                    time.sleep(libraries.PAUSES[library])
                if library == "strew" and not np.array_equal(bits(result), wanted):
                    raise checks.Wrong(f"{name}: the bits on {n} threads differ from those on one")
    return {library: {n: statistics.median(times) for n, times in by.items()} for library, by in taken.items()}


def measure(machine, left, names, keep):
    """Measure workloads, on the host only tiny ones, and keep all figures after each."""
    counts = [n for n in THREADS if n == 1 or n <= len(os.sched_getaffinity(0))]
    names = [name for name in names if name.startswith("tiny") == machine.tiny]
    begin, found = time.monotonic(), {"threads": counts, "seconds": {}, "not_measured": names.copy()}
    set_threads = setters()
    for name in names:
        if time.monotonic() - begin > left:
            break
        taken = found["seconds"][name] = times_of(name, counts, set_threads)
        found["not_measured"].remove(name)
        keep(found)
        gains = " ".join(f"{taken['strew'][1] / taken['strew'][n]:5.1f}" for n in counts)
        print(f"  {name:32} speedup of {counts} threads over one: {gains}", flush=True)
        if "torch" in taken:
            ratios = " ".join(f"{taken['torch'][n] / taken['strew'][n]:5.1f}" for n in counts)
            print(f"  {'':32} PyTorch's times / Strew's: {ratios}", flush=True)
    set_threads["strew"](None)
    found["said"] = f"{len(found['seconds'])} workloads on {', '.join(map(str, counts))} threads: the same bits"
    return found
