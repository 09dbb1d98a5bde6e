"""A case of compare.py: a model, its inputs, and the binding of its outputs."""

from typing import Callable, NamedTuple

import numpy as np
import onnx
import onnx.parser

SEED = 28584


class Case(NamedTuple):
    """A case. `in_place` maps outputs to the inputs whose memory they use. With `kept_outputs` all other outputs keep
    their memory from run to run, otherwise ONNX Runtime allocates them in each run."""

    group: str
    model: Callable[[], onnx.ModelProto]
    feeds: Callable[[], dict[str, np.ndarray]]
    in_place: dict[str, str] = {}
    kept_outputs: bool = False


def generator():
    return np.random.default_rng(SEED)


def floats(random, *shape):
    """Return random numbers that are never zero, as in the named workloads."""
    return random.random(shape, dtype=np.float32) + np.float32(0.5)


def parsed(text, weights, opset=18):
    """Return the model of a text in ONNX's own notation; `weights` become initializers."""
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": {opset}]>\n{text}')
    model.graph.initializer.extend(onnx.numpy_helper.from_array(np.asarray(w), name) for name, w in weights.items())
    onnx.checker.check_model(model)
    return model
