"""Examples for the operators' pages: the examples of ONNX's pages for every version that has them, and others."""

import pathlib
import sys
from typing import NamedTuple

import numpy as np
import strew

sys.path.append(str(pathlib.Path(__file__).parents[1] / "conformance"))
from gather_scatter_conformance import pages  # noqa: E402


class Example(NamedTuple):
    """A call, the operator's versions that allow it, and its output."""

    title: str
    versions: tuple[int, ...]
    operands: dict[str, list]
    attributes: dict[str, int | str]
    output: list


CACHE = np.zeros((2, 4, 2), int).tolist()
STEP = [[[1, 1], [2, 2]], [[3, 3], [4, 4]]]
OWN = {
    "Gather": [
        ("a scalar index removes the axis", [1, 11, 13], [[[0, 1], [2, 3], [4, 5]], 1], {}, [2, 3]),
        ("from the end", [1, 11, 13], [[[0, 1], [2, 3], [4, 5]], [-1, 0]], {}, [[4, 5], [0, 1]]),
    ],
    "GatherElements": [("from the end", [11, 13], [[[1, 2], [3, 4]], [[-1, 0]]], {"axis": 0}, [[3, 2]])],
    "ScatterElements": [
        ("two updates of one element", [16, 18], [[0, 0, 0], [1, 2, 1], [1, 2, 3]], {"reduction": "add"}, [0, 4, 2]),
        ("the last one wins", [11, 13, 16, 18], [[0, 0, 0], [1, 2, 1], [1, 2, 3]], {}, [0, 3, 2]),
        ("the largest", [18], [[0, 5, 0], [1, 1, -1], [4, 3, 9]], {"reduction": "max"}, [0, 5, 9]),
    ],
    "TensorScatter": [
        ("linear", [24], [CACHE, STEP, [1, 2]], {},
         [[[0, 0], [1, 1], [2, 2], [0, 0]], [[0, 0], [0, 0], [3, 3], [4, 4]]]),
        ("circular", [24], [CACHE, STEP, [1, 3]], {"mode": "circular"},
         [[[0, 0], [1, 1], [2, 2], [0, 0]], [[4, 4], [0, 0], [0, 0], [3, 3]]]),
        ("without write_indices", [24], [CACHE, STEP], {},
         [[[1, 1], [2, 2], [0, 0], [0, 0]], [[3, 3], [4, 4], [0, 0], [0, 0]]]),
    ],
}  # fmt: skip


def versions_of(op_type):
    return [version.since_version for version in strew.operators[op_type].versions]


def of_pages(op_type):
    """Yields the name, versions, operands, attributes and output of each example of ONNX's page."""
    if op_type in ("Gather", "GatherElements"):
        for name, axis, *operands, output in pages.GATHER if op_type == "Gather" else pages.GATHER_ELEMENTS:
            yield name, versions_of(op_type), operands, pages.given(axis=axis), output
    elif op_type in ("Scatter", "ScatterElements"):
        known = pages.SCATTER if op_type == "Scatter" else pages.SCATTER[:2]
        for name, axis, *operands, output in known:
            yield name, versions_of(op_type), operands, pages.given(axis=axis), output
    elif op_type == "GatherND":
        for name, versions, _, batch_dims, *operands, output in pages.GATHER_ND:
            yield name, versions, operands, pages.given(batch_dims=batch_dims or None), output
    elif op_type == "ScatterND":
        for name, versions, reduction, *operands, output in pages.SCATTER_ND:
            yield name, versions, operands, pages.given(reduction=reduction), output


def examples_of(op_type):
    """Returns all examples of an operator. Examples with the same call and output are merged."""
    inputs = [one.name for one in strew.operators[op_type].versions[-1].inputs]
    found = {}
    for name, versions, operands, attributes, output in (*of_pages(op_type), *OWN.get(op_type, ())):
        title = name.replace("_", " ").removeprefix(f"{op_type.lower()} ")
        example = Example(title, tuple(versions), dict(zip(inputs, operands, strict=False)), attributes, output)
        same = found.get(key := repr(example[2:]))
        found[key] = same._replace(title=f"{same.title}, {title}") if same else example
    return list(found.values())
