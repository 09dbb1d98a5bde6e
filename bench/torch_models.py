"""The programs of torch_programs.py in plain PyTorch: graph models as torch_geometric runs them, and a recommender.

The model "arxiv gcn" has PyTorch Geometric's layers, on a graph of the size of ogbn-arxiv.
"""

import resource
import time

import torch
from torch import nn
from torch.nn import functional

NODES, EDGES, WIDTH, CLASSES = 200_000, 2_000_000, 64, 32


def wide(index, like):
    """Return the index of each row, expanded to the row's elements with a view of stride 0, as torch_geometric does."""
    return index.view(-1, 1).expand_as(like)


def summed(messages, index, nodes):
    return messages.new_zeros(nodes, messages.size(1)).scatter_add_(0, wide(index, messages), messages)


def averaged(messages, index, nodes):
    count = messages.new_zeros(nodes).scatter_add_(0, index, messages.new_ones(len(index))).clamp_(min=1)
    return summed(messages, index, nodes) / count[:, None]


def largest(messages, index, nodes):
    zeros = messages.new_zeros(nodes, messages.size(1))
    return zeros.scatter_reduce(0, wide(index, messages), messages, "amax", include_self=False)


class Gcn(nn.Module):
    def __init__(self, graph, inputs, outputs):
        super().__init__()
        self.graph, self.linear = graph, nn.Linear(inputs, outputs)
        source, target = graph
        degree = torch.bincount(target, minlength=1 + int(source.max())).clamp(min=1).rsqrt()
        self.weight = (degree[source] * degree[target])[:, None]

    def forward(self, nodes):
        source, target = self.graph
        nodes = self.linear(nodes)
        return summed(nodes.index_select(0, source) * self.weight, target, len(nodes))


class Sage(nn.Module):
    def __init__(self, graph, inputs, outputs, gathered=averaged):
        super().__init__()
        self.graph, self.gathered = graph, gathered
        self.own, self.others = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs)

    def forward(self, nodes):
        source, target = self.graph
        return self.own(nodes) + self.others(self.gathered(nodes.index_select(0, source), target, len(nodes)))


class Gat(nn.Module):
    def __init__(self, graph, inputs, outputs):
        super().__init__()
        self.graph, self.linear = graph, nn.Linear(inputs, outputs)
        self.source, self.target = nn.Linear(outputs, 1), nn.Linear(outputs, 1)

    def forward(self, nodes):
        source, target = self.graph
        nodes = self.linear(nodes)
        score = self.source(nodes).index_select(0, source) + self.target(nodes).index_select(0, target)
        score = functional.leaky_relu(score, 0.2)
        score = (score - largest(score.detach(), target, len(nodes)).index_select(0, target)).exp()
        score = score / summed(score, target, len(nodes)).index_select(0, target)
        return summed(nodes.index_select(0, source) * score, target, len(nodes))


class Gin(nn.Module):
    def __init__(self, graph, inputs, outputs):
        super().__init__()
        self.graph = graph
        self.layers = nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs))

    def forward(self, nodes):
        source, target = self.graph
        return self.layers(nodes + summed(nodes.index_select(0, source), target, len(nodes)))


class Gine(Gin):
    """A model for molecules: many small graphs, edges with features, a sum over each graph."""

    def __init__(self, graph, inputs, outputs):
        super().__init__(graph, inputs, outputs)
        self.edge = nn.Embedding(16, inputs)
        self.kind = torch.randint(0, 16, (len(graph[0]),))

    def forward(self, nodes):
        source, target = self.graph
        messages = (nodes.index_select(0, source) + self.edge(self.kind)).relu()
        return self.layers(nodes + summed(messages, target, len(nodes)))


def random_graph(nodes, edges):
    return (nodes * torch.rand(edges) ** 2).long().clamp_(0, nodes - 1), torch.randint(0, nodes, (edges,))


class OfGraph(nn.Module):
    def __init__(self, layer, edges=EDGES, nodes=NODES):
        super().__init__()
        graph = random_graph(nodes, edges)
        self.first, self.second = layer(graph, WIDTH, WIDTH), layer(graph, WIDTH, CLASSES)
        self.nodes, self.labels = torch.randn(nodes, WIDTH), torch.randint(0, CLASSES, (nodes,))

    def loss(self):
        return functional.cross_entropy(self.second(self.first(self.nodes).relu()), self.labels)


