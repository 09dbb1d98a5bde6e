"""Runs small calls of each kind for compute-sanitizer, and compares the results. Usage: small.py [LIBRARY]"""

import pathlib
import sys

import checks
import memory
import numpy as np


def main():
    machine = memory.Host(pathlib.Path(sys.argv[1])) if len(sys.argv) > 1 else memory.find_device()
    import strew

    rng = np.random.default_rng(7)
    for number in range(40):
        name, operands, how = checks.random_call(rng, 3000 if number % 10 == 0 and not machine.tiny else 60)
        wanted = checks.outcome(lambda: getattr(strew, name)(*operands, **how))
        got = checks.outcome(lambda: getattr(strew, name)(*map(machine.array, operands), **how))
        if isinstance(wanted, str):
            assert got == wanted, (wanted, got)
        else:
            checks.same(machine, wanted, got, f"case {number}, {name} {how}")


if __name__ == "__main__":
    main()
