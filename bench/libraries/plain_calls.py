"""The plain loops of bench/plain, compiled: one thread, every index checked, whatever number of threads is asked for."""

import ctypes
import math
import os
import pathlib

import numpy as np
from onnx import helper
from placement import copy_like

BUILD = pathlib.Path(os.environ.get("STREW_BUILD", pathlib.Path(__file__).parents[2] / "build"))
REDUCTIONS = {"none": b"n", "add": b"a", "mul": b"m", "max": b"x", "min": b"i"}
LOOPS = ctypes.CDLL(str(BUILD / "bench" / "libstrew_plain.so"))


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def numbers(*values):
    return [ctypes.c_int64(int(value)) for value in values]


def make_call(op, attributes, inputs, threads, mode):
    if not all(x.flags.c_contiguous for x in inputs):
        return None
    if op.startswith("Gather"):
        loop, shape, arguments = gather(op, attributes, *inputs)
        new = lambda: np.empty(shape, inputs[0].dtype)
    else:
        loop, arguments = scatter(op, attributes, inputs)
        new = lambda: np.empty_like(inputs[0])
    source = None if mode == "in_place" else address(inputs[0])
    output = copy_like(inputs[0]) if mode == "in_place" else new()

    def call():
        target = new() if mode == "fresh" else output
        if not loop(*arguments(source, address(target))):
            raise IndexError("refused by the plain loop")
        return target

    return call


def split(shape, axis):
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])


def gather(op, attributes, data, indices):
    width = data.itemsize
    typed = [address(indices), ctypes.c_int(indices.itemsize)]
    if op == "Gather":
        outer, extent, inner = split(data.shape, attributes["axis"])
        shape = data.shape[: attributes["axis"]] + indices.shape + data.shape[attributes["axis"] + 1 :]
        rest = typed + numbers(outer, extent, indices.size, inner * width)
        return LOOPS.plain_gather, shape, lambda source, target: [source, target, *rest]
    if op == "GatherElements":
        outer, count, inner = split(indices.shape, attributes["axis"])
        rest = typed + numbers(outer, data.shape[attributes["axis"]], count, inner, width)
        return LOOPS.plain_gather_elements, indices.shape, lambda source, target: [source, target, *rest]
    first, parts = attributes.get("batch_dims", 0), indices.shape[-1]
    batch, count = math.prod(data.shape[:first]), math.prod(indices.shape[first:-1])
    dims = np.array(data.shape[first : first + parts], np.int64)
    row = data.shape[first + parts :]
    rest = typed + numbers(batch, count, parts) + [address(dims), *numbers(math.prod(row) * width)]
    return LOOPS.plain_gather_nd, indices.shape[:-1] + row, lambda source, target, keep=dims: [source, target, *rest]


def scatter(op, attributes, inputs):
    data, width, size = inputs[0], inputs[0].itemsize, numbers(inputs[0].nbytes)
    if op == "TensorScatter":
        _, updates, starts = inputs
        batch, heads, extent = data.shape[:3]
        row = math.prod(data.shape[3:]) * width
        rest = size + [address(starts)] + numbers(batch, heads, extent, updates.shape[2])
        rest += [address(updates), *numbers(row)]
        return LOOPS.plain_tensor_scatter, lambda source, target: [source, target, *rest]
    _, indices, updates = inputs
    head = [ctypes.c_int(helper.np_dtype_to_tensor_dtype(data.dtype)), REDUCTIONS[attributes["reduction"]]]
    head[1] = ctypes.c_char(head[1])
    typed = [address(indices), ctypes.c_int(indices.itemsize)]
    if op == "ScatterND":
        parts = indices.shape[-1]
        dims = np.array(data.shape[:parts], np.int64)
        rest = size + typed + numbers(indices.size // parts, parts) + [address(dims), address(updates)]
        rest += numbers(math.prod(data.shape[parts:]) * width)
        return LOOPS.plain_scatter_nd, lambda source, target, keep=dims: [*head, source, target, *rest]
    outer, count, inner = split(indices.shape, attributes["axis"])
    rest = size + typed + numbers(outer, data.shape[attributes["axis"]], count, inner) + [address(updates)]
    rest += numbers(width)
    return LOOPS.plain_scatter_elements, lambda source, target: [*head, source, target, *rest]
