"""The table of operators and their versions: ``strew.operators``."""

import functools
import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from . import _strew
from ._names import did_you_mean


class OperatorAttribute(NamedTuple):
    """An attribute of an operator, or a parameter of the operator's function in Strew.

    Attributes
    ----------
    name : str
    type : str
        ``"int"``, ``"string"``, ``"bool"``, or ``"element"`` for one element of the data's type.
    default : int, str, bool or None
        None for an element.
    values : tuple of str
        The legal values of a string; empty for other types.
    doc : str
        Description in one line.
    """

    name: str
    type: str
    default: int | str | bool | None
    values: tuple[str, ...]
    doc: str


class OperatorInput(NamedTuple):
    """An input of an operator.

    Attributes
    ----------
    name : str
    types : tuple of str
        Legal element types: index types for indices, types of the data otherwise.
    optional : bool
    doc : str
        Description in one line.
    """

    name: str
    types: tuple[str, ...]
    optional: bool
    doc: str


class OperatorVersion(NamedTuple):
    """One version of an operator in the ONNX standard. Its ``str`` is the page that ``strew ops`` prints.

    Attributes
    ----------
    op_type : str
        The operator, such as ``"ScatterND"``.
    since_version, last_opset : int
        First and last opsets with this version. For the newest version, the last opset is the newest known one.
    deprecated : bool
    inputs : tuple of OperatorInput
    output, output_shape : str
        Name of the output, and the rule for its shape.
    types : tuple of str
        Element types of the data and the output.
    attributes : tuple of OperatorAttribute
    changes : tuple of str
        Differences from the previous version; empty for the first.
    """

    op_type: str
    since_version: int
    last_opset: int
    deprecated: bool
    inputs: tuple[OperatorInput, ...]
    output: str
    output_shape: str
    types: tuple[str, ...]
    attributes: tuple[OperatorAttribute, ...]
    changes: tuple[str, ...]

    def __str__(self) -> str:
        return _strew._operator_page(self.op_type, self.since_version)


class Operator(NamedTuple):
    """An ONNX operator with all of its versions. Its ``str`` is the page of the newest version.

    Attributes
    ----------
    op_type : str
        ONNX's name, such as ``"ScatterND"``.
    function : str
        The name of Strew's function, such as ``"scatter_nd"``.
    doc : str
        Description in one line.
    versions : tuple of OperatorVersion
        All versions, the oldest first.
    parameters : tuple of OperatorAttribute
        Parameters of `function` besides the operands: the attributes of the newest version, then Strew's extensions.
        Among the values of an attribute, ONNX's come before Strew's.
    """

    op_type: str
    function: str
    doc: str
    versions: tuple[OperatorVersion, ...]
    parameters: tuple[OperatorAttribute, ...]

    def __str__(self) -> str:
        return str(self.versions[-1])

    def version(self, opset: int) -> OperatorVersion:
        """Return the version of the operator in an opset.

        Parameters
        ----------
        opset : int
            The opset of the default domain.

        Returns
        -------
        OperatorVersion

        Raises
        ------
        ValueError
            If the opset does not have the operator, or is newer than the newest known opset.

        Examples
        --------
        >>> import strew
        >>> strew.operators["ScatterND"].version(17).since_version
        16
        """
        known = [one for one in self.versions if one.since_version <= opset <= _strew._NEWEST_OPSET]
        if not known:
            first, newest = self.versions[0].since_version, _strew._NEWEST_OPSET
            raise ValueError(f"{self.op_type} is in opsets {first} to {newest}, not in opset {opset}")
        return known[-1]

    def changes(self, opset: int) -> dict[int, tuple[str, ...]]:
        """Return the changes to the operator after an opset.

        Parameters
        ----------
        opset : int
            The opset of the default domain.

        Returns
        -------
        dict
            Maps the number of each later version to descriptions of its changes.

        Raises
        ------
        ValueError
            If the opset does not have the operator, or is newer than the newest known opset.

        Examples
        --------
        >>> import strew
        >>> strew.operators["ScatterND"].changes(16)
        {18: ('reduction also takes max, min',)}
        """
        used = self.version(opset)
        return {one.since_version: one.changes for one in self.versions if one.since_version > used.since_version}


def _attributes(rows: list[dict]) -> tuple[OperatorAttribute, ...]:
    return tuple(
        OperatorAttribute(one["name"], one["type"], one["default"], tuple(one.get("values", ())), one["doc"]) for one in rows
    )


def _version(row: dict) -> OperatorVersion:
    made = {name: row[name] for name in ("last_opset", "deprecated", "output", "output_shape")}
    inputs = (
        OperatorInput(one["name"], tuple(row["index_types" if one["is_index"] else "types"]), one["optional"], one["doc"])
        for one in row["inputs"]
    )
    return OperatorVersion(
        op_type=row["operator"], since_version=row["version"], inputs=tuple(inputs), types=tuple(row["types"]),
        attributes=_attributes(row["attributes"]), changes=tuple(row["changes"]), **made,
    )


class Operators(Mapping[str, Operator]):
    """The operators, by ONNX's names: the table on which models, functions and the program are based.

    Examples
    --------
    >>> import strew
    >>> list(strew.operators)[:3]
    ['Gather', 'GatherElements', 'GatherND']
    >>> scatter_nd = strew.operators["ScatterND"]
    >>> [one.since_version for one in scatter_nd.versions]
    [11, 13, 16, 18]
    >>> [(one.name, one.values) for one in scatter_nd.versions[-1].attributes]
    [('reduction', ('none', 'add', 'mul', 'max', 'min'))]
    >>> print(scatter_nd)  # the output of strew ops ScatterND  # doctest: +ELLIPSIS
    ScatterND-18, opsets 18 to 28
    ...
    """

    @functools.cached_property
    def _operators(self) -> dict[str, Operator]:
        rows: dict[str, list[dict]] = {}
        for row in json.loads(_strew._operator_table())["operators"]:
            rows.setdefault(row["operator"], []).append(row)
        return {
            op_type: Operator(
                op_type,
                versions[-1]["function"],
                versions[-1]["doc"],
                tuple(map(_version, versions)),
                _attributes(versions[-1]["function_attributes"] + versions[-1]["beyond_onnx"]),
            )
            for op_type, versions in rows.items()
        }

    def __getitem__(self, op_type: str) -> Operator:
        try:
            return self._operators[op_type]
        except KeyError:
            hint = did_you_mean(op_type, self) if isinstance(op_type, str) else ""  # suggests ScatterND for scatter_nd
            raise KeyError(f"{op_type!r} is not one of the operators: {', '.join(self)}{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)

    def __repr__(self) -> str:
        return f"<strew.operators: {', '.join(self)}>"


operators = Operators()
