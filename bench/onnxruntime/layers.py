"""Graph networks whose layers gather rows of nodes along edges and add them up: caustic-nmr as published, and plain
convolutions with random weights.
"""

import importlib.util
import pathlib

import numpy as np
import onnx
from case import Case, floats, generator, parsed

ATOMS, NEIGHBOURS, NUCLEI = 16, 32, 6


def caustic_model():
    package = importlib.util.find_spec("caustic")
    if package is None:
        raise SystemExit("caustic is not installed: pip install --no-deps caustic-nmr==0.4.1")
    return onnx.load(pathlib.Path(package.origin).parent / "data" / "best_v2_carbons.onnx")


def protein(residues):
    """Return random features; every atom has edges from as many atoms as the package allows, in random order."""
    random = generator()
    atoms = residues * ATOMS
    edges = atoms * min(NEIGHBOURS, atoms - 1)
    targets = np.repeat(np.arange(atoms), edges // atoms)
    sources = (targets + random.integers(1, atoms, edges)) % atoms
    feeds = {
        "element": random.integers(0, 7, atoms),
        "amino_acid": random.integers(0, 21, atoms),
        "atom_role": random.integers(0, 14, atoms),
        "bfactor": floats(random, atoms),
        "edge_index": np.stack([sources, targets])[:, random.permutation(edges)],
        "edge_dist": floats(random, edges) * 4,
        "seq_sep": random.integers(0, 33, edges),
        "target_indices": random.integers(0, atoms, (residues, NUCLEI)),
        "target_mask": random.random((residues, NUCLEI)) < 0.5,
        "residue_types": random.integers(0, 21, residues),
    }
    for name in ("same_residue", "is_hbond", "hb_cos"):
        feeds[name] = floats(random, edges)
    for name, shape in (("residue_geometry", (52,)), ("target_environment", (NUCLEI, 15)), ("temperature_feature", (1,))):
        feeds[name] = floats(random, residues, *shape)
    feeds["target_atom_rsasa"] = floats(random, residues, NUCLEI)
    return feeds | {name: floats(random, atoms, 3) for name in ("pos", "node_normal")}


def convolutions(layers, columns, weighted):
    """Return a GCN (weighted) or GIN: a layer sums the rows of each node's neighbours, and multiplies by a matrix."""
    random = generator()
    lines = []
    for i in range(layers):
        lines += [f"g{i} = Gather(h{i}, source)"]
        lines += [f"m{i} = Mul(g{i}, norm)"] if weighted else []
        lines += [f's{i} = ScatterND<reduction = "add">(zeros, target, {"m" if weighted else "g"}{i})']
        lines += [f"p{i} = MatMul(s{i}, w{i})", f"h{i + 1} = Relu(p{i})"]
    norm = "float[edges, 1] norm, " if weighted else ""
    text = (
        f"convolutions (float[nodes, {columns}] h0, {norm}int64[edges] source, int64[edges, 1] target) =>"
        f" (float[nodes, {columns}] h{layers}) {{ s = Shape(h0) zeros = ConstantOfShape(s) {' '.join(lines)} }}"
    )
    model = parsed(text, {f"w{i}": floats(random, columns, columns) - np.float32(1) for i in range(layers)})
    for node in model.graph.node:
        node.name = node.output[0]  # the name in a profile
    return model


def messages(columns):
    """Return a layer whose messages multiply a matrix by the concatenated rows of both nodes and of the edge."""
    random = generator()
    model = parsed(
        f"messages (float[nodes, {columns}] h0, float[edges, 16] norm, int64[edges] source, int64[edges, 1] target) =>"
        f" (float[nodes, {columns}] h1) {{ s = Shape(h0) zeros = ConstantOfShape(s) last = Constant<value = int64[1] {{1}}>()"
        " to = Squeeze(target, last) f = Gather(h0, source) t = Gather(h0, to) c = Concat<axis = 1>(f, t, norm)"
        ' p = MatMul(c, w) m = Relu(p) h1 = ScatterND<reduction = "add">(zeros, target, m) }',
        {"w": floats(random, 2 * columns + 16, columns) - np.float32(1)},
    )
    for node in model.graph.node:
        node.name = node.output[0]
    return model


def graph(nodes, edges, columns, norms, seed=0):
    random = np.random.default_rng(seed)
    feeds = {"h0": floats(random, nodes, columns)} | ({"norm": floats(random, edges, norms)} if norms else {})
    return feeds | {"source": random.integers(0, nodes, edges), "target": random.integers(0, nodes, (edges, 1))}


def convolution_case(layers, nodes, edges, columns, weighted):
    return Case(
        "layers",
        lambda: convolutions(layers, columns, weighted),
        lambda seed=0: graph(nodes, edges, columns, int(weighted), seed),
    )


CASES = {f"caustic_{n}": Case("layers", caustic_model, lambda n=n: protein(n)) for n in (4, 20, 60)}
CASES["concat_64_2000"] = Case("layers", lambda: messages(64), lambda: graph(2000, 40000, 64, 16))
CASES["concat_64_30"] = Case("layers", lambda: messages(64), lambda: graph(30, 200, 64, 16))
CASES |= {
    f"{name}_{layers}x{columns}_{nodes}": convolution_case(layers, nodes, edges, columns, name == "gcn")
    for name, layers, columns, nodes, edges in (
        ("gcn", 3, 64, 30, 200),
        ("gcn", 3, 64, 2000, 40000),
        ("gcn", 1, 16, 2000, 40000),
        ("gin", 3, 128, 20000, 300000),
        ("gin", 1, 128, 20000, 60000),
    )
}
