"""Tests the end of the process while other threads are in a call."""

from importlib.util import find_spec

import pytest
from support import run_python

# Delays the end of the interpreter until other threads have returned from their calls. Before Python 3.14, pthread_exit
# unwinds these threads. `last` is in a module of its own, because the threads keep the variables of this one.
LEAVING = """
import sys, threading, time, types
import numpy as np, strew
data, updates = np.zeros(100_000, np.float32), np.ones(400_000, np.float32)
indices = np.random.default_rng(3).integers(0, 100_000, (400_000, 1))

class Slow:
    def __array__(self, dtype=None, copy=None):
        sum(range(10_000))
        return np.array([[1]])

class Last:
    def __del__(self, sleep=time.sleep):
        sleep({pause})

sys.modules["owner"] = types.ModuleType("owner")
sys.modules["owner"].last = Last()
{setup}
started = threading.Semaphore(0)
def work():
    {call}
    started.release()
    while True:
        {call}
threads = [threading.Thread(target=work, daemon=True) for _ in range({threads})]
[thread.start() for thread in threads]
[started.acquire() for thread in threads]
time.sleep({wait})
print('left')
"""

MODEL = """import onnx.parser
model = strew.load_model(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
    rows (float[N] data, int64[K, 1] indices) => (float[K] picked) { picked = GatherND(data, indices) }'''))"""

TORCH = "import torch, strew.torch; data, indices = torch.from_numpy(data), torch.from_numpy(indices)"

ROADS = {
    "gather_nd": ("", "strew.gather_nd(data, indices)"),
    "scatter_nd": ("", "strew.scatter_nd(data, indices, updates, 'add')"),
    "out": ("out = data.copy()", "strew.scatter_nd(out, indices, updates, 'add', out=out)"),
    "byte order": ("data, out = data.astype('>f4'), data", "strew.scatter_nd(data, indices, updates, out=out)"),
    "strings": ("data = np.full(1000, 'word')", "strew.scatter_nd(data, indices[:50] % 1000, data[:50])"),
    "operand of Python": ("", "strew.gather_nd(data, Slow())"),
    "explain": ("", "strew.explain(strew.gather_nd, data, Slow())"),
    "model": (MODEL, "model.run({'data': data, 'indices': indices})"),
    "model of Python": (MODEL, "model.run({'data': data, 'indices': Slow()})"),
}  # fmt: skip


def leave(setup, call, threads=3, wait=0, pause=0.3):
    """Run a program whose threads repeat `call` while it ends: `wait` seconds after the first call, for `pause` seconds."""
    code = LEAVING
    for name, value in {"setup": setup, "call": call, "threads": threads, "wait": wait, "pause": pause}.items():
        code = code.replace(f"{{{name}}}", str(value))
    run_python(code, timeout=60)


@pytest.mark.parametrize("road", ROADS)
def test_the_process_ends_well_while_daemon_threads_are_in_calls(road):
    setup, call = ROADS[road]
    if "import onnx" in setup:
        pytest.importorskip("onnx")
    for _ in range(2):
        leave(setup, call)


# PyTorch's own functions abort if a thread returns from them during the exit. This thread is therefore in a long call
# of Strew, which begins in the wait and returns in the pause. `many` and `ones` repeat one element.
@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize("module", ["strew", "strew.torch"])
def test_the_process_ends_well_while_a_daemon_thread_works_on_tensors(module):
    call = f"[{module}.gather_nd(data, indices), started.release(), {module}.scatter_nd(data, many, ones, 'add')]"
    repeated = "\nmany, ones = indices[:1].expand(10**9, 1), torch.ones(1).expand(10**9)"
    leave(TORCH + repeated, call, threads=1, wait=0.2, pause=1)


HELD = ["strew.Edges(i, i, 1000, 1000)", "strew.plan(strew.gather, x, i)", "strew.check_indices(strew.gather, x, i)"]


@pytest.mark.parametrize("made", HELD)
def test_the_process_says_nothing_at_its_end_of_what_a_daemon_thread_holds(made):
    code = f"""
import os, threading, numpy as np, strew
os.dup2(1, 2)
x, i = np.ones(1000, np.float32), np.zeros(1000, int)
held = threading.Event()
def work():
    kept = {made}
    held.set()
    while True:
        strew.gather(x, i)
threading.Thread(target=work, daemon=True).start()
held.wait()
"""
    assert run_python(code) == ""
