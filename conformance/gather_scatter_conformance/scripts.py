"""Writes short scripts, one for each kind of finding, that need only onnx, numpy and the runtime."""

import collections
import pathlib
import subprocess
import sys

import numpy as np
from google.protobuf import text_format
from onnx import TensorProto, helper

from . import adapters, arrays, rules
from .case import output_shape

SEEN = {
    "wrong value": "not isinstance(got, Exception) and not same(got, expected)",
    "refused though legal": "isinstance(got, Exception)",
    "accepted though illegal": "not isinstance(got, Exception)",
    "wrote before refusing": "isinstance(got, Exception) and memory.tobytes() != before.tobytes()",
    "crashed": "False  # reached only if the process does not crash",
    "timed out": "False  # reached only if the call ends",
}
SECONDS = 60


def findings(facts, results):
    """Return the cases of each kind of finding that a script can show: {(verdict, operator, rule): paths}."""
    kinds = collections.defaultdict(list)
    for path, answer in results.items():
        if answer["verdict"] in SEEN:
            kinds[answer["verdict"], facts[path]["operator"], facts[path]["rule"]].append(path)
    return {kind: paths for kind, paths in sorted(kinds.items())}


def literal(array):
    """Return code that creates an array with the same bits."""
    if array.dtype == object:
        return f"np.array({_nested(array)}, dtype=object)"
    kind = array.dtype.name
    if kind in arrays.DTYPES:
        plain = array.view(f"u{array.dtype.itemsize}")
        return f"np.array({plain.tolist()}, np.{plain.dtype.name}).view(ml_dtypes.{kind})"
    text = f"np.array({array.tolist()}, np.{np.dtype(array.dtype).type.__name__})"
    if array.size == 0:
        return f"np.zeros({array.shape}, np.{np.dtype(array.dtype).type.__name__})"
    made = np.array(array.tolist(), array.dtype)
    if made.tobytes() == array.tobytes() and "nan" not in text and "inf" not in text:
        return text
    plain = array.reshape(-1).view(f"u{array.dtype.itemsize}")
    return f"np.array({plain.tolist()}, np.{plain.dtype.name}).view(np.{array.dtype.type.__name__}).reshape({array.shape})"


def _nested(array):
    if array.ndim == 0:
        return repr(array.item().decode())
    return "[" + ", ".join(_nested(np.asarray(part, dtype=object)) for part in array) + "]"


def text(case, answer, runtime, versions):
    said_by, sentence = rules.decided(case.rule, case.operator, case.since)
    who = {
        "standard": "The standard",
        "reference": "The standard is silent; ONNX's reference evaluator decides",
        "policy": "The standard is silent; the suite's choice",
    }[said_by]
    made = case.recipe.splitlines() or [f"{name} = {literal(array)}" for name, array in case.feeds.items()]
    declared = [_info(case, name, array) for name, array in case.feeds.items()]
    first = next(iter(case.inputs))
    names = [name if case.inputs[name] is not None else "" for name in case.inputs]
    while names and not names[-1] and not case.empty_name:
        names.pop()
    attributes = "".join(f", {name}={value!r}" for name, value in case.attributes.items())
    model = case.model()
    output = model.graph.output[0]
    dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in output.type.tensor_type.shape.dim]
    held = [
        f"    text_format.Parse({text_format.MessageToString(proto, as_one_line=True)!r}, TensorProto()),"
        for proto in model.graph.initializer
    ]
    nodes = f"[helper.make_node({case.operator!r}, {names}, ['output']{attributes})]"
    outputs = f"[helper.make_tensor_value_info('output', {output.type.tensor_type.elem_type}, {dims})]"
    if case.also_data:
        nodes = f"[*{nodes}, helper.make_node('Identity', [{first!r}], ['data_again'])]"
    expected = expected_lines(case)
    detail = answer.get("detail", "")[:300].replace("\\", "/").replace('"""', "'")
    lends = answer["verdict"] == "wrote before refusing"
    if lends:
        shape = output_shape(case.operator, case.inputs, case.attributes)
        expected += [f"memory = np.full({shape}, 7, {first}.dtype)", "before = memory.copy()"]
    return "\n".join(
        [
            f'"""{runtime.partition("?")[0]} ({versions}): {answer["verdict"]}.',
            "",
            f"{case.operator}-{case.since}, rule {case.rule}. {who}: {sentence}",
            f"Seen with {answer.get('threads', 1)} thread(s): {detail}",
            '"""',
            "",
            *(["import ml_dtypes"] if "ml_dtypes." in "".join(made + expected) else []),
            "import numpy as np",
            *(["from google.protobuf import text_format"] if held else []),
            "from onnx import TensorProto, helper" if held else "from onnx import helper",
            *adapters_script(runtime, answer, lends).splitlines(),
            "",
            *SAME.splitlines(),
            "",
            *made,
            f"nodes = {nodes}",
            "inputs = [",
            *[f"    {line}," for line in declared],
            "]",
            f"outputs = {outputs}",
            *(["held = [", *held, "]"] if held else ["held = []"]),
            'graph = helper.make_graph(nodes, "finding", inputs, outputs, held)',
            f'model = helper.make_model(graph, ir_version={model.ir_version}, opset_imports=[helper.make_opsetid("", {case.opset})])',
            f"feeds = {{{', '.join(f'{name!r}: {name}' for name in case.feeds)}}}",
            *expected,
            f"for _ in range({500 if case.recipe else 2}):",
            "    try:",
            "        got = run(model, feeds)",
            "    except Exception as error:",
            "        if type(error) is NameError:  # a fault of this script",
            "            raise",
            "        got = error",
            f"    seen = {SEEN[answer['verdict']]}",
            "    if seen:",
            "        break",
            'print("expected:", expected)',
            'print("got:     ", repr(got))',
            'print("seen" if seen else "not seen")',
            "raise SystemExit(1 if seen else 0)",
            "",
        ]
    )


