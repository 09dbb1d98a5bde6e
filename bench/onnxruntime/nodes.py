"""The named workloads as models of one node, and chains of nodes: tiny ones, and ten that can run in place."""

import numpy as np
from case import Case, floats, generator, parsed  # adds bench to the path

import workloads
from libraries.onnx_model import model_of

CHAIN = 10
TINY_CHAIN = 200
NAMES = ("data", "indices", "updates")
TINY = {
    "Gather": "<axis=0>",
    "GatherElements": "<axis=0>",
    "GatherND": "",
    "ScatterElements": '<axis=0, reduction="add">',
    "ScatterND": '<reduction="add">',
}


def one_node(name):
    workload = workloads.WORKLOADS[name]
    model = lambda: model_of(workload.op, workload.attributes, workloads.inputs_of(name))[1]  # noqa: E731
    return Case(model, lambda: dict(zip(NAMES, workloads.inputs_of(name))), kept_outputs=True)


def chained_nodes(op, attributes, count, arguments, last="result"):
    """Return lines of a text: `count` nodes, each on the output of its predecessor."""
    values = ["data", *(f"value_{i}" for i in range(1, count)), last]
    return "\n".join(
        f"  {after} = {op}{attributes}({', '.join([before, *arguments(i)])})"
        for i, (before, after) in enumerate(zip(values, values[1:]))
    )


def in_place_chain():
    """Return ten row scatters into 16 MB: all but the first and the last may overwrite their input, which has no later reader."""
    rows, columns, written = 65536, 64, 256

    def model():
        nodes = chained_nodes("ScatterND", "", CHAIN, lambda i: [f"indices_{i}", "updates"])
        grid = f"float[rows,{columns}]"
        text = f"chain ({grid} data, float[{written},{columns}] updates) => ({grid} result) {{\n{nodes}\n}}"
        indices = {f"indices_{i}": generator().integers(0, rows, (written, 1)) for i in range(CHAIN)}
        return parsed(text, indices)

    def feeds():
        return {"data": floats(generator(), rows, columns), "updates": floats(generator(), written, columns)}

    return Case(model, feeds, kept_outputs=True)


def tiny_chain(op):
    """Return many nodes on 8 elements, which show the overhead of a node."""
    scatters = op.startswith("Scatter")
    indices = np.arange(8)[::-1].copy()

    def model():
        arguments = ["indices", "updates"] if scatters else ["indices"]
        nodes = chained_nodes(op, TINY[op], TINY_CHAIN, lambda i: arguments)
        declared = "float[n] data, float[8] updates" if scatters else "float[n] data"
        text = f"chain ({declared}) => (float[n] result) {{\n{nodes}\n}}"
        return parsed(text, {"indices": indices.reshape(-1, 1) if op.endswith("ND") else indices})

    def feeds():
        inputs = {"data": np.zeros(8, np.float32), "updates": np.ones(8, np.float32)}
        return inputs if scatters else {"data": inputs["data"]}

    return Case(model, feeds)


CASES = {name: one_node(name) for name in workloads.WORKLOADS}
CASES["chain_in_place"] = in_place_chain()
CASES |= {f"chain_tiny_{op.lower()}": tiny_chain(op) for op in TINY}
