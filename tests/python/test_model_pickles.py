"""Models as pickles and copies, and in worker processes."""

import copy
import pickle

import numpy as np
import onnx
import pytest
import strew
from onnx import helper, numpy_helper
from onnx_models import DATA, GATHER, INDICES, model_of
from support import run_python


def with_external_data(folder):
    """A file of a model whose data lie in another file."""
    proto = model_of(GATHER)
    proto.graph.initializer.append(numpy_helper.from_array(DATA, "data"))
    del proto.graph.input[0]
    path = folder / "model.onnx"
    onnx.save(proto, path, save_as_external_data=True, location="data.bin", size_threshold=0)
    return path


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
    with pytest.raises(OSError, match="data.bin"):
        pickle.loads(pickle.dumps(models[3]))


def test_a_pickled_model_keeps_the_options_it_was_loaded_with():
    deprecated = helper.make_model(
        helper.make_graph(
            [helper.make_node("Scatter", ["x", "i", "u"], ["y"])],
            "old",
            [helper.make_tensor_value_info(name, kind, [3]) for name, kind in [("x", 1), ("i", 7), ("u", 1)]],
            [helper.make_tensor_value_info("y", 1, [3])],
        ),
        opset_imports=[helper.make_opsetid("", 11)],
    )
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
