"""Times named workloads in Strew, ONNX Runtime and NumPy, one process a library in strict alternation.

Usage: peers.py STREW FOLDER [--rounds 5] [--threads 2] [--json OUT.json]

Each process loads its inputs, runs once unmeasured, then three times, and reports its median; a round runs every
library once, and the table has the median of rounds. Every library is called as its users call it, with a fresh output
each time. Before anything is timed, results are compared with ONNX Runtime's (its ScatterND add with duplicates on several threads
loses updates, so there NumPy's result counts). Data are random and never zero. plot_peers.py draws the JSON.
"""

import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import numpy as np

SEED = 28584
RUNS = 3


def floats(random, *shape):
    return random.uniform(0.5, 1.5, shape).astype(np.float32)


def workloads():
    """name -> (operator, attributes, function that makes the inputs in ONNX's order)."""
    return {
        "gather_rows_256B": ("Gather", {}, lambda r: [floats(r, 1048576, 64), r.integers(0, 1048576, 524288)]),
        "gathernd_elements": (
            "GatherND",
            {},
            lambda r: [floats(r, 8192, 8192), r.integers(0, 8192, (4194304, 2))],
        ),
        "scatter_elements_add_issue": (
            "ScatterElements",
            {"axis": 0, "reduction": "add"},
            lambda r: [floats(r, 556416, 80), r.integers(0, 556416, (481385, 80)), floats(r, 481385, 80)],
        ),
        "scatternd_add_uniform": (
            "ScatterND",
            {"reduction": "add"},
            lambda r: [floats(r, 67108864), r.integers(0, 67108864, (8388608, 1)), floats(r, 8388608)],
        ),
        "scatternd_rows_add": (
            "ScatterND",
            {"reduction": "add"},
            lambda r: [floats(r, 1048576, 64), r.integers(0, 1048576, (524288, 1)), floats(r, 524288, 64)],
        ),
        "scatternd_rows_none_bev": (
            "ScatterND",
            {},
            lambda r: [floats(r, 214272, 64), r.permutation(214272)[:12000].reshape(-1, 1), floats(r, 12000, 64)],
        ),
    }


def make(folder, name):
    """Writes the model and the inputs of a workload, unless they are there."""
    import onnx
    from onnx import TensorProto, helper

    op, attributes, inputs_of = workloads()[name]
    model_path = folder / f"{name}.onnx"
    if model_path.exists():
        return
    inputs = [np.asarray(x, np.int64) if x.dtype.kind == "i" else x for x in inputs_of(np.random.default_rng(SEED))]
    names = ["data", "indices", "updates"][: len(inputs)]
    for input_name, array in zip(names, inputs):
        np.save(folder / f"{name}.{input_name}.npy", array)
    types = [TensorProto.INT64 if x.dtype.kind == "i" else TensorProto.FLOAT for x in inputs]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["output"], **attributes)],
        name,
        [helper.make_tensor_value_info(n, t, x.shape) for n, t, x in zip(names, types, inputs)],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), model_path)


def load(folder, name):
    return [np.load(path) for n in ("data", "indices", "updates") if (path := folder / f"{name}.{n}.npy").exists()]


def numpy_call(name, inputs):
    """The workload as a NumPy user would write it."""
    if name == "gather_rows_256B":
        return inputs[0].take(inputs[1], axis=0)
    if name == "gathernd_elements":
        return inputs[0][inputs[1][:, 0], inputs[1][:, 1]]
    data, indices, updates = inputs
    output = data.copy()
    if name == "scatter_elements_add_issue":
        np.add.at(output, (indices, np.arange(data.shape[1])), updates)
    elif name == "scatternd_rows_none_bev":
        output[indices[:, 0]] = updates
    else:
        np.add.at(output, indices[:, 0], updates)
    return output


def caller(library, folder, name, threads):
    """A function without arguments that runs the workload and returns its output."""
    inputs = load(folder, name)
    if library == "numpy":
        return lambda: numpy_call(name, inputs)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(folder / f"{name}.onnx", options, providers=["CPUExecutionProvider"])
    feeds = dict(zip(["data", "indices", "updates"], inputs))
    return lambda: session.run(None, feeds)[0]


def time_library(library, folder, name, threads):
    """Seconds of one run: the median of RUNS after one that is not measured."""
    run = caller(library, folder, name, threads)
    run()
    seconds = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def strew_command(strew, folder, name, threads):
    inputs = [["-i", f"{n}={p}"] for n in ("data", "indices", "updates") if (p := folder / f"{name}.{n}.npy").exists()]
    return [strew, "run", folder / f"{name}.onnx", *sum(inputs, []), "--threads", str(threads), "--repeat", str(RUNS)]


def time_in_process(library, strew, folder, name, threads):
    if library == "strew":
        command = [*strew_command(strew, folder, name, threads), "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["seconds"]
    command = [sys.executable, __file__, strew, folder, "--threads", str(threads), "--time", library, name]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)


def check_agreement(strew, folder, name, threads):
    """Fails unless Strew's output equals the peer's: bit by bit where nothing is added, else within rounding."""
    output = folder / "output.npy"
    subprocess.run(
        [*strew_command(strew, folder, name, threads), "-o", f"output={output}"], check=True, capture_output=True
    )
    op, attributes, _ = workloads()[name]
    peer = "numpy" if op == "ScatterND" else "onnxruntime"
    np.testing.assert_allclose(
        np.load(output), caller(peer, folder, name, threads)(), rtol=1e-5 if "reduction" in attributes else 0
    )
    output.unlink()


def machine():
    import onnxruntime

    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    return {
        "cpu": cpu,
        "system": platform.platform(),
        "numpy": np.__version__,
        "onnxruntime": onnxruntime.__version__,
        "date": time.strftime("%Y-%m-%d"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strew")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--time", nargs=2, metavar=("LIBRARY", "WORKLOAD"), help="used for the child processes")
    options = parser.parse_args()
    if options.time:
        print(time_library(options.time[0], options.folder, options.time[1], options.threads))
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    libraries = ["strew", "onnxruntime", "numpy"]
    results = {}
    for name in workloads():
        make(options.folder, name)
        check_agreement(options.strew, options.folder, name, options.threads)
        rounds = {library: [] for library in libraries}
        for _ in range(options.rounds):
            for library in libraries:
                rounds[library].append(
                    time_in_process(library, options.strew, options.folder, name, options.threads)
                )
        results[name] = rounds
        medians = {library: statistics.median(times) * 1e3 for library, times in rounds.items()}
        print(f"{name:28}" + "".join(f"  {library} {ms:8.1f} ms" for library, ms in medians.items()), flush=True)
        for file in options.folder.glob(f"{name}.*"):
            file.unlink()
        if options.json:  # after each workload, so that an interrupted run leaves what it has
            report = {"machine": machine(), "threads": options.threads, "seconds": results}
            options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
