"""Tests forks after calls on many threads, and each start method of multiprocessing."""

import pickle

import pytest
from onnx_models import GATHER, model_of
from support import run_python

import strew

OPERATORS = ["gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "tensor_scatter"]

PROLOGUE = """
import os, signal, sys, threading, warnings
import numpy as np, strew
warnings.simplefilter('ignore')
data, index = np.ones((3000, 200), np.float32), np.arange(3000) % 7
def work():
    return strew.scatter_nd(data, index[:, None], data, 'add')
def in_child(is_right):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if is_right() else 1)
    assert os.waitpid(child, 0)[1] == 0
"""

FORK = PROLOGUE + """
{setting}
wanted = work()
stop = threading.Event()
def busy():
    while not stop.is_set():
        work()
other = threading.Thread(target=busy)
if {busy}:
    other.start()
def is_right():
    return np.array_equal(work(), wanted)
def is_right_in_child():
    right = is_right() and strew.get_num_threads() == {count}
    with strew.num_threads(3):
        right = right and is_right()
    if generation == 0:
        in_child(is_right)
    return right
for generation in range(5):
    in_child(is_right_in_child)
    assert is_right()
stop.set()
"""


@pytest.mark.parametrize("busy", [False, True])
@pytest.mark.parametrize("setting, count", [("", "len(os.sched_getaffinity(0))"), ("strew.set_num_threads(4)", "4")])
def test_a_child_after_fork_computes(setting, count, busy):
    run_python(FORK.format(setting=setting, count=count, busy=busy))


def test_a_child_has_the_thread_number_of_the_thread_that_forks():
    code = """
with strew.num_threads(3):
    strew.gather(data, [0])
    in_child(lambda: strew.gather(data, np.arange(3000)).any() and strew.get_num_threads() == 3)
"""
    run_python(PROLOGUE + code)


def test_a_child_after_fork_loads_models_while_other_threads_of_the_parent_do(tmp_path):
    code = """
stop = threading.Event()
def busy():
    while not stop.is_set():
        strew.load_model(sys.argv[1])
others = [threading.Thread(target=busy) for _ in range(2)]
for other in others:
    other.start()
try:
    for _ in range(20):
        in_child(lambda: strew.load_model(sys.argv[1]).run({'data': data[:, :2], 'indices': np.array([1])}))
finally:
    stop.set()
"""
    path = tmp_path / "model.onnx"
    path.write_bytes(model_of(GATHER).SerializeToString())
    run_python(PROLOGUE + code, str(path))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_multiprocessing_compute(method):
    code = """
import multiprocessing, sys, warnings, numpy as np, strew
warnings.simplefilter('ignore')
if __name__ == '__main__':
    data, index = np.ones((2000, 100)), np.arange(2000)[:, None] % 5
    wanted = strew.scatter_nd(data, index, data, 'add')
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        results = [pool.apply_async(strew.scatter_nd, (data, index, data, 'add')) for _ in range(4)]
        assert all(np.array_equal(result.get(60), wanted) for result in results)
        try:
            pool.apply(strew.gather, (data, [2000]))
        except IndexError as error:
            assert str(error).startswith('gather: indices[0] = 2000 is outside'), error
        else:
            raise AssertionError
"""
    run_python(code, method)


@pytest.mark.parametrize("name", OPERATORS)
def test_functions_can_be_pickled(name):
    function = getattr(strew, name)
    assert pickle.loads(pickle.dumps(function)) is function
