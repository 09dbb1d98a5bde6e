"""Strew's gather and scatter kernels inside ONNX Runtime: a plug-in execution provider."""

import difflib
import typing

try:
    import onnxruntime  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"onnxruntime_ep_strew needs ONNX Runtime 1.24 or newer: pip install onnxruntime ({error})", name=error.name
    ) from error

from ._library import get_ep_name, get_ep_names, get_library_path
from ._session import register, session
from ._where import Count, Placement, Summary, placement, summary

__all__ = [
    "Count",
    "Placement",
    "Summary",
    "get_ep_name",
    "get_ep_names",
    "get_library_path",
    "placement",
    "register",
    "session",
    "summary",
]

if not typing.TYPE_CHECKING:

    def __getattr__(name):
        near = difflib.get_close_matches(name, __all__, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