class Arxiv(nn.Module):
    """A GCN of PyTorch Geometric. Its layers compute edge weights and self loops at every step."""

    def __init__(self, nodes=169_343, edges=1_166_243, width=128, classes=40):
        super().__init__()
        from torch_geometric.nn import GCNConv

        self.edges = torch.stack(random_graph(nodes, edges))
        self.layers = nn.ModuleList(GCNConv(width, outputs) for outputs in (width, width, classes))
        self.nodes, self.labels = torch.randn(nodes, width), torch.randint(0, classes, (nodes,))

    def loss(self):
        first, second, third = self.layers
        nodes = second(first(self.nodes, self.edges).relu(), self.edges).relu()
        return functional.cross_entropy(third(nodes, self.edges), self.labels)


class Molecules(nn.Module):
    def __init__(self, molecules=4096, atoms=24, width=128):
        super().__init__()
        nodes = molecules * atoms
        first = torch.arange(nodes)
        chain = first[first % atoms != atoms - 1]
        ring = torch.randint(0, molecules, (molecules,)) * atoms
        source, target = torch.cat([chain, ring]), torch.cat([chain + 1, ring + 5])
        graph = torch.cat([source, target]), torch.cat([target, source])
        self.atoms = nn.Embedding(100, width)
        self.kind, self.molecule = torch.randint(0, 100, (nodes,)), first // atoms
        self.layers = nn.ModuleList(Gine(graph, width, width) for _ in range(3))
        self.head, self.labels, self.count = nn.Linear(width, 1), torch.randn(molecules, 1), molecules

    def loss(self):
        nodes = self.atoms(self.kind)
        for layer in self.layers:
            nodes = layer(nodes)
        return functional.mse_loss(self.head(summed(nodes, self.molecule, self.count)), self.labels)


class Recommender(nn.Module):
    def __init__(self, tables=8, rows=200_000, width=32, batch=16_384):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.chosen = (rows * torch.rand(batch, tables) ** 3).long()
        self.pairs = torch.triu_indices(tables, tables, 1)
        self.head = nn.Sequential(nn.Linear(self.pairs.size(1) + width, 128), nn.ReLU(), nn.Linear(128, 1))
        self.labels = torch.rand(batch, 1).round()

    def loss(self):
        vectors = torch.stack([table(self.chosen[:, i]) for i, table in enumerate(self.tables)], 1)
        products = (vectors @ vectors.mT)[:, self.pairs[0], self.pairs[1]]
        return functional.binary_cross_entropy_with_logits(
            self.head(torch.cat([products, vectors.sum(1)], 1)), self.labels
        )


class Filter(nn.Module):
    """A layer as in SchNet: a network computes weights for a message's elements from the distance of its nodes."""

    def __init__(self, graph, inputs, outputs):
        super().__init__()
        self.graph, distance = graph, torch.rand(len(graph[0]), 1)
        self.basis = torch.exp(-((distance - torch.linspace(0, 1, 16)) ** 2) * 20)
        self.weights = nn.Sequential(nn.Linear(16, inputs), nn.Softplus(), nn.Linear(inputs, inputs))
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, nodes):
        source, target = self.graph
        return self.linear(summed(nodes[source] * self.weights(self.basis), target, len(nodes)))


MODELS = {
    "gcn": lambda: OfGraph(Gcn),
    "sage mean": lambda: OfGraph(Sage),
    "sage max": lambda: OfGraph(lambda *arguments: Sage(*arguments, gathered=largest)),
    "gin": lambda: OfGraph(Gin),
    "gat": lambda: OfGraph(Gat),
    "filters": lambda: OfGraph(Filter, EDGES // 4),
    "small gcn": lambda: OfGraph(Gcn, 1_000, 200),
    "molecules": Molecules,
    "recommender": Recommender,
    "arxiv gcn": Arxiv,
}


class Training:
    """The training of a model; its process answers requests with the method `run`."""

    def __init__(self, name, threads, how):
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms("deterministic" in how)
        torch.manual_seed(0)
        self.model = MODELS[name]()
        if "fuse" in how:
            import strew.torch

            strew.torch.fuse(self.model)
        if "compile" in how:
            self.model.loss = torch.compile(self.model.loss)
        self.optimizer = (torch.optim.SGD if name == "recommender" else torch.optim.Adam)(self.model.parameters(), 1e-3)

    def run(self, count):
        """Return the times of one of `count` training steps, the peak memory so far, the last loss and the sum of the
        bits of all parameters as int32."""
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(count):
            self.optimizer.zero_grad()
            loss = self.model.loss()
            loss.backward()
            self.optimizer.step()
        times = {"wall": (time.perf_counter() - wall) / count, "cpu": (time.process_time() - cpu) / count}
        bits = sum(parameter.detach().view(torch.int32).sum().item() for parameter in self.model.parameters())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return times | {"peak": peak, "loss": loss.item(), "bits": bits}
