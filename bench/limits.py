"""What the machine can do at best: copying, and reading single elements at random.

Usage: limits.py [--threads 2]
"""

import argparse
import ctypes
import statistics
import time

import numpy as np
from libraries.plain_calls import LOOPS, address

ROUNDS = 5
COPY_BYTES = 1 << 28
RANDOM_COUNT = 1 << 22


def seconds_of(call):
    """The median of some calls, after one that is not measured."""
    times = []
    for _ in range(ROUNDS + 1):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])


def measure(threads):
    """GB/s read plus written of copies; nanoseconds for each random 4-byte element, by the bytes of the table."""
    source, target = np.ones(COPY_BYTES, np.uint8), np.ones(COPY_BYTES, np.uint8)
    found = {}
    for name, streaming in (("memcpy", 0), ("streaming", 1)):
        arguments = [address(target), address(source), ctypes.c_int64(COPY_BYTES), threads, streaming]
        found[f"{name}_gb_per_s"] = 2 * COPY_BYTES / seconds_of(lambda: LOOPS.limit_copy(*arguments)) / 1e9
    random, output = np.random.default_rng(1), np.ones(RANDOM_COUNT, np.float32)
    for megabytes in (1, 8, 64, 256, 1024):
        size = megabytes << 18
        table = np.ones(size, np.float32)
        indices = random.integers(0, size, RANDOM_COUNT, np.uint32)
        arguments = [address(output), address(table), address(indices), ctypes.c_int64(RANDOM_COUNT), threads]
        seconds = seconds_of(lambda: LOOPS.limit_random(*arguments))
        found[f"random_ns_{megabytes}_MiB"] = seconds / RANDOM_COUNT * 1e9
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    for key, value in measure(parser.parse_args().threads).items():
        print(f"{key:24} {value:8.2f}")
