"""The provider of each node of a session, and the reasons why nodes do not run on Strew."""

import collections
import ctypes
import dataclasses
import typing

import onnxruntime

from ._library import get_ep_name, get_library_path

RECORD = "session.record_ep_graph_assignment_info"
OPTION = "ep.strewexecutionprovider."


class Placement(typing.NamedTuple):
    """One node of a session: its operator, its provider, and the reason why Strew does not run it or does not fuse it.

    ``fused`` is the name of the scatter or Concat with which the node is fused; empty if it is not fused.
    """

    node: str
    operator: str
    provider: str
    reason: str
    fused: str = ""


class Count(typing.NamedTuple):
    """The number of nodes that have the same operator, provider and reason; see `Placement`.

    ``fused`` is true if these nodes are fused with others.
    """

    operator: str
    provider: str
    reason: str
    nodes: int
    fused: bool = False


@dataclasses.dataclass(frozen=True)
class Summary:
    """Counts of the nodes that Strew runs and of all other nodes. The text form has one line per count.

    Attributes
    ----------
    counts : list of Count
        Counts for Strew's operators, Expand, Slice and the operators fused with them. Nodes that Strew runs come
        first, and larger counts come before smaller ones.
    others : int
        The number of nodes of all other operators.
    """

    counts: list[Count]
    others: int

    def __str__(self) -> str:
        lines = []
        for count in self.counts:
            where = "taken, fused" if count.fused else "taken"
            if count.reason:
                where = "taken, not fused" if count.provider == get_ep_name() else f"left to {count.provider}"
            lines.append(f"{count.nodes:6} {count.operator:15} {where}" + (f": {count.reason}" if count.reason else ""))
        return "\n".join([*lines, f"{self.others:6} of other operators"])


def placement(session: onnxruntime.InferenceSession) -> list[Placement]:
    """Return the provider of each node of a session, with reasons.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        A session made by the function `session`. In any other session, the configuration entry
        ``session.record_ep_graph_assignment_info`` must be "1". To report reasons, the provider's option ``placement``
        must be a string that no other session uses.

    Returns
    -------
    list of Placement
        Every node that remains after ONNX Runtime's simplifications, including nodes in subgraphs. ``reason`` says why a
        node of Strew's operators, an Expand or a Slice was left to another provider, and why Strew does not fuse a
        Gather, a GatherND or a scatter (except TensorScatter) that it runs; for other nodes it is empty. Nodes of one
        operator cannot be distinguished if they have the same name, or no name: each gets the reasons for all of them.

    Raises
    ------
    TypeError
        If `session` is not an InferenceSession.
    RuntimeError
        If the session did not record where its nodes run. Sessions of models in ORT format never record it.
    """
    _check_session("placement", session)
    entries = session.get_session_options()
    if entry(entries, RECORD) != "1":
        raise RuntimeError(f"the session did not record where nodes run: use session(), or set {RECORD!r} to '1' in its options")
    parts = session.get_provider_graph_assignment_info()
    token = entry(entries, OPTION + "placement")
    node_count, reasons = _record(token)
    if not parts and (node_count > 0 or not token):
        raise RuntimeError(
            "ONNX Runtime recorded no node of the session, as with every model in ORT format (.ort): "
            "load the .onnx file instead, or set enable_profiling and read each node's provider in the profile"
        )
    places = []
    for part in parts:
        nodes = part.get_nodes()
        fused = _last(nodes) if part.ep_name == get_ep_name() and len(nodes) > 1 else ""
        for node in nodes:
            left, apart = reasons.get((node.op_type, node.name), ("", ""))
            reason = left if part.ep_name != get_ep_name() else "" if fused else apart
            places.append(Placement(node.name, node.op_type, part.ep_name, reason, fused))
    return places


def summary(session: onnxruntime.InferenceSession) -> Summary:
    """Count the nodes that Strew runs or leaves to other providers, by operator, with reasons.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        A session as for `placement`; the option ``placement`` is required.

    Returns
    -------
    Summary
        The counts, to print or to read from ``counts`` and ``others``.

    Raises
    ------
    TypeError, RuntimeError
        As for `placement`, or if the session recorded no reasons.
    """
    _check_session("summary", session)
    places = placement(session)
    token = entry(session.get_session_options(), OPTION + "placement")
    if not token or get_ep_name() not in session.get_providers():
        raise RuntimeError("the session recorded no reasons: use session(), or set the provider's option 'placement'")
    counter: collections.Counter[tuple[str, str, str, bool]] = collections.Counter()
    others = 0
    for place in places:
        if place.provider == get_ep_name() or place.reason:
            counter[place.operator, place.provider, place.reason, bool(place.fused)] += 1
        else:
            others += 1
    counts = [Count(*key, nodes, fused) for (*key, fused), nodes in counter.items()]
    return Summary(sorted(counts, key=lambda c: (c.provider != get_ep_name(), -c.nodes, c.operator, c.reason)), others)


def _check_session(function: str, given: typing.Any) -> None:
    if not isinstance(given, onnxruntime.InferenceSession):
        kind = type(given).__name__
        raise TypeError(f"{function}: session is of type {kind}; it must be an onnxruntime.InferenceSession, as session() returns")


def entry(options: onnxruntime.SessionOptions, key: str) -> str:
    """Return an entry of a session's configuration, or "" if there is none."""
    try:
        return str(options.get_session_config_entry(key))
    except RuntimeError:
        return ""


def _last(nodes: list[typing.Any]) -> str:
    """Return the name of the scatter or Concat among fused nodes, or the operator of this node if it has no name."""
    last = next(node for node in nodes if "Scatter" in node.op_type or node.op_type == "Concat")
    return str(last.name or last.op_type)


def _record(token: str) -> tuple[int, dict[tuple[str, str], tuple[str, str]]]:
    """Return the number of nodes examined in the session whose option ``placement`` is `token`, and their reasons.

    Each pair of operator and node name has two reasons: why Strew does not run the node, and why it is not fused.
    """
    tell = ctypes.CDLL(get_library_path()).StrewPlacement
    tell.argtypes, tell.restype = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t], ctypes.c_size_t
    buffer = ctypes.create_string_buffer(tell(token.encode(), None, 0))
    tell(token.encode(), buffer, len(buffer))
    node_count, *records = buffer.raw.decode().split("\x1e")[:-1] or ["0"]
    reasons: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
    for operator, node, *texts in (record.split("\x1f") for record in records):
        for known, text in zip(reasons.setdefault((operator, node), (set(), set())), texts, strict=True):
            known.update([text] if text else [])
    return int(node_count), {key: (_joined(left), _joined(apart)) for key, (left, apart) in reasons.items()}


def _joined(reasons: set[str]) -> str:
    return "; or ".join(sorted(reasons))
