"""The table of README.md: five calls of real programs, from the JSON of peers.py and torch_programs.py.

Usage: readme_figures.py PEERS.json TORCH.json
"""

import json
import sys

from peer_figures import medians, read

CALLS = [
    ("rows added to others by index", "`np.add.at`", "numpy", "scatternd_rows_add"),
    ("elements added along axis 0", "ONNX Runtime `ScatterElements`", "onnxruntime", "scatter_elements_add_rowidx"),
    ("rows of 64 bytes looked up", "`torch.index_select`", "torch", "gather_rows_64B"),
    ("elements added by index", "JAX `.at[].add`", "jax", "scatternd_add_uniform"),
]
PROGRAM = ("a training step of a graph network (GCN)", "PyTorch", "gcn")


def rows(peers, torch):
    yield "| what | with | ms | with Strew, ms | times as fast |"
    yield "| --- | --- | --- | --- | --- |"
    times = medians(peers, "fresh", 2)[0]
    for what, peer, library, workload in CALLS:
        other, ours = (times[workload][name] * 1e3 for name in (library, "strew"))
        yield f"| {what} | {peer} | {other:.0f} | {ours:.1f} | {other / ours:.1f} |"
    what, peer, program = PROGRAM
    other, ours = (torch["steps"][program]["2"][side]["wall"] * 1e3 for side in ("torch", "strew"))
    yield f"| {what} | {peer} | {other:,.0f} | {ours:.0f} | {other / ours:.1f} |"


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        print("\n".join(rows(read(sys.argv[1]), json.load(file))))
