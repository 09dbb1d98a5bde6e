"""Tensors of models as arrays, and pickles of models."""

import copy
import gc
import pathlib
import pickle
import resource

import ml_dtypes
import numpy as np
import pytest
import strew
from onnx import TensorProto, helper, numpy_helper
from onnx_models import DATA, GATHER, INDICES, gather_model, model_of, one_node, with_external_data
from support import refuses, run_python


def run_gather(data, indices, element_type):
    return strew.load_model(gather_model(element_type)).run({"data": data, "indices": indices})["output"]


@pytest.mark.parametrize("read_only", [False, True])
def test_any_strides_and_byte_orders_go_in(read_only):
    wide = np.arange(64, dtype=">f4").reshape(8, 8)
    for data in (wide[::-2, 1:3], np.asfortranarray(DATA), np.broadcast_to(np.float32([1, 2]), (4, 2))):
        data = data.view()
        data.flags.writeable = not read_only and data.flags.writeable
        result = strew.load_model(model_of(GATHER)).run({"data": data, "indices": INDICES[::-1]})["picked"]
        np.testing.assert_array_equal(result, data[INDICES[::-1]])


@pytest.mark.parametrize("name", ["int4", "uint4", "float4_e2m1fn", "float8_e4m3fn", "float8_e8m0fnu", "bfloat16"])
@pytest.mark.parametrize("columns", [1, 3, 4])
def test_types_of_ml_dtypes_go_in_and_come_out(name, columns):
    dtype = np.dtype(getattr(ml_dtypes, name))
    element_type = helper.np_dtype_to_tensor_dtype(dtype)
    cache = np.arange(5 * columns).astype(np.float32).reshape(1, 5, columns).astype(dtype)
    update = np.arange(2 * columns).astype(np.float32).reshape(1, 2, columns).astype(dtype)[:, ::-1]
    inputs = {"past_cache": element_type, "update": element_type, "write_indices": TensorProto.INT64}
    model = strew.load_model(one_node("TensorScatter", inputs, element_type, opset=24))
    result = model.run({"past_cache": cache, "update": update, "write_indices": [2]})["output"]
    expected = cache.copy()
    expected[:, 2:4] = update
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("name", ["int2", "uint2", "int4", "uint4", "float4_e2m1fn"])
def test_packed_constants_come_out_unpacked(name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    values = np.arange(7).astype(np.uint8).view(dtype)
    constant = numpy_helper.from_array(values, "value")
    node = helper.make_node("Constant", [], ["output"], value=constant)
    output = helper.make_tensor_value_info("output", constant.data_type, None)
    graph = helper.make_graph([node], "constant", [], [output])
    model = helper.make_model(graph, ir_version=13, opset_imports=[helper.make_operatorsetid("", 25)])
    result = strew.load_model(model).run({})["output"]
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.astype(np.float32), numpy_helper.to_array(constant).astype(np.float32))


def test_strings_of_every_kind_go_in_and_come_out_as_objects():
    words = ["null\0inside", "grün", "", "日本"]
    expected = np.array([words[3], words[0]], dtype=object)
    for data in (
        np.array(words, dtype=object),
        np.array(words),
        np.array(words, dtype=np.dtypes.StringDType()),
        np.array([word.encode() for word in words], dtype=object),
        np.array([word.encode() for word in words]),
        words,
        np.array(words, dtype=object)[::-1][::-1],
    ):
        result = run_gather(data, [3, 0], TensorProto.STRING)
        assert result.dtype == object
        np.testing.assert_array_equal(result, expected)
        assert {type(word) for word in result} == {str}


def test_strings_that_are_not_utf8_stay_bytes():
    data = np.array([b"\xff\xfe", b"plain"], dtype=object)
    assert run_gather(data, [0, 1], TensorProto.STRING).tolist() == [b"\xff\xfe", "plain"]
    with pytest.raises(ValueError, match="surrogates not allowed"):
        run_gather(np.array(["\udc80"], dtype=object), [0], TensorProto.STRING)


def test_an_output_owns_its_memory():
    model = strew.load_model(model_of(GATHER))
    data = DATA.copy()
    result = model.run({"data": data, "indices": [0, 1]})["picked"]
    del model
    gc.collect()
    data[:] = -1
    assert result.flags.writeable
    result += 1
    np.testing.assert_array_equal(result, DATA[:2] + 1)


