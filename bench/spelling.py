"""Times what NumPy, PyTorch and JAX spell otherwise than ONNX (modes, means, bins, sums into zeros), in turn.

Usage: spelling.py [FILE] [--only WORD ...] [--threads 1] [--rounds 7]

Every result is compared with NumPy's or PyTorch's, to the last bit: values are small integers, so that sums do not depend
on their order. Times are medians of alternating rounds in one process. FILE gets a line of JSON for each case
(docs/plots/spelling.jsonl); the table is printed from those of this run.
"""

import argparse
import json
import os
import pathlib
import statistics
import time
import warnings


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    return parser.parse_args()


options = arguments()
if options.threads == 1:  # XLA's threads cannot be counted
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import machine  # noqa: E402
import numpy as np  # noqa: E402
import strew  # noqa: E402
import strew.numpy as snp  # noqa: E402
import strew.torch.functional as F  # noqa: E402, N812
import torch  # noqa: E402

# JAX without 64-bit types, as it is by default: its indices are int32.
RANDOM = np.random.default_rng(20240613)
PAUSES = {"strew": 0.01, "torch": 0.02, "jax": 0.06}  # until the threads of a library sleep


def indices(count, size, sort=False):
    values = RANDOM.integers(0, size, count)
    return np.sort(values) if sort else values


def outside(count, size):
    """Indices of which one in a hundred is before or behind the axis."""
    values = indices(count, size)
    values[:: 100] = RANDOM.integers(-size, 2 * size, len(values[:: 100]))
    return values


def values(*shape):
    return RANDOM.integers(-8, 8, shape).astype(np.float32)


def of_jax(function, *arrays):
    given = [jnp.asarray(array.astype(np.int32) if array.dtype == np.int64 else array) for array in arrays]
    compiled = jax.jit(function)
    return lambda: compiled(*given).block_until_ready()


def take(rows, width, count, mode, spread=None):
    table = values(rows, width) if width > 1 else values(rows)
    places = outside(count, rows) if spread is None else RANDOM.integers(-spread * rows, spread * rows, count)
    t, p = torch.from_numpy(table), torch.from_numpy(places)
    brought = (lambda: p.clamp(0, rows - 1)) if mode == "clip" else (lambda: p.remainder(rows))
    return {
        "strew": lambda: snp.take(table, places, axis=0, mode=mode),
        "numpy": lambda: np.take(table, places, axis=0, mode=mode),
        "torch": lambda: t.index_select(0, brought()),
        "jax": of_jax(lambda a, i: jnp.take(a, i, axis=0, mode=mode), table, places),
    }


def scatter_reduce(rows, width, count, reduce, include_self):
    shape = (rows, width) if width > 1 else (rows,)
    table, source, places = values(*shape), values(count, *shape[1:]), indices(count, rows)
    t, s, i = map(torch.from_numpy, (table, source, places))
    wide = i[:, None].expand(count, width) if width > 1 else i

    def of_jax_reduce(a, b, at):
        if reduce == "amax" and include_self:
            return a.at[at].max(b)
        reached = jnp.zeros(rows, jnp.int32).at[at].add(1)
        if reduce == "amax":
            found = jnp.full_like(a, -jnp.inf).at[at].max(b)
        else:
            found = (a if include_self else jnp.zeros_like(a)).at[at].add(b)
            terms = (reached + include_self).reshape(rows, *[1] * (len(shape) - 1))
            found = found / terms
        return jnp.where((reached > 0).reshape(rows, *[1] * (len(shape) - 1)), found, a)

    return {
        "strew": lambda: F.scatter_reduce(t, 0, wide, s, reduce, include_self=include_self),
        "torch": lambda: t.scatter_reduce(0, wide, s, reduce, include_self=include_self),
        "jax": of_jax(of_jax_reduce, table, source, places),
    }


def index_reduce(rows, width, count, reduce):
    table, source, places = values(rows, width), values(count, width), indices(count, rows)
    t, s, i = map(torch.from_numpy, (table, source, places))
    return {
        "strew": lambda: F.index_reduce(t, 0, i, s, reduce),
        "torch": lambda: t.index_reduce(0, i, s, reduce),
    }


def bincount(count, bins):
    places = indices(count, bins)
    places[0] = bins - 1
    p = torch.from_numpy(places)
    return {
        "strew": lambda: snp.bincount(places),
        "numpy": lambda: np.bincount(places),
        "torch": lambda: torch.bincount(p),
        "jax": of_jax(lambda i: jnp.bincount(i, length=bins), places),
    }


def into_zeros(rows, width, count):
    source, places = values(count, width), indices(count, rows, sort=True)
    s, p = map(torch.from_numpy, (source, places))
    base = strew.broadcast_full((rows, width), 0, np.float32)
    view = np.broadcast_to(places[:, None], source.shape)
    return {
        "strew": lambda: strew.scatter_elements(base, view, source, reduction="add"),
        "torch": lambda: torch.zeros(rows, width).index_add_(0, p, s),
        "jax": of_jax(lambda a, i: jax.ops.segment_sum(a, i, rows), source, places),
    }


