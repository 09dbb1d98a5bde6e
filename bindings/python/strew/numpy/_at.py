"""The method `at` of ufuncs, such as ``add.at(a, indices, b)``."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import _strew
from .._errors import in_name_of, refusal, wrong_type
from ._handed_over import to_numpy
from ._operands import apart, as_signed, as_written, is_about_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NUMBERS = "biufc"
_scatter_elements = _strew.scatter_elements
_SCALARS = {int, float, np.float16, np.float32, np.float64}


class At:
    """A ufunc with only the method `at`, which combines values with elements of an array in place and in order."""

    def __init__(self, ufunc: np.ufunc, reduction: str, kinds: str) -> None:
        self._ufunc = ufunc
        self._reduction: Any = reduction
        self._kinds = kinds  # kinds of data, as in NumPy's dtype.kind
        self._types = {np.dtype(char) for char in "?bhilqBHILQefdFD" if np.dtype(char).kind in kinds}
        self.__name__ = ufunc.__name__

    def __repr__(self) -> str:
        return f"strew.numpy.{self.__name__}"

    def __call__(self, *operands: Any, **options: Any) -> NoReturn:
        name = self.__name__
        raise wrong_type(name, None, f"{self!r} has only {name}.at; for whole arrays use numpy.{name}")

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            more = ", or strew.gather_scatter with strew.Edges.from_segments" if name == "reduceat" else ""
            raise AttributeError(f"{self!r} has only at; use numpy.{self.__name__}.{name}{more}", name=name, obj=self)

    def at(self, a: NDArray[Any], indices: Any, b: Any = np._NoValue, /) -> None:
        """Combine `b` with ``a[indices]`` in place, as NumPy's `at` does, using `strew.scatter_nd`.

        Parameters
        ----------
        a : ndarray
        indices : array_like of int, slice, mask, or tuple of these
        b : array_like
            Broadcast to the shape of ``a[indices]`` and cast as NumPy does.

        Raises
        ------
        IndexError, TypeError, ValueError
            NumPy's errors. If an `IndexError` is raised, `a` is unchanged.

        Examples
        --------
        >>> import numpy as np, strew.numpy as snp
        >>> x = np.zeros((3, 2))
        >>> snp.add.at(x, [2, 0, 2], [[1, 10], [2, 20], [3, 30]])
        >>> x
        array([[ 2., 20.],
               [ 0.,  0.],
               [ 4., 40.]])
        >>> snp.maximum.at(x, (slice(None), x[0] > 9), 25)
        >>> x[:, 1]
        array([25., 25., 40.])
        """
        a = as_written(a)
        if self._elements(a, indices, b):
            return
        call = self._as_scatter(a, indices, b)
        if isinstance(call, str):
            return to_numpy(call, self._ufunc.at, a, indices, *[b][b is np._NoValue :])  # omits a missing `b`
        data, places, updates = call
        try:
            _strew.scatter_nd(data, places, updates, self._reduction, out=data)
        except IndexError:
            raise _refusal(f"{self.__name__}.at", a, indices) from None
        except (MemoryError, ValueError) as error:
            if not is_about_out(error):
                raise in_name_of(error, f"{self.__name__}.at") from None
            to_numpy("strides", self._ufunc.at, a, indices, b)

    def _elements(self, a: Any, indices: Any, b: Any) -> bool:
        """Run a call on elements of a rank-1 array with little overhead. Return False for other calls and on errors."""
        if type(a) is not np.ndarray or type(indices) is not np.ndarray or a.ndim != 1 or indices.ndim != 1:
            return False
        dtype = a.dtype
        if dtype not in self._types:
            return False
        if type(b) is np.ndarray:
            if b.dtype is not dtype:
                return False
            if b.shape == (1,):
                b = b.reshape(())  # a scalar, which is broadcast
        elif type(b) not in _SCALARS or (dtype.kind != "f" and not (type(b) is int and dtype.char == "l")):
            return False
        try:
            if dtype.kind == "f" and type(b) is not np.ndarray:
                value = b if type(b) is int else float(b)
                b = struct.unpack(dtype.char, struct.pack(dtype.char, value))[0]  # NumPy's cast would warn
                # If the value does not fit exactly, NumPy computes in a wider type or with objects.
                if b != value or (type(value) is int and not -(2**63) <= value < 2**64):
                    return False
            _scatter_elements(a, indices, b, 0, self._reduction, a)
        except (IndexError, MemoryError, OverflowError, TypeError, ValueError, struct.error):  # NumPy's messages differ, or it accepts the call
            return False
        return True

    def _as_scatter(self, a: Any, indices: Any, b: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | str:
        """Return the operands of the equivalent scatter, or the reason why there is none."""
        dispatches = hasattr(b, "__array_ufunc__") and not isinstance(b, np.ndarray | np.generic)
        if type(a) is not np.ndarray or a.ndim == 64 or dispatches:
            return "elements"
        if a.dtype.char in "gG" or a.dtype.kind not in self._kinds:
            return "types"
        if not a.flags.writeable:
            return "refused"
        updates = _cast(self._ufunc, a.dtype, np.asarray(b))
        if isinstance(updates, str):
            return updates
        chosen = _chosen(a, indices)
        if chosen is None:
            return "indices"
        data, places, shape, order = chosen
        if a.size == 0 or 0 in shape:
            return "empty"
        if updates.shape != shape:
            try:
                updates = np.broadcast_to(updates, shape)
            except ValueError:
                return "refused"
        updates = updates.transpose(order) if order else updates
        tuples = apart(places[0], a)[..., None] if len(places) == 1 else np.stack(places, -1)
        return data, tuples, apart(updates, a)


def _refusal(name: str, a: NDArray[Any], indices: Any) -> IndexError:
    """Return the error for the first index out of bounds; the axis is numbered as in `a`."""
    parts = _expanded(a, indices if isinstance(indices, tuple) else (indices,)) or []
    addressed = [axis for axis, part in enumerate(parts) if not isinstance(part, slice)]
    places = np.broadcast_arrays(*(parts[axis] for axis in addressed))
    sizes = [a.shape[axis] for axis in addressed]
    outside = np.stack([(place < -n) | (place >= n) for place, n in zip(places, sizes, strict=True)], -1)
    *position, which = map(int, np.argwhere(outside)[0])
    value, size, axis = places[which][tuple(position)], sizes[which], addressed[which]
    text = f"the index {value} at {position} is outside [{-size}, {size - 1}] for axis {axis} of an array of shape {list(a.shape)}"
    where: dict[str, Any] = {"axis": axis, "position": tuple(position), "value": int(value)}
    return refusal(IndexError, "index out of range", text, operator=name, operand="indices", **where)


def _cast(ufunc: np.ufunc, dtype: np.dtype[Any], b: NDArray[Any]) -> NDArray[Any] | str:
    """Return `b` in the type of the data if computing in this type gives NumPy's bits, else a key of `REASONS`."""
    if b.dtype == dtype:
        return b
    if b.dtype.kind not in _NUMBERS or b.dtype.char in "gG":
        return "types"
    try:
        loop = ufunc.resolve_dtypes((dtype, b.dtype, None))[:2]
    except TypeError:
        return "refused"
    if loop == (dtype, dtype):
        return b.astype(dtype)
    if dtype.kind == "b":
        return "wider"  # NumPy uses the values of `b`, not only whether each is 0
    kinds = "".join(sorted({kind.kind for kind in (dtype, *loop)}))
    if kinds.strip("biu") == "" and ufunc not in (np.maximum, np.minimum):
        return b.astype(dtype)  # integers have the same bits whether they wrap at the end or at each step
    if kinds not in ("f", "i", "u", "iu"):
        return "wider"
    # If the data's type holds all values of `b`, computing in it gives the same bits as rounding from a wider type.
    with np.errstate(all="ignore"):
        exact = b.astype(dtype)
        return exact if np.array_equal(exact.astype(loop[1]), b.astype(loop[1]), equal_nan=kinds == "f") else "wider"


