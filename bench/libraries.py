"""How users of each library say a workload: LIBRARIES[name](workload, inputs, threads) -> function that runs it.

The function returns a fresh output every time, or None is returned where the library has no such operator.
"""

import importlib.util
import os

import numpy as np


def tuple_of(indices):
    """The components of ONNX's index tuples, as NumPy and PyTorch take them."""
    return tuple(indices[..., i] for i in range(indices.shape[-1]))


def strew_call(workload, inputs, threads, out=None):
    import strew

    strew.set_num_threads(threads)
    functions = {
        "Gather": strew.gather,
        "GatherElements": strew.gather_elements,
        "GatherND": strew.gather_nd,
        "ScatterElements": strew.scatter_elements,
        "ScatterND": strew.scatter_nd,
        "TensorScatter": strew.tensor_scatter,
    }
    function, attributes = functions[workload.op], workload.attributes
    if out is None:
        return lambda: function(*inputs, **attributes)
    return lambda: function(*inputs, **attributes, out=out)


def strew_out_call(workload, inputs, threads):
    """Strew into one output that is kept."""
    return strew_call(workload, inputs, threads, out=strew_call(workload, inputs, threads)())


def numpy_call(workload, inputs, threads):
    data, attributes = inputs[0], workload.attributes
    if workload.op == "Gather":
        return lambda: data.take(inputs[1], axis=attributes["axis"])
    if workload.op == "GatherElements":
        return lambda: np.take_along_axis(data, inputs[1], attributes["axis"])
    if workload.op == "GatherND" and attributes["batch_dims"] == 1:
        batch = np.arange(data.shape[0])[:, None]
        return lambda: data[(batch, *tuple_of(inputs[1]))]
    if workload.op == "GatherND":
        return lambda: data[tuple_of(inputs[1])]

    def scatter():
        output = data.copy()
        if workload.op == "TensorScatter":
            for entry, start in enumerate(inputs[2]):
                output[entry, :, start : start + 1] = inputs[1][entry]
            return output
        _, indices, updates = inputs
        if workload.op == "ScatterND":
            places = tuple_of(indices)
        elif data.ndim == 1:
            places = (indices,)
        elif attributes["axis"] == 0:
            places = (indices, np.arange(data.shape[1]))
        else:
            places = (np.arange(data.shape[0])[:, None], indices)
        if attributes["reduction"] == "add":
            np.add.at(output, places, updates)
        else:
            output[places] = updates
        return output

    return scatter


def torch_call(workload, inputs, threads):
    import torch

    torch.set_num_threads(threads)
    data, *rest = [torch.from_numpy(np.array(x)) for x in inputs]
    op, attributes = workload.op, workload.attributes
    if op == "Gather":
        return lambda: torch.index_select(data, attributes["axis"], rest[0])
    if op == "GatherElements":
        return lambda: torch.gather(data, attributes["axis"], rest[0])
    if op == "GatherND" and attributes["batch_dims"] == 1:
        batch = torch.arange(data.shape[0])[:, None]
        return lambda: data[(batch, *tuple_of(rest[0]))]
    if op == "GatherND":
        return lambda: data[tuple_of(rest[0])]
    if op == "ScatterElements" and attributes["reduction"] == "add":
        indices, updates = rest
        if data.dim() == 2 and bool((indices == indices[:, :1]).all()):
            rows = indices[:, 0].contiguous()  # what a PyTorch user has before an exporter expands it
            return lambda: torch.index_add(data, 0, rows, updates)
        return lambda: torch.scatter_add(data, attributes["axis"], indices, updates)
    if op == "ScatterElements":
        return lambda: torch.scatter(data, attributes["axis"], *rest)
    if op == "TensorScatter":

        def step():
            output = data.clone()
            for entry, start in enumerate(inputs[2].tolist()):
                output[entry, :, start : start + 1] = rest[0][entry]
            return output

        return step
    accumulate = attributes["reduction"] == "add"
    return lambda: data.clone().index_put_(tuple_of(rest[0]), rest[1], accumulate=accumulate)


def jax_call(workload, inputs, threads):
    os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}"
    import jax
    import jax.numpy as jnp

    arrays = [jnp.asarray(x.astype(np.int32) if x.dtype == np.int64 else x) for x in inputs]
    op, attributes = workload.op, workload.attributes
    if op == "Gather":
        function = lambda data, indices: jnp.take(data, indices, axis=attributes["axis"])
    elif op == "GatherElements":
        function = lambda data, indices: jnp.take_along_axis(data, indices, attributes["axis"])
    elif op == "GatherND" and attributes["batch_dims"] == 1:
        function = jax.vmap(lambda data, indices: data[tuple_of(indices)])
    elif op == "GatherND":
        function = lambda data, indices: data[tuple_of(indices)]
    elif op == "ScatterND":
        verb = "add" if attributes["reduction"] == "add" else "set"
        function = lambda data, indices, updates: getattr(data.at[tuple_of(indices)], verb)(updates)
    elif op == "ScatterElements":
        verb = "add" if attributes["reduction"] == "add" else "set"

        def function(data, indices, updates):
            places = [jnp.arange(n).reshape([-1 if i == a else 1 for i in range(data.ndim)])
                      for a, n in enumerate(indices.shape)]
            places[attributes["axis"]] = indices
            return getattr(data.at[tuple(places)], verb)(updates)
    else:
        write = lambda cache, update, start: jax.lax.dynamic_update_slice(cache, update, (0, start, 0))
        function = jax.vmap(write)
    compiled = jax.jit(function)
    return lambda: compiled(*arrays).block_until_ready()


def onnxruntime_call(workload, inputs, threads):
    import onnxruntime
    from onnx import helper

    if workload.op == "TensorScatter" and not supports_tensor_scatter(onnxruntime):
        return None
    names = ["data", "indices", "updates"][: len(inputs)]
    types = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in inputs]
    node = helper.make_node(workload.op, names, ["output"], **workload.attributes)
    graph = helper.make_graph(
        [node],
        "workload",
        [helper.make_tensor_value_info(n, t, x.shape) for n, t, x in zip(names, types, inputs)],
        [helper.make_tensor_value_info("output", types[0], None)],
    )
    opset = 24 if workload.op == "TensorScatter" else 18
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds = dict(zip(names, inputs))
    return lambda: session.run(None, feeds)[0]


def supports_tensor_scatter(onnxruntime):
    return tuple(int(part) for part in onnxruntime.__version__.split(".")[:2]) >= (1, 24)


LIBRARIES = {
    "strew": strew_call,
    "strew_out": strew_out_call,
    "onnxruntime": onnxruntime_call,
    "numpy": numpy_call,
    "torch": torch_call,
    "jax": jax_call,
}


def installed():
    """Those of LIBRARIES that this Python has."""
    return [name for name in LIBRARIES if importlib.util.find_spec(name.removesuffix("_out"))]


def version(name):
    return __import__(name).__version__
