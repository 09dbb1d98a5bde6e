"""The numbered cases through sessions: indices that are fed, of both types, and indices that are part of the model."""

import gather_cases
import numpy as np
import onnx
import onnxruntime_ep_strew
import pytest
import scatter_cases
from cases import feeds_of
from onnx import TensorProto
from onnxruntime.capi import onnxruntime_pybind11_state as errors
from support import ONNX_TYPES, VERSION, assert_all_on_strew, assert_same, one_node, run, session_options, strew_session

CASES = gather_cases.CASES + scatter_cases.CASES
INT64_ONLY = {"GatherND", "ScatterND", "TensorScatter"}
FLOAT, DOUBLE, INT32, INT64 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT64
SCATTER = {"data": FLOAT, "indices": INT64, "updates": FLOAT}

# number, operator, opset, types of the inputs, attributes: what no session is made of
REFUSED_MODELS = [
    ("G14", "Gather", 18, {"data": FLOAT, "indices": FLOAT}, {}),
    ("G14", "Gather", 18, {"data": FLOAT, "indices": TensorProto.UINT32}, {}),
    ("G15", "Gather", 11, {"data": TensorProto.BFLOAT16, "indices": INT64}, {}),
    ("G16", "Gather", 18, {"data": TensorProto.FLOAT8E4M3FN, "indices": INT64}, {}),
    ("ND15", "GatherND", 18, {"data": FLOAT, "indices": INT32}, {}),
    ("ND17", "GatherND", 11, {"data": FLOAT, "indices": INT64}, {"batch_dims": 1}),
    ("SE16", "ScatterElements", 18, SCATTER, {"reduction": "sum"}),
    ("SE16", "ScatterElements", 18, SCATTER, {"reduction": "ADD"}),
    ("SE16", "ScatterElements", 18, SCATTER, {"reduction": ""}),
    ("SE17", "ScatterElements", 13, SCATTER, {"reduction": "add"}),
    ("SE18", "ScatterElements", 18, SCATTER | {"updates": DOUBLE}, {}),
    ("SE20", "ScatterElements", 11, {**SCATTER, "data": TensorProto.BFLOAT16, "updates": TensorProto.BFLOAT16}, {}),
    ("SC2", "Scatter", 11, SCATTER, {}),
    ("SC4", "Scatter", 10, SCATTER, {"reduction": "add"}),
    ("SN21", "ScatterND", 18, SCATTER | {"indices": INT32}, {}),
    ("TS10", "TensorScatter", 24, {"data": FLOAT, "updates": FLOAT}, {"mode": "foo"}),
    ("TS10", "TensorScatter", 24, {"data": FLOAT, "updates": FLOAT, "indices": INT32}, {}),
]


def skip_what_this_onnx_runtime_does_not_know(op_type):
    if op_type == "TensorScatter" and VERSION < (1, 25):
        pytest.skip("this ONNX Runtime does not know the operator")


def model_of(case, feeds, constant):
    """The ranks of the inputs are not known, so that ONNX Runtime itself finds nothing wrong."""
    inputs = {name: (ONNX_TYPES[array.dtype.name], None) for name, array in feeds.items()}
    model = one_node(case.op_type, inputs, case.opset, **case.attributes)
    if constant:
        del model.graph.input[list(feeds).index("indices")]
        model.graph.initializer.append(onnx.numpy_helper.from_array(feeds["indices"], "indices"))
    return model


def ways(case):
    """How its indices can come."""
    if case.indices is None:
        return ["int64"]
    fits = case.op_type not in INT64_ONLY and (case.indices.astype(np.int32) == case.indices).all()
    return ["int64", "constant"] + ["int32"] * bool(fits)


@pytest.mark.parametrize(
    ("case", "way"),
    [pytest.param(case, way, id=f"{case.number}-{i}-{way}") for i, case in enumerate(CASES) for way in ways(case)],
)
def test_a_numbered_case_holds(case, way):
    skip_what_this_onnx_runtime_does_not_know(case.op_type)
    feeds = feeds_of(case)
    if way == "int32":
        feeds["indices"] = feeds["indices"].astype(np.int32)
    session = strew_session(model_of(case, feeds, way == "constant"))
    assert_all_on_strew(session, case.op_type)
    if way == "constant":
        del feeds["indices"]
    before = {name: array.copy() for name, array in feeds.items()}
    for _ in range(2):
        if isinstance(case.expected, str):
            with pytest.raises((errors.InvalidArgument, errors.NotImplemented)) as refusal:
                run(session, feeds)
            assert case.expected in str(refusal.value)
        else:
            assert_same(run(session, feeds), case.expected)
    for name, array in feeds.items():
        assert array.tobytes() == before[name].tobytes()


@pytest.mark.parametrize(
    ("op_type", "opset", "inputs", "attributes"),
    [pytest.param(*rest, id=f"{number}-{i}") for i, (number, *rest) in enumerate(REFUSED_MODELS)],
)
def test_no_session_is_made_of_a_wrong_model(op_type, opset, inputs, attributes):
    skip_what_this_onnx_runtime_does_not_know(op_type)
    model = one_node(op_type, {name: (type_, None) for name, type_ in inputs.items()}, opset, **attributes)
    with pytest.raises((errors.Fail, errors.InvalidGraph, errors.InvalidArgument, errors.NotImplemented)):
        onnxruntime_ep_strew.session(model, session_options())
