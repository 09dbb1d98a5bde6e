"""NumPy: take, fancy indexing, ufunc.at. Always one thread."""

import numpy as np

from libraries import copy_like, tuple_of, write_steps

UFUNCS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def make_call(op, attributes, inputs, threads, mode):
    if op.startswith("Gather"):
        return gather(op, attributes, inputs, mode)
    write = writer(op, attributes, inputs)
    data = inputs[0]
    if mode == "fresh":
        return lambda: write(data.copy())
    output = copy_like(data)
    if mode == "in_place":
        return lambda: write(output)

    def copy_and_write():
        np.copyto(output, data)
        return write(output)

    return copy_and_write


def gather(op, attributes, inputs, mode):
    data, indices = inputs
    if op == "Gather" and mode == "kept":
        output = data.take(indices, axis=attributes["axis"])
        # In the default mode NumPy copies `out`. Here all indices are in bounds, so the modes agree.
        return lambda: np.take(data, indices, axis=attributes["axis"], out=output, mode="clip")
    if mode == "kept":
        return None
    if op == "Gather":
        return lambda: data.take(indices, axis=attributes["axis"])
    if op == "GatherElements":
        return lambda: np.take_along_axis(data, indices, attributes["axis"])
    if attributes.get("batch_dims"):
        batch = np.arange(data.shape[0])[:, None]
        return lambda: data[(batch, *tuple_of(indices))]
    return lambda: data[tuple_of(indices)]


def writer(op, attributes, inputs):
    if op == "TensorScatter":
        return lambda output: write_steps(output, *inputs[1:])
    places = places_of(op, attributes, inputs)
    updates = inputs[2]
    ufunc = UFUNCS.get(attributes["reduction"])

    def write(output):
        if ufunc is None:
            output[places] = updates
        else:
            ufunc.at(output, places, updates)
        return output

    return write


def places_of(op, attributes, inputs):
    indices = inputs[1]
    if op == "ScatterND":
        places = tuple_of(indices)
    else:
        places = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
        places[attributes["axis"]] = indices
        places = tuple(places)
    return places[0] if len(places) == 1 else places  # NumPy has a fast path for one index array
