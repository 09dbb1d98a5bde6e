"""ONNX Runtime's CPU provider: run(), or an IOBinding to a preallocated output."""

import numpy as np
import onnxruntime
from onnx import helper

from libraries.onnx_model import model_of

FAILURES = onnxruntime.capi.onnxruntime_pybind11_state


def make_call(op, attributes, inputs, threads, mode):
    if mode == "in_place" or not all(x.flags.c_contiguous for x in inputs):
        return None
    if inputs[0].dtype.name in ("float16", "bfloat16") and attributes.get("reduction", "none") != "none":
        return None  # not supported: two threads crash the process
    names, model = model_of(op, attributes, inputs)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return bound_call(session, names, inputs, mode)
    except (FAILURES.NotImplemented, FAILURES.Fail, FAILURES.InvalidGraph, FAILURES.RuntimeException):
        return None  # the type is not supported


def ortvalue_of(array):
    if array.dtype.kind == "V":  # a type of ml_dtypes
        number = helper.np_dtype_to_tensor_dtype(array.dtype)
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16), number)
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def bound_call(session, names, inputs, mode):
    feeds = {name: ortvalue_of(array) for name, array in zip(names, inputs)}
    if mode == "fresh":
        if inputs[0].dtype.kind == "V":
            return None  # NumPy has no arrays of this type
        feeds = dict(zip(names, inputs))
        return lambda: session.run(None, feeds)[0]
    binding = session.io_binding()
    for name, value in feeds.items():
        binding.bind_ortvalue_input(name, value)
    binding.bind_output("output", "cpu")
    session.run_with_iobinding(binding)
    output = binding.get_outputs()[0]
    binding.clear_binding_outputs()
    binding.bind_ortvalue_output("output", output)

    def call():
        session.run_with_iobinding(binding)
        return output

    return call
