"""Runs one unusual input in one library, for compare_errors.py. Usage: error_cases.py CASE LIBRARY; prints one line."""

import re
import resource
import sys
import threading

import numpy as np

LIBRARIES = {"strew": "Strew", "onnxruntime": "ONNX Runtime", "torch": "PyTorch", "numpy": "NumPy"}
CASES = {
    "out_of_range": "scatter, the second index is out of range, in place",
    "far_negative": "scatter, index -5 for an axis of 4",
    "negative": "scatter, index -1",
    "gather_out_of_range": "gather, index 4 of 4",
    "duplicates": "scatter of 2^20 values to one place: how often the last wins in 20 calls",
    "duplicates_add": "float32 scatter-add of 2^21 values to 64 places: results of 20 calls on 1 and 2 threads in turn",
    "tuples_add": "the same with tuples (ScatterND, index_put_ with accumulate)",
    "nan_max": "max of NaN and 1, of 1 and NaN",
    "overflow": "int8 100 + 100, int64 max + 1",
    "half_add": "float16: 1 added 4096 times to 0",
    "bool_add": "bool: True + True",
    "bool_mul": "bool: True * False",
    "empty": "scatter without updates",
    "empty_axis": "gather index 0 of an axis of length 0",
    "wrong_shape": "updates of the wrong shape (3 for 2 indices)",
    "huge": "gather whose result has 2^62 elements",
    "changed": "gather in 20 rounds while a thread writes bad indices",
    "truncated": "model file cut in the middle",
    "external_short": "external data shorter than the tensor",
    "external_parent": "external data in ../outside.bin",
    "external_link": "external data through a symbolic link to the outside",
}
I64 = np.int64


def scatter(library, data, indices, updates, reduction="none", out=None):
    """Return the result of data[indices] = updates, or of a reduction, for arrays of rank 1."""
    if library == "strew":
        import strew
        return strew.scatter_elements(data, indices, updates, reduction=reduction, out=out)
    if library == "onnxruntime":
        return run_node("ScatterElements", [data, indices, updates], reduction=reduction)
    if library == "torch":
        import torch
        data, indices, updates = torch.from_numpy(data), torch.from_numpy(indices), torch.from_numpy(updates)
        result = data if out is not None else data.clone()
        if reduction == "none":
            result.scatter_(0, indices, updates)
        elif reduction == "add":
            result.scatter_add_(0, indices, updates)
        else:
            result.scatter_reduce_(0, indices, updates, {"max": "amax", "mul": "prod"}[reduction])
        return result.numpy()
    result = data if out is not None else data.copy()
    if reduction == "none":
        result[indices] = updates
    else:
        {"add": np.add, "mul": np.multiply, "max": np.maximum}[reduction].at(result, indices, updates)
    return result


def gather(library, data, indices):
    """Return data[indices] for arrays of rank 1."""
    if library == "strew":
        import strew
        return strew.gather(data, indices)
    if library == "onnxruntime":
        return run_node("Gather", [data, indices])
    if library == "torch":
        import torch
        return torch.from_numpy(data)[torch.from_numpy(indices)].numpy()
    return data[indices]


def model_of(op, arrays, **attributes):
    """Return a one-node model, with inputs of the types and ranks of the arrays."""
    from onnx import helper
    names = ["data", "indices", "updates"][:len(arrays)]
    kinds = [helper.np_dtype_to_tensor_dtype(array.dtype) for array in arrays]
    inputs = [helper.make_tensor_value_info(n, k, [None] * a.ndim) for n, k, a in zip(names, kinds, arrays)]
    output = helper.make_tensor_value_info("y", kinds[0], None)
    node = helper.make_node(op, names, ["y"], **attributes)
    return helper.make_model(helper.make_graph([node], "g", inputs, [output]), ir_version=10,
                             opset_imports=[helper.make_opsetid("", 18)])


def run_node(op, arrays, **attributes):
    import onnxruntime
    model = model_of(op, arrays, **attributes).SerializeToString()
    session = onnxruntime.InferenceSession(model, quiet(onnxruntime), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(["data", "indices", "updates"], arrays)))[0]


def quiet(onnxruntime):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return options


