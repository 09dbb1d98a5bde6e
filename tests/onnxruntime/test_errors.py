"""Errors have Strew's message and the node's name, and the session works afterwards."""

import numpy as np
import onnxruntime
import onnxruntime_ep_strew
import pytest
from onnx import TensorProto
from onnxruntime.capi import onnxruntime_pybind11_state as errors
from support import one_node, operands, refuses, run, session_options, strew_session

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
SCATTER, GATHER = one_node("ScatterND", operands([4, 3], [2, 1], [2, 3])), one_node("Gather", operands([4], [2]))

# For each case: operator, shapes of data, indices and updates, an index, and the message.
REFUSALS = {
    "scatter_nd": ("ScatterND", (4, 3), (2, 1), (2, 3), 9, "scatter_nd: indices[0, 0] = 9 is outside [-4, 3]"),
    "scatter_nd_updates": ("ScatterND", (4, 3), (2, 1), (2, 2), 0, "scatter_nd: updates"),
    "scatter_nd_tuple": ("ScatterND", (4,), (2, 2), (2,), 0, "scatter_nd: indices"),
    "scatter_elements": ("ScatterElements", (4, 3), (2, 3), (2, 3), -5, "scatter_elements: indices[0, 0] = -5 is"),
    "scatter_elements_updates": ("ScatterElements", (4, 3), (2, 3), (1, 3), 0, "scatter_elements: updates"),
    "gather": ("Gather", (4, 3), (2,), None, 4, "gather: indices[0] = 4 is outside [-4, 3] for axis 0 of data with"),
    "gather_nd": ("GatherND", (4, 3), (2, 2), None, 4, "gather_nd: indices[0, 0] = 4 is outside [-4, 3]"),
    "gather_elements": ("GatherElements", (4, 3), (2, 3), None, 4, "gather_elements: indices[0, 0] = 4 is outside"),
    "gather_elements_shape": ("GatherElements", (4, 3), (2, 4), None, 0, "gather_elements: indices"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_bad_run_is_refused_and_the_session_works_on(name):
    op_type, data, indices, updates, bad, message = REFUSALS[name]
    inputs = {"data": (FLOAT, None), "indices": (INT64, None)}
    feeds = {"data": np.ones(data, np.float32), "indices": np.zeros(indices, np.int64)}
    if updates is not None:
        inputs["updates"] = (FLOAT, None)
        feeds["updates"] = np.ones(updates, np.float32)
    session = strew_session(one_node(op_type, inputs))
    feeds["indices"].flat[0] = bad
    for _ in range(3):
        with pytest.raises(errors.InvalidArgument) as refusal:
            run(session, feeds)
        assert message in str(refusal.value)
        assert "Name:'it'" in str(refusal.value)
    feeds["indices"].flat[0] = 0
    if bad != 0:
        run(session, feeds)


def test_nothing_is_written_to_a_bound_output_on_an_error():
    session = strew_session(SCATTER)
    cache = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros((4, 3), np.float32))
    binding = session.io_binding()
    binding.bind_ortvalue_input("data", cache)
    binding.bind_cpu_input("indices", np.array([[1], [4]]))
    binding.bind_cpu_input("updates", np.ones((2, 3), np.float32))
    binding.bind_ortvalue_output("output", cache)
    refuses(RuntimeError, "= 4 is outside", session.run_with_iobinding, binding)
    assert not cache.numpy().any()


def test_many_failing_runs_do_not_grow_the_process():
    session = strew_session(SCATTER)
    feeds = {"data": np.zeros((4, 3), "f4"), "indices": np.array([[4], [0]]), "updates": np.ones((2, 3), "f4")}

    def grown(count):
        with open("/proc/self/statm") as pages:
            before = int(pages.read().split()[1])
        for _ in range(count):
            with pytest.raises(errors.InvalidArgument):
                session.run(None, feeds)
        with open("/proc/self/statm") as pages:
            return (int(pages.read().split()[1]) - before) * 4096

    grown(500)
    assert grown(3000) < 2_000_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"operator": "ScatterND"},
            "there is no option 'operator'; the options are operators, threads, fuse and placement; did you mean 'operators'?",
        ),
        (
            {"operators": ["Gather", "ScatterNd"]},
            "option operators: 'ScatterNd' is not one of the operators that Strew has; the option must be a list such as "
            "'ScatterND,ScatterElements'; did you mean 'ScatterND'?",
        ),
        ({"threads": "two"}, "option threads is 'two'; it must be a number from 0 to 1024"),
        ({"threads": 2000}, "option threads is '2000'; it must be a number from 0 to 1024"),
    ],
)
def test_a_wrong_option_is_refused(options, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 its whole text is compared
        onnxruntime_ep_strew.session(SCATTER, session_options(), **options)
    assert str(caught.value) == f"session: {message}"
    assert caught.value.__cause__ is None


def test_another_fault_of_a_session_stays_as_it_is(tmp_path):
    with pytest.raises(errors.NoSuchFile):
        onnxruntime_ep_strew.session(str(tmp_path / "no.onnx"))


@pytest.mark.parametrize("value", [2.0, None, True, ["ScatterND", 3]])
def test_an_option_of_another_type_is_named(value):
    with pytest.raises(TypeError, match="option threads is .*; it must be an integer, a string or a list of strings"):
        onnxruntime_ep_strew.session(GATHER, threads=value)
    with pytest.raises(TypeError, match="sess_options is {.*}; provider options are keywords"):
        onnxruntime_ep_strew.session(GATHER, {"threads": value})


def test_options_of_a_session_are_not_used_twice():
    options = session_options()
    onnxruntime_ep_strew.session(GATHER, options)
    refuses(ValueError, "each session needs its own SessionOptions", onnxruntime_ep_strew.session, GATHER, options)


def test_providers_are_not_chosen_by_the_caller():
    with pytest.raises(TypeError, match="chooses the providers itself"):
        onnxruntime_ep_strew.session(GATHER, providers=["CPUExecutionProvider"])


def test_operators_may_have_spaces_and_numbers_may_be_of_numpy():
    session = onnxruntime_ep_strew.session(GATHER, operators="ScatterND, Gather", threads=np.int64(1))
    assert {place.provider for place in onnxruntime_ep_strew.placement(session)} == {onnxruntime_ep_strew.get_ep_name()}
