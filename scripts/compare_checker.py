#!/usr/bin/env python3
"""Puts the same files through `strew check` and through ONNX's own checker and looks at where they disagree.

Usage: compare_checker.py PROGRAM SOURCE... [--mutations N] [--seed N] [--json FILE]

PROGRAM is `strew`; a SOURCE is a folder or zip archive, of which every file that may be a model is taken. Models that both
accept are then changed, field by field and byte by byte, N times, and compared again. A difference that the table of
policies explains is counted; any other is printed, and the exit code is 1. Needs the package onnx.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import zipfile

import onnx

from checker_policies import ONNX_ONLY, STREW_ONLY

CPU_LIMIT_S = 20


def models(source):
    """The contents of a folder or archive that may be models."""
    if source.is_dir():
        for path in sorted(source.rglob("*")):
            if path.is_file() and path.suffix in ("", ".onnx"):
                yield path.read_bytes()
        return
    with zipfile.ZipFile(source) as archive:
        for name in sorted(archive.namelist()):
            yield archive.read(name)


def limit_resources():
    """Processor time, which stands still while the run is paused."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def by_strew(program, path):
    """What `strew check` says: None where it accepts, else its messages, one a line."""
    done = subprocess.run([program, "check", path], capture_output=True, preexec_fn=limit_resources)
    if done.returncode == 0:
        return None
    if done.returncode != 2:
        return f"CRASH: exit code {done.returncode}"
    text = (done.stderr or done.stdout).decode(errors="replace")
    lines = [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith(str(path)) and ": " in line]
    lines = [line for line in lines if not re.match(r"opset \d+, IR", line)]
    return "\n".join(lines) or text.strip()


def onnx_verdict(path):
    """What ONNX's checker says in this process."""
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except Exception as error:  # whatever it raises is its refusal
        return f"{type(error).__name__}: {error}"
    return None


