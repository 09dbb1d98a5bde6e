"""Sessions with Strew's kernels, and where their nodes run."""

import ctypes
import itertools
import os
import threading
import typing

import onnxruntime

from ._library import get_ep_name, get_library_path

_LEAST_VERSION = (1, 24)
_RECORD = "session.record_ep_graph_assignment_info"
_lock = threading.Lock()
_tokens = itertools.count()


class Placement(typing.NamedTuple):
    """One node of a session: what it is, who runs it, and why not Strew where it could have."""

    node: str
    operator: str
    provider: str
    reason: str


def register() -> None:
    """Make ONNX Runtime load the library, once in this process.

    Raises
    ------
    RuntimeError
        If ONNX Runtime is older than 1.24.
    """
    version = tuple(int(part) for part in onnxruntime.__version__.split(".")[:2])
    if version < _LEAST_VERSION:
        raise RuntimeError(f"onnxruntime {onnxruntime.__version__} is too old: 1.24 or newer is needed")
    with _lock:
        if not _devices():
            onnxruntime.register_execution_provider_library(get_ep_name(), get_library_path())


def session(
    model: typing.Any, sess_options: onnxruntime.SessionOptions | None = None, **options: typing.Any
) -> onnxruntime.InferenceSession:
    """A session that runs gathers and scatters on Strew and all else on ONNX Runtime's CPU provider.

    Parameters
    ----------
    model : str, os.PathLike, bytes or onnx.ModelProto
        The model or its file.
    sess_options : onnxruntime.SessionOptions, optional
        Options of the session. The providers are added to it, so it cannot be used again.
    **options
        Options of the provider: ``operators``, a list of the operators that it may take, and ``threads``, into how many
        tasks it cuts the work of a node (default: as many threads as the session has).

    Returns
    -------
    onnxruntime.InferenceSession
        To be used as any other.

    Raises
    ------
    RuntimeError
        If ONNX Runtime is older than 1.24.
    """
    register()
    sess_options = onnxruntime.SessionOptions() if sess_options is None else sess_options
    texts = {name: value if isinstance(value, str) else _text(value) for name, value in options.items()}
    texts.setdefault("threads", str(sess_options.intra_op_num_threads))
    texts.setdefault("placement", f"{os.getpid()}.{next(_tokens)}")
    sess_options.add_session_config_entry(_RECORD, "1")
    sess_options.add_provider_for_devices(_devices()[:1], texts)
    # Named, so that ONNX Runtime does not warn that it had to add it.
    sess_options.add_provider("CPUExecutionProvider", {})
    model = model.SerializeToString() if hasattr(model, "SerializeToString") else model
    made = onnxruntime.InferenceSession(model, sess_options, enable_fallback=0)
    made._strew_placement = texts["placement"]
    return made


def placement(session: onnxruntime.InferenceSession) -> list[Placement]:
    """Where the nodes of a session run.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        A session made by `session`; of any other that recorded its graph assignment the reasons are missing.

    Returns
    -------
    list of Placement
        Every node that is left after ONNX Runtime's simplifications, those in subgraphs too. ``reason`` is empty except
        where an operator of Strew was left to another provider.
    """
    reasons = _reasons(getattr(session, "_strew_placement", ""))
    places = []
    for part in session.get_provider_graph_assignment_info():
        for node in part.get_nodes():
            reason = "" if part.ep_name == get_ep_name() else reasons.get((node.op_type, node.name), "")
            places.append(Placement(node.name, node.op_type, part.ep_name, reason))
    return places


def _devices() -> list[typing.Any]:
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == get_ep_name()]


def _text(value: typing.Any) -> str:
    return str(value) if isinstance(value, int) else ",".join(value)


def _reasons(token: str) -> dict[tuple[str, str], str]:
    tell = ctypes.CDLL(get_library_path()).StrewPlacement
    tell.argtypes, tell.restype = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t], ctypes.c_size_t
    buffer = ctypes.create_string_buffer(tell(token.encode(), None, 0))
    tell(token.encode(), buffer, len(buffer))
    records = buffer.raw.decode().split("\x1e")[:-1]
    fields = (record.split("\x1f") for record in records)
    return {(operator, node): reason for operator, node, reason in fields}
