"""Tests the inputs, results and errors of strew.load_model, Model and infer_shapes."""

import gc
import io
import os
import pathlib
import resource
import sys

import numpy as np
import onnx
import pytest
import strew
from onnx import helper, numpy_helper
from support import Meddler, at_once, refuses, turns_during
from onnx_models import DATA, GATHER, INDICES, model_of, with_external_data


def as_path_object(model, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize(
    "form",
    [
        as_path_object,
        lambda model, tmp_path: str(as_path_object(model, tmp_path)),
        lambda model, tmp_path: model.SerializeToString(),
        lambda model, tmp_path: bytearray(model.SerializeToString()),
        lambda model, tmp_path: memoryview(model.SerializeToString()),
        lambda model, tmp_path: np.frombuffer(model.SerializeToString(), np.uint8),
        lambda model, tmp_path: model,
    ],
)
def test_a_model_is_loaded_from_paths_bytes_and_protos(form, tmp_path):
    model = strew.load_model(form(model_of(GATHER), tmp_path))
    result = model.run({"data": DATA, "indices": INDICES})
    assert list(result) == ["picked"]
    np.testing.assert_array_equal(result["picked"], DATA[INDICES])


def test_an_input_that_reading_another_one_changes_is_refused():
    data = np.zeros((1000, 2), np.float32)
    meddler = Meddler([0], lambda: data.resize((0, 2), refcheck=False))
    with pytest.raises(ValueError, match="^run: data was changed while another operand was read$"):
        strew.load_model(model_of(GATHER)).run({"data": data, "indices": meddler})


def test_a_model_says_what_it_takes_gives_and_holds():
    model = strew.load_model(model_of(GATHER, opset=11, ir_version=7))
    assert model.inputs == [strew.ValueInfo("data", "float32", ("N", 2)), strew.ValueInfo("indices", "int64", ("K",))]
    assert model.outputs == [strew.ValueInfo("picked", "float32", ("K", 2))]
    assert model.nodes == [strew.NodeInfo("#0", "Gather", "", 11, ("data", "indices"), ("picked",))]
    assert (model.ir_version, model.opset) == (7, 11)
    assert repr(model) == (
        "strew.Model(opset 11, 1 node: (data: float32 [N, 2], indices: int64 [K]) -> (picked: float32 [K, 2]))"
    )
    with pytest.raises(AttributeError):
        model.inputs[0].name = "other"
    with pytest.raises(AttributeError):
        model.opset = 12


def test_a_shape_of_unknown_rank_or_dimension_is_none():
    graph = "g (float data, int64[K, ?] indices) => (float output) { output = GatherND(data, indices) }"
    model = model_of(graph)
    del model.graph.input[0].type.tensor_type.shape.dim[:]
    model.graph.input[0].type.tensor_type.ClearField("shape")
    loaded = strew.load_model(model)
    assert loaded.inputs[0].shape is None
    assert loaded.inputs[1].shape == ("K", None)


def test_names_that_are_not_utf8_are_surrogates():
    image = model_of(GATHER).SerializeToString()
    model = strew.load_model(image.replace(b"picked", b"pick\xff\xfe").replace(b"data", b"da\xffa"))
    assert model.inputs[0].name == "da\udcffa"
    result = model.run({"da\udcffa": DATA, "indices": [1]})
    assert result["pick\udcff\udcfe"].tolist() == [[2, 3]]


def test_an_input_with_an_initializer_may_be_left_out():
    model = model_of(GATHER)
    model.graph.initializer.append(numpy_helper.from_array(np.array([0, 2]), "indices"))
    loaded = strew.load_model(model)
    assert [value.optional for value in loaded.inputs] == [False, True]
    np.testing.assert_array_equal(loaded.run({"data": DATA})["picked"], DATA[[0, 2]])
    np.testing.assert_array_equal(loaded.run({"data": DATA, "indices": [1]})["picked"], DATA[[1]])


def test_external_data_lie_beside_the_file_or_where_the_caller_says(tmp_path):
    path = with_external_data(tmp_path)
    assert (tmp_path / "data.bin").exists()
    np.testing.assert_array_equal(strew.load_model(path).run({"indices": [3, 1]})["picked"], DATA[[3, 1]])
    image = path.read_bytes()
    loaded = strew.load_model(image, external_data_dir=tmp_path)
    np.testing.assert_array_equal(loaded.run({"indices": [3, 1]})["picked"], DATA[[3, 1]])
    refuses(ValueError, "no folder is given .for a model, set external_data_dir", strew.load_model, image)
    refuses(ValueError, "the external data of a file are read from its folder", strew.load_model, path, external_data_dir=tmp_path)
    refuses(TypeError, "Model: only strew.load_model creates a Model", strew.Model, image)


def test_linked_external_data_are_read_only_within_the_folder_named(tmp_path):
    snapshot = tmp_path / "snapshot"
    snapshot.mkdir()
    path = with_external_data(snapshot)
    (snapshot / "data.bin").rename(tmp_path / "blob")
    (snapshot / "data.bin").symlink_to("../blob")
    refuses(ValueError, "symbolic link", strew.load_model, path)
    refuses(ValueError, "leads out of", strew.load_model, path, links_within=snapshot)
    loaded = strew.load_model(path, links_within=str(tmp_path))
    np.testing.assert_array_equal(loaded.run({"indices": [3, 1]})["picked"], DATA[[3, 1]])


def test_a_deprecated_scatter_runs_only_where_that_is_allowed():
    graph = """g (float[4] data, int64[2] indices, float[2] updates) => (float[4] output)
               { output = Scatter(data, indices, updates) }"""
    inputs = {"data": np.zeros(4, np.float32), "indices": [1, 3], "updates": [5, 6]}
    refuses(ValueError, "deprecated", strew.load_model(model_of(graph, opset=11)).run, inputs)
    loaded = strew.load_model(model_of(graph, opset=11), allow_deprecated=True)
    assert loaded.check() == []
    assert loaded.run(inputs)["output"].tolist() == [0, 5, 0, 6]


def test_an_empty_path_is_said_to_be_empty():
    refuses(FileNotFoundError, "^the path of the file is empty$", strew.load_model, "")


def test_names_do_not_steer_a_terminal_nor_fill_it():
    model = model_of(GATHER)
    model.graph.input[0].name = model.graph.node[0].input[0] = "\x1b[2J\nd"
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "\rN"
    model.graph.output[0].name = model.graph.node[0].output[0] = "y" * 3_000_000
    loaded = strew.load_model(model)
    assert "( [2J d: float32 [ N, 2]" in str(loaded)
    assert "yyy\u2026 (3000000 bytes): float32" in str(loaded)
    assert str(loaded).isprintable() and len(str(loaded)) < 3000
    assert loaded.inputs[0].name == "\x1b[2J\nd"
    with pytest.raises(ValueError) as refusal:
        loaded.run({"\x1b[2J\nd": DATA, "\x1b" * 3_000_000: INDICES})
    assert str(refusal.value).isprintable() and len(str(refusal.value)) < 3000


def test_a_sparse_initializer_is_named_and_not_expanded():
    model = model_of("g (int64[2] indices) => (float[2] picked) { picked = Gather(data, indices) }")
    values = numpy_helper.from_array(np.float32([7]), "data")
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([2])), [1000])
    model.graph.sparse_initializer.append(sparse)
    loaded = strew.load_model(model)
    assert loaded.check() == [] and loaded.sparse == ("data",)
    assert strew.infer_shapes(loaded)["data"].shape == (1000,)
    with pytest.raises(NotImplementedError, match="'data' is sparse, and sparse tensors are not expanded"):
        loaded.run({"indices": [2, 3]})
    assert strew.load_model(model_of(GATHER)).sparse == ()


