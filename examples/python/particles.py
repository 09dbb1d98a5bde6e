"""Adds the mass and momentum of particles to cells, with NumPy and with Strew. Usage: particles.py [COUNT]"""

import sys
import time

import numpy as np
import strew.numpy as snp


def main(count):
    random = np.random.default_rng(1)
    position, velocity, mass = random.random((count, 2)), random.normal(size=(count, 2)), random.random((count, 1))
    moments = np.concatenate([mass, mass * velocity], 1)
    cell = tuple((position * 256).astype(np.int64).T)  # a row and a column of the grid

    seconds = {}
    for name, add_at in (("NumPy", np.add.at), ("Strew", snp.add.at)):
        seconds[name] = float("inf")
        for _ in range(3):
            grid = np.zeros((256, 256, 3))
            begin = time.perf_counter()
            add_at(grid, cell, moments)
            seconds[name] = min(seconds[name], time.perf_counter() - begin)
    np.testing.assert_allclose(grid.sum((0, 1)), moments.sum(0), atol=1e-6 * count)

    print(f"{count:,} particles: " + ", ".join(f"{name} {1e3 * took:.1f} ms" for name, took in seconds.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000)
