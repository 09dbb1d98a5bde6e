"""Conversion of arrays of every element type to ONNX tensors and back, and comparison of arrays."""

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper

_EXTENDED = [kind for kind in vars(ml_dtypes).values() if isinstance(kind, type) and issubclass(kind, np.generic)]
DTYPES = {kind.__name__: np.dtype(kind) for kind in _EXTENDED} | {"string": np.dtype(object)}


def dtype_of(name):
    """Return the NumPy type for the name of an element type."""
    return DTYPES.get(name) or np.dtype(name)


def as_type(values, name):
    """Convert numbers to the type: strings are decimal, and a bool is True for odd numbers. Arrays stay unchanged."""
    if isinstance(values, np.ndarray):
        return values
    literal = np.asarray(values)
    if literal.dtype.kind in "SO":
        return np.asarray(values, dtype=object)
    if name == "string":
        output = np.empty(literal.shape, dtype=object)
        for at in np.ndindex(literal.shape):
            output[at] = format(literal[at], "d" if literal.dtype.kind in "iu" else "g").encode()
        return output
    if name == "bool" and literal.dtype != bool:
        return literal.astype(np.int64) % 2 == 1
    with np.errstate(all="ignore"):
        return literal.astype(dtype_of(name))


def fits(values, name):
    """Return whether the type represents the literal numbers exactly."""
    if name in ("string", "bool") or isinstance(values, np.ndarray):
        return False
    literal = np.asarray(values)
    converted = as_type(values, name)
    wide = np.complex128 if np.iscomplexobj(converted) or np.iscomplexobj(literal) else np.float64
    return np.array_equal(converted.astype(wide), literal.astype(wide), equal_nan=True)


def element_type(array):
    """Return ONNX's number for an array's element type."""
    return TensorProto.STRING if array.dtype == object else helper.np_dtype_to_tensor_dtype(array.dtype)


def to_tensor(array, name):
    """Return a TensorProto with strings in string_data, and other elements as raw data."""
    if array.dtype != object:
        return numpy_helper.from_array(array, name)
    return TensorProto(
        name=name, dims=array.shape, data_type=TensorProto.STRING,
        string_data=[array[at] for at in np.ndindex(array.shape)],
    )


def from_tensor(tensor):
    """Return the elements of a TensorProto as a writable array, with strings as `bytes`."""
    if tensor.data_type != TensorProto.STRING:
        return numpy_helper.to_array(tensor).copy()
    output = np.empty(len(tensor.string_data), dtype=object)
    output[:] = list(tensor.string_data)
    return output.reshape(tuple(tensor.dims))


def with_text(array):
    """Return the array with strings as `str`, as runtimes expect them."""
    if array is None or array.dtype != object:
        return array
    output = np.empty(array.shape, dtype=object)
    for at in np.ndindex(array.shape):
        output[at] = array[at].decode()
    return output


def with_bytes(array):
    """Return the array with strings as `bytes`, whatever type a runtime returned."""
    array = np.asarray(array)
    if array.dtype.kind not in "OUST":
        return array
    output = np.empty(array.shape, dtype=object)
    for at in np.ndindex(array.shape):
        output[at] = array[at] if isinstance(array[at], bytes) else str(array[at]).encode()
    return output


def difference(got, wanted, compare):
    """Return the difference of two arrays as text, or None if they agree.

    `compare` is "bits", "values" (NaNs are equal, and -0 equals +0), or the relative tolerance as a number.
    """
    got = with_bytes(got)
    if got.shape != wanted.shape:
        return f"shape {list(got.shape)}, expected {list(wanted.shape)}"
    if got.dtype != wanted.dtype:
        return f"type {got.dtype}, expected {wanted.dtype}"
    if wanted.dtype == object:
        same = np.array([a == b for a, b in zip(got.flat, wanted.flat, strict=True)], dtype=bool)
    elif compare == "bits":
        same = _bytes_of(got) == _bytes_of(wanted)
        same = same.all(axis=1) if same.size else np.ones(0, dtype=bool)
    else:
        same = _close(got, wanted, 0.0 if compare == "values" else compare).reshape(-1)
    if same.all():
        return None
    first = int(np.argmin(same))
    at = [int(i) for i in np.unravel_index(first, wanted.shape)]
    return f"output{at} = {got.flat[first]!r}, expected {wanted.flat[first]!r} ({int((~same).sum())} of {same.size} differ)"


def _bytes_of(array):
    width = array.dtype.itemsize
    return np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8).reshape(-1, width)


def _close(got, wanted, rtol):
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        return np.isclose(got.astype(wide), wanted.astype(wide), rtol=rtol, atol=0.0, equal_nan=True)
