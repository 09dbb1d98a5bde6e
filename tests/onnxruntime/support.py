"""Helpers of the tests: models, sessions with and without Strew, and plain loops that compute the expected results."""

import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import onnxruntime
import onnxruntime_ep_strew
import pytest
from onnx import TensorProto, helper, parser

STREW = onnxruntime_ep_strew.get_ep_name()
CPU = "CPUExecutionProvider"
ONNX_TYPES = {
    "bool": TensorProto.BOOL,
    "int8": TensorProto.INT8,
    "int16": TensorProto.INT16,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "uint8": TensorProto.UINT8,
    "uint16": TensorProto.UINT16,
    "uint32": TensorProto.UINT32,
    "uint64": TensorProto.UINT64,
    "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16,
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
}
OPERATORS = ["Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND", "TensorScatter"]
UFUNCS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
VERSION = tuple(int(part) for part in onnxruntime.__version__.split(".")[:3])


def text_model(graph, opset=18, ir_version=10):
    """Return a model with this graph, which is written in ONNX's text format."""
    return parser.parse_model(f'<ir_version: {ir_version}, opset_import: ["" : {opset}]> {graph}')


def one_node(op_type, inputs, opset=18, output=None, **attributes):
    """Return a model of one node with the name `it`; `inputs` maps names to (element type, shape)."""
    values = [helper.make_tensor_value_info(name, *type_) for name, type_ in inputs.items()]
    node = helper.make_node(op_type, list(inputs), ["output"], name="it", **attributes)
    first = next(iter(inputs.values()))[0]
    outputs = [helper.make_tensor_value_info("output", output or first, None)]
    graph = helper.make_graph([node], "one", values, outputs)
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_operatorsetid("", opset)])


def operands(data, indices, updates=None, type_=TensorProto.FLOAT):
    """Return the inputs of a gather with these shapes, or of a scatter if there are `updates`."""
    inputs = {"data": (type_, data), "indices": (TensorProto.INT64, indices)}
    return inputs if updates is None else inputs | {"updates": (type_, updates)}


def session_options(threads=1, **entries):
    """Return options that record the placement. `entries` are added to the session's configuration."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    for key, value in entries.items():
        options.add_session_config_entry("session." + key, value)
    return options


def in_ort_format(model, folder):
    options = session_options(save_model_format="ORT")
    options.optimized_model_filepath = str(folder / "model.ort")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=[CPU])
    return folder / "model.ort"


def strew_session(model, threads=1, options=None, **provider_options):
    """Return a session with Strew's provider, which claims nodes of any size."""
    provider_options.setdefault("operators", OPERATORS)
    return onnxruntime_ep_strew.session(model, options or session_options(threads), **provider_options)


def cpu_session(model, threads=1):
    return onnxruntime.InferenceSession(model.SerializeToString(), session_options(threads), providers=[CPU])


def providers(session, op_type):
    return [place.provider for place in onnxruntime_ep_strew.placement(session) if place.operator == op_type]


def reasons(session, op_type):
    return {place.reason for place in onnxruntime_ep_strew.placement(session) if place.operator == op_type}


def assert_all_on_strew(session, *op_types):
    for op_type in op_types:
        assert set(providers(session, op_type)) == {STREW}, onnxruntime_ep_strew.placement(session)


def ort_value(array):
    """Return an OrtValue. The type may be bfloat16, which NumPy itself lacks."""
    if array.dtype == ml_dtypes.bfloat16:
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16), TensorProto.BFLOAT16)
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def run(session, feeds):
    """Return the first output as an array of the type of the first input."""
    values = {name: ort_value(np.array(array, order="C")) for name, array in feeds.items()}
    wanted = next(iter(feeds.values())).dtype
    result = session.run_with_ort_values(None, values)[0]
    if wanted == ml_dtypes.bfloat16:
        binding = session.io_binding()
        for name, value in values.items():
            binding.bind_ortvalue_input(name, value)
        shape = result.shape()
        memory = np.empty(shape, np.uint16)
        output = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(memory, TensorProto.BFLOAT16)
        binding.bind_ortvalue_output(session.get_outputs()[0].name, output)
        session.run_with_iobinding(binding)
        return memory.view(ml_dtypes.bfloat16)
    return result.numpy()


def run_on_strew(op_type, feeds, opset=18, threads=1, **attributes):
    """Run one node with inputs of symbolic shapes. Assert that Strew runs the node."""
    inputs = {
        name: (ONNX_TYPES[array.dtype.name], [f"{name}_{axis}" for axis in range(array.ndim)])
        for name, array in feeds.items()
    }
    session = strew_session(one_node(op_type, inputs, opset, **attributes), threads)
    assert_all_on_strew(session, op_type)
    return run(session, feeds)


def random_values(rng, shape, dtype):
    """Return numbers whose sums round and overflow, with some infinities and NaNs, but without zeros."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    values = rng.uniform(0.3, 9.0, shape) * rng.choice([-1.0, 1.0], shape)
    return np.where(rng.random(shape) < 0.02, rng.choice([np.inf, -np.inf, np.nan], shape), values).astype(dtype)


def combine(reduction, old, new):
    """Return the value after one update, rounded to the type."""
    if reduction == "none":
        return new
    if old.dtype == bool:
        return old | new if reduction in ("add", "max") else old & new
    with np.errstate(all="ignore"):
        return UFUNCS[reduction](old, new).astype(old.dtype)


def scatter_elements(data, indices, updates, axis, reduction="none"):
    result = data.copy()
    for at in np.ndindex(indices.shape):
        place = (*at[:axis], indices[at], *at[axis + 1 :])
        result[place] = combine(reduction, result[place], updates[at])
    return result


def scatter_nd(data, indices, updates, reduction="none"):
    result = data.copy()
    for at in np.ndindex(indices.shape[:-1]):
        place = tuple(indices[at])
        result[place] = combine(reduction, result[place], updates[at])
    return result


def gather_nd(data, indices, batch_dims):
    output = np.empty(indices.shape[:-1] + data.shape[batch_dims + indices.shape[-1] :], data.dtype)
    for at in np.ndindex(indices.shape[:-1]):
        output[at] = data[(*at[:batch_dims], *indices[at])]
    return output


def assert_same(result, wanted):
    """Assert equal types, shapes and bits; all NaNs count as equal."""
    assert result.dtype == wanted.dtype
    assert result.shape == wanted.shape
    nan = wanted != wanted
    assert np.array_equal(result != result, nan)
    zero = np.zeros_like(wanted)
    assert np.where(nan, zero, result).tobytes() == np.where(nan, zero, wanted).tobytes()


def run_python(code, timeout=120):
    """Run `code` in a new interpreter, assert that it succeeds, and return its output."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def refuses(kind, pattern, function, *given, **named):
    """Check that the call raises an error of this kind whose text matches the pattern."""
    with pytest.raises(kind, match=pattern):
        function(*given, **named)


def at_once(work, arguments):
    threads = [threading.Thread(target=work, args=(argument,)) for argument in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
