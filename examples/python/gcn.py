"""A graph convolution with index_add, and with gather_scatter, which stores no messages. Usage: gcn.py [NODES]"""

import sys
import time

import strew.torch
import torch


def by_index_add(x, source, target, weight):
    messages = x[source] * weight[:, None]  # a row for each edge
    return torch.zeros_like(x).index_add(0, target, messages)


def main(nodes):
    torch.manual_seed(1)
    edge_index = torch.randint(0, nodes, (2, 10 * nodes))
    weight = torch.rand(10 * nodes)
    x = torch.rand(nodes, 64, requires_grad=True)

    edges = strew.torch.Edges(*edge_index, nodes, nodes)  # checked and sorted once, for all layers and steps
    layers = {
        "index_add": lambda: by_index_add(x, *edge_index, weight),
        "gather_scatter": lambda: strew.torch.gather_scatter(x, edges, weight=weight),
    }
    seconds, gradients = {}, {}
    for name, layer in layers.items():
        x.grad = None
        begin = time.perf_counter()
        layer().square().sum().backward()
        seconds[name], gradients[name] = time.perf_counter() - begin, x.grad
    torch.testing.assert_close(gradients["gather_scatter"], gradients["index_add"])
    print(f"{nodes:,} nodes, a step: " + ", ".join(f"{name} {1e3 * took:.1f} ms" for name, took in seconds.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
