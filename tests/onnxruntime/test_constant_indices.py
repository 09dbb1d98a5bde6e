"""Constant indices of a model are checked once, when the session is created. Errors are reported when the node runs."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as errors
from support import assert_all_on_strew, at_once, refuses, session_options, strew_session, text_model

ROWS = 3000
RNG = np.random.default_rng(24)
INDICES = RNG.integers(-ROWS, ROWS, 70000)


def gather(indices, rows="rows", columns="columns"):
    model = text_model(f"one (float[{rows},{columns}] data) => (float[n,{columns}] output) {{ output = Gather (data, i) }}")
    model.graph.initializer.append(onnx.numpy_helper.from_array(indices, "i"))
    return model


def table(rows, columns=1):
    return RNG.random((rows, columns), np.float32)


@pytest.mark.parametrize("dims", [("rows", "columns"), (ROWS, 2), (ROWS, "columns")])
def test_constant_indices_are_right_in_every_run(dims):
    session = strew_session(gather(INDICES, *dims), threads=2)
    assert_all_on_strew(session, "Gather")
    for columns in (2, 2) if dims[1] == 2 else (2, 5, 2):
        data = table(ROWS, columns)
        np.testing.assert_array_equal(session.run(None, {"data": data})[0], data[INDICES])


def test_constant_indices_are_checked_again_where_the_axis_is_shorter():
    session = strew_session(gather(INDICES))
    for rows in (ROWS, ROWS - 1, ROWS, 2 * ROWS, 7):
        data = table(rows)
        if rows >= ROWS:
            np.testing.assert_array_equal(session.run(None, {"data": data})[0], data[INDICES])
        else:
            refuses(errors.InvalidArgument, "gather: indices.* is outside", session.run, None, {"data": data})


@pytest.mark.parametrize("rows", ["rows", 4])
def test_a_bad_constant_index_is_refused_in_every_run_and_not_before(rows):
    session = strew_session(gather(np.array([0, 9]), rows))
    for _ in range(3):
        with pytest.raises(errors.InvalidArgument, match=r"gather: indices\[1\] = 9 is outside \[-4, 3\]"):
            session.run(None, {"data": table(4)})


def test_a_bad_constant_index_in_a_branch_that_is_not_taken_does_no_harm():
    model = text_model(
        """one (bool choice, float[4] data) => (float[n] output) {
             output = If (choice) <
               then_branch = then () => (float[n] a) { i = Constant <value = int64[1] {9}> () a = Gather (data, i) },
               else_branch = other () => (float[n] b) { j = Constant <value = int64[1] {3}> () b = Gather (data, j) }
             >
           }"""
    )
    session = strew_session(model)
    assert_all_on_strew(session, "Gather")
    data = np.arange(4, dtype=np.float32)
    assert session.run(None, {"choice": np.array(False), "data": data})[0].tolist() == [3.0]
    refuses(errors.InvalidArgument, "= 9 is outside", session.run, None, {"choice": np.array(True), "data": data})
    assert session.run(None, {"choice": np.array(False), "data": data})[0].tolist() == [3.0]


def test_constant_indices_are_checked_when_the_session_is_made_and_never_again():
    indices = INDICES.copy()
    given = onnxruntime.OrtValue.ortvalue_from_numpy(indices)
    options = session_options()
    options.add_initializer("i", given)
    session = strew_session(gather(indices, ROWS, 1), options=options)
    indices[5] = ROWS  # an illegal change of a constant: the call does not check it, and reads row 0
    data = table(ROWS)
    np.testing.assert_array_equal(session.run(None, {"data": data})[0][:6, 0], data[[*INDICES[:5], 0], 0])


def test_indices_that_a_caller_may_replace_are_not_constant():
    model = gather(np.array([0, 1]))
    model.graph.input.append(onnx.helper.make_tensor_value_info("i", onnx.TensorProto.INT64, [2]))
    session = strew_session(model)
    data = table(4)
    np.testing.assert_array_equal(session.run(None, {"data": data})[0], data[:2])
    replaced = session.run(None, {"data": data, "i": np.array([3, -1])})[0]
    np.testing.assert_array_equal(replaced, data[[3, 3]])


def test_indices_may_lie_in_a_file_or_be_given_by_the_caller(tmp_path):
    data = table(ROWS)
    path = tmp_path / "model.onnx"
    onnx.save_model(gather(INDICES), path, save_as_external_data=True, location="weights", size_threshold=0)
    session = strew_session(str(path))
    np.testing.assert_array_equal(session.run(None, {"data": data})[0], data[INDICES])
    options = session_options()
    given = onnxruntime.OrtValue.ortvalue_from_numpy(INDICES)
    options.add_initializer("i", given)
    session = strew_session(gather(INDICES), options=options)
    np.testing.assert_array_equal(session.run(None, {"data": data})[0], data[INDICES])


def test_several_nodes_and_a_subgraph_share_constant_indices():
    model = text_model(
        """one (bool choice, float[rows] data) => (float[n] output) {
             first = Gather (data, i)
             second = If (choice) <
               then_branch = then () => (float[n] a) { a = GatherElements (data, i) },
               else_branch = other () => (float[n] b) { b = Neg (first) }
             >
             output = Add (first, second)
           }"""
    )
    model.graph.initializer.append(onnx.numpy_helper.from_array(INDICES, "i"))
    session = strew_session(model)
    assert_all_on_strew(session, "Gather", "GatherElements")
    data = table(ROWS)[:, 0]
    output = session.run(None, {"choice": np.array(True), "data": data})[0]
    np.testing.assert_array_equal(output, data[INDICES] * 2)


def test_runs_at_the_same_time_share_constant_indices():
    session = strew_session(gather(INDICES), threads=2)
    wrong = []

    def work(columns):
        for _ in range(30):
            data = table(ROWS, columns)
            if not np.array_equal(session.run(None, {"data": data})[0], data[INDICES]):
                wrong.append(columns)

    at_once(work, (1, 2, 3))
    assert not wrong