def at(name, size, count):
    mine, others, places, added = values(size), values(size), indices(count, size), values(count)
    others[:] = mine
    o, p, a = map(torch.from_numpy, (others.copy(), places, added))
    in_torch = {"add": lambda: o.index_add_(0, p, a), "maximum": lambda: o.scatter_reduce_(0, p, a, "amax")}
    calls = {
        "strew": lambda: (getattr(snp, name).at(mine, places, added), mine)[1],
        "numpy": lambda: (getattr(np, name).at(others, places, added), others)[1],
    }
    return calls if count < 100 else calls | {"torch": in_torch[name]}


MI = 1 << 20
CASES = {
    "take clip, 500,000 rows of 64 floats from 262,144": lambda: take(1 << 18, 64, 500_000, "clip"),
    "take clip, 8 Mi floats from 4 Mi": lambda: take(4 * MI, 1, 8 * MI, "clip"),
    "take clip, 8 Mi floats from 1,024": lambda: take(1024, 1, 8 * MI, "clip"),
    "take wrap, 500,000 rows of 64 floats from 262,144": lambda: take(1 << 18, 64, 500_000, "wrap"),
    "take wrap, 8 Mi floats from 4 Mi": lambda: take(4 * MI, 1, 8 * MI, "wrap"),
    "take wrap, 8 Mi floats from 4 Mi, indices up to 8 times as far": lambda: take(4 * MI, 1, 8 * MI, "wrap", 8),
    "scatter_reduce mean, 4 Mi floats into 1 Mi": lambda: scatter_reduce(MI, 1, 4 * MI, "mean", True),
    "scatter_reduce mean without data, 4 Mi floats into 1 Mi": lambda: scatter_reduce(MI, 1, 4 * MI, "mean", False),
    "scatter_reduce mean, 1 Mi rows of 32 floats into 131,072": lambda: scatter_reduce(1 << 17, 32, MI, "mean", True),
    "scatter_reduce mean without data, the same rows": lambda: scatter_reduce(1 << 17, 32, MI, "mean", False),
    "scatter_reduce amax without data, 4 Mi floats into 1 Mi": lambda: scatter_reduce(MI, 1, 4 * MI, "amax", False),
    "scatter_reduce amax without data, the same rows": lambda: scatter_reduce(1 << 17, 32, MI, "amax", False),
    "index_reduce mean, the same rows": lambda: index_reduce(1 << 17, 32, MI, "mean"),
    "index_reduce amax, the same rows": lambda: index_reduce(1 << 17, 32, MI, "amax"),
    "index_reduce prod, the same rows": lambda: index_reduce(1 << 17, 32, MI, "prod"),
    "bincount, 8 M int64 into 256": lambda: bincount(8_000_000, 256),
    "bincount, 8 M int64 into 10 M": lambda: bincount(8_000_000, 10_000_000),
    "sums into zeros [200,000, 32] of 2 M sorted rows": lambda: into_zeros(200_000, 32, 2_000_000),
    "add.at, 4 Mi floats into 1 Mi": lambda: at("add", MI, 4 * MI),
    "maximum.at, 4 Mi floats into 1 Mi": lambda: at("maximum", MI, 4 * MI),
    "add.at, 4 floats into 8": lambda: at("add", 8, 4),
    "maximum.at, 4 floats into 8": lambda: at("maximum", 8, 4),
}


def once(call, repeats):
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begin) / repeats


def differing(calls):
    """The libraries whose results have other values than Strew's."""
    results = {library: np.asarray(call()) for library, call in calls.items()}
    return [library for library, result in results.items() if not np.array_equal(results["strew"], result, equal_nan=True)]


def measure(calls):
    seconds, repeats = {library: [] for library in calls}, {}
    for library, call in calls.items():
        repeats[library] = max(1, int(2e-3 / once(call, 1)))
    for _ in range(options.rounds):
        for library, call in calls.items():
            call()  # the first call after a pause wakes the threads
            seconds[library].append(once(call, repeats[library]))
            time.sleep(PAUSES.get(library, 0))
    return {library: float(f"{statistics.median(times):.4g}") for library, times in seconds.items()}


def row_of(name, seconds, differs):
    cells = [f"{seconds[library] * 1e3:.3g}" + "\\*" * (library in differs) if library in seconds else "-" for library in LIBRARIES]
    best = min(time for library, time in seconds.items() if library != "strew" and library not in differs)
    return f"| {name} | {' | '.join(cells)} | {best / seconds['strew']:.2f} |"


LIBRARIES = ("strew", "numpy", "torch", "jax")


def main():
    strew.set_num_threads(options.threads)
    torch.set_num_threads(options.threads)
    warnings.filterwarnings("ignore", message="index_reduce")
    print(f"| | {' | '.join(LIBRARIES)} | best peer / Strew |\n|{' --- |' * (len(LIBRARIES) + 2)}")
    for name, make in CASES.items():
        if not any(word in name for word in options.only):
            continue
        calls = make()
        differs = differing(calls)
        seconds = measure(calls)
        print(row_of(name, seconds, differs), flush=True)
        if options.file:
            line = {"name": name, "threads": options.threads, "seconds": seconds, "differs": differs}
            with options.file.open("a") as file:
                file.write(json.dumps(line | machine.stamp()) + "\n")


if __name__ == "__main__":
    main()
