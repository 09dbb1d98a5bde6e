"""The library as a WebAssembly module gives the results and messages of the native library, bit for bit."""

import base64
import json
import pathlib
import random
import struct
import subprocess

import numpy as np
import onnx
import pytest
import strew
from calls import array_of, same, tensor_of
from conftest import ROOT
from onnx import TensorProto, helper, numpy_helper

NODE_TESTS = sorted((ROOT / "build" / "node_tests").glob("*/model.onnx"))
PROGRAM = ROOT / "build" / "strew"
DAMAGED = 3000


@pytest.fixture
def playground(playground):
    return playground.open()


def scatter_model(reduction="add", opset=18, name="upd"):
    node = helper.make_node("ScatterND", ["data", "rows", "updates"], ["y"], name=name, reduction=reduction)
    inputs = [helper.make_tensor_value_info(name, 1, [rows, "n"]) for name, rows in (("data", 4), ("updates", 2))]
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", 1, None)],
                              initializer=[numpy_helper.from_array(np.array([[3], [0]]), "rows")])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_operatorsetid("", opset)])


def load_tensor(path):
    tensor = TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(tensor)


def test_official_node_tests_have_their_results(playground):
    assert len(NODE_TESTS) == 29
    for path in NODE_TESTS:
        model = onnx.load(path)
        [node] = model.graph.node
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        attributes = {name: value.decode() if isinstance(value, bytes) else value for name, value in attributes.items()}
        for data in sorted(path.parent.glob("test_data_set_*")):
            arrays = iter(load_tensor(file) for file in sorted(data.glob("input_*.pb")))
            inputs = [tensor_of(next(arrays)) if name else None for name in node.input]
            answer = playground.call({"do": "run", "operator": node.op_type, "version": model.opset_import[0].version,
                                      "attributes": attributes, "inputs": inputs})
            assert "error" not in answer, (path.parent.name, answer)
            assert same(array_of(answer["output"]), load_tensor(data / "output_0.pb")), path.parent.name
            assert answer["svg"].startswith("<svg")


@pytest.mark.parametrize("dtype", [
    "float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "bool", "complex64", "complex128", "string", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
    "int4", "uint4", "int2", "uint2", "float4_e2m1fn", "float8_e8m0fnu"])
def test_every_type_is_read_and_written_as_it_is(playground, dtype):
    texts = {"string": ["a", "ü\n\"", ""], "bool": ["true", "false", "true"]}.get(dtype, ["1", "0", "1"])
    if dtype.startswith("complex"):
        texts = ["1+2j", "-0.5-1j", "3+0j"]
    if dtype in ("float32", "float64", "float16", "bfloat16"):
        texts = ["0.1", "nan", "-inf"]
    versions = playground.call({"do": "catalogue"})["versions"]
    [newest] = [one for one in versions if one["operator"] == "Gather"][-1:]
    inputs = [{"dtype": dtype, "shape": [3], "values": texts}, {"dtype": "int64", "shape": [2], "values": ["2", "-3"]}]
    answer = playground.call({"do": "run", "operator": "Gather", "version": newest["version"], "attributes": {"axis": 0},
                              "inputs": inputs})
    assert answer["output"] == {"dtype": dtype, "shape": [2], "values": [texts[2], texts[0]]}


def test_a_model_has_the_report_of_strew_check(playground, tmp_path):
    models = {"good.onnx": scatter_model(), "old.onnx": scatter_model("max", 16), "opset.onnx": scatter_model("add", 10),
              "names.onnx": scatter_model("max", 17, name='<img src=x onerror="alert(1)">')}
    for name, model in models.items():
        onnx.save(model, tmp_path / name)
        printed = subprocess.run([PROGRAM, "check", "--json", name], cwd=tmp_path, capture_output=True, text=True, check=False)
        answer = playground.call({"do": "check", "name": name}, (tmp_path / name).read_bytes())
        assert answer == json.loads(printed.stdout), name


