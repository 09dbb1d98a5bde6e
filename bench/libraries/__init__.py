"""The calls of each library that express an operator.

Each module has make_call(op, attributes, inputs, threads, mode), which returns a function without arguments, or None if
the library has no such operator, type or mode. The function returns the output:

fresh
    a new array every time;
kept
    a preallocated output;
in_place
    the memory of the data, which every call changes; only for scatters.
"""

import ctypes
import importlib
import importlib.util

import numpy as np

# library -> the module here, and the Python package it needs.
MODULES = {
    "strew": ("strew_calls", "strew"),
    "onnxruntime": ("onnxruntime_calls", "onnxruntime"),
    "numpy": ("numpy_calls", "numpy"),
    "torch": ("torch_calls", "torch"),
    "jax": ("jax_calls", "jax"),
    "openvino": ("openvino_calls", "openvino"),
}
# Seconds to wait after a call on several threads: the waiting threads of its pool spin for a while (ONNX Runtime's for
# 40 ms, Strew's for 1 ms) and would take a processor from the next library.
PAUSES = {"strew": 0.01, "onnxruntime": 0.06, "jax": 0.06, "torch": 0.02, "openvino": 0.02}
MODES = ("fresh", "kept", "in_place")
LINE = 64  # bytes of a cache line


def installed():
    """Return the MODULES whose packages are installed. The folder bench/onnxruntime, without an origin, is not one."""
    specs = {name: importlib.util.find_spec(package) for name, (_, package) in MODULES.items()}
    return [name for name, spec in specs.items() if spec and spec.origin]


def make_call(library, op, attributes, inputs, threads, mode):
    if mode == "in_place" and op not in ("ScatterElements", "ScatterND", "TensorScatter"):
        return None
    module = importlib.import_module(f"libraries.{MODULES[library][0]}")
    return module.make_call(op, attributes, inputs, threads, mode)


def versions(names):
    packages = {name: MODULES[name][1] for name in names}
    return {name: __import__(package).__version__ for name, package in packages.items()}


def tuple_of(indices):
    """Return the components of ONNX's index tuples as a tuple of arrays, an index for NumPy, PyTorch and JAX."""
    return tuple(indices[..., i] for i in range(indices.shape[-1]))


def write_steps(output, updates, starts):
    """Write the updates of TensorScatter from each sequence's start on."""
    for entry, start in enumerate(starts):
        output[entry, :, start : start + updates.shape[2]] = updates[entry]
    return output


def array_of(result, dtype):
    """Return a result of any library as a NumPy array, which must not outlive the result."""
    if hasattr(result, "data_ptr"):  # of PyTorch or ONNX Runtime; NumPy lacks their bfloat16
        shape = result.shape if hasattr(result, "is_contiguous") else result.shape()
        size = int(np.prod(shape)) * dtype.itemsize
        memory = (ctypes.c_char * size).from_address(result.data_ptr())
        return np.frombuffer(memory, dtype).reshape(tuple(shape))
    return np.asarray(result)


def copy_like(array):
    """Return a copy that begins at the same offset from a cache line as the array."""
    memory = np.empty(array.nbytes + LINE, np.uint8)
    begin = (array.ctypes.data - memory.ctypes.data) % LINE
    copy = memory[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
