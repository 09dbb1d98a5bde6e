"""Expected results: the seven operators as plain loops, written from the text of the standard and the policies.

The code is slow and meant to be read. Every `refuse` names the broken rule (rules.py) and what is needed to detect
it: the "types" and attributes of the node, the "shapes" of its inputs, or the "values" of its indices. Everything is
checked before anything is computed. Strings are `bytes` in object arrays.
"""

import numpy as np

from .standard import INDICES, VERSIONS


class Illegal(Exception):
    """The input breaks a rule."""

    def __init__(self, rule, needs, text):
        super().__init__(f"{rule}: {text}")
        self.rule, self.needs = rule, needs


def refuse(condition, rule, needs, text):
    """Raises Illegal if the condition holds."""
    if condition:
        raise Illegal(rule, needs, text)


def type_name(array):
    """Return the element type of an array: NumPy's name, or "string"."""
    return "string" if array.dtype == object else array.dtype.name


def answer(operator, since, inputs, attributes):
    """Return the output of one node; `inputs` are arrays by name, None for omitted ones."""
    check_node(VERSIONS[operator, since], inputs, attributes)
    return OPERATORS[operator](*inputs.values(), **attributes)


def check_node(version, inputs, attributes):
    """Checks attributes and types, which do not depend on shapes."""
    refuse(version.deprecated, "deprecated", "types", f"{version.operator} deprecated since opset {version.since}")
    for name, value in attributes.items():
        refuse(name not in version.attributes, "attribute-unknown", "types", f"no attribute {name}")
        refuse(not isinstance(value, version.attributes[name]), "attribute-kind", "types", f"{name} has the wrong kind")
    reduction, mode = attributes.get("reduction", "none"), attributes.get("mode", "linear")
    refuse(reduction not in version.reductions, "reduction-name", "types", f"no reduction {reduction!r}")
    refuse(mode not in ("linear", "circular"), "mode-name", "types", f"no mode {mode!r}")
    index_name = INDICES[version.operator]
    moved = [type_name(array) for name, array in inputs.items() if name != index_name]
    refuse(len(set(moved)) > 1, "same-type", "types", f"types {moved} differ")
    rule = "bfloat16-from-13" if moved[0] == "bfloat16" else "element-type"
    refuse(moved[0] not in version.types, rule, "types", f"no elements of type {moved[0]}")
    indices = inputs[index_name]
    refuse(
        indices is not None and type_name(indices) not in version.index_types,
        "index-type", "types", f"indices cannot be {'' if indices is None else type_name(indices)}",
    )  # fmt: skip
    refuse(moved[0] == "string" and reduction in ("mul", "max", "min"), "string-only-add", "types", reduction)
    refuse("complex" in moved[0] and reduction in ("max", "min"), "complex-no-order", "types", reduction)


def axis_of(axis, rank):
    """Return the axis counted from the front."""
    refuse(not -rank <= axis < rank, "axis-range", "shapes", f"axis {axis} of rank {rank}")
    return axis + rank if axis < 0 else axis


def place(index, size, moved):
    """Return the position counted from the front of the axis. The index selects `moved` elements."""
    rule = "index-into-nothing" if size == 0 else "index-range" if moved else "index-of-empty-slice"
    refuse(not -size <= index < size, rule, "values", f"index {index} on an axis of size {size}")
    return int(index) + size if index < 0 else int(index)


def check_ranks(data, indices, least_rank_of_indices):
    """Checks the ranks that every operator requires."""
    refuse(data.ndim < 1, "scalar-data", "shapes", "data of rank 0")
    refuse(indices.ndim < least_rank_of_indices, "scalar-indices-refused", "shapes", "indices of rank 0")


