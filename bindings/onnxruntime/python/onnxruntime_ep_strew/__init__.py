"""Strew's gather and scatter kernels inside ONNX Runtime: a plug-in execution provider."""

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
