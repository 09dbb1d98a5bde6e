"""Graph layers for tests of fused nodes: models, their operands, and sessions with and without fusion."""

import platform
import re

import numpy as np
import onnxruntime
import onnxruntime_ep_strew as strew_ep
import pytest
from support import assert_same, random_values, strew_session, text_model

NUMPY = {"float": "float32", "double": "float64", "float16": "float16"}
STEPS = {
    "": "m = Identity(g)",
    "mul": "m = Mul(g, w)",
    "mul the other way round": "m = Mul(w, g)",
    "add": "m = Add(g, a)",
    "relu": "m = Relu(g)",
    "add relu": "r = Add(a, g) m = Relu(r)",
    "mul add": "r = Mul(g, w) m = Add(a, r)",
    "mul add relu": "q = Mul(g, w) r = Add(q, a) m = Relu(r)",
}
INDICES = {
    "nd": ("", 'y = ScatterND<reduction = "{}">(base, column, m)'),
    "elements": ("", 'e = Expand(column, shape) y = ScatterElements<axis = 0, reduction = "{}">(base, e, m)'),
    "own shape": ("", 's = Shape(m) e = Expand(column, s) y = ScatterElements<axis = 0, reduction = "{}">(base, e, m)'),
    "torchscript": (
        "zeros = Constant<value = int64[2] {0, 0}>()",
        "s = Shape(m) e = Expand(column, s) t = Shape(e) u = Slice(m, zeros, t)"
        ' y = ScatterElements<axis = 0, reduction = "{}">(base, e, u)',
    ),
}


def model_of(
    steps="mul add relu", indices="elements", reduction="add", kind="float", weight=None, base="", after="", outputs=""
):
    """Return a layer over `x` with edges `from` and `column`. `base` is a node that computes the scatter's data in the
    shape `like`. `after` has further nodes, which may read any value."""
    before, scatter = INDICES[indices]
    middle = STEPS[steps]
    if not steps:
        scatter, middle = scatter.replace("m)", "g)").replace("(m,", "(g,"), ""
    inputs = [f"{kind}[n, c] x, int64[e] from, int64[e, 1] column", "int64[2] like" if base else f"{kind}[t, c] base"]
    inputs += [f"{kind}[{weight or 'e, 1'}] w"] if "w" in middle else []
    inputs += [f"{kind}[e, c] a"] if "a)" in middle or "a," in middle else []
    inputs += ["int64[2] shape"] if "shape)" in scatter else []
    return text_model(
        f"g ({', '.join(inputs)}) => ({kind}[t, c] y{outputs}) "
        f"{{ {before} {base} g = Gather<axis = 0>(x, from) {middle} {scatter.replace('{}', reduction)} {after} }}"
    )


def feeds_of(model, seed=0, sources=9, targets=6, edges=50, columns=40, kind="float", hub=False, weight=None):
    """Return operands with duplicate edges, targets without edges, NaN and infinities."""
    rng = np.random.default_rng(seed)
    dtype = NUMPY[kind]
    feeds = {
        "x": random_values(rng, (sources, columns), dtype),
        "from": rng.integers(-sources, sources, edges) if sources else np.zeros(0, np.int64),
        "column": np.full((edges, 1), 2) if hub else rng.integers(-targets, targets - 1, (edges, 1)),
        "base": random_values(rng, (targets, columns), dtype),
        "like": np.array([targets, columns]),
        "w": random_values(rng, weight or (edges, 1), dtype),
        "a": random_values(rng, (edges, columns), dtype),
        "shape": np.array([edges, columns]),
    }
    return {name: feeds[name] for name in (value.name for value in model.graph.input)}


def sessions(model, threads=1):
    return strew_session(model, threads), strew_session(model, threads, fuse=False)


def fused(session):
    """Return the operators of the fused nodes, sorted by name."""
    return sorted(place.operator for place in strew_ep.placement(session) if place.fused)


def runs_fused(model, threads=1):
    """Return a session with fused nodes and a session without. On Arm, nodes are not fused if Relu is among them."""
    one, other = sessions(model, threads)
    assert bool(fused(one)) == can_be_fused(model)
    assert not fused(other)
    return one, other


def can_be_fused(model):
    return platform.machine() != "aarch64" or all(node.op_type != "Relu" for node in model.graph.node)


def assert_equal_runs(one, other, feeds, times=2):
    """Assert equal bits of all outputs, also in a second run with the same edges."""
    expected = other.run(None, feeds)
    for _ in range(times):
        for result, wanted in zip(one.run(None, feeds), expected, strict=True):
            assert_same(result, wanted)


def assert_fused_bits(model, *feeds, threads=1, times=2):
    """Assert that the model has fused nodes and gives the bits of the nodes one by one. Return the fused operators."""
    one, other = runs_fused(model, threads)
    for each in feeds:
        assert_equal_runs(one, other, each, times)
    return fused(one)


def assert_same_error(model, feeds, name, words="1000 is outside"):
    """Assert that an index out of bounds is the same error with and without fusion, and that later runs are right."""
    one, other = runs_fused(model)
    good = one.run(None, feeds)[0]
    bad = feeds | {name: np.where(np.arange(50).reshape(feeds[name].shape) == 7, 1000, feeds[name])}
    message = error_of(one, bad)
    assert words in message
    assert message == error_of(other, bad)
    assert_same(one.run(None, feeds)[0], good)


def error_of(session, feeds):
    """Return the error message of a run, without the names of the nodes."""
    with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument) as error:
        session.run(None, feeds)
    return re.sub("^fused [^:]*: ", "", str(error.value).rpartition("Status Message: ")[2])
