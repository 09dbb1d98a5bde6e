"""The numbered cases of the operators as models of one node: inputs, and what must come of them."""

import typing

import ml_dtypes
import numpy as np

LOWEST, HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class Case(typing.NamedTuple):
    """`expected` is an array, or a text that the error must hold."""

    number: str
    op_type: str
    data: typing.Any
    indices: typing.Any
    updates: typing.Any
    expected: typing.Any
    attributes: dict
    opset: int


def case(number, op_type, data, indices, *updates_and_expected, opset=18, **attributes):
    """Lists are float32, indices int64; TensorScatter has its updates before its indices, as in the table."""
    *updates, expected = updates_and_expected
    data = _array(data, np.float32)
    if not isinstance(expected, str):
        expected = _array(expected, data.dtype)
    updates = _array(updates[0], data.dtype) if updates else None
    return Case(number, op_type, data, _array(indices, np.int64), updates, expected, attributes, opset)


def _array(values, dtype):
    return None if values is None else values if isinstance(values, np.ndarray) else np.array(values, dtype)


def filled(shape, *values, dtype=np.float32):
    """An array of this shape; without values, of zeros."""
    return np.array(values or [0] * int(np.prod(shape)), dtype).reshape(shape)


def indices(shape):
    """Zeros to be used as indices."""
    return filled(shape, dtype=np.int64)


def arange(*shape):
    """0, 1, 2, ... in this shape."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def feeds_of(given):
    """Inputs by name, in the order of the operator."""
    names = ("data", "updates", "indices") if given.op_type == "TensorScatter" else ("data", "indices", "updates")
    return {name: getattr(given, name) for name in names if getattr(given, name) is not None}
