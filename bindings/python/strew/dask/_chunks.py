"""Conversion of operands to Dask arrays, and calculations with chunks."""

import itertools
import math

import dask
import dask.array as da
import numpy as np
from dask.utils import parse_bytes

from .. import _strew
from .._derived import NOT_FOR_DASK
from .._errors import wrong_type, wrong_value
from .._names import did_you_mean


def as_dask(op, name, given, chunks=None):
    """Return the operand as a Dask array with known chunk sizes: by default, its own chunks or Dask's choice."""
    if not isinstance(given, da.Array):
        if hasattr(given, "to_dask_array"):  # a Dask Series or DataFrame
            text = f"{name} is a Dask {type(given).__name__}; convert it with to_dask_array(lengths=True)"
            raise wrong_type(op, name, text)
        whole = given if is_in_pieces(given) or isinstance(given, np.ndarray) else np.asarray(given)
        check_type(op, name, whole.dtype)
        given = da.from_array(whole, chunks=chunks or getattr(whole, "chunks", None) or automatic(whole.shape))
    if any(math.isnan(size) for sizes in given.chunks for size in sizes):
        raise wrong_value(op, name, f"{name} has chunks of unknown sizes; call its compute_chunk_sizes() first")
    if type(given._meta) is not np.ndarray:
        kind = type(given._meta).__name__
        own = f"{name}.map_blocks(np.asarray) may convert them"
        hint = "; dask.array.ma.filled converts them" if kind == "MaskedArray" else f"; {own}"
        raise wrong_type(op, name, f"the chunks of {name} are of type {kind}; they must be ndarrays{hint}")
    check_type(op, name, given.dtype)
    return given


_STRINGS = "OSUT"


def check_type(op, name, dtype):
    if dtype.kind in _STRINGS:
        text = f"{name} has type {dtype}; strew.dask does not support strings; use strew.{op} on one machine"
        raise wrong_type(op, name, text)


def automatic(shape):
    """Return "auto" (Dask chooses chunks), or -1 (one chunk) for an empty array, for which Dask rejects "auto"."""
    return -1 if 0 in shape else "auto"


def check_parameters(op, given, known):
    """Reject parameters that the function for Dask arrays lacks, even if the function of `strew` has them."""
    for name in given:
        if name not in known:
            others = f"; the parameters are {', '.join(known)}{did_you_mean(name, known)}"
            why = f" for Dask arrays; {NOT_FOR_DASK[name]}" if name in NOT_FOR_DASK else others
            raise wrong_type(op, name, f"there is no parameter {name!r}{why}")


def is_array(given):
    """Return whether `given` is an array, such as an ndarray or a Dask, zarr or h5py array."""
    return hasattr(given, "shape") and hasattr(given, "dtype") and hasattr(given, "__getitem__")


def is_in_pieces(given):
    """Return whether `given` is an array with chunks (Dask, zarr or h5py). Tasks read the chunks."""
    return is_array(given) and hasattr(given, "chunks")


def whole_indices(given):
    """Return in-memory indices as an ndarray (int64 for []); None for others, which tasks read or as_dask rejects."""
    if is_in_pieces(given) or hasattr(given, "to_dask_array") or isinstance(given, np.ma.MaskedArray):
        return None
    array = np.asarray(given)
    return array.astype(np.int64) if array.size == 0 and not is_array(given) else array


def as_updates(op, name, given, data, shape):
    """Return updates as a Dask array; broadcast a scalar, and convert sequences to the type of data."""
    if isinstance(given, da.Array):
        updates = as_dask(op, name, given)
        if updates.ndim > 0:
            return updates
        return da.broadcast_to(updates, shape, da.core.normalize_chunks(automatic(shape), shape, dtype=updates.dtype))
    array = given if hasattr(given, "dtype") else np.asarray(given, data.dtype)
    if array.ndim == 0:
        return da.full(shape, array[()], dtype=array.dtype, chunks=automatic(shape))
    return as_dask(op, name, array)


def rechunked(array, chunks):
    """Return `array` split into `chunks`. An empty array is created anew, because its rechunk() may ignore `chunks`."""
    if array.size:
        return array.rechunk(chunks)
    return da.empty(array.shape, dtype=array.dtype, chunks=chunks)


def as_native(array):
    """Return the array in this machine's byte order, which tasks need."""
    return array.astype(array.dtype.newbyteorder("="))


def stand_in(given):
    """Return an array of the operand's type and shape that stores one element."""
    return np.broadcast_to(np.zeros((), given.dtype), given.shape)


def output_shape(op, operands, attributes):
    """Return the output's shape, or raise the error for illegal shapes, types or attributes."""
    operands = [stand_in(each) if is_array(each) else each for each in operands]
    return _strew._output_shape(getattr(_strew, op), tuple(operands), attributes)


def check_lists(op, operands, attributes):
    """Check sequences by `strew`'s rules. NumPy alone would turn True and 1.5 into 1, and accept any object."""
    arrays = [each for each in operands if is_array(each)]
    if len(arrays) < len(operands) and all(each.dtype.kind not in _STRINGS for each in arrays):
        output_shape(op, operands, attributes)


def starts(chunks):
    return np.concatenate([[0], np.cumsum(chunks)]).astype(np.int64)


def blocks(chunks):
    """Return the coordinates of all blocks in row-major order."""
    return list(itertools.product(*(range(len(sizes)) for sizes in chunks)))


def block_count(chunks):
    return math.prod(map(len, chunks))


def chunk_limit():
    """Return Dask's preferred size of a chunk, in bytes."""
    return parse_bytes(dask.config.get("array.chunk-size"))


def are_runs(chunks):
    """Return whether each block is one range of row-major positions, which directly follows the previous block's range."""
    cut = [axis for axis, sizes in enumerate(chunks) if len(sizes) > 1]
    return not cut or all(size == 1 for sizes in chunks[: cut[-1]] for size in sizes)


def run_chunks(shape, position_bytes, limit):
    """Return the fewest chunks of about `limit` bytes, each of which is one range of row-major positions."""
    chunks, inner = [], position_bytes
    for extent in reversed(shape):
        size = max(1, min(extent, limit // max(inner, 1)))
        count = max(1, -(-extent // size))
        chunks.append(tuple(min(size, extent - i * size) for i in range(count)))
        # Axes before a split axis have blocks of one position.
        inner = inner * extent if size >= extent else limit + 1
    return tuple(reversed(chunks))


def clipped(chunks, extent):
    """Return the chunks of an axis, cut off at `extent`."""
    sizes = []
    for size in chunks:
        sizes.append(min(size, extent))
        extent -= sizes[-1]
        if extent == 0:
            break
    return tuple(sizes)
