"""A process that runs cases on one runtime: reads the path of a case from each line, and writes a line of JSON.

Usage: worker.py CASES RUNTIME THREADS REPEAT [MODULE:FUNCTION]
"""

import importlib
import json
import os
import pathlib
import resource
import sys
import time

import numpy as np
import onnx

from . import adapters, arrays, case, rules

MEMORY = 8 << 30
FILL = 0xA5


def read_tensors(folder, prefix):
    """Return the names and arrays of PREFIX_0.pb, PREFIX_1.pb, ..."""
    found = []
    while (path := folder / f"{prefix}_{len(found)}.pb").exists():
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.read_bytes())
        found.append((tensor.name, arrays.from_tensor(tensor)))
    return found


def marked(shape, dtype):
    """Return memory in which `is_marked` detects writes; None for strings."""
    if dtype == object:
        return None
    array = np.empty(shape, dtype)
    array.view(np.uint8 if array.ndim else dtype)[...] = (
        FILL if array.ndim else np.frombuffer(bytes([FILL] * dtype.itemsize), dtype)[0]
    )
    return array


def is_marked(array):
    """Return whether all bytes still have the values that `marked` wrote."""
    return array.tobytes() == bytes([FILL]) * array.nbytes


def short(error):
    """Return an exception as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:600]


def memory_for(facts, model, feeds, wanted):
    """Return memory for the outputs, by name."""
    if wanted:
        shapes = {name: (array.shape, array.dtype) for name, array in wanted}
    else:
        node = model.graph.node[0]
        given = {name: feeds.get(name) for name in node.input if name}
        if any(array is None for array in given.values()):
            return {}
        attributes = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
        shapes = {"output": (case.output_shape(facts["operator"], given, attributes), next(iter(given.values())).dtype)}
    memory = {name: marked(*what) for name, what in shapes.items()}
    return {name: array for name, array in memory.items() if array is not None}


def judge(runtime, cases, path, facts, threads, repeat):
    """Return the outcome of one case: a verdict and, unless it is "right", the reason."""
    folder = cases / path
    refused = facts["expect"] != "output"
    if not (folder / "model.onnx").exists():
        raise FileNotFoundError(folder)
    try:
        run = runtime.load(folder / "model.onnx", threads)
    except Exception as error:
        return refusal(runtime, error, facts)
    data = folder / "test_data_set_0"
    feeds = {name: arrays.with_text(array) for name, array in read_tensors(data, "input")}
    before = {name: array.copy() for name, array in feeds.items()}
    wanted = read_tensors(data, "output")
    model = onnx.load(folder / "model.onnx", load_external_data=False)
    compare = facts.get("compare", "bits")
    compare = compare["rtol"] if isinstance(compare, dict) else compare
    for number in range(repeat):
        memory = memory_for(facts, model, feeds, wanted)
        try:
            outputs = run(feeds, memory)
        except Exception as error:
            if refused and not all(is_marked(array) for array in memory.values()):
                return {"verdict": "wrote before refusing", "detail": short(error)}
            return refusal(runtime, error, facts)
        if not isinstance(outputs, list | tuple):
            raise TypeError(f"run returned an object of type {type(outputs).__name__}, not a list of outputs")
        if refused:
            return {"verdict": "accepted though illegal", "detail": describe(outputs)}
        told = compare_outputs(outputs, wanted, compare)
        changed = [name for name, array in feeds.items() if not unchanged(array, before[name])]
        if told or changed:
            told = told or f"the input {changed[0]} was changed"
            again = f"run {number + 1} of {repeat}: " if number else ""
            return {"verdict": "wrong value", "detail": again + told}
    return {"verdict": "right"}


def refusal(runtime, error, facts):
    """Return the verdict on an exception. For an illegal type or name, "not supported" counts as right."""
    refused = facts["expect"] != "output"
    if runtime.unsupported(error) and not (refused and facts["rule"] in rules.OF_TYPES):
        return {"verdict": "not supported", "detail": short(error)}
    return {"verdict": "right" if refused else "refused though legal", "detail": short(error)}


def compare_outputs(outputs, wanted, compare):
    """Return the first difference as text, or None."""
    if len(outputs) != len(wanted):
        return f"{len(outputs)} outputs, expected {len(wanted)}"
    told = [arrays.difference(got, array, compare) for got, (_, array) in zip(outputs, wanted, strict=True)]
    return next((text for text in told if text), None)


def unchanged(array, before):
    """Return whether an input still has its bytes."""
    return array.tolist() == before.tolist() if array.dtype == object else array.tobytes() == before.tobytes()


def describe(outputs):
    """Describe the first output of a run that should have been rejected, in one line."""
    array = np.asarray(outputs[0])
    return f"returned {array.dtype}{list(array.shape)} {' '.join(str(array.flatten()[:12].tolist()).split())}"


def main():
    """Runs a case for each line of standard input."""
    cases, name, threads, repeat = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # a runtime's output must not mix with the answers
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    facts = json.loads((cases / "cases.json").read_text(encoding="utf-8"))
    runtime = adapters.find(name)
    for setting in sys.argv[5:]:
        module, _, function = setting.partition(":")
        getattr(importlib.import_module(module), function)(threads)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    print(json.dumps({"versions": runtime.versions()}), file=answers, flush=True)
    for line in sys.stdin:
        begin = time.perf_counter()
        try:
            answer = judge(runtime, cases, line.strip(), facts[line.strip()], threads, repeat)
        except Exception as error:  # judge catches the runtime's exceptions
            answer = {"verdict": "failed", "detail": short(error)}
        answer["seconds"] = round(time.perf_counter() - begin, 4)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
