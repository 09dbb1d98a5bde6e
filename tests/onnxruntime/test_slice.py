"""Tests a Slice that cuts updates to the shape of their indices, which PyTorch's TorchScript exporter writes."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from support import CPU, STREW, assert_all_on_strew, assert_same, cpu_session, providers, random_values, reasons
from support import refuses, run_python, scatter_elements, session_options, strew_session, text_model

EXPORTED = """
  zeros = Constant<value = int64[2] {0, 0}>()
  minus_one = Constant<value = int64[1] {-1}>()
  column = Unsqueeze(index, minus_one)
  wide = Shape(messages)
  e = Expand(column, wide)
  cut = Shape(e)
  s = Slice(messages, zeros, cut)
  y = ScatterElements<axis = 0, reduction = "add">(data, e, s)
"""
CUT = """
  zeros = Constant<value = int64[2] {0, 0}>()
  cut = Shape(indices)
  s = Slice(updates, zeros, cut)
"""
SCATTER = 'y = ScatterElements<axis = 0, reduction = "add">(data, indices, s)'
INPUTS = "float[m, c] data, int64[n, f] indices, float[k, g] updates"


def model_of(body, outputs="float[m, c] y", inputs=INPUTS, opset=18):
    return text_model(f"g ({inputs}) => ({outputs}) {{ {body} }}", opset)


def feeds_of(seed=0, indices=(40, 7), updates=(40, 7), data=(5, 9)):
    rng = np.random.default_rng(seed)
    return {
        "data": random_values(rng, data, "float32"),
        "indices": rng.integers(-data[0], data[0], indices),
        "updates": random_values(rng, updates, "float32"),
    }


def wanted_of(feeds):
    rows, columns = feeds["indices"].shape
    return scatter_elements(feeds["data"], feeds["indices"], feeds["updates"][:rows, :columns], 0, "add")


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("opset", [16, 18, 20])
def test_the_nodes_of_an_exported_scatter_add_are_taken(opset, threads):
    inputs = "float[m, c] data, int64[n] index, float[n, c] x"
    model = model_of("messages = Abs(x)" + EXPORTED, inputs=inputs, opset=opset)
    session = strew_session(model, threads)
    assert_all_on_strew(session, "Expand", "Slice", "ScatterElements")
    rng = np.random.default_rng(opset)
    for columns in (1, 7, 33):
        feeds = {
            "data": random_values(rng, (5, columns), "float32"),
            "index": rng.integers(0, 5, 40),
            "x": random_values(rng, (40, columns), "float32"),
        }
        index = np.broadcast_to(feeds["index"][:, None], (40, columns))
        result = session.run(None, feeds)[0]
        assert_same(result, scatter_elements(feeds["data"], index, np.abs(feeds["x"]), 0, "add"))
        assert_same(result, cpu_session(model).run(None, feeds)[0])


@pytest.mark.parametrize("updates", [(40, 7), (41, 7), (40, 8), (60, 9), (40, 70)])
@pytest.mark.parametrize("threads", [1, 3])
def test_larger_updates_are_cut(updates, threads):
    model = model_of(CUT + SCATTER)
    session = strew_session(model, threads)
    assert_all_on_strew(session, "Slice", "ScatterElements")
    feeds = feeds_of(updates=updates)
    before = feeds["updates"].copy()
    wanted = wanted_of(feeds)
    for _ in range(2):
        assert_same(session.run(None, feeds)[0], wanted)
        assert_same(session.run(None, feeds_of(3))[0], wanted_of(feeds_of(3)))
    assert_same(cpu_session(model).run(None, feeds)[0], wanted)
    assert_same(feeds["updates"], before)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float64", "int64"])
def test_larger_updates_of_any_width_are_cut(dtype):
    onnx_type = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    model = model_of(CUT + SCATTER.replace('"add"', '"none"'))
    for value in (model.graph.input[0], model.graph.input[2], model.graph.output[0]):
        value.type.tensor_type.elem_type = onnx_type
    session = strew_session(model)
    assert_all_on_strew(session, "Slice", "ScatterElements")
    rng = np.random.default_rng(4)
    feeds = feeds_of(updates=(50, 8)) | {"data": random_values(rng, (5, 9), dtype), "updates": random_values(rng, (50, 8), dtype)}
    wanted = scatter_elements(feeds["data"], feeds["indices"], feeds["updates"][:40, :7], 0)
    assert_same(session.run(None, feeds)[0], wanted)


@pytest.mark.parametrize("opset", [11, 12])
def test_slices_of_older_opsets_are_taken(opset):
    model = model_of(CUT + "y = ScatterElements<axis = 0>(data, indices, s)", opset=opset)
    session = strew_session(model)
    assert_all_on_strew(session, "Slice", "ScatterElements")
    feeds = feeds_of(updates=(50, 8))
    wanted = scatter_elements(feeds["data"], feeds["indices"], feeds["updates"][:40, :7], 0)
    assert_same(session.run(None, feeds)[0], wanted)


def test_smaller_updates_are_refused():
    session = strew_session(model_of(CUT + SCATTER))
    with pytest.raises(Exception, match=r"scatter_elements: updates have shape \[39, 7\]; they must have \[40, 7\]"):
        session.run(None, feeds_of(updates=(39, 70)))


def test_empty_updates_and_indices():
    session = strew_session(model_of(CUT + SCATTER))
    for indices, updates in (((0, 7), (0, 7)), ((0, 7), (3, 7)), ((40, 0), (40, 2))):
        feeds = feeds_of(indices=indices, updates=updates)
        assert_same(session.run(None, feeds)[0], feeds["data"])


def test_axes_and_steps_that_change_nothing_are_read():
    body = """
      zeros = Constant<value = int64[2] {0, 0}>()
      axes = Constant<value = int64[2] {0, 1}>()
      steps = Constant<value = int64[2] {1, 1}>()
      cut = Shape(indices)
      s = Slice(updates, zeros, cut, axes, steps)
    """
    session = strew_session(model_of(body + SCATTER))
    assert_all_on_strew(session, "Slice", "ScatterElements")
    feeds = feeds_of(updates=(44, 9))
    assert_same(session.run(None, feeds)[0], wanted_of(feeds))


NO_CUT = "it does not cut updates to the shape of their indices"


def read_by(op_type):
    return f"its output goes into {op_type}, not only into updates of nodes that Strew claims"


def slice_by(starts="zeros", ends="cut", axes="", steps=""):
    constants = """
      zeros = Constant<value = int64[2] {0, 0}>()
      ones = Constant<value = int64[2] {1, 1}>()
      backwards = Constant<value = int64[2] {1, 0}>()
      cut = Shape(indices)
      part = Shape<start = 1>(indices)
      zero = Constant<value = int64[1] {0}>()
      twice = Add(cut, cut)
    """
    return f"{constants} s = Slice(updates, {starts}, {ends}{axes}{steps}) {SCATTER}"


OTHERS = {
    "starts elsewhere": (slice_by(starts="ones"), NO_CUT),
    "other axes": (slice_by(axes=", backwards"), NO_CUT),
    "other steps": (slice_by(axes=", zeros", steps=", backwards"), NO_CUT),
    "fewer axes": (slice_by(starts="zero", ends="part"), NO_CUT),
    "other ends": (slice_by(ends="twice"), NO_CUT),
    "another shape": (CUT.replace("Shape(indices)", "Shape(data)") + SCATTER, NO_CUT),
    "another reader": (CUT + SCATTER + "z = Neg(s)", read_by("Neg")),
    "its shape is asked": (CUT + SCATTER + "z = Shape(s)", read_by("Shape")),
}


@pytest.mark.parametrize("other", OTHERS)
def test_any_other_slice_stays_with_onnx_runtime(other):
    body, reason = OTHERS[other]
    session = strew_session(model_of(body))
    if "z = " in body:
        model = model_of(body, "float[m, c] y, float[n, f] z" if "Neg" in body else "float[m, c] y, int64[2] z")
        session = strew_session(model)
        feeds = feeds_of(updates=(44, 9))
        for result, wanted in zip(session.run(None, feeds), cpu_session(model).run(None, feeds), strict=True):
            assert_same(result, wanted)
    assert providers(session, "Slice") == [CPU]
    assert reasons(session, "Slice") == {reason}


@pytest.mark.parametrize("ends", [(40, 7), (40, 6)])
@pytest.mark.parametrize("repeated", [False, True])
def test_ends_of_constant_indices_are_numbers(ends, repeated):
    body = f"zeros = Constant<value = int64[2] {{0, 0}}>() ends = Constant<value = int64[2] {{{ends[0]}, {ends[1]}}}>()"
    inputs = "float[m, c] data, float[k, g] updates"
    model = model_of(body + "s = Slice(updates, zeros, ends)" + SCATTER, inputs=inputs)
    feeds = feeds_of(updates=(44, 9))
    if repeated:
        feeds["indices"][:] = feeds["indices"][:, :1]
    indices = feeds["indices"]
    model.graph.initializer.append(helper.make_tensor("indices", TensorProto.INT64, indices.shape, indices.flatten()))
    session = strew_session(model)
    if ends != indices.shape:
        assert reasons(session, "Slice") == {NO_CUT}
        return
    assert_all_on_strew(session, "Slice", "ScatterElements")
    for updates in ((44, 9), (40, 7)):
        fed = feeds_of(1, updates=updates) | {"indices": indices}
        result = session.run(None, {name: fed[name] for name in ("data", "updates")})[0]
        assert_same(result, wanted_of(fed))


def test_a_slice_that_is_the_output_of_the_graph_stays_with_onnx_runtime():
    session = strew_session(model_of(CUT + SCATTER, "float[m, c] y, float[n, f] s"))
    assert reasons(session, "Slice") == {"its output is an output of the graph"}


def test_a_slice_that_is_known_to_cut_stays_with_onnx_runtime():
    inputs = "float[m, c] data, int64[40, 7] indices, float[60, 9] updates"
    options = session_options()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    model = model_of(CUT + SCATTER, inputs=inputs)
    model.graph.value_info.append(helper.make_tensor_value_info("s", TensorProto.FLOAT, [40, 7]))
    session = strew_session(model, options=options)
    assert reasons(session, "Slice") == {"its declared shapes show that it removes elements"}
    feeds = feeds_of(updates=(60, 9))
    assert_same(session.run(None, feeds)[0], wanted_of(feeds))


def test_starts_of_another_number_are_refused():
    body = CUT.replace("int64[2] {0, 0}", "int64[1] {0}") + SCATTER
    model = model_of(body, inputs="float[m, c] data, int64 indices, float[k, g] updates")
    model.graph.input[1].CopyFrom(helper.make_tensor_value_info("indices", TensorProto.INT64, None))
    session = strew_session(model)
    assert providers(session, "Slice") == [STREW]
    refuses(Exception, r"slice: starts has shape \[1\], but ends has \[2\]", session.run, None, feeds_of())


WHOLE = {
    "an intermediate value that is read again": "u = Abs(updates) s = Slice(u, zeros, cut) y = ScatterElements(data, indices, s) z = Neg(u)",
    "the data themselves": "u = Abs(updates) s = Slice(u, zeros, cut) y = ScatterElements(u, indices, s) z = Neg(u)",
    "the data, which die": "u = Abs(updates) s = Slice(u, zeros, cut) y = ScatterElements(u, indices, s) z = Neg(y)",
    "two scatters": """s = Slice(updates, zeros, cut)
       y = ScatterElements<reduction = "add">(data, indices, s)
       z = ScatterElements<reduction = "mul">(y, indices, s)""",
    "two slices": """s = Slice(updates, zeros, cut) t = Slice(updates, zeros, cut) t2 = Slice(s, zeros, cut)
       y = ScatterElements<reduction = "add">(data, indices, s)
       z = ScatterElements<reduction = "mul">(y, indices, t2)""",
    "an initializer": "s = Slice(stored, zeros, cut) y = ScatterElements(data, indices, s) z = Neg(stored)",
    "another of its reshapes": """flat = Reshape(updates, minus_one) u = Reshape(flat, back)
       s = Slice(u, zeros, cut) y = ScatterElements(data, indices, s) z = Neg(flat)""",
}


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("updates", WHOLE)
def test_updates_are_read_where_they_are_and_stay_as_they_are(updates, parallel):
    body = """
      zeros = Constant<value = int64[2] {0, 0}>()
      minus_one = Constant<value = int64[1] {-1}>()
      back = Shape(updates)
      cut = Shape(indices)
    """
    model = model_of(body + WHOLE[updates], "float[m, c] y, float[?] z")
    model.graph.output[1].CopyFrom(helper.make_tensor_value_info("z", TensorProto.FLOAT, None))
    rng = np.random.default_rng(8)
    stored = random_values(rng, (50, 8), "float32")
    model.graph.initializer.append(helper.make_tensor("stored", TensorProto.FLOAT, stored.shape, stored.flatten()))
    options = session_options(2)
    if parallel:
        options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
    session = strew_session(model, options=options)
    assert STREW in providers(session, "Slice")
    alone = cpu_session(model)
    for seed, shape in enumerate([(40, 7), (50, 8), (50, 7)]):
        feeds = feeds_of(seed, updates=shape, data=(5, 8))
        feeds["indices"] = np.argsort(rng.random((5, 7)), axis=0)
        for result, wanted in zip(session.run(None, feeds), alone.run(None, feeds), strict=True):
            assert_same(result, wanted)


def test_branches_cut_updates_from_around_them_and_may_share_names():
    model = text_model(
        f"""g (bool flag, {INPUTS}) => (float[m, c] y) {{
          y = If (flag) <
            then_branch = t () => (float[m, c] a) {{
              zeros = Constant<value = int64[2] {{0, 0}}>()
              cut = Shape(indices)
              s = Slice(updates, zeros, cut)
              a = ScatterElements<reduction = "add">(data, indices, s)
            }},
            else_branch = e () => (float[m, c] b) {{
              ones = Constant<value = int64[2] {{1, 1}}>()
              cut = Shape(updates)
              s = Slice(updates, ones, cut)
              b = ScatterElements<reduction = "add">(data, indices, s)
            }}
          >
        }}"""
    )
    session = strew_session(model)
    assert sorted(providers(session, "Slice")) == [CPU, STREW]
    for flag in (True, False):
        feeds = feeds_of(updates=(41, 8)) | {"flag": np.array(flag)}
        wanted = feeds | {"updates": feeds["updates"] if flag else feeds["updates"][1:, 1:]}
        assert_same(session.run(None, feeds)[0], wanted_of(wanted))


def test_updates_are_not_copied():
    code = """if True:
      import resource, numpy, onnxruntime_ep_strew
      from onnx import parser
      model = parser.parse_model('''<ir_version: 10, opset_import: ["" : 18]>
        g (float[m] data, int64[n] indices, float[n] updates) => (float[m] y) {
          zeros = Constant<value = int64[1] {0}>()
          cut = Shape(indices)
          s = Slice(updates, zeros, cut)
          y = ScatterElements<reduction = "add">(data, indices, s)
        }''')
      session = onnxruntime_ep_strew.session(model)
      feeds = {"data": numpy.zeros(4, "f"), "indices": numpy.zeros(1 << 23, int), "updates": numpy.ones(1 << 23, "f")}
      session.run(None, {name: array[:4] for name, array in feeds.items()})
      before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
      assert session.run(None, feeds)[0][0] == 1 << 23
      print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    assert int(run_python(code)) < 16 << 10, "kilobytes; a copy has 32 MiB"
