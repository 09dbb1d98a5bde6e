"""Converts tensors from the page's format to arrays and back."""

import json

import ml_dtypes
import numpy as np

ROOT_EXAMPLES = "apps/playground/examples.json"


def type_of(name):
    if name == "string":
        return np.dtype(object)
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)


def array_of(tensor):
    """Return the array of a dict with "dtype", "shape" and "values"."""
    dtype = type_of(tensor["dtype"])
    if dtype == object:
        values = tensor["values"]
    elif dtype == bool:
        values = [text == "true" for text in tensor["values"]]
    elif dtype.kind == "c":
        values = [complex(text) for text in tensor["values"]]
    elif dtype.kind in "iu":
        values = [int(text) for text in tensor["values"]]
    else:
        values = [float(text) for text in tensor["values"]]
    array = np.empty(len(values), dtype)
    array[:] = np.array(values, dtype=object if dtype == object else None).astype(dtype) if values else []
    return array.reshape(tensor["shape"])


def tensor_of(array):
    """Return the dict for an array: the inverse of array_of."""
    array = np.asarray(array)
    if array.dtype.kind in "OUS":
        texts = [text.decode() if isinstance(text, bytes) else str(text) for text in array.ravel()]
        return {"dtype": "string", "shape": list(array.shape), "values": texts}
    if array.dtype == bool:
        texts = ["true" if value else "false" for value in array.ravel()]
    else:
        texts = [repr(value).strip("()") for value in array.ravel().tolist()]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": texts}


def same(left, right):
    if left.dtype == object or right.dtype == object:
        return left.shape == right.shape and left.ravel().tolist() == right.ravel().tolist()
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


def examples(root):
    return json.loads((root / ROOT_EXAMPLES).read_text("utf-8"))