def test_check_lists_every_violation_with_its_node():
    graph = """g (float[4] data, int64[2, 1] indices, float[3] updates) => (float[4] b) {
        a = ScatterND <reduction = "max"> (data, indices, updates)
        b = Gather <axis = 5> (data, indices)
    }"""
    model = strew.load_model(model_of(graph, opset=16))
    violations = model.check()
    assert [violation.node for violation in violations] == ["#0", "#1"]
    assert violations[0] == strew.Violation("#0", "node #0 (ScatterND-16): reduction 'max' needs opset 18 or newer")
    assert "axis 5" in violations[1].message
    with pytest.raises(ValueError) as caught:
        model.run({"data": np.zeros(4, np.float32), "indices": [[0], [1]], "updates": [1, 2, 3]})
    assert str(caught.value) == violations[0].message


@pytest.mark.parametrize(
    ("inputs", "exception", "message"),
    [
        ([DATA, INDICES], TypeError, "inputs must be a dict of arrays, with the names of the model's inputs as keys; got list"),
        ({1: DATA}, TypeError, "the keys of inputs must be str"),
        ({"data": DATA}, ValueError, "input 'indices' is missing"),
        ({"data": DATA, "indices": INDICES, "x": 1}, ValueError, "no input 'x'; inputs of the model: 'data', 'indices'"),
        ({"data": DATA, "indices": [4]}, IndexError, r"indices\[0\] = 4 is outside \[-4, 3\]"),
        ({"data": DATA.astype("f8"), "indices": [0]}, TypeError, "'data' is float64 .* declares float32"),
        ({"data": DATA, "indices": [0.5]}, TypeError, "indices hold 0.5, of type float64, but the model declares int64; pass values of type int64"),
        ({"data": DATA[:, :1], "indices": [0]}, ValueError, r"'data' is float32 \[4, 1\]; .* \[N, 2\]"),
        ({"data": DATA, "indices": np.zeros(1, "M8[s]")}, TypeError, "indices have the NumPy type datetime64"),
    ],
)
def test_wrong_inputs_are_refused_in_words(inputs, exception, message):
    refuses(exception, message, strew.load_model(model_of(GATHER)).run, inputs)