def _chosen(
    a: NDArray[Any], indices: Any
) -> tuple[NDArray[Any], list[NDArray[Any]], tuple[int, ...], list[int]] | None:
    """Describe ``a[indices]``, or return None if arrays of integers cannot express the indices.

    Returns a view of `a` whose leading axes are the indexed ones; a list with an index array for each of these axes;
    the shape of ``a[indices]``; and the order of the axes of ``a[indices]`` that matches the view (empty: no change).
    """
    if type(indices) is np.ndarray and indices.dtype.kind in "iu" and indices.ndim > 0 < a.ndim:  # the common case
        return a, [as_signed(indices)], (*indices.shape, *a.shape[1:]), []
    parts = _expanded(a, indices if isinstance(indices, tuple) else (indices,))
    if parts is None:
        return None
    addressed = [axis for axis, part in enumerate(parts) if not isinstance(part, slice)]
    try:
        places = np.broadcast_arrays(*(parts[axis] for axis in addressed))
    except ValueError:
        return None
    others = [axis for axis in range(a.ndim) if axis not in addressed]
    view = a[tuple(part if isinstance(part, slice) else slice(None) for part in parts)]
    rank = places[0].ndim
    # As in NumPy, the axes of the indices replace the indexed axes if these are consecutive, and come first otherwise.
    first = addressed[0] if addressed == list(range(addressed[0], addressed[-1] + 1)) else 0
    sizes = [view.shape[axis] for axis in others]
    shape = (*sizes[:first], *places[0].shape, *sizes[first:])
    order = [*range(first, first + rank), *range(first), *range(first + rank, len(shape))]
    return view.transpose(*addressed, *others), list(places), shape, order


