"""Writes what the fuzzers begin with: real models, tensors and arrays.

Usage: make_fuzz_seeds.py FOLDER EXAMPLES...

EXAMPLES are folders as `strew test` takes them. FOLDER gets model_fuzz/, tensor_fuzz/ and array_fuzz/, one small file for
each content.
"""

import hashlib
import io
import pathlib
import sys
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

INT_MIN = -(2**63)
LONGEST = 2048  # bytes; longer seeds only slow a fuzzer down


def write(folder, content):
    folder.mkdir(parents=True, exist_ok=True)
    if len(content) <= LONGEST:
        (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


def npy(array):
    image = io.BytesIO()
    np.save(image, array)
    return image.getvalue()


def arrays():
    for descr in ["<f4", ">f8", "<i8", "|u1", "|b1", "<c16", "<f2", "|S3", "<U2", "<V2", "|V1"]:
        yield np.zeros((2, 3), descr) if descr[1] not in "SU" else np.array([["a", "bc"]], descr)
    yield np.asfortranarray(np.arange(6.0).reshape(2, 3))
    yield np.array(5)
    yield np.zeros((0, 4), "<i4")
    yield np.array(["x", None], object)
    yield np.zeros(2, [("a", "<f4"), ("b", "<i2")])


def archives():
    for save in (np.savez, np.savez_compressed):
        image = io.BytesIO()
        save(image, a=np.arange(5.0), b=np.zeros((2, 2), "<i8"))
        yield image.getvalue()
    image = io.BytesIO()
    with zipfile.ZipFile(image, "w") as archive:
        archive.writestr("not_an_array.txt", "text")
    yield image.getvalue()
    yield b"PK\x05\x06" + bytes(18)


def model(nodes, inputs, initializers=(), sparse=(), opset=18, ir_version=8, inner=()):
    """Bytes of a model; inputs and inner values are (name, type, shape)."""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_empty_tensor_value_info(nodes[-1].output[0])],
        initializers,
        value_info=[helper.make_tensor_value_info(*value) for value in inner],
        sparse_initializer=sparse,
    )
    output = graph.output[0].type.tensor_type
    output.elem_type = TensorProto.FLOAT
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)
    return made.SerializeToString()


