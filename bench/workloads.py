"""The named workloads: operator, attributes, and a function that makes the inputs in ONNX's order.

Data are random and never zero. Indices are int64, in gather_lut32 int32. One measurement repeats a `tiny` workload.
"""

from typing import Callable, NamedTuple

import numpy as np

SEED = 28584


class Workload(NamedTuple):
    op: str
    attributes: dict
    inputs: Callable[[np.random.Generator], list]
    repeats: int = 1


def floats(random, *shape):
    return random.random(shape, dtype=np.float32) + np.float32(0.5)


def halves(random, *shape):
    return floats(random, *shape).astype(np.float16)


def gather(shape, count):
    return Workload("Gather", {"axis": 0}, lambda r: [floats(r, *shape), r.integers(0, shape[0], count)])


def elements(op, attributes, shape, index_shape):
    def inputs(r):
        made = [floats(r, *shape), r.integers(0, shape[attributes["axis"]], index_shape)]
        return made if op == "GatherElements" else [*made, floats(r, *index_shape)]

    return Workload(op, attributes, inputs)


def scatter_nd(reduction, size, indices, row=()):
    def inputs(r):
        chosen = indices(r)
        return [floats(r, size, *row), chosen.reshape(-1, 1), floats(r, len(chosen), *row)]

    return Workload("ScatterND", {"reduction": reduction}, inputs)


def row_indices(r):
    rows = r.integers(0, 556416, (481385, 1))
    return [floats(r, 556416, 80), np.ascontiguousarray(np.broadcast_to(rows, (481385, 80))), floats(r, 481385, 80)]


def power_law_ranks(random, size, count, exponent=0.05):
    """Return ranks from 0; a rank is exceeded with a probability of rank^-exponent."""
    return np.minimum(np.power(1 - random.random(count), -1 / exponent), size).astype(np.int64) - 1


def power_law(r, size, count):
    ranks = power_law_ranks(r, size, count)
    return r.permutation(size)[ranks]


def cache_rows(r):
    tuples = [(b, h, p) for b, p in enumerate(r.integers(0, 2048, 8)) for h in range(32)]
    return [halves(r, 8, 32, 2048, 128), np.array(tuples), halves(r, 256, 128)]


def cache_step(r):
    return [halves(r, 8, 32, 2048, 128), halves(r, 8, 32, 1, 128), r.integers(0, 2048, 8)]


ADD = {"axis": 0, "reduction": "add"}
UNIFORM = (67108864, lambda r: r.integers(0, 67108864, 8388608))

WORKLOADS = {
    "gather_rows_256B": gather((1048576, 64), 524288),
    "gather_rows_64B": gather((16777216, 16), 2097152),
    "gather_rows_4KiB": gather((131072, 1024), 16384),
    "gather_lut32": Workload("Gather", {"axis": 0}, lambda r: [floats(r, 32), r.integers(0, 32, 16777216, np.int32)]),
    "gather_elements_issue": elements("GatherElements", {"axis": 0}, (556416, 80), (481385, 80)),
    "gather_elements_last": elements("GatherElements", {"axis": 1}, (8192, 4096), (8192, 1024)),
    "scatter_elements_add_issue": elements("ScatterElements", ADD, (556416, 80), (481385, 80)),
    "scatter_elements_add_rowidx": Workload("ScatterElements", ADD, row_indices),
    "scatter_elements_none_last": elements(
        "ScatterElements", {"axis": 1, "reduction": "none"}, (8192, 4096), (8192, 1024)
    ),
    "scatter_elements_add_1d": elements("ScatterElements", ADD, (16777216,), (4194304,)),
    "gathernd_elements": Workload(
        "GatherND", {"batch_dims": 0}, lambda r: [floats(r, 8192, 8192), r.integers(0, 8192, (4194304, 2))]
    ),
    "gathernd_batch1": Workload(
        "GatherND", {"batch_dims": 1}, lambda r: [floats(r, 64, 4096, 64), r.integers(0, 4096, (64, 2048, 1))]
    ),
    "scatternd_add_uniform": scatter_nd("add", *UNIFORM),
    "scatternd_none_uniform": scatter_nd("none", *UNIFORM),
    "scatternd_add_zipf": scatter_nd("add", 16777216, lambda r: power_law(r, 16777216, 8388608)),
    "scatternd_add_hot": scatter_nd("add", 1048576, lambda r: r.integers(0, 8, 8388608)),
    "scatternd_rows_add": scatter_nd("add", 1048576, lambda r: r.integers(0, 1048576, 524288), (64,)),
    "scatternd_rows_none_bev": scatter_nd("none", 214272, lambda r: r.permutation(214272)[:12000], (64,)),
    "scatternd_kv_none": Workload("ScatterND", {"reduction": "none"}, cache_rows),
    "tensorscatter_kv": Workload("TensorScatter", {"axis": 2, "mode": "linear"}, cache_step),
    "tiny_gathernd": Workload(
        "GatherND", {"batch_dims": 0}, lambda r: [floats(r, 8400, 4), r.integers(0, 8400, (300, 1))], 2000
    ),
    "tiny_scatternd": Workload(
        "ScatterND", {"reduction": "add"}, lambda r: [floats(r, 8), np.array([[1], [3], [1], [7]]), floats(r, 4)], 2000
    ),
}


def inputs_of(name):
    """Return the inputs of a workload. Every call returns the same values."""
    return WORKLOADS[name].inputs(np.random.default_rng(SEED))
