"""Sessions with Strew's kernels, and where their nodes run."""

import ctypes
import itertools
import numbers
import os
import threading
import typing

import onnxruntime

from ._library import get_ep_name, get_library_path

_LEAST_VERSION = (1, 24)
_RECORD = "session.record_ep_graph_assignment_info"
_OPTION = "ep.strewexecutionprovider."
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
    ValueError
        If the options were used for a session of Strew's before.
    """
    register()
    sess_options = onnxruntime.SessionOptions() if sess_options is None else sess_options
    if _entry(sess_options, _OPTION + "threads"):
        raise ValueError("sess_options already has the provider; every session needs SessionOptions of its own")
    if "providers" in options:
        raise TypeError("session() chooses the providers itself: Strew's, and ONNX Runtime's CPU provider behind it")
    texts = {name: _text(name, value) for name, value in options.items()}
    texts.setdefault("threads", str(sess_options.intra_op_num_threads))
    texts.setdefault("placement", f"{os.getpid()}.{next(_tokens)}")
    sess_options.add_session_config_entry(_RECORD, "1")
    sess_options.add_provider_for_devices(_devices()[:1], texts)
    # Named, so that ONNX Runtime does not warn that it had to add it.
    sess_options.add_provider("CPUExecutionProvider", {})
    model = model.SerializeToString() if hasattr(model, "SerializeToString") else model
    return onnxruntime.InferenceSession(model, sess_options, enable_fallback=0)


def placement(session: onnxruntime.InferenceSession) -> list[Placement]:
    """Where the nodes of a session run.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        A session made by `session`; any other needs the entries ``session.record_ep_graph_assignment_info``, "1", in its
        configuration and, for the reasons, ``placement`` among the provider's options: a text that no other session has.

    Returns
    -------
    list of Placement
        Every node that is left after ONNX Runtime's simplifications, those in subgraphs too. ``reason`` is empty except
        where an operator of Strew was left to another provider. Nodes of one operator that have the same name, or none,
        cannot be told apart: each has the reasons of all of them.

    Raises
    ------
    RuntimeError
        If the session did not record where its nodes run.
    """
    entries = session.get_session_options()
    if _entry(entries, _RECORD) != "1":
        raise RuntimeError(f"the session did not record where nodes run: use session(), or set {_RECORD!r} to '1' in its options")
    reasons = _reasons(_entry(entries, _OPTION + "placement"))
    places = []
    for part in session.get_provider_graph_assignment_info():
        for node in part.get_nodes():
            reason = "" if part.ep_name == get_ep_name() else reasons.get((node.op_type, node.name), "")
            places.append(Placement(node.name, node.op_type, part.ep_name, reason))
    return places


def _devices() -> list[typing.Any]:
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == get_ep_name()]


def _entry(options: onnxruntime.SessionOptions, key: str) -> str:
    try:
        return str(options.get_session_config_entry(key))
    except RuntimeError:  # there is none
        return ""


def _text(name: str, value: typing.Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list | tuple | set | frozenset) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    raise TypeError(f"option {name} is {value!r}; a number, a text or a list of texts is wanted")


def _reasons(token: str) -> dict[tuple[str, str], str]:
    tell = ctypes.CDLL(get_library_path()).StrewPlacement
    tell.argtypes, tell.restype = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t], ctypes.c_size_t
    buffer = ctypes.create_string_buffer(tell(token.encode(), None, 0))
    tell(token.encode(), buffer, len(buffer))
    records = buffer.raw.decode().split("\x1e")[:-1]
    fields = (record.split("\x1f") for record in records)
    reasons: dict[tuple[str, str], list[str]] = {}
    for operator, node, reason in fields:
        known = reasons.setdefault((operator, node), [])
        if reason and reason not in known:
            known.append(reason)
    return {key: "; or ".join(sorted(known)) for key, known in reasons.items()}
