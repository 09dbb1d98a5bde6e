"""Tests sessions with bound memory, several sessions at once, and sessions after a fork or after unregistration."""

import pathlib

import numpy as np
import onnxruntime
import onnxruntime_ep_strew
import pytest
from support import STREW, assert_all_on_strew, at_once, one_node, operands, run_python, session_options, strew_session

MODEL = one_node("ScatterND", operands(["n", "f"], ["m", 1], ["m", "f"]), reduction="add")


def feeds_of(seed=0, rows=500, count=3000, columns=64):
    """Return operands large enough for several threads."""
    rng = np.random.default_rng(seed)
    return {
        "data": rng.integers(-9, 9, (rows, columns)).astype(np.float32),
        "indices": rng.integers(-rows, rows, (count, 1)),
        "updates": rng.integers(-9, 9, (count, columns)).astype(np.float32),
    }


def wanted(feeds):
    result = feeds["data"].copy()
    np.add.at(result, feeds["indices"][:, 0], feeds["updates"])
    return result


def test_a_value_bound_as_input_and_output_is_written_in_place():
    session = strew_session(MODEL)
    assert_all_on_strew(session, "ScatterND")
    feeds = feeds_of()
    after = wanted(feeds)
    cache = onnxruntime.OrtValue.ortvalue_from_numpy(feeds["data"])
    address = cache.data_ptr()
    binding = session.io_binding()
    binding.bind_ortvalue_input("data", cache)
    binding.bind_cpu_input("indices", feeds["indices"])
    binding.bind_cpu_input("updates", feeds["updates"])
    binding.bind_ortvalue_output("output", cache)
    session.run_with_iobinding(binding)
    assert np.array_equal(cache.numpy(), after)
    session.run_with_iobinding(binding)
    assert cache.data_ptr() == address
    assert np.array_equal(cache.numpy(), after + (after - feeds_of()["data"]))


def test_several_threads_share_a_session():
    session = strew_session(MODEL, threads=2)
    wrong = []

    def work(seed):
        feeds = feeds_of(seed)
        after = wanted(feeds)
        for _ in range(10):
            if not np.array_equal(session.run(None, feeds)[0], after):
                wrong.append(seed)

    at_once(work, range(4))
    assert not wrong


def test_several_sessions_live_side_by_side():
    sessions = [strew_session(MODEL, threads=count) for count in (1, 2, 3)]
    feeds = feeds_of()
    for session in sessions * 2:
        assert np.array_equal(session.run(None, feeds)[0], wanted(feeds))


LEVEL = onnxruntime.GraphOptimizationLevel
SETTINGS = [
    ("execution_mode", onnxruntime.ExecutionMode.ORT_PARALLEL),
    ("graph_optimization_level", LEVEL.ORT_DISABLE_ALL),
    ("graph_optimization_level", LEVEL.ORT_ENABLE_BASIC),
    ("graph_optimization_level", LEVEL.ORT_ENABLE_ALL),
]


@pytest.mark.parametrize(("name", "value"), SETTINGS, ids=str)
def test_every_level_of_optimisation_and_a_parallel_session_give_the_same(name, value):
    options = session_options(2)
    setattr(options, name, value)
    session = strew_session(MODEL, options=options)
    assert_all_on_strew(session, "ScatterND")
    assert np.array_equal(session.run(None, feeds_of())[0], wanted(feeds_of()))


def test_the_number_of_tasks_changes_nothing():
    feeds = feeds_of()
    feeds["data"] += np.float32(0.1)
    results = [strew_session(MODEL, threads=2, options=None).run(None, feeds)[0]]
    for threads in (1, 3, 7):
        session = onnxruntime_ep_strew.session(MODEL, session_options(2), threads=threads)
        results.append(session.run(None, feeds)[0])
    assert len({result.tobytes() for result in results}) == 1


def test_onnx_runtimes_own_functions_do_as_well():
    onnxruntime_ep_strew.register()
    device = next(d for d in onnxruntime.get_ep_devices() if d.ep_name == onnxruntime_ep_strew.get_ep_name())
    options = session_options(record_ep_graph_assignment_info="1")
    options.add_provider_for_devices([device], {"threads": "2"})
    options.add_provider("CPUExecutionProvider", {})
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), options)
    assert session.get_providers()[0] == STREW
    assert_all_on_strew(session, "ScatterND")


def test_a_model_may_be_a_path_or_bytes(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(MODEL.SerializeToString())
    for model in (path, str(path), MODEL.SerializeToString()):
        session = onnxruntime_ep_strew.session(model, session_options())
        assert_all_on_strew(session, "ScatterND")


PROLOGUE = """
import os, signal, sys
sys.path.insert(0, {folder!r})
import numpy as np, onnxruntime, onnxruntime_ep_strew as ep
from test_sessions import MODEL, feeds_of, wanted
from support import session_options
session = ep.session(MODEL, session_options({threads}))
feeds = feeds_of()
def right():
    return np.array_equal(session.run(None, feeds)[0], wanted(feeds))
def in_child(is_right):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if is_right() else 1)
    assert os.waitpid(child, 0)[1] == 0 and right()
assert right()
"""


def script(body, threads=2):
    return PROLOGUE.format(folder=str(pathlib.Path(__file__).parent), threads=threads) + body


def test_a_session_of_one_thread_works_after_a_fork():
    run_python(script("in_child(right)", threads=1))


def test_a_session_made_in_a_forked_child_works():
    body = """
def is_right():
    global parents, session
    parents = session  # kept alive: its end would wait for threads that the child lacks
    session = ep.session(MODEL, session_options(2))
    return right()
in_child(is_right)
"""
    run_python(script(body))


def test_a_session_outlives_the_registration():
    body = """
onnxruntime.unregister_execution_provider_library(ep.get_ep_name())
assert right()
del session
import gc; gc.collect()
ep.register()
session = ep.session(MODEL, session_options(2))
assert right()
print('done')
"""
    assert run_python(script(body)).strip() == "done"


def test_a_program_may_end_with_a_live_session():
    assert run_python(script("print('done')")).strip() == "done"
