"""Runs examples/layer.onnx in ONNX Runtime, alone and with Strew. Usage: onnxruntime_session.py [NODES]"""

import pathlib
import sys
import time

import numpy as np
import onnxruntime
import onnxruntime_ep_strew

MODEL = str(pathlib.Path(__file__).parents[1] / "layer.onnx")


def main(nodes):
    random = np.random.default_rng(1)
    source, target = random.integers(0, nodes, (2, 10 * nodes))
    feeds = {"x": random.random((nodes, 4), np.float32), "from": source, "to": target}
    feeds["weight"] = random.random((10 * nodes, 1), np.float32)

    sessions = {
        "ONNX Runtime": onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"]),
        "with Strew": onnxruntime_ep_strew.session(MODEL),
    }
    seconds, outputs = {}, {}
    for name, session in sessions.items():
        session.run(None, feeds)  # the first run plans memory
        begin = time.perf_counter()
        outputs[name] = session.run(None, feeds)[0]
        seconds[name] = time.perf_counter() - begin
    np.testing.assert_allclose(outputs["with Strew"], outputs["ONNX Runtime"], rtol=1e-4)
    print(f"{nodes:,} nodes: " + ", ".join(f"{name} {1e3 * took:.1f} ms" for name, took in seconds.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