def by_onnx(path):
    """The same in a child process, since a crash is an answer too."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        limit_resources()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(write, "w", errors="replace") as out:
            json.dump(onnx_verdict(path), out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, errors="replace") as answer:
        text = answer.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return f"CRASH: {signal.Signals(os.WTERMSIG(status)).name}"
    return json.loads(text)


def known(message, policies):
    """The name of the policy that explains a message, or None. Most look at what Strew says first."""
    if policies is STREW_ONLY:
        first = message.split("\n")[0]
        return next((name for name, pattern in policies if re.search(pattern, message if "\n" in pattern else first)), None)
    return next((name for name, pattern in policies if re.search(pattern, message, re.S)), None)


def compare(program, contents, tally, unknown):
    """Puts each content through both and counts; gives back what both accept."""
    accepted = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.onnx")
        for content in contents:
            path.write_bytes(content)
            strew, reference = by_strew(program, path), by_onnx(path)
            if strew is None and reference is None:
                tally["both accept"] += 1
                accepted.append(content)
            elif (reference or "").startswith("CRASH") or (strew or "").startswith("CRASH"):
                who = "ONNX" if (reference or "").startswith("CRASH") else "strew"
                tally[f"{who} crashes ({strew if who == 'strew' else reference}), the other "
                      f"{'accepts' if (reference if who == 'strew' else strew) is None else 'refuses'}"] += 1
                if who == "strew":
                    unknown.append((content, strew, reference))
            elif strew is not None and reference is not None:
                tally["both refuse"] += 1
            else:
                message, policies, who = ((strew, STREW_ONLY, "only strew refuses") if reference is None
                                          else (reference, ONNX_ONLY, "only ONNX refuses"))
                policy = known(message, policies)
                tally[f"{who}: {policy or 'NOT EXPLAINED'}"] += 1
                if policy is None:
                    unknown.append((content, strew, reference))
    return accepted


def change_field(model, rng):
    """Changes one field of a model that matters to a checker."""
    graph = model.graph
    node = rng.choice(graph.node)
    values = [*graph.input, *graph.output, *graph.value_info]
    value = rng.choice(values)
    attributes = list(node.attribute)
    attribute = rng.choice(attributes) if attributes else None
    dims = value.type.tensor_type.shape.dim
    names = sorted({name for n in graph.node for name in (*n.input, *n.output)} | {"", "other"})
    places = [field for field in (node.input, node.output) if len(field)]
    changes = [
        lambda: setattr(model, "ir_version", rng.choice([0, 1, 2, 3, 4, 7, 10, 13, 14, 15, 99])),
        lambda: setattr(rng.choice(model.opset_import), "version", rng.choice([0, 1, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18,
                                                                            21, 24, 27, 28, 29, 99])),
        lambda: model.opset_import.extend([rng.choice(model.opset_import)]),
        lambda: model.opset_import.pop(),
        lambda: setattr(node, "op_type", rng.choice(["Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements",
                                                     "ScatterND", "TensorScatter", "Identity", "Constant", "Relu", ""])),
        lambda: setattr(node, "domain", rng.choice(["", "ai.onnx", "ai.onnx.ml", "mine"])),
        lambda: setattr(node, "name", rng.choice(["", "n"])),
        lambda: (place := rng.choice(places)).__setitem__(rng.randrange(len(place)), rng.choice(names)),
        lambda: (place := rng.choice(places)).append(rng.choice(names)),
        lambda: (place := rng.choice(places)).pop(),
        lambda: setattr(value.type.tensor_type, "elem_type", rng.randrange(28)),
        lambda: setattr(value, "name", rng.choice(names)),
        lambda: value.ClearField("type"),
        lambda: value.type.tensor_type.ClearField("shape"),
        lambda: setattr(rng.choice(dims), "dim_value", rng.choice([-1, 0, 1, 2, 3, 5, 1 << 40])),
        lambda: setattr(rng.choice(dims), "dim_param", rng.choice(["", "n"])),
        lambda: dims.add(dim_value=rng.choice([1, 2, 3])),
        lambda: dims.pop(),
        lambda: node.attribute.add(name=rng.choice(["axis", "reduction", "batch_dims", "mode", "other"]), i=1,
                                   type=onnx.AttributeProto.INT),
        lambda: node.attribute.extend([attribute]),
        lambda: setattr(attribute, "i", rng.choice([-9, -2, -1, 0, 1, 2, 3, 9, 1 << 32])),
        lambda: setattr(attribute, "s", rng.choice([b"", b"add", b"mul", b"max", b"none", b"mean", b"circular"])),
        lambda: setattr(attribute, "type", rng.randrange(15)),
        lambda: setattr(attribute, "name", rng.choice(["", "axis", "reduction", "x"])),
        lambda: node.attribute.remove(attribute),
        lambda: graph.node.extend([node]),
        lambda: graph.node.remove(node),
        lambda: graph.input.remove(rng.choice(graph.input)),
        lambda: graph.output.remove(rng.choice(graph.output)),
        lambda: graph.input.extend([value]),
        lambda: graph.output.extend([value]),
        lambda: graph.value_info.extend([value]),
        lambda: setattr(graph, "name", ""),
        lambda: setattr(rng.choice(graph.initializer), "data_type", rng.randrange(28)),
        lambda: rng.choice(graph.initializer).dims.append(rng.choice([0, 1, 2, 1 << 40])),
        lambda: rng.choice(graph.initializer).dims.pop(),
        lambda: setattr(rng.choice(graph.initializer), "raw_data", bytes(rng.randrange(20))),
        lambda: setattr(rng.choice(graph.initializer), "name", rng.choice(names)),
        lambda: graph.initializer.extend([rng.choice(graph.initializer)]),
        lambda: graph.initializer.add(name=rng.choice(names), dims=[2], data_type=7, int64_data=[0, rng.randrange(9)]),
        lambda: graph.sparse_initializer.add(dims=[3], values=onnx.TensorProto(name=rng.choice(names), dims=[1],
                                                                              data_type=1, float_data=[1]),
                                             indices=onnx.TensorProto(dims=[1], data_type=7, int64_data=[0])),
    ]
    rng.choice(changes)()


def changed(content, rng):
    """A model with one or two fields changed, or a few bytes."""
    if rng.random() < 0.25:
        content = bytearray(content)
        for _ in range(rng.randrange(1, 4)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        return bytes(content)
    model = onnx.load_model_from_string(content)
    for _ in range(rng.randrange(1, 3)):
        try:
            change_field(model, rng)
        except (IndexError, TypeError, ValueError, AttributeError):  # nothing of that kind there
            pass
    return model.SerializeToString()


def short(message):
    """A message without what varies, to tell kinds of messages apart."""
    return re.sub(r"0x[0-9a-f]+|\d+|'[^']*'|\([^)]*\)", "#", (message or "accepts").split("\n")[0])[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    parser.add_argument("--mutations", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--examples", type=pathlib.Path, help="folder for one file of each unexplained kind")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    tally, unknown = collections.Counter(), []
    unique = {hashlib.sha256(c).digest(): c for source in options.sources for c in models(source)}
    accepted = compare(options.program, unique.values(), tally, unknown)
    compare(options.program, (changed(rng.choice(accepted), rng) for _ in range(options.mutations)), tally, unknown)

    print(f"{sum(tally.values())} files, onnx {onnx.__version__}\n\n| verdicts | files |\n| --- | --- |")
    for verdict, count in sorted(tally.items()):
        print(f"| {verdict} | {count} |")
    kinds = collections.defaultdict(list)
    for content, strew, reference in unknown:
        kinds[short(strew), short(reference)].append((content, strew, reference))
    for number, ((strew, reference), cases) in enumerate(sorted(kinds.items(), key=lambda kind: -len(kind[1]))):
        print(f"\nnot explained, kind {number}, {len(cases)} files\n  strew: {cases[0][1]}\n  ONNX: {cases[0][2]}")
        if options.examples:
            options.examples.mkdir(parents=True, exist_ok=True)
            (options.examples / f"kind{number}.onnx").write_bytes(cases[0][0])
    sys.exit(1 if unknown else 0)


if __name__ == "__main__":
    main()
