"""Operands as Dask arrays, and how their chunks lie."""

import itertools
import math

import dask
import dask.array as da
import numpy as np
from dask.utils import parse_bytes

from .. import _strew
from .._errors import refusal


def as_dask(op, name, given, chunks=None):
    """The operand as a Dask array of ndarrays whose chunks have known sizes; one in memory is cut into `chunks`, or as Dask does."""
    if not isinstance(given, da.Array):
        if hasattr(given, "to_dask_array"):  # a Series or DataFrame of Dask
            raise refusal(
                TypeError,
                "invalid type",
                f"{name} is a {type(given).__name__} of Dask; give what its to_dask_array makes with known lengths",
                operator=op,
                operand=name,
            )
        whole = given if is_in_pieces(given) or isinstance(given, np.ndarray) else np.asarray(given)
        check_type(op, name, whole.dtype)
        given = da.from_array(whole, chunks=chunks or getattr(whole, "chunks", None) or automatic(whole.shape))
    if any(math.isnan(size) for sizes in given.chunks for size in sizes):
        raise refusal(
            ValueError,
            "invalid argument",
            f"{name} has chunks of unknown sizes; call its compute_chunk_sizes() first",
            operator=op,
            operand=name,
        )
    if type(given._meta) is not np.ndarray:
        kind = type(given._meta).__name__
        hint = (
            "; fill it, as dask.array.ma.filled does"
            if kind == "MaskedArray"
            else f"; {name}.map_blocks(np.asarray) may make ndarrays"
        )
        raise refusal(
            TypeError,
            "invalid type",
            f"the chunks of {name} are of type {kind}; they must be ndarrays{hint}",
            operator=op,
            operand=name,
        )
    check_type(op, name, given.dtype)
    return given


_STRINGS = "OSUT"


def check_type(op, name, dtype):
    if dtype.kind in _STRINGS:
        raise refusal(
            TypeError,
            "invalid type",
            f"{name} has type {dtype}; strings are not for strew.dask, but for strew.{op} on one machine",
            operator=op,
            operand=name,
        )


def automatic(shape):
    """Dask's own choice of chunks, which it does not make for arrays without elements."""
    return -1 if 0 in shape else "auto"


_NOT_FOR_DASK = {
    "out": "write the result with dask.array.store",
    "reject_duplicates": "chunks are computed apart, and no one of them sees all of indices; check these before",
}


def check_parameters(op, given, known):
    """Refuses what an operator does not know, and what its like in `strew` alone has."""
    for name in given:
        if name not in known:
            why = f" for Dask arrays; {_NOT_FOR_DASK[name]}" if name in _NOT_FOR_DASK else f"; there are {', '.join(known)}"
            raise refusal(
                TypeError,
                "invalid type",
                f"there is no parameter {name!r}{why}",
                operator=op,
                operand=name,
            )


def is_array(given):
    """Whether it has a type and can be read in pieces: an ndarray, or an array of zarr or h5py."""
    return hasattr(given, "shape") and hasattr(given, "dtype") and hasattr(given, "__getitem__")


def is_in_pieces(given):
    """Whether it is read when the result is computed, chunk by chunk: an array of Dask, zarr or h5py. All others are in memory."""
    return is_array(given) and hasattr(given, "chunks")


def whole_indices(given):
    """Indices that are in memory, as an ndarray; None for others. Nothing in a list is an empty list of indices, as in NumPy."""
    if is_in_pieces(given) or hasattr(given, "to_dask_array"):
        return None
    array = np.asarray(given)
    return array.astype(np.int64) if array.size == 0 and not is_array(given) else array


def as_updates(op, name, given, data, shape):
    """The same for updates; a scalar stands for all of them, and what is no array takes the type of data."""
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
    """`array` cut into `chunks`. Dask leaves it as it is where all extents are 0: an array without elements is made anew."""
    if array.size:
        return array.rechunk(chunks)
    return da.empty(array.shape, dtype=array.dtype, chunks=chunks)


def as_native(array):
    """In this machine's byte order, which tasks need."""
    return array.astype(array.dtype.newbyteorder("="))


def stand_in(given):
    """An array of the operand's type and shape that takes no memory."""
    return np.broadcast_to(np.zeros((), given.dtype), given.shape)


def output_shape(op, operands, attributes):
    """What the operator says of shapes, types and attributes before it reads anything: its errors, or the output's shape."""
    operands = [stand_in(each) if is_array(each) else each for each in operands]
    return _strew._output_shape(getattr(_strew, op), tuple(operands), attributes)


def check_lists(op, operands, attributes):
    """What is no array is refused by `strew` itself: NumPy would make 1 of True and of 1.5, and objects of what it does not know."""
    arrays = [each for each in operands if is_array(each)]
    if len(arrays) < len(operands) and all(each.dtype.kind not in _STRINGS for each in arrays):
        output_shape(op, operands, attributes)


def starts(chunks):
    return np.concatenate([[0], np.cumsum(chunks)]).astype(np.int64)


def blocks(chunks):
    """The numbers of all blocks, in row-major order."""
    return list(itertools.product(*(range(len(sizes)) for sizes in chunks)))


def block_count(chunks):
    return math.prod(map(len, chunks))


def chunk_limit():
    """The bytes of a chunk that Dask aims at."""
    return parse_bytes(dask.config.get("array.chunk-size"))


def are_runs(chunks):
    """Whether the blocks, one after the other, are row-major positions one after the other."""
    cut = [axis for axis, sizes in enumerate(chunks) if len(sizes) > 1]
    return not cut or all(size == 1 for sizes in chunks[: cut[-1]] for size in sizes)


def run_chunks(shape, position_bytes, limit):
    """Chunks that are runs of row-major positions of about `limit` bytes, as few as that gives."""
    chunks, inner = [], position_bytes
    for extent in reversed(shape):
        size = max(1, min(extent, limit // max(inner, 1)))
        count = max(1, -(-extent // size))
        chunks.append(tuple(min(size, extent - i * size) for i in range(count)))
        # Behind an axis that is cut, all others have blocks of one position.
        inner = inner * extent if size >= extent else limit + 1
    return tuple(reversed(chunks))


def clipped(chunks, extent):
    """The chunks of an axis up to `extent`."""
    sizes = []
    for size in chunks:
        sizes.append(min(size, extent))
        extent -= sizes[-1]
        if extent == 0:
            break
    return tuple(sizes)
