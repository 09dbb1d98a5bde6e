#!/usr/bin/env python3
"""Computes a two-dimensional histogram of particles chunk by chunk, without all particles in memory at once.

Usage: particles.py [--particles 20000000] [--bins 512] [--to FILE.npy]

Adds the mass of each particle to its bin, in particle order and in float32. The bits are the same for any
chunks and any number of threads. Particles outside the bins are dropped. numpy.histogram2d needs all particles in memory.
"""

import argparse

import dask
import dask.array as da
import numpy as np
import strew.dask
from dask.diagnostics import ProgressBar


def particles(count, chunk):
    """Return random positions [count, 2] and masses [count]; da.from_zarr or da.from_npy_stack would load your own."""
    random = da.random.default_rng(1)
    positions = random.normal(0.5, 0.2, (count, 2), chunks=(chunk, 2)).astype(np.float32)
    return positions, random.uniform(1, 2, count, chunks=chunk).astype(np.float32)


def mass_by_bin(positions, masses, bins):
    cells = da.floor(positions * bins).astype(np.int64)
    empty = da.zeros((bins, bins), chunks=(max(1, bins // 2), bins), dtype=np.float32)
    return strew.dask.scatter_nd(empty, cells, masses, "add", out_of_bounds="drop", negative_indices="out_of_bounds")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--particles", type=int, default=20_000_000)
    parser.add_argument("--bins", type=int, default=512)
    parser.add_argument("--to", help="file for the bins")
    given = parser.parse_args()
    positions, masses = particles(given.particles, max(1, given.particles // 40))
    with ProgressBar():
        bins, whole = dask.compute(mass_by_bin(positions, masses, given.bins), masses.sum(dtype=np.float64))
    print(f"{given.particles:,} particles; {100 * bins.sum(dtype=np.float64) / whole:.2f} % of their mass lies in {bins.size:,} bins")
    if given.to:
        np.save(given.to, bins)


if __name__ == "__main__":
    main()
