"""Runs small calls of each kind for compute-sanitizer, and compares the results. Usage: small.py [LIBRARY]"""

import pathlib
import sys

import checks
import memory
import numpy as np


def main():
    machine = memory.Host(pathlib.Path(sys.argv[1])) if len(sys.argv) > 1 else memory.find_device()
    rng = np.random.default_rng(7)
    for number in range(40):
        call = checks.random_call(rng, 3000 if number % 10 == 0 and not machine.tiny else 60)
        checks.compare(call, machine.array, memory.Array.fetch, f"case {number}")


if __name__ == "__main__":
    main()