def readable(text):
    """Return text as in JSON: bytes that are not UTF-8 are replaced."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def native_answer(content):
    try:
        model = strew.load_model(content)
    except Exception as error:  # noqa: BLE001: any message is compared
        return {"error": readable(str(error))}
    checked = [node for node in model.nodes if node.op_type in strew.operators and node.domain in ("", "ai.onnx")]
    return {"opset": model.opset, "nodes": [[readable(node.name), node.op_type] for node in checked],
            "violations": [readable(violation.message) for violation in model.check()]}


def module_answer(answer):
    if "error" in answer:
        return {"error": answer["error"]["message"]}
    return {"opset": answer["opset"], "nodes": [[node["name"], node["operator"]] for node in answer["nodes"]],
            "violations": [one["message"] for one in answer["violations"]]}


def damaged(content, chance):
    content = bytearray(content)
    kind = chance.randrange(3)
    if kind == 0:
        return bytes(content[: chance.randrange(len(content))])
    for _ in range(kind):
        content[chance.randrange(len(content))] = chance.randrange(256)
    return bytes(content)


def test_damaged_models_have_the_native_answer(playground):
    chance = random.Random(20)
    models = [path.read_bytes() for path in NODE_TESTS] + [scatter_model().SerializeToString()]
    contents = [damaged(chance.choice(models), chance) for _ in range(DAMAGED)]
    answers = playground.page.evaluate(
        """async (contents) => {
            return Promise.all(contents.map((content) => {
                const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0)).buffer;
                return playground.module.call({do: "check", name: "m.onnx"}, bytes);
            }));
        }""", [base64.b64encode(content).decode() for content in contents])
    different = [i for i in range(DAMAGED) if module_answer(answers[i]) != native_answer(contents[i])]
    assert different == [], (module_answer(answers[different[0]]), native_answer(contents[different[0]]))
    assert sum("error" in answer for answer in answers) > DAMAGED / 10


# With 32-bit addresses, sizes above 2^32 must not be truncated to their low 32 bits.

def test_a_result_that_memory_cannot_hold_is_an_error(playground):
    row = 1 << 16
    data = {"dtype": "uint8", "shape": [1, row], "values": ["1"] * row}
    indices = {"dtype": "int64", "shape": [row + 1], "values": ["0"] * (row + 1)}
    answer = playground.call({"do": "run", "operator": "Gather", "version": 13, "attributes": {"axis": 0}, "inputs": [data, indices]})
    assert answer["error"]["code"] == "out of memory"
    assert "a tensor of uint8 [65537, 65536] takes 4295032832 bytes" in answer["error"]["message"]
    small = {"dtype": "int64", "shape": [1], "values": ["0"]}
    again = playground.call({"do": "run", "operator": "Gather", "version": 13, "attributes": {"axis": 0}, "inputs": [small, small]})
    assert again["output"]["values"] == ["0"]


def npy(shape, content):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content


def test_a_file_that_says_it_is_larger_than_memory_is_an_error(playground):
    answer = playground.call({"do": "tensor", "name": "a.npy"}, npy((2**32 + 16,), bytes(16)))
    assert answer["error"]["message"] == "npy: header declares [4294967312] uint8, 4294967312 bytes, but 16 follow"
    good = playground.call({"do": "tensor", "name": "a.npy"}, npy((2,), bytes([7, 8])))
    assert good["tensor"] == {"dtype": "uint8", "shape": [2], "values": ["7", "8"]}


def test_a_call_that_takes_too_long_is_stopped(playground):
    message = playground.page.evaluate("""async () => {
        const module = new playground.Module(1);
        const answer = await module.call({do: "tensor", name: "a.npy"}, new ArrayBuffer(50_000_000));
        return answer.error.message;
    }""")
    assert message == "stopped after 0.001 s"


def test_after_a_fault_the_module_starts_anew(playground):
    assert playground.call({"do": "run"})["error"]["code"] == "fault"
    assert playground.call({"do": "catalogue"})["newest_opset"] >= 24


# Drops a file on the page, and returns the report.

def drop(playground, name, content):
    playground.page.evaluate(
        """([name, content]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name));
            document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, bubbles: true, cancelable: true}));
        }""", [name, base64.b64encode(content).decode()])
    playground.page.wait_for_selector("#report h3")
    return playground.text("#report")


def test_a_dropped_model_is_checked(playground):
    report = drop(playground, "good.onnx", scatter_model().SerializeToString())
    assert "good.onnx: opset 18, IR version 8, 1 node" in report and "no violations" in report
    assert "ScatterND-18 upd: data float32 [4, n], rows int64 [2, 1], updates float32 [2, n] → y float32 [4, n]" in report


def test_a_dropped_model_with_a_fault_says_which_node_and_why(playground):
    report = drop(playground, "old.onnx", scatter_model("max", 17, name="<b>upd</b>").SerializeToString())
    assert "1 violation" in report and "node '<b>upd</b>' (ScatterND-16): " in report
    assert playground.page.locator("#report li b").all_text_contents() == ["ScatterND-16 "]


@pytest.mark.parametrize(("name", "content", "words"), [
    ("a.onnx", b"not a model", "a.onnxmodel: "),
    ("a.onnx", b"", "a.onnxmodel: "),
    ("a.txt", b"", "the name of the file must end in .onnx, .npy or .pb"),
    ("a.npy", b"\x93NUM", "a.npynpy: "),
    ("a.pb", b"\xff", "a.pb"),
])
def test_an_invalid_file_is_rejected(playground, name, content, words):
    assert words in drop(playground, name, content)
    assert playground.page.locator("#report .violation").count() == 1


def test_a_dropped_array_becomes_an_operand(playground, tmp_path):
    path = pathlib.Path(tmp_path, "rows.npy")
    np.save(path, np.array([[1], [1], [-1]]))
    playground.page.set_input_files("#file", path)
    playground.page.wait_for_selector("#report h3")
    assert playground.text("#report h3") == "rows.npy: int64 [3, 1]"
    playground.after(lambda: playground.page.click("#report button:has-text('indices')"))
    assert playground.page.input_value("#operand-indices") == "[[ 1],\n [ 1],\n [-1]]"
    assert "[ 12,  23]" in playground.text("#output") or "[12, 23]" in playground.text("#output")