def file_case(library, case):
    """Loads model.onnx, damaged in one way, and runs it."""
    import pathlib

    import onnx
    from onnx import helper
    folder = pathlib.Path("models")
    folder.mkdir()
    pathlib.Path("outside.bin").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    location = {"external_parent": "../outside.bin"}.get(case, "inside.bin")
    if case == "external_link":
        (folder / "inside.bin").symlink_to("../outside.bin")
    elif case == "external_short":
        (folder / "inside.bin").write_bytes(b"1234")
    model = model_of("Gather", [np.zeros(4, np.float32), np.zeros(2, I64)])
    table = model.graph.initializer.add(name="data", dims=[4], data_type=onnx.TensorProto.FLOAT)
    if case == "truncated":
        table.raw_data = np.arange(4, dtype=np.float32).tobytes()
    else:
        table.data_location = onnx.TensorProto.EXTERNAL
        table.external_data.add(key="location", value=location)
    del model.graph.input[0]
    content = model.SerializeToString()
    path = folder / "model.onnx"
    path.write_bytes(content[:len(content) // 2] if case == "truncated" else content)
    indices = np.array([1, 2], I64)
    if library == "strew":
        import strew
        return strew.load_model(path).run({"indices": indices})
    import onnxruntime
    return onnxruntime.InferenceSession(str(path), quiet(onnxruntime)).run(None, {"indices": indices})[0]


def scatter_tuples(library, data, indices, updates, reduction):
    """Return the result of a scatter with the library's function for index tuples."""
    if library == "strew":
        import strew
        return strew.scatter_nd(data, indices[:, None], updates, reduction=reduction)
    if library == "onnxruntime":
        return run_node("ScatterND", [data, indices[:, None], updates], reduction=reduction)
    if library == "torch":
        import torch
        places = (torch.from_numpy(indices),)
        return torch.from_numpy(data).index_put_(places, torch.from_numpy(updates), accumulate=True).numpy()
    return scatter(library, data, indices, updates, reduction)


def duplicates(library, reduction, scatter=scatter):
    """Return the number of different results in twenty calls on the same input."""
    random = np.random.default_rng(7)
    count, places = (1 << 20, 1) if reduction == "none" else (1 << 21, 64)
    indices = random.integers(0, places, count) if places > 1 else np.zeros(count, I64)
    updates = random.standard_normal(count).astype(np.float32)
    results = []
    for call in range(20):
        if library == "torch":
            import torch
            torch.set_num_threads(1 + call % 2)
        if library == "strew":
            import strew
            strew.set_num_threads(1 + call % 2)
        results.append(scatter(library, np.zeros(places, np.float32), indices, updates, reduction))
    if reduction == "none":
        return f"{sum(result[0] == updates[-1] for result in results)} of 20"
    return f"{len({result.tobytes() for result in results})} result(s)"


def changed(library):
    """Gather while another thread changes indices to bad values and back."""
    data, indices = np.arange(1 << 16, dtype=np.float32), np.zeros(1 << 20, I64)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            indices[::7] = 1 << 40
            indices[::7] = 0

    thread = threading.Thread(target=write)
    thread.start()
    errors = 0
    for _ in range(20):
        try:
            gather(library, data, indices)
        except Exception:
            errors += 1
    stop.set()
    thread.join()
    return f"{errors} of 20 refused, no crash"


def result_of(library, case):
    """Return the result of one case, as text or an array."""
    ints = lambda *values: np.array(values, I64)
    floats = lambda *values: np.array(values, np.float32)
    one = lambda dtype, a, b, how: scatter(library, np.array([a], dtype), ints(0), np.array([b], dtype), how)
    simple = {
        "far_negative": lambda: scatter(library, floats(0, 0, 0, 0), ints(-5), floats(1)),
        "negative": lambda: scatter(library, floats(0, 0, 0, 0), ints(-1), floats(1)),
        "gather_out_of_range": lambda: gather(library, floats(1, 2, 3, 4), ints(4)),
        "duplicates": lambda: duplicates(library, "none"),
        "duplicates_add": lambda: duplicates(library, "add"),
        "tuples_add": lambda: duplicates(library, "add", scatter_tuples),
        "nan_max": lambda: [one(np.float32, np.nan, 1, "max")[0], one(np.float32, 1, np.nan, "max")[0]],
        "overflow": lambda: [one(np.int8, 100, 100, "add")[0], one(I64, 2**63 - 1, 1, "add")[0]],
        "half_add": lambda: scatter(library, np.zeros(1, np.float16), np.zeros(4096, I64), np.ones(4096, np.float16),
                                    "add"),
        "bool_add": lambda: one(bool, True, True, "add"),
        "bool_mul": lambda: one(bool, True, False, "mul"),
        "empty": lambda: scatter(library, floats(1, 2), np.zeros(0, I64), floats()),
        "empty_axis": lambda: gather(library, floats(), ints(0)),
        "wrong_shape": lambda: scatter(library, floats(0, 0, 0, 0), ints(0, 1), floats(1, 2, 3)),
        "huge": lambda: gather(library, np.zeros((2, 1 << 31), np.int8), np.broadcast_to(ints(0), (1 << 31,))),
        "changed": lambda: changed(library),
    }
    return simple[case]() if case in simple else file_case(library, case)


def in_place(library):
    """Return the data after a rejected in-place scatter."""
    data = np.zeros(4, np.float32)
    try:
        scatter(library, data, np.array([0, 7], I64), np.array([1, 2], np.float32), out=data)
    except Exception as error:
        state = "data untouched" if not data.any() else f"data half written: {data.tolist()}"
        return f"{refusal(error)}; {state}"
    return "accepted"


def refusal(error):
    text = re.sub(r"^\[ONNXRuntimeError\].*?Status Message: |/\S*/", "", str(error).split("\n")[0])
    return f"{type(error).__name__}: {text[:150]}"


def main():
    case, library = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if case.startswith(("truncated", "external")) and library in ("torch", "numpy"):
        print("reads no models")
        return
    try:
        result = in_place(library) if case == "out_of_range" else result_of(library, case)
        if isinstance(result, dict):
            result = next(iter(result.values()))
        print(result if isinstance(result, str) else np.asarray(result).tolist())
    except ModuleNotFoundError as error:
        print(f"not installed: {error.name}")
    except (Exception, MemoryError) as error:
        print(refusal(error))


if __name__ == "__main__":
    main()
