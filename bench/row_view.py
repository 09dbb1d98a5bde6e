"""Times sums of rows whose one index value a row is given as a broadcast view, written out, and to PyTorch's index_add_.

Usage: row_view.py [--threads 2] [--rounds 15]

The workload is scatter_elements_add_rowidx, in place. Results are compared to the last bit before anything is timed.
"""

import argparse
import statistics
import time

import numpy as np
import strew
import torch
import workloads


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    strew.set_num_threads(options.threads)
    torch.set_num_threads(options.threads)
    data, written_out, updates = workloads.inputs_of("scatter_elements_add_rowidx")
    rows = written_out[:, 0].copy()
    view = np.broadcast_to(rows[:, None], written_out.shape)
    mine, theirs = data.copy(), torch.from_numpy(data.copy())
    pairs = torch.from_numpy(rows), torch.from_numpy(updates)
    calls = {
        "Strew, a view of stride 0": lambda: strew.scatter_elements(mine, view, updates, 0, "add", out=mine),
        "Strew, written out": lambda: strew.scatter_elements(mine, written_out, updates, 0, "add", out=mine),
        "PyTorch, index_add_": lambda: theirs.index_add_(0, *pairs),
    }
    expected = strew.scatter_elements(data, written_out, updates, 0, "add")
    if not np.array_equal(strew.scatter_elements(data, view, updates, 0, "add"), expected):
        raise SystemExit("the view gives another result than the values written out")
    times = {name: [] for name in calls}
    for _ in range(options.rounds):
        for name, call in calls.items():
            call()  # the first call after a pause wakes the threads
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
            time.sleep(0.1)  # until the threads of this library sleep
    for name, seconds in times.items():
        print(f"{name:28} {statistics.median(seconds) * 1e3:8.2f} ms")


if __name__ == "__main__":
    main()
