"""What Strew takes over from NumPy, and what it hands back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# To hand a call back as it came: its annotations are narrower than what it takes.
numpy: Any = np

# NumPy's modes, by name and by number, as the rules for indices.
RULES: dict[Any, Any] = {
    "raise": {},
    "wrap": {"out_of_bounds": "wrap"},
    "clip": {"out_of_bounds": "clip", "negative_indices": "out_of_bounds"},
}
RULES |= {number: RULES[name] for number, name in enumerate(("clip", "wrap", "raise"))}


def is_moved(array: object) -> bool:
    """An ndarray itself, of elements that are nothing but their bytes."""
    return type(array) is np.ndarray and not array.dtype.hasobject and 0 < array.dtype.itemsize and array.ndim < 64


def as_data(given: ArrayLike) -> NDArray[Any] | None:
    """`given` as an array whose elements Strew moves; None for what NumPy has to take."""
    if hasattr(given, "__array_function__") and type(given) is not np.ndarray:
        return None
    data = np.asarray(given)
    return data if is_moved(data) else None


def as_places(given: ArrayLike) -> NDArray[Any] | None:
    """`given` as indices, as NumPy's functions cast them; None where NumPy refuses them."""
    if hasattr(given, "__array_function__") and type(given) is not np.ndarray:
        return None
    places = np.asarray(given)
    if places.size == 0 and type(given) is not np.ndarray:
        return places.astype(np.intp)
    if places.dtype == bool:
        return places.view(np.uint8)
    return places if places.dtype.kind in "iu" and np.can_cast(places.dtype, np.intp) else None


def apart(operand: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
    """`operand`, or a copy of it where `target` is in the same memory."""
    return operand.copy() if np.may_share_memory(operand, target) else operand
