"""Named tuples that describe the values, nodes and errors of a model."""

from typing import NamedTuple


class ValueInfo(NamedTuple):
    """Name, type and shape of a value of a model.

    Attributes
    ----------
    name : str
    dtype : str or None
        NumPy's or ml_dtypes' name, such as ``"float32"``; ``"string"`` for strings; None if unknown.
    shape : tuple or None
        Each dimension is an int, the name of a symbol, or None if unknown. The shape is None if the rank is unknown.
    optional : bool
        True for a model input that may be omitted, because an initializer provides its default.
    """

    name: str
    dtype: str | None = None
    shape: tuple[int | str | None, ...] | None = None
    optional: bool = False


class NodeInfo(NamedTuple):
    """One node of a model.

    Attributes
    ----------
    name : str
        The name of the node, or its position if it has no name, such as ``"#3"``.
    op_type, domain : str
    since_version : int
        Opset that introduced the version of the operator that the node uses; 0 for an unknown operator.
    inputs, outputs : tuple of str
        Names of values. The name of an omitted input is empty.
    """

    name: str
    op_type: str
    domain: str
    since_version: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Violation(NamedTuple):
    """One error in a model.

    Attributes
    ----------
    node : str
        The node's name; empty for an error of the model as a whole.
    message : str
        The message, which also names the node.
    """

    node: str
    message: str
