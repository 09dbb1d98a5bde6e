"""A case of compare.py: a model, its inputs, and the binding of its outputs."""

import pathlib
import sys
from typing import Callable, NamedTuple

import numpy as np
import onnx
import onnx.parser

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from workloads import SEED, floats  # noqa: E402, F401


class Case(NamedTuple):
    """A case. With `kept_outputs` all outputs keep their memory from run to run; otherwise ONNX Runtime allocates them
    in each run. `in_place` maps kept outputs to the inputs whose memory they use."""

    model: Callable[[], onnx.ModelProto]
    feeds: Callable[[], dict[str, np.ndarray]]
    in_place: dict[str, str] = {}
    kept_outputs: bool = False


def generator():
    return np.random.default_rng(SEED)


def parsed(text, weights, opset=18):
    """Return the model from a text in ONNX's own notation; `weights` become initializers."""
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": {opset}]>\n{text}')
    model.graph.initializer.extend(onnx.numpy_helper.from_array(np.asarray(w), name) for name, w in weights.items())
    onnx.checker.check_model(model)
    return model
