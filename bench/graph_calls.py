"""Calls that bench/graph.py times: one library on one graph, in a process of its own."""

import pathlib
import time

import numpy as np
from workloads import SEED, power_law_ranks

INSTALLED = "torch + Strew"


def graph(nodes, edges, kind):
    """Return sources and targets: uniform, with a hub of 10 % of the edges, or with power-law degrees on both ends."""
    random = np.random.default_rng(SEED)
    if kind == "power":
        ranks = [power_law_ranks(random, nodes, edges, 0.9) for _ in range(2)]
        return [random.permutation(nodes)[rank] for rank in ranks]
    sources, targets = random.integers(0, nodes, (2, edges))
    if kind == "hub":
        targets[random.random(edges) < 0.1] = nodes // 2
    return [sources, targets]


class Case:
    """The operands of a case, and its edges sorted by target for libraries that need sorted edges."""

    def __init__(self, case):
        self.nodes, self.threads = case["nodes"], case["threads"]
        random = np.random.default_rng(SEED + 1)
        self.sources, self.targets = graph(case["nodes"], case["edges"], case["kind"])
        self.data = random.standard_normal((case["nodes"], case["columns"]), dtype=np.float32)
        self.weight = random.random(case["edges"], dtype=np.float32) + np.float32(0.5)

    def sorted(self):
        order = np.argsort(self.targets, kind="stable")
        start = np.zeros(self.nodes + 1, np.int64)
        np.cumsum(np.bincount(self.targets, minlength=self.nodes), out=start[1:])
        return start, self.sources[order], self.weight[order]


def strew_calls(case):
    import strew

    strew.set_num_threads(case.threads)
    edges = strew.Edges(case.sources, case.targets, case.nodes, case.nodes)
    output = np.empty_like(case.data)
    sums = {"weight": case.weight, "out": output}
    largest = {"reduction": "max", "out": output}
    both = case.sources, case.targets, case.nodes
    calls = {
        "sum": lambda: strew.gather_scatter(case.data, edges, **sums),
        "max": lambda: strew.gather_scatter(case.data, edges, **largest),
        "sum, edges used once": lambda: strew.gather_scatter(case.data, *both, **sums),
        "max, edges used once": lambda: strew.gather_scatter(case.data, *both, **largest),
        "max with argmax": lambda: strew.gather_scatter(case.data, edges, argmax=True, **largest)[0],
        "sum, weights sorted": lambda w=edges.sort(case.weight): strew.gather_scatter(
            case.data, edges, weight=w, out=output, sorted=True
        ),
        "gradient of data": lambda e=edges.reversed: strew.gather_scatter(case.data, e, **sums),
        "gradient of weights": lambda: strew.edge_dot(case.data, case.data, edges),
        "making edges": lambda: strew.Edges(case.sources, case.targets, case.nodes, case.nodes),
    }
    try:
        import ml_dtypes
    except ImportError:
        return calls
    halves, output_16 = case.data.astype(ml_dtypes.bfloat16), np.empty(case.data.shape, ml_dtypes.bfloat16)
    weight_16 = case.weight.astype(ml_dtypes.bfloat16)
    calls["sum, bfloat16 added in float32"] = lambda: strew.gather_scatter(
        halves, edges, weight=weight_16, out=output_16, acc_dtype="float32"
    )
    return calls


def torch_calls(case, install=False):
    import torch

    torch.set_num_threads(case.threads)
    if install:
        import strew.torch

        strew.torch.install()
    data, weight = torch.from_numpy(case.data), torch.from_numpy(case.weight)[:, None]
    sources, targets = torch.from_numpy(case.sources), torch.from_numpy(case.targets)
    wide = targets[:, None].expand(-1, case.data.shape[1])

    def largest():
        return torch.zeros_like(data).scatter_reduce_(0, wide, data[sources], "amax", include_self=False)

    return {"sum": lambda: torch.zeros_like(data).index_add_(0, targets, data[sources] * weight), "max": largest}


def csr_calls(case):
    import torch

    torch.set_num_threads(case.threads)
    data = torch.from_numpy(case.data)
    start, sources, weight = (torch.from_numpy(each) for each in case.sorted())
    shape = case.nodes, case.nodes
    weighted = torch.sparse_csr_tensor(start, sources, weight, shape)
    ones = torch.sparse_csr_tensor(start, sources, torch.ones_like(weight), shape)
    return {"sum": lambda: weighted @ data, "max": lambda: torch.sparse.mm(ones, data, "amax")}


def scipy_calls(case):
    import scipy.sparse

    start, sources, weight = case.sorted()
    matrix = scipy.sparse.csr_matrix((weight, sources.astype(np.int32), start.astype(np.int32)), (case.nodes, case.nodes))
    return {"sum": lambda: matrix @ case.data} if case.threads == 1 else {}


LIBRARIES = {
    "strew": strew_calls,
    "torch": torch_calls,
    INSTALLED: lambda case: torch_calls(case, install=True),
    "torch CSR": csr_calls,
    "SciPy CSR": scipy_calls,
}


def status_bytes(key):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(key))


class Calls:
    """A library's calls on one graph; its process answers requests with these methods."""

    def __init__(self, library, case):
        try:
            self.calls = LIBRARIES[library](Case(case))
        except ImportError:
            self.calls = {}

    def names(self):
        return sorted(self.calls)

    def time(self, name):
        begin = time.perf_counter()
        self.calls[name]()
        return time.perf_counter() - begin

    def peak(self, name):
        """Return the bytes that the call needs beyond the memory of the process."""
        pathlib.Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
        before = status_bytes("VmRSS")
        result = self.calls[name]()
        peak = status_bytes("VmHWM")
        del result
        return peak - before

    def check(self, name):
        """Return a weighted sum of the result: swapped rows or columns change it, different rounding hardly does."""
        result = np.nan_to_num(np.asarray(self.calls[name]()), neginf=0)  # for rows without edges
        return float(np.einsum("ij,i,j", result.astype(np.float64), *[np.cos(np.arange(n)) for n in result.shape]))
