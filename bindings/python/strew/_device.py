"""What arrays on CUDA devices leave to their own library: its current stream, and new arrays beside them.

No library is imported here: an array shows that its own is there.
"""

import sys
from typing import Any

from ._errors import refusal


def _library(array: Any) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return "torch"
    return type(array).__module__.partition(".")[0]


def stream(array: Any, device: int) -> int | None:
    """The current stream of the array's library; None where it tells none, as JAX."""
    match _library(array):
        case "torch":
            return int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)
        case "cupy":
            cupy = sys.modules["cupy"]
            with cupy.cuda.Device(device):
                return int(cupy.cuda.get_current_stream().ptr)
    return None


def number_of_stream(given: Any) -> int | None:
    """The address of a stream that a caller gave; None for anything else."""
    if isinstance(given, int) and not isinstance(given, bool):
        return given if given >= 0 else None
    if hasattr(given, "__cuda_stream__"):
        return int(given.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr"):  # older versions of torch and CuPy
        if hasattr(given, name):
            return int(getattr(given, name))
    return None


def empty(op: str, like: Any, device: int, shape: tuple[int, ...]) -> Any:
    """A new array of the type of `like`."""
    return _new(op, like, device, lambda library, place: library.empty(shape, dtype=like.dtype, **place))


def memory(op: str, like: Any, device: int, size: int) -> Any:
    """So many new bytes; None where the library gives none."""
    if not _gives_memory(like):
        return None
    return _new(op, like, device, lambda library, place: library.empty((size,), dtype=library.uint8, **place))


def brought(op: str, like: Any, device: int, values: Any) -> Any:
    """A copy of an ndarray of bytes."""
    if _library(like) == "torch":
        return sys.modules["torch"].from_numpy(values).to(like.device)
    return _new(op, like, device, lambda library, place: library.asarray(values, **place))


def _gives_memory(like: Any) -> bool:
    return _library(like) in ("torch", "cupy") or hasattr(like, "__array_namespace__")


def _new(op: str, like: Any, device: int, make: Any) -> Any:
    name = _library(like)
    if name == "torch":
        return make(sys.modules["torch"], {"device": like.device})
    if name == "cupy":  # knows no parameter for the device
        with sys.modules["cupy"].cuda.Device(device):
            return make(sys.modules["cupy"], {})
    if _gives_memory(like):
        return make(like.__array_namespace__(), {"device": like.device})
    raise refusal(
        TypeError,
        "invalid type",
        f"data is a {type(like).__qualname__}, whose library strew does not know how to ask for memory; "
        "give out=, and every operand as an array",
        operator=op,
        operand="data",
    )
