"""Sessions with Strew's kernels."""

import contextlib
import importlib.metadata
import itertools
import numbers
import os
import threading
import typing

import onnxruntime

from ._library import get_ep_name, get_library_path
from ._where import OPTION, RECORD, entry

_LEAST_VERSION = (1, 24)
_lock = threading.Lock()
_tokens = itertools.count()


def register() -> None:
    """Register the library with ONNX Runtime, once per process.

    Raises
    ------
    RuntimeError
        If ONNX Runtime is older than 1.24, or the installed package strew has a different version than this package.
    """
    version = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
    if version < _LEAST_VERSION:
        raise RuntimeError(f"onnxruntime {onnxruntime.__version__} is too old: 1.24 or newer is needed")
    own = importlib.metadata.version("onnxruntime-ep-strew")
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        if (other := importlib.metadata.version("strew")) != own:
            raise RuntimeError(f"onnxruntime-ep-strew {own} does not match strew {other}: both must have the same version")
    with _lock:
        if not _devices():
            onnxruntime.register_execution_provider_library(get_ep_name(), get_library_path())


def session(
    model: typing.Any, sess_options: onnxruntime.SessionOptions | None = None, **options: typing.Any
) -> onnxruntime.InferenceSession:
    """Return a session that runs gathers and scatters on Strew, and other nodes on ONNX Runtime's CPU provider.

    Parameters
    ----------
    model : str, os.PathLike, bytes or onnx.ModelProto
        The model or its file.
    sess_options : onnxruntime.SessionOptions, optional
        Options of the session. The function adds the providers to them, so do not use them for another session.
    **options
        Options of the provider: ``operators``, a list of the operators that it may claim; ``threads``, the number of
        tasks per node (default: the session's number of threads); ``fuse``, whether gathers run as one node with
        the scatter or the Concat after them (default: true, except for a session that saves its model).

    Returns
    -------
    onnxruntime.InferenceSession
        A session, used like any other.

    Raises
    ------
    RuntimeError
        If ONNX Runtime is older than 1.24, or the installed package strew has a different version than this package.
    TypeError
        If `sess_options` is not a SessionOptions, or the value of an option has the wrong type.
    ValueError
        If an option is unknown or its value is invalid, or if `sess_options` was already used for a session of Strew.
    """
    register()
    sess_options = onnxruntime.SessionOptions() if sess_options is None else sess_options
    if not isinstance(sess_options, onnxruntime.SessionOptions):
        raise TypeError(f"sess_options is {sess_options!r}; provider options are keywords: session(model, threads=2)")
    if entry(sess_options, OPTION + "threads"):
        raise ValueError("sess_options already has the provider; each session needs its own SessionOptions")
    if "providers" in options:
        raise TypeError("session() chooses the providers itself: Strew's, then ONNX Runtime's CPU provider")
    texts = {name: _text(name, value) for name, value in options.items()}
    if sess_options.optimized_model_filepath:
        texts.setdefault("fuse", "0")  # ONNX Runtime cannot save fused nodes
    texts.setdefault("threads", str(sess_options.intra_op_num_threads))
    texts.setdefault("placement", f"{os.getpid()}.{next(_tokens)}")
    sess_options.add_session_config_entry(RECORD, "1")
    sess_options.add_provider_for_devices(_devices()[:1], texts)
    # ONNX Runtime would add this provider itself, but with a warning.
    sess_options.add_provider("CPUExecutionProvider", {})
    model = model.SerializeToString() if hasattr(model, "SerializeToString") else model
    try:
        return onnxruntime.InferenceSession(model, sess_options, enable_fallback=0)
    except RuntimeError as error:
        # ONNX Runtime puts its own location and error code before the provider's message.
        refusal = str(error).rpartition("INVALID_ARGUMENT : strew: ")[2].strip()
        if refusal == str(error).strip():
            raise
        raise ValueError(f"session: {refusal}") from None


def _devices() -> list[typing.Any]:
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == get_ep_name()]


def _text(name: str, value: typing.Any) -> str:
    if isinstance(value, str):
        return value
    if name == "fuse" and isinstance(value, bool):
        return str(int(value))
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list | tuple | set | frozenset) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    raise TypeError(f"option {name} is {value!r}; it must be an integer, a string or a list of strings")
