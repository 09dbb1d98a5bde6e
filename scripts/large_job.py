"""Runs a large scatter on 1 and on 2 threads; fails if the results differ in any bit.

Usage: large_job.py STREW FOLDER

ScatterElements, axis 0, reduction add: data float32 [556416, 80] in an external file (178 MB), indices int64 and updates float32
[481385, 80] (308 MB and 154 MB), uniform random with a fixed seed. Makes the model and its inputs in FOLDER if they are missing.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NODES, EDGES, FEATURES = 556416, 481385, 80
NAME = "scatter_elements_add_issue"


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(28584)
    data, updates = (random.random((rows, FEATURES), np.float32) + np.float32(0.5) for rows in (NODES, EDGES))
    np.save(folder / "indices.npy", random.integers(0, NODES, (EDGES, FEATURES)))
    np.save(folder / "updates.npy", updates)
    types = {"indices": TensorProto.INT64, "updates": TensorProto.FLOAT}
    node = helper.make_node("ScatterElements", ["data", "indices", "updates"], ["output"], axis=0, reduction="add")
    inputs = [helper.make_tensor_value_info(name, dtype, [EDGES, FEATURES]) for name, dtype in types.items()]
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, [NODES, FEATURES])
    graph = helper.make_graph([node], NAME, inputs, [output], [numpy_helper.from_array(data, "data")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8, producer_name="strew")
    # Writes the model last, so that an existing model has its inputs.
    onnx.save(model, folder / f"{NAME}.onnx", save_as_external_data=True, location=f"{NAME}.data")


def run(strew, folder, threads):
    """Return the JSON that `strew run` prints, with the median time of three runs."""
    inputs = [f"--input={name}={folder / name}.npy" for name in ("indices", "updates")]
    options = ["--hash", "--repeat=3", f"--threads={threads}", "--json"]
    command = [strew, "run", folder / f"{NAME}.onnx", *inputs, *options]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main(strew, folder):
    if not (folder / f"{NAME}.onnx").exists():
        write(folder)
    hashes = set()
    print(f"large job: ScatterElements, add, {[EDGES, FEATURES]} updates into {[NODES, FEATURES]}, float32")
    for threads in (1, 2):
        report = run(strew, folder, threads)
        print(
            f"  {threads} thread{'s' if threads > 1 else ' '} {report['seconds'] * 1e3:8.1f} ms"
            f" {EDGES * FEATURES / report['seconds'] / 1e6:8.1f} million updates/s"
            f" {report['gigabytes_per_second']:6.1f} GB/s"
        )
        [output] = report["outputs"]
        hashes.add(output["hash"])
    if len(hashes) > 1:
        sys.exit(f"FAILED: the results differ: {', '.join(sorted(hashes))}")
    print(f"  the same result on 1 and 2 threads, bit for bit: {hashes.pop()}")


main(sys.argv[1], pathlib.Path(sys.argv[2]))