def external(name, location, **entries):
    """An int64 tensor [1] that lies in a file."""
    tensor = TensorProto(name=name, data_type=TensorProto.INT64, dims=[1], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


def sparse_tensor(indices):
    values = numpy_helper.from_array(np.array([1, 2], np.float32), "s")
    return helper.make_sparse_tensor(values, numpy_helper.from_array(np.array(indices), "i"), [2, 3])


OPERATORS = [("ScatterElements", True), ("ScatterND", True), ("GatherElements", False), ("GatherND", False), ("Gather", False)]


def models_with_constant_indices():
    for op, scatters in OPERATORS:
        for values in ([[1]], [[-1]], [[7]], [[0], [1]], [[INT_MIN]], [[0, 1]]):
            indices = np.array(values)
            inputs = [("data", TensorProto.FLOAT, [2, 3])]
            names = ["data", "indices"]
            if scatters:
                inputs.append(("updates", TensorProto.FLOAT, None))
                names.append("updates")
            yield model([helper.make_node(op, names, ["y"])], inputs, [numpy_helper.from_array(indices, "indices")])
    starts = numpy_helper.from_array(np.array([1, 0]), "starts")
    cache = [("cache", TensorProto.FLOAT, [2, 4, 1]), ("update", TensorProto.FLOAT, [2, 2, 1])]
    for mode in ("linear", "circular"):
        node = helper.make_node("TensorScatter", ["cache", "update", "starts"], ["y"], mode=mode)
        yield model([node], cache, [starts], opset=24, ir_version=11)


def models_with_constants():
    def gather(opset=18, **attribute):
        return model(
            [helper.make_node("Constant", [], ["c"], **attribute), helper.make_node("Gather", ["data", "c"], ["y"])],
            [("data", TensorProto.FLOAT, [2, 3])],
            opset=opset,
        )

    yield gather(value=numpy_helper.from_array(np.array([1])))
    yield gather(value=numpy_helper.from_array(np.array([1])), opset=9)
    yield gather(value_int=1)
    yield gather(value_ints=[0, 1])
    yield gather(value_float=1.0)
    yield gather(value_floats=[0.0, 1.0])
    yield gather(value_string="a")
    yield gather(value_strings=["a", "b"])
    yield gather(value_int=1, value_float=1.0)
    yield gather(sparse_value=sparse_tensor([0, 4]))
    yield gather(value=external("c", "w"))
    yield gather()


def models_with_initializers():
    data = [("data", TensorProto.FLOAT, [2, 3])]
    take = helper.make_node("Gather", ["data", "indices"], ["y"])
    for location in ("w", "d/w", "d/./w", "l", "e/w", "h", "f", "d", "../x", "/etc/passwd", "C:x", "a\\b", "d//w", ""):
        yield model([take], data, [external("indices", location)])
    for entries in ({"offset": "8"}, {"length": "8"}, {"offset": "64"}, {"length": "9"}, {"offset": "-1"}, {"x": "y"}):
        yield model([take], data, [external("indices", "w", **entries)])
    use = helper.make_node("Gather", ["s", "indices"], ["y"])
    indices = [("indices", TensorProto.INT64, ["n", 1])]
    for places in ([0, 4], [4, 0], [0, 6], [[0, 1], [1, 2]], [[0, 1], [0, 1]], [[0, 3], [1, 0]], [1.0, 2.0]):
        yield model([use], indices, sparse=[sparse_tensor(places)])
    default = numpy_helper.from_array(np.array([1]), "indices")
    for ir_version in (3, 4, 8):
        yield model([take], data + [("indices", TensorProto.INT64, [1])], [default], ir_version=ir_version)
    for dtype in (np.int8, np.uint16, np.int32, np.uint32, np.uint64, np.float16, np.float32, np.float64, np.complex64, bool):
        values = np.array([1, 0], dtype)
        typed = helper.make_tensor("data", helper.np_dtype_to_tensor_dtype(values.dtype), [2], values)
        yield model([take], [("indices", TensorProto.INT32, [1])], [typed])
    yield model([take], [("indices", TensorProto.INT32, [])], [helper.make_tensor("data", TensorProto.STRING, [2], [b"a", b""])])


def models_of_several_nodes():
    inputs = [("data", TensorProto.FLOAT, ["n", 3]), ("indices", TensorProto.INT64, ["m", 1])]
    updates = ("updates", TensorProto.FLOAT, ["m", 3])
    scatter = helper.make_node("ScatterND", ["data", "indices", "updates"], ["t"], name="a", reduction="add")
    again = helper.make_node("ScatterND", ["t", "indices", "updates"], ["u"], name="b")
    yield model([scatter, again, helper.make_node("Identity", ["u"], ["y"])], [*inputs, updates], inner=[("t", TensorProto.FLOAT, ["n", 3])])
    yield model([scatter, again], [*inputs, updates], inner=[("t", TensorProto.DOUBLE, [4])])
    yield model([scatter, scatter], [*inputs, updates])
    yield model([helper.make_node("Relu", ["data"], ["y"])], inputs)
    elements = [("data", TensorProto.FLOAT, [2, 2]), ("indices", TensorProto.INT64, [2, 2]), ("updates", TensorProto.FLOAT, [2, 2])]
    old = helper.make_node("Scatter", ["data", "indices", "updates"], ["y"], axis=1)
    for opset in (9, 10, 11, 18):
        yield model([old], elements, opset=opset, ir_version=4)
    for reduction in ("mul", "max", "min", "sum"):
        node = helper.make_node("ScatterElements", ["data", "indices", "updates"], ["y"], reduction=reduction)
        for opset in (13, 16, 18):
            yield model([node], elements, opset=opset)
    batched = helper.make_node("GatherND", ["data", "indices"], ["y"], batch_dims=1)
    yield model([batched], [("data", TensorProto.FLOAT, ["b", 3]), ("indices", TensorProto.INT64, ["b", 1])])
    yield model([batched], [("data", TensorProto.FLOAT, [2, 3]), ("indices", TensorProto.INT64, [3, 1])])


def odd_sparse_tensors():
    def tensor(array, name="s"):
        return numpy_helper.from_array(np.array(array), name)

    def made(values, indices, dims):
        sparse = onnx.SparseTensorProto(dims=dims)
        sparse.values.CopyFrom(values)
        if indices is not None:
            sparse.indices.CopyFrom(indices)
        return sparse

    one = np.ones(1, np.float32)
    places = tensor([1], "i")
    yield made(helper.make_tensor("s", TensorProto.STRING, [1], [b"a"]), places, [4])
    yield made(tensor(one), places, [])
    yield made(tensor(one), places, [4, 0])
    yield made(tensor(one), places, [1 << 40])
    yield made(tensor(one), tensor([[[1]]], "i"), [4])
    yield made(tensor([one]), places, [4])
    yield made(tensor(one), None, [4])
    for dtype, bits in ((TensorProto.INT4, 4), (TensorProto.UINT2, 2)):
        values = helper.make_tensor("s", dtype, [8 // bits], b"\x21", raw=True)
        yield made(values, tensor(np.arange(8 // bits), "i"), [9])
    yield made(helper.make_tensor("s", TensorProto.INT8, [2], b"ab", raw=True), tensor([3, 1], "i"), [4])


def odd_models():
    take = helper.make_node("Gather", ["data", "indices"], ["y"])
    data = ("data", TensorProto.FLOAT, [2, 3])
    one = ("indices", TensorProto.INT64, [1])
    for sparse in odd_sparse_tensors():
        yield model([helper.make_node("Gather", ["s", "indices"], ["y"])], [one], sparse=[sparse])
    for name in ("int8", "int16", "int32", "uint64"):
        yield model([take], [data], [numpy_helper.from_array(np.array([1], name), "indices")])
    cache = [("cache", TensorProto.FLOAT, [2, 4, 1]), ("update", TensorProto.FLOAT, [2, 2, 1])]
    write = helper.make_node("TensorScatter", ["cache", "update", "starts"], ["y"])
    for starts in ([-1, 0], [0, 3], [2, 2]):
        yield model([write], cache, [numpy_helper.from_array(np.array(starts), "starts")], opset=24, ir_version=11)
    index = numpy_helper.from_array(np.array([1]), "indices")
    yield model([take], [data], [index, index])
    yield model([take], [data, ("indices", TensorProto.INT32, [1])], [index])
    yield model([take], [data, ("indices", TensorProto.INT64, [2])], [index])
    yield model([take], [("data", TensorProto.FLOAT, [-1, 3]), one])
    yield model([take], [("data", TensorProto.FLOAT, [1] * 65), one])
    yield model([take], [("data", TensorProto.FLOAT, [1] * 64), ("indices", TensorProto.INT64, [1] * 64)])
    yield model([take], [("data", TensorProto.FLOAT, ["n"] * 40), ("indices", TensorProto.INT64, ["m"] * 40)])
    yield model([take], [("data", TensorProto.FLOAT, None), ("indices", TensorProto.INT64, None)])
    nd = helper.make_node("ScatterND", ["data", "i", "u"], ["y"])
    yield model([nd], [("data", TensorProto.FLOAT, ["n"]), ("i", TensorProto.INT64, ["m", 1]), ("u", TensorProto.FLOAT, ["m"])])
    yield model([helper.make_node("Identity", ["data"], ["y"])], [data])
    yield model([helper.make_node("Identity", ["c"], ["y"])], [], [numpy_helper.from_array(np.ones(2, np.float32), "c")])
    for length in (1000, 1900):
        yield model([take], [data], [external("indices", "d/" * (length // 2) + "w")])
    for location in ("h", "f", "l", "e/w", "d", "o", "x"):
        for padding in range(12):  # what is done with a model depends on its length
            yield model([take], [data], [external("indices", location, x="y" * padding)])
    same = [("data", TensorProto.FLOAT, ["n", 3]), ("indices", TensorProto.INT64, ["n"])]
    fixed = [("indices", TensorProto.INT64, [1]), data]
    for padding in range(96):  # how the inputs are spoiled depends on the length
        named = helper.make_node("Gather", ["data", "indices"], ["y"], doc_string="x" * padding)
        yield model([named], same)
        yield model([named], fixed, [index], ir_version=3)
    reference = helper.make_node("Gather", ["data", "indices"], ["y"])
    reference.attribute.add(name="axis", ref_attr_name="a", type=onnx.AttributeProto.INT)
    yield model([reference], [data, one])
    wrong = helper.make_node("Gather", ["data", "indices"], ["y"], axis="0")
    yield model([wrong], [data, one])
    for dtype in range(1, 27):
        if dtype == TensorProto.STRING:
            continue
        raw = bytes(16 if dtype in (TensorProto.COMPLEX128,) else helper.tensor_dtype_to_np_dtype(dtype).itemsize)
        value = helper.make_tensor("c", dtype, [1], raw, raw=True)
        constant = helper.make_node("Constant", [], ["y"], value=value)
        for opset in (9, 11, 13, 19, 21, 23, 24, 25):
            yield model([constant], [], opset=opset, ir_version=10)
    for dtype in (np.int16, np.int8, np.uint8):
        yield model([take], [one], [helper.make_tensor("data", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), [2], [1, 2])])


def main(target, examples):
    for example in examples:
        for path in sorted(example.rglob("*.onnx")):
            write(target / "model_fuzz", path.read_bytes())
        for path in sorted(example.rglob("*.pb")):
            write(target / "tensor_fuzz", path.read_bytes())
    for models in (models_with_constant_indices, models_with_constants, models_with_initializers, models_of_several_nodes, odd_models):
        for content in models():
            write(target / "model_fuzz", content)
    for array in arrays():
        for first in (b"\x00", b"\x20"):  # no type; bfloat16 for raw bytes
            write(target / "array_fuzz", first + npy(array))
    for archive in archives():
        write(target / "array_fuzz", b"\x01" + archive)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]])
