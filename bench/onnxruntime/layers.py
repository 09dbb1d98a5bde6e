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
    return parsed(text, {f"w{i}": floats(random, columns, columns) - np.float32(1) for i in range(layers)})


def graph(nodes, edges, columns, weighted, seed=0):
    random = np.random.default_rng(seed)
    feeds = {"h0": floats(random, nodes, columns)} | ({"norm": floats(random, edges, 1)} if weighted else {})
    return feeds | {"source": random.integers(0, nodes, edges), "target": random.integers(0, nodes, (edges, 1))}


def convolution_case(layers, nodes, edges, columns, weighted):
    model = lambda: convolutions(layers, columns, weighted)  # noqa: E731
    return Case(model, lambda seed=0: graph(nodes, edges, columns, weighted, seed))


CASES = {f"caustic_{n}": Case(caustic_model, lambda n=n: protein(n)) for n in (4, 20, 60)}
CASES["gcn_3x64_2000"] = convolution_case(3, 2000, 40000, 64, True)
CASES["gin_3x128_20000"] = convolution_case(3, 20000, 300000, 128, False)