def gather(data, indices, axis=0):
    """output[i.., j.., k..] = data[i.., indices[j..], k..]."""
    check_ranks(data, indices, 0)
    axis = axis_of(axis, data.ndim)
    shape = data.shape[:axis] + indices.shape + data.shape[axis + 1 :]
    output = np.empty(shape, data.dtype)
    places = {at: place(indices[at], data.shape[axis], output.size) for at in np.ndindex(indices.shape)}
    for at in np.ndindex(shape):
        before, chosen, behind = at[:axis], at[axis : axis + indices.ndim], at[axis + indices.ndim :]
        output[at] = data[before + (places[chosen],) + behind]
    return output


def element_places(data, indices, axis):
    """Return the place in data for each position of indices, in GatherElements and ScatterElements."""
    check_ranks(data, indices, 0)
    refuse(data.ndim != indices.ndim, "rank-equal", "shapes", f"ranks {data.ndim} and {indices.ndim}")
    axis = axis_of(axis, data.ndim)
    for d in range(data.ndim):
        larger = indices.size > 0 and d != axis and indices.shape[d] > data.shape[d]
        refuse(larger, "off-axis-larger", "shapes", f"dimension {d}: {indices.shape[d]} > {data.shape[d]}")
    places = {}
    for at in np.ndindex(indices.shape):
        places[at] = at[:axis] + (place(indices[at], data.shape[axis], 1),) + at[axis + 1 :]
    return places


def gather_elements(data, indices, axis=0):
    """output[i, j, k] = data[indices[i, j, k], j, k] for axis 0."""
    places = element_places(data, indices, axis)
    output = np.empty(indices.shape, data.dtype)
    for at in np.ndindex(indices.shape):
        output[at] = data[places[at]]
    return output


def tuple_places(data, indices, batch_dims, least_length):
    """Return the slices that GatherND or ScatterND selects, by position of the tuple, and the shape of a slice."""
    check_ranks(data, indices, 1)
    q, r, b = indices.ndim, data.ndim, batch_dims
    refuse(not 0 <= b < min(q, r), "batch-dims-range", "shapes", f"batch_dims {b} with ranks {q} and {r}")
    refuse(data.shape[:b] != indices.shape[:b], "batch-dims-equal", "shapes", "batch dimensions differ")
    k = indices.shape[-1]
    refuse(k < least_length, "empty-tuple-refused", "shapes", "tuples of length 0")
    refuse(k > r - b, "tuple-too-long", "shapes", f"tuples of length {k} for {r - b} dimensions")
    moved = int(np.prod(data.shape[b + k :]))
    places = {}
    for at in np.ndindex(indices.shape[:-1]):
        chosen = tuple(place(indices[at + (i,)], data.shape[b + i], moved) for i in range(k))
        places[at] = at[:b] + chosen
    return places, data.shape[b + k :]


def gather_nd(data, indices, batch_dims=0):
    """output[batch.., i.., j..] = data[batch.., *indices[batch.., i..], j..]."""
    places, rest = tuple_places(data, indices, batch_dims, 1)
    output = np.empty(indices.shape[:-1] + rest, data.dtype)
    for at in np.ndindex(output.shape):
        output[at] = data[places[at[: indices.ndim - 1]] + at[indices.ndim - 1 :]]
    return output


def scatter_elements(data, indices, updates, axis=0, reduction="none"):
    """output[indices[i, j, k], j, k] = updates[i, j, k] for axis 0, in row-major order of updates."""
    places = element_places(data, indices, axis)
    refuse(updates.shape != indices.shape, "updates-shape", "shapes", f"{updates.shape}, not {indices.shape}")
    output = data.copy()
    for at in np.ndindex(indices.shape):
        output[places[at]] = combine(reduction, output[places[at]], updates[at])
    return output


def scatter_nd(data, indices, updates, reduction="none"):
    """output[tuple(indices[i..])] = updates[i..], in row-major order of tuples; an empty tuple selects all of data."""
    places, rest = tuple_places(data, indices, 0, 0)
    wanted = indices.shape[:-1] + rest
    refuse(updates.shape != wanted, "updates-shape", "shapes", f"{updates.shape}, not {wanted}")
    output = data.copy()
    for at in np.ndindex(indices.shape[:-1]):
        for within in np.ndindex(rest):
            target = places[at] + within
            output[target] = combine(reduction, output[target], updates[at + within])
    return output


