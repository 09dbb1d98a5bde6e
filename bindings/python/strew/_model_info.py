"""What is known of a model's values and nodes, as plain tuples."""

from typing import NamedTuple


class ValueInfo(NamedTuple):
    """What is known of a value of a model.

    Attributes
    ----------
    name : str
    dtype : str or None
        NumPy's or ml_dtypes' name, such as ``"float32"``; ``"string"`` for strings; None where it is not known.
    shape : tuple or None
        A dimension is an int, the name of a symbol, or None where it is not known; None where not even the rank is.
    optional : bool
        True for an input of a model that may be left out, because an initializer is its default.
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
        Its own name, or ``"#3"`` by position where it has none.
    op_type, domain : str
    since_version : int
        Of the operator version that the model's opset chooses; 0 where there is none.
    inputs, outputs : tuple of str
        Names of values; an input that is left out is empty.
    """

    name: str
    op_type: str
    domain: str
    since_version: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Violation(NamedTuple):
    """One thing that is wrong with a model.

    Attributes
    ----------
    node : str
        The node's name; empty for the model as a whole.
    message : str
        It names the node as well.
    """

    node: str
    message: str
