"""Gets streams and new arrays from the library of a CUDA array, and stores the state of `strew.cuda.deferred`.

This module imports no array library: if an array exists, its library is already imported.
"""

import sys
import threading
from contextvars import ContextVar
from typing import Any

from ._arguments import article
from ._errors import wrong_type

# The `DeferredErrors` of the innermost `deferred` block, and the thread that entered the block. The thread is stored
# because other threads may inherit the context.
deferred_in: ContextVar[tuple[Any, int]] = ContextVar("deferred_in", default=(None, 0))


def _library(array: Any) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return "torch"
    return type(array).__module__.partition(".")[0]


def stream(array: Any, device: int) -> int | None:
    """Return the current stream of the array's library, or None if the library is neither PyTorch nor CuPy."""
    match _library(array):
        case "torch":
            return int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)
        case "cupy":
            cupy = sys.modules["cupy"]
            with cupy.cuda.Device(device):
                return int(cupy.cuda.get_current_stream().ptr)
    return None


def deferred_errors() -> Any:
    """Return the `DeferredErrors` of this thread's innermost `strew.cuda.deferred` block, or None outside a block."""
    errors, thread = deferred_in.get()
    return errors if thread == threading.get_ident() else None


def empty(op: str, like: Any, device: int, shape: tuple[int, ...]) -> Any:
    """Allocate an array on the device through the library of `like`, with the element type of `like`."""
    return _new(op, like, device, lambda library, place: library.empty(shape, dtype=like.dtype, **place))


def memory(op: str, like: Any, device: int, size: int) -> Any:
    """Allocate `size` bytes through the library of `like`. Return None if that library cannot create arrays."""
    if not _gives_memory(like):
        return None
    return _new(op, like, device, lambda library, place: library.empty((size,), dtype=library.uint8, **place))


def brought(op: str, like: Any, device: int, values: Any) -> Any:
    """Copy an ndarray of bytes to the device."""
    if _library(like) == "torch":
        return sys.modules["torch"].from_numpy(values).to(like.device)
    return _new(op, like, device, lambda library, place: library.asarray(values, **place))


def _gives_memory(like: Any) -> bool:
    return _library(like) in ("torch", "cupy") or hasattr(like, "__array_namespace__")


def _new(op: str, like: Any, device: int, make: Any) -> Any:
    name = _library(like)
    if name == "torch":
        return make(sys.modules["torch"], {"device": like.device})
    if name == "cupy":  # CuPy has no parameter for the device
        with sys.modules["cupy"].cuda.Device(device):
            return make(sys.modules["cupy"], {})
    if _gives_memory(like):
        return make(like.__array_namespace__(), {"device": like.device})
    text = f"data is {article(like)}, and strew cannot create arrays of its library"
    raise wrong_type(op, "data", f"{text}; pass out=, and pass every operand as a device array")