SAME = """
def same(got, expected):
    got = np.asarray(got)
    if got.shape != expected.shape:
        return False
    if expected.dtype == object:
        return got.tolist() == expected.tolist()
    return got.tobytes() == expected.tobytes() if BITS else np.allclose(got.astype(complex), expected.astype(complex), RTOL, 0, True)
"""


def expected_lines(case):
    """Return code for the expected output."""
    if case.output is None:
        return [f'expected = "a refusal: {case.rule}"']
    settings = [f"BITS, RTOL = {case.compare == 'bits'}, {0.0 if isinstance(case.compare, str) else case.compare}"]
    if not case.recipe:
        return [*settings, f"expected = {literal(case.output)}"]
    if case.operator == "Gather":
        return [*settings, "expected = data[indices]"]
    where = (
        "indices[:, 0]"
        if case.operator == "ScatterND"
        else ("indices" if case.inputs["data"].ndim == 1 else "(indices, np.arange(indices.shape[1]))")
    )
    how = {"add": "np.add.at(expected, where, updates)", "max": "np.maximum.at(expected, where, updates)"}
    plain = "for row, update in zip(where, updates): expected[row] = update"
    return [*settings, "expected = data.copy()", f"where = {where}", how.get(case.attributes.get("reduction"), plain)]


def adapters_script(runtime, answer, lends):
    """Return code that runs a model on the runtime, with memory for the output if `lends`."""
    adapter = adapters.find(runtime)
    text = adapter.script().replace(*adapter.LEND) if lends else adapter.script()
    return text.replace("@THREADS@", str(answer.get("threads", 1)))


def _info(case, name, array):
    dims = [f"{name}_{axis}" for axis in range(array.ndim)] if case.symbolic else list(array.shape)
    return f"helper.make_tensor_value_info({name!r}, {arrays.element_type(array)}, {dims})"


def write(folder, cases, facts, outcome_title, runtime, results):
    """Writes the scripts of one runtime, runs each, and returns [(file, kind, count, seen)]."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for kind, paths in findings(facts, results).items():
        path = min(paths, key=lambda path: (sum(array.nbytes for array in cases[path].feeds.values()), path))
        verdict, operator, rule = kind
        file = folder / f"{operator}_{rule}_{verdict}.py".replace(" ", "_").replace("-", "_").lower()
        file.write_text(text(cases[path], results[path], runtime, outcome_title[1]), encoding="utf-8")
        rows.append((file.name, kind, len(paths), run(file, verdict)))
    return rows


def run(file, verdict):
    """Return whether the script shows its finding."""
    try:
        done = subprocess.run([sys.executable, "-P", file], capture_output=True, timeout=SECONDS, check=False)
        if verdict == "wrong value" and done.returncode == 0:  # a race may need another run
            done = subprocess.run([sys.executable, "-P", file], capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return verdict == "timed out"
    return done.returncode < 0 if verdict == "crashed" else done.returncode == 1 and b"\nseen" in done.stdout
