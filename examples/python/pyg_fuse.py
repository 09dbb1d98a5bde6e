"""A PyTorch Geometric network; fuse() makes its layers gather and add in one pass. Usage: pyg_fuse.py [NODES]"""

import sys
import time

import strew.torch
import torch
from torch_geometric.nn import GCNConv, Sequential


def step(network, x, edge_index):
    begin = time.perf_counter()
    out = network(x, edge_index)
    out.square().mean().backward()
    return time.perf_counter() - begin, out.detach()


def main(nodes):
    torch.manual_seed(1)
    x, edge_index = torch.rand(nodes, 64), torch.randint(0, nodes, (2, 10 * nodes))
    first, second = GCNConv(64, 64, cached=True), GCNConv(64, 64, cached=True)
    along = "x, edge_index -> x"
    network = Sequential("x, edge_index", [(first, along), torch.nn.ReLU(), (second, along)])

    step(network, x, edge_index)  # fills the layers' cache
    before, wanted = step(network, x, edge_index)
    strew.torch.fuse(network)
    step(network, x, edge_index)
    after, found = step(network, x, edge_index)
    torch.testing.assert_close(found, wanted)
    print(f"{nodes:,} nodes, a step: PyG {1e3 * before:.1f} ms, after fuse() {1e3 * after:.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
