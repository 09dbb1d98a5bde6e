"""Wrong results of ONNX Runtime's own kernels, and Strew's results, which follow the standard.

A test checks only Strew if a newer version of ONNX Runtime may be right, or if the wrong result comes from a data race.
"""

import numpy as np
import pytest
from onnx import TensorProto
from support import CPU, STREW, cpu_session, one_node, operands, providers, refuses, run, run_on_strew, strew_session


def test_updates_of_one_row_from_several_threads_are_not_lost():
    rng = np.random.default_rng(1)
    data = np.zeros((3, 512), np.float32)
    indices = rng.integers(0, 3, (20000, 1))
    updates = np.ones((20000, 512), np.float32)
    wanted = np.zeros_like(data) + np.bincount(indices[:, 0], minlength=3).astype(np.float32)[:, None]
    feeds = {"data": data, "indices": indices, "updates": updates}
    model = one_node("ScatterND", operands([3, 512], ["n", 1], ["n", 512]), reduction="add")
    session = strew_session(model, threads=4)
    assert providers(session, "ScatterND") == [STREW]
    for _ in range(5):
        assert np.array_equal(run(session, feeds), wanted)
    plain = cpu_session(model, threads=4)
    lost = max(float((wanted - run(plain, feeds)).max()) for _ in range(5))
    print(f"ONNX Runtime lost up to {lost:.0f} of {wanted.max():.0f} updates")


def test_the_last_of_equal_indices_wins_on_several_threads():
    indices = np.zeros((4000, 1), np.int64)
    updates = np.repeat(np.arange(4000, dtype=np.float32)[:, None], 600, 1)
    feeds = {"data": np.zeros((2, 600), np.float32), "indices": indices, "updates": updates}
    for _ in range(5):
        assert np.array_equal(run_on_strew("ScatterND", feeds, threads=4)[0], updates[-1])


def string_rows(shape, indices):
    """Run a Gather of strings. Return the data, Strew's session, and the results of Strew and of ONNX Runtime."""
    data = np.array([f"text {i}" + "\u00e9" * (i % 3) for i in range(int(np.prod(shape)))], object).reshape(shape)
    model = one_node("Gather", operands(list(shape), ["n"], type_=TensorProto.STRING))
    feeds = {"data": data, "indices": indices}
    sessions = strew_session(model), cpu_session(model)
    return data, sessions[0], [session.run(None, feeds)[0] for session in sessions]


def test_rows_of_strings_are_gathered_whole():
    indices = np.array([2, 0, -1])
    data, session, (strew, plain) = string_rows((4, 3), indices)
    assert providers(session, "Gather") == [STREW]
    assert np.array_equal(strew, data[indices])
    assert not np.array_equal(plain, data[indices]), "ONNX Runtime has mended its Gather of strings"


def test_single_strings_are_left_to_onnx_runtime_which_is_right_there():
    data, session, (strew, plain) = string_rows((4, 1), np.array([2, 0, -1]))
    assert providers(session, "Gather") == [CPU]
    assert np.array_equal(strew, plain)
    assert np.array_equal(strew, data[[2, 0, -1]])


@pytest.mark.parametrize(("reduction", "data", "by"), [("add", np.inf, -np.inf), ("mul", np.inf, 0), ("add", -np.nan, 1)])
def test_a_nan_of_a_reduction_is_canonical(reduction, data, by):
    feeds = {"data": np.float32([data]), "indices": np.array([0]), "updates": np.float32([by])}
    assert run_on_strew("ScatterElements", feeds, reduction=reduction)[0].view(np.uint32) == 0x7FC00000


def test_a_nan_stays_in_max_and_min():
    data, updates = np.array([np.nan, 1.0], np.float32), np.array([5.0, np.nan, 7.0, 2.0], np.float32)
    feeds = {"data": data, "indices": np.array([0, 1, 0, 1]), "updates": updates}
    for reduction in ("max", "min"):
        assert np.isnan(run_on_strew("ScatterElements", feeds, reduction=reduction)).all()
        plain = run(cpu_session(one_node("ScatterElements", operands([2], [4], [4]), reduction=reduction)), feeds)
        assert not np.isnan(plain).all(), "ONNX Runtime keeps NaN now"


@pytest.mark.parametrize("op_type", ["ScatterND", "ScatterElements"])
def test_an_unknown_reduction_is_refused(op_type):
    shape = [2, 1] if op_type == "ScatterND" else [2]
    model = one_node(op_type, operands([3], shape, [2]), reduction="mean")
    refuses(Exception, "node 'it': reduction is 'mean'; it must be none, add, mul, max or min", strew_session, model)
    updates = np.array([4, 8], np.float32)
    feeds = {"data": np.zeros(3, np.float32), "indices": np.array([1, 1]).reshape(shape), "updates": updates}
    assert run(cpu_session(model), feeds)[1] == 8, "ONNX Runtime no longer takes it for none"


def test_batches_that_do_not_match_are_refused():
    model = one_node("GatherND", operands(["a", "b", "c"], ["d", "e"]), batch_dims=1)
    feeds = {"data": np.arange(24, dtype=np.float32).reshape(2, 3, 4), "indices": np.zeros((4, 1), np.int64)}
    session = strew_session(model)
    assert providers(session, "GatherND") == [STREW]
    refuses(Exception, "gather_nd: .*batch", run, session, feeds)
    assert run(cpu_session(model), feeds).shape == (4, 4), "ONNX Runtime refuses it now"


def test_bad_indices_are_refused_even_where_the_result_is_empty():
    model = one_node("GatherND", operands(["a", "b"], ["c", 1]))
    feeds = {"data": np.zeros((2, 0), np.float32), "indices": np.array([[7]])}
    refuses(Exception, r"gather_nd: indices\[0, 0\] = 7 is outside \[-2, 1\]", run, strew_session(model), feeds)
    assert run(cpu_session(model), feeds).shape == (1, 0), "ONNX Runtime checks them now"
