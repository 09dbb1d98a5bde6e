"""The named workloads of the CPU on 1 to 16 threads, in turn, with preallocated outputs; the same bits on all."""

import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

THREADS = (1, 2, 4, 8, 16)
ROUNDS = 5


class OtherBits(Exception):
    """Raised if a number of threads gives another result than one thread."""


def seconds(call):
    call()  # the first call after a pause wakes the threads
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def measure(machine, left):
    import strew
    import workloads
    from libraries.strew_calls import FUNCTIONS

    counts = [n for n in THREADS if n == 1 or n <= len(os.sched_getaffinity(0))]
    names = [name for name in workloads.WORKLOADS if name.startswith("tiny") == machine.tiny]
    begin, found = time.monotonic(), {"threads": counts, "seconds": {}, "not_measured": []}
    for name in names:
        if time.monotonic() - begin > left:
            found["not_measured"].append(name)
            continue
        workload, inputs = workloads.WORKLOADS[name], workloads.inputs_of(name)
        function = FUNCTIONS[workload.op]
        output = function(*inputs, **workload.attributes)
        call = lambda: function(*inputs, **workload.attributes, out=output)  # noqa: B023, E731
        taken, bits = {n: [] for n in counts}, set()
        for _ in range(ROUNDS):
            for n in counts:
                with strew.num_threads(n):
                    taken[n].append(seconds(call))
                bits.add(hash(output.tobytes()))
        if len(bits) > 1:
            raise OtherBits(f"{name}: other bits on some number of threads of {counts}")
        found["seconds"][name] = {str(n): statistics.median(times) for n, times in taken.items()}
        gain = taken[1] and statistics.median(taken[1]) / statistics.median(taken[counts[-1]])
        print(f"  {name:32} {gain:5.1f} times as fast on {counts[-1]} threads as on one", flush=True)
    found["said"] = f"{len(found['seconds'])} workloads on {', '.join(map(str, counts))} threads: the same bits"
    return found