def tensor_scatter(past_cache, update, write_indices=None, axis=-2, mode="linear"):
    """present_cache[batch, .., write_indices[batch] + j, ..] = update[batch, .., j, ..]."""
    rank = past_cache.ndim
    refuse(rank < 1, "scalar-data", "shapes", "past_cache of rank 0")
    refuse(update.ndim != rank, "rank-equal", "shapes", f"ranks {rank} and {update.ndim}")
    axis = axis_of(axis, rank)
    refuse(axis == 0, "cache-axis", "shapes", "axis 0 is the batch")
    for d in range(rank):
        refuse(d != axis and update.shape[d] != past_cache.shape[d], "update-dimensions", "shapes", f"dimension {d}")
    length, size = update.shape[axis], past_cache.shape[axis]
    refuse(length > size, "update-too-long", "shapes", f"{length} > {size}")
    batch = past_cache.shape[0]
    starts = [0] * batch
    if write_indices is not None:
        refuse(write_indices.shape != (batch,), "write-indices-shape", "shapes", f"{write_indices.shape}")
        starts = [int(start) for start in write_indices]
    for start in starts:
        refuse(start < 0, "write-index-negative", "values", f"write index {start}")
        refuse(mode == "linear" and start + length > size, "linear-bound", "values", f"{start} + {length} > {size}")
    output = past_cache.copy()
    for at in np.ndindex(update.shape):
        position = starts[at[0]] + at[axis]
        if mode == "circular":
            position = position % size
        output[at[:axis] + (position,) + at[axis + 1 :]] = update[at]
    return output


def combine(reduction, old, new):
    """Return an element after one update."""
    if reduction == "none":
        return new
    if isinstance(old, bytes):
        return old + new
    if isinstance(old, np.bool_):
        return old | new if reduction in ("add", "max") else old & new
    if isinstance(old, np.integer):
        return combine_integers(reduction, old, new)
    if isinstance(old, np.complexfloating):
        return combine_complex(reduction, old, new)
    return combine_floats(reduction, old, new)


def combine_integers(reduction, old, new):
    """Return the exact result modulo 2^bits."""
    a, b = int(old), int(new)
    exact = {"add": a + b, "mul": a * b, "max": max(a, b), "min": min(a, b)}[reduction]
    bits = 8 * old.itemsize
    wrapped = exact % (1 << bits)
    signed = isinstance(old, np.signedinteger) and wrapped >= 1 << (bits - 1)
    return type(old)(wrapped - (1 << bits) if signed else wrapped)


def combine_floats(reduction, old, new):
    """Return the result rounded once to the element type. A NaN result is quiet and has no payload."""
    number = type(old)
    if np.isnan(old) or np.isnan(new):
        return number(np.nan)
    if reduction == "max":
        return (new if np.signbit(old) else old) if old == new else max(old, new)
    if reduction == "min":
        return (old if np.signbit(old) else new) if old == new else min(old, new)
    with np.errstate(all="ignore"):
        result = number(old + new) if reduction == "add" else number(old * new)
    return number(np.nan) if np.isnan(result) else result


def combine_complex(reduction, old, new):
    """Return the result of the textbook formulas, with each operation on real numbers rounded."""
    a, b, c, d = old.real, old.imag, new.real, new.imag
    with np.errstate(all="ignore"):
        parts = (a + c, b + d) if reduction == "add" else (a * c - b * d, a * d + b * c)
    result = np.empty((), old.dtype)
    result.real, result.imag = parts
    return result[()]


OPERATORS = {
    "Gather": gather,
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "Scatter": scatter_elements,
    "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd,
    "TensorScatter": tensor_scatter,
}