def test_inputs_as_keywords_are_refused_with_the_right_call():
    model = strew.load_model(model_of(GATHER))
    refuses(TypeError, r"^run: inputs must be one dict, as in run\({\.\.\.}\)$", model.run, data=DATA, indices=INDICES)
    np.testing.assert_array_equal(model.run(inputs={"data": DATA, "indices": [1]})["picked"], DATA[[1]])


@pytest.mark.parametrize(
    ("source", "exception", "message"),
    [
        (b"", ValueError, "not an ONNX model"),
        (b"ir_version: 8\n", ValueError, "not an ONNX model but text"),
        (b"\xff" * 40, ValueError, "not a readable ONNX model"),
        ("no/such/file.onnx", FileNotFoundError, "no/such/file.onnx"),
        (pathlib.Path(os.sep), OSError, "regular file"),
        (17, TypeError, "a path .*, bytes or an onnx.ModelProto; got int"),
        (io.BytesIO(b""), TypeError, "got BytesIO"),
    ],
)
def test_what_is_no_model_is_refused_in_words(source, exception, message):
    for function in (strew.load_model, strew.infer_shapes):
        refuses(exception, message, function, source)


def test_shapes_are_inferred_with_their_symbols():
    graph = """g (float[N, M] data, int64[K] indices, int64[T, 1] slots, float[T, M] updates) => (float[A, B] out) {
        rows = Gather(data, indices)
        new = ScatterND(rows, slots, updates)
        out = GatherElements(new, slots)
    }"""
    model = model_of(graph)
    for source in (model, model.SerializeToString(), strew.load_model(model)):
        known = strew.infer_shapes(source)
        assert list(known) == ["data", "indices", "slots", "updates", "rows", "new", "out"]
        assert known["rows"] == strew.ValueInfo("rows", "float32", ("K", "M"))
        assert known["new"].shape == ("K", "M")
        assert known["out"].shape == ("T", 1)


def test_inference_takes_over_what_the_graph_declares_of_an_output():
    known = strew.infer_shapes(
        model_of("g (float[N] data, int64[?, ?] indices) => (float[A, B] out) { out = Gather(data, indices) }")
    )
    assert known["out"].shape == ("A", "B")