def _expanded(a: NDArray[Any], parts: tuple[Any, ...]) -> list[Any] | None:
    """Return a slice or an array of integers for each axis; None for other indices, for example with a new axis."""
    known = [part if isinstance(part, slice) or part is Ellipsis else _as_array(part) for part in parts]
    ranks = [part.ndim for part in known if isinstance(part, np.ndarray)]
    if any(part is None for part in known) or not any(ranks):
        return None  # not integers, or NumPy's basic indexing
    has_dots = any(part is Ellipsis for part in known)
    flat: list[Any] = []
    for part in known:
        if not isinstance(part, np.ndarray) or part.dtype != bool:
            flat.append(part)
        elif part.ndim == 0 or has_dots or part.shape != a.shape[len(flat) :][: part.ndim]:
            return None
        else:
            flat.extend(part.nonzero())
    at = next((at for at, part in enumerate(flat) if part is Ellipsis), len(flat))
    behind = flat[at + 1 :]
    missing = a.ndim - at - len(behind)
    if missing < 0 or any(part is Ellipsis for part in behind):
        return None
    return [*flat[:at], *[slice(None)] * missing, *behind]


def _as_array(part: Any) -> NDArray[Any] | None:
    if part is None:
        return None
    array = np.asarray(part)
    if array.size == 0 and not isinstance(part, np.ndarray):
        array = array.astype(np.intp)
    return as_signed(array) if array.dtype.kind in "iub" and type(array) is np.ndarray else None


add = At(np.add, "add", "biufc")
subtract = At(np.subtract, "sub", "iufc")
multiply = At(np.multiply, "mul", "biufc")
divide = At(np.divide, "div", "fc")
maximum = At(np.maximum, "max", "biuf")
minimum = At(np.minimum, "min", "biuf")
bitwise_and = At(np.bitwise_and, "and", "biu")
bitwise_or = At(np.bitwise_or, "or", "biu")
bitwise_xor = At(np.bitwise_xor, "xor", "biu")
