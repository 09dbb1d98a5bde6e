"""Strew."""

import strew

from libraries import copy_like

FUNCTIONS = {
    "Gather": strew.gather,
    "GatherElements": strew.gather_elements,
    "GatherND": strew.gather_nd,
    "ScatterElements": strew.scatter_elements,
    "ScatterND": strew.scatter_nd,
    "TensorScatter": strew.tensor_scatter,
}


def make_call(op, attributes, inputs, threads, mode):
    strew.set_num_threads(threads)
    function = FUNCTIONS[op]
    if mode == "fresh":
        return lambda: function(*inputs, **attributes)
    if mode == "kept":
        output = function(*inputs, **attributes)
        return lambda: function(*inputs, **attributes, out=output)
    target, *rest = copy_like(inputs[0]), *inputs[1:]
    return lambda: function(target, *rest, **attributes, out=target)