def test_many_threads_run_one_model():
    model = strew.load_model(model_of(GATHER))
    data = np.arange(200_000, dtype=np.float32).reshape(-1, 2)
    wrong = []

    def work(seed):
        indices = np.random.default_rng(seed).integers(0, len(data), 5000)
        for _ in range(20):
            if not np.array_equal(model.run({"data": data, "indices": indices})["picked"], data[indices]):
                wrong.append(seed)

    at_once(work, range(4))
    assert wrong == []


def test_other_python_threads_go_on_while_a_model_runs():
    graph = """g (float[1] data, int64[N, 1] indices, float[N] updates) => (float[1] out)
               { out = ScatterND <reduction = "add"> (data, indices, updates) }"""
    model = strew.load_model(model_of(graph))
    inputs = {
        "data": np.zeros(1, np.float32),
        "indices": np.broadcast_to(np.int64(0), (60_000_000, 1)),
        "updates": np.broadcast_to(np.float32(0), 60_000_000),
    }
    assert turns_during(lambda: model.run(inputs)) > 5


def test_thousands_of_loads_and_runs_leak_nothing():
    image = model_of(GATHER).SerializeToString()
    graph = "g (string[N] data, int64[K] i) => (string[K] out) { out = Gather(data, i) }"
    strings = model_of(graph).SerializeToString()
    words = np.array(["a" * 1000, "b" * 1000], dtype=object)
    many = np.zeros((4000, 2), np.float32)

    def work(count):
        for _ in range(count):
            model = strew.load_model(image)
            model.run({"data": many, "indices": np.arange(4000)})
            model.check()
            strew.infer_shapes(model)
            strew.load_model(strings).run({"data": words, "i": [0, 1, 0]})
            refuses(ValueError, "missing", model.run, {"data": many})

    def memory():
        gc.collect()
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    work(200)
    before, references = memory(), sys.getrefcount(words[0])
    work(2000)
    after = sys.getrefcount(words[0])
    assert after == references
    assert memory() - before < 4 << 20  # a leak of one array in each run would be 64 MB


def test_a_model_that_onnx_rejects_is_a_value_error_of_check():
    node = onnx.helper.make_node("Concat", [], ["joined"], axis=0)
    model = strew.load_model(onnx.helper.make_model(onnx.helper.make_graph([node], "g", [], [])))
    assert model.check() == []
    refuses(ValueError, "^check: onnx.shape_inference rejects the model: .*Concat", model.check, infer=True)
    refuses(TypeError, "^check: infer is a str; it must be a bool$", model.check, infer="no")


def test_a_whole_model_is_checked_counted_and_not_run():
    graph = """g (float[4, 2] data, bool c) => (float[2, 2] picked) <int64[2] rows = {0, 5}>
        { small = Flatten(data)
          half = Relu(small)
          wide = If (c) <then_branch = t () => (float[2, 2] a) { a = Gather(data, rows) },
                         else_branch = e () => (float[2, 2] b) { b = Relu(data) }>
          picked = Gather(half, rows) }"""
    whole = model_of(graph)
    model = strew.load_model(whole)
    assert model.unchecked == {"Relu": 2, "Flatten": 1, "If": 1}
    assert list(model.unchecked) == ["Relu", "Flatten", "If"]
    assert [violation.node for violation in model.check()] == ["#2.then_branch#0"]
    assert model.check()[0].message == (
        "then_branch of node #2 (If): node #2.then_branch#0 (Gather-13): "
        "indices[1] = 5 is outside [-4, 3] for axis 0 of data with shape [4, 2]"
    )
    inferred = strew.load_model(onnx.shape_inference.infer_shapes(whole))
    assert [violation.node for violation in inferred.check()] == ["#3", "#2.then_branch#0"]
    assert [violation.node for violation in model.check(infer=True)] == ["#3", "#2.then_branch#0"]
    seen_through = strew.load_model(model_of(graph.replace("Flatten", "Abs")))
    assert [violation.node for violation in seen_through.check()] == ["#3", "#2.then_branch#0"]
    assert "a" not in strew.infer_shapes(model)
    with pytest.raises(NotImplementedError, match=r"^3 nodes are not gathers, scatters, Constant or Identity: Flatten 1, If 1, Relu 1"):
        model.run({})