def test_an_empty_and_a_scalar_output_have_their_shape_and_type():
    assert run_gather(np.zeros((3, 0), np.float16), [0, 1], TensorProto.FLOAT16).shape == (2, 0)
    result = run_gather(np.array([5, 6], np.int8), np.array(1), TensorProto.INT8)
    assert (result.shape, result.dtype, result[()]) == ((), np.int8, 6)


def test_a_large_input_is_not_copied():
    data = np.zeros((1 << 27, 2), np.float32)  # 1 GiB that is never accessed
    model = strew.load_model(model_of(GATHER))
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (data.nbytes // 2), before[1]))
    try:
        result = model.run({"data": data, "indices": [0, -1]})["picked"]
        with pytest.raises(MemoryError):
            data.copy()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert result.tolist() == [[0, 0], [0, 0]]


def test_jax_arrays_go_in():
    jnp = pytest.importorskip("jax.numpy")
    result = strew.load_model(model_of(GATHER)).run({"data": jnp.asarray(DATA), "indices": INDICES})["picked"]
    np.testing.assert_array_equal(result, DATA[INDICES])
    result = run_gather(jnp.asarray([1, -2], jnp.bfloat16), [1], TensorProto.BFLOAT16)
    assert result.tolist() == [-2]


def test_torch_tensors_go_in():
    torch = pytest.importorskip("torch")
    data = torch.arange(8, dtype=torch.float32).reshape(2, 4).T
    result = strew.load_model(model_of(GATHER)).run({"data": data, "indices": torch.tensor([3, 0])})["picked"]
    assert type(result) is np.ndarray
    assert result.tolist() == [[3, 7], [0, 4]]


def test_sequences_and_scalars_take_the_declared_type():
    int32 = one_node("Gather", {"data": TensorProto.FLOAT16, "indices": TensorProto.INT32}, TensorProto.FLOAT16)
    result = strew.load_model(int32).run({"data": [1, 2.5], "indices": 1})["output"]
    assert (result.dtype, result[()]) == (np.float16, 2.5)
    assert strew.load_model(int32).run({"data": [1, 2.5], "indices": []})["output"].shape == (0,)


def same_results(model, *others):
    given = {"data": DATA, "indices": INDICES}
    inputs = {value.name: given[value.name] for value in model.inputs}
    wanted = model.run(inputs)["picked"]
    return all(np.array_equal(other.run(inputs)["picked"], wanted) for other in others)


def test_a_model_can_be_pickled_and_copied(tmp_path, monkeypatch):
    path = with_external_data(tmp_path)
    monkeypatch.chdir(tmp_path)
    buffer = bytearray(model_of(GATHER).SerializeToString())
    models = [
        strew.load_model(model_of(GATHER)),
        strew.load_model(buffer),
        strew.load_model("model.onnx", links_within="."),
        strew.load_model(path),
        strew.load_model(path.read_bytes(), external_data_dir="."),
    ]
    buffer[:] = bytes(len(buffer))
    monkeypatch.chdir("/")
    for model in models:
        again = pickle.loads(pickle.dumps(model))
        assert again is not model and repr(again) == repr(model)
        assert same_results(model, again, pickle.loads(pickle.dumps(again)))
        assert copy.copy(model) is model and copy.deepcopy([model])[0] is model
    assert len(pickle.dumps(models[3])) < 500, "a file's path, not its bytes"
    (tmp_path / "data.bin").unlink()
    refuses(OSError, "data.bin", pickle.loads, pickle.dumps(models[3]))


def test_a_pickled_model_keeps_the_options_it_was_loaded_with():
    deprecated = model_of("g (float[3] x, int64[3] i, float[3] u) => (float[3] y) { y = Scatter(x, i, u) }", opset=11)
    assert strew.load_model(deprecated).check()
    assert pickle.loads(pickle.dumps(strew.load_model(deprecated, allow_deprecated=True))).check() == []


def test_a_model_goes_to_worker_processes_made_by_spawn(tmp_path):
    code = """
import multiprocessing, sys, numpy as np, strew
if __name__ == '__main__':
    model = strew.load_model(sys.argv[1])
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        picked = pool.apply_async(model.run, ({'indices': [1, 0]},)).get(60)['picked']
    assert np.array_equal(picked, model.run({'indices': [1, 0]})['picked'])
"""
    run_python(code, str(with_external_data(tmp_path)))
