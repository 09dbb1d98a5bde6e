"""The ONNX standard's list of the seven operators: versions, opsets, element types and attributes.

The list is operators.json, which a test compares with another table of operators.
"""

import importlib.resources
import json
import typing

TABLE = json.loads(importlib.resources.files(__package__).joinpath("operators.json").read_text())
LAST_OPSET = TABLE["newest_opset"]


class Version(typing.NamedTuple):
    """One version of an operator. `attributes` maps names to kinds."""

    operator: str
    since: int
    opsets: range
    types: tuple
    index_types: tuple
    attributes: dict
    reductions: tuple = ("none",)
    deprecated: bool = False


def opsets_of(row):
    """Return the opsets whose models use this version: all before the next version."""
    versions = [one["version"] for one in TABLE["operators"] if one["operator"] == row["operator"]]
    later = [version for version in versions if version > row["version"]]
    return range(row["version"], min(later, default=LAST_OPSET + 1))


def words_of(row, name):
    """Return the legal words of an attribute in a version, or its default if the version lacks it."""
    values = {attribute["name"]: tuple(attribute.get("values", ())) for attribute in row["attributes"]}
    return values.get(name, ("none",) if name == "reduction" else ())


VERSIONS = {
    (row["operator"], row["version"]): Version(
        row["operator"], row["version"], opsets_of(row), tuple(row["types"]),
        tuple(sorted(row["index_types"], reverse=True)),
        {attribute["name"]: {"int": int, "string": str}[attribute["type"]] for attribute in row["attributes"]},
        words_of(row, "reduction"), row["deprecated"],
    )
    for row in TABLE["operators"]
}  # fmt: skip
INPUTS = {row["operator"]: tuple(one["name"] for one in row["inputs"]) for row in TABLE["operators"]}
INDICES = {row["operator"]: one["name"] for row in TABLE["operators"] for one in row["inputs"] if one["is_index"]}
TYPES_16 = VERSIONS["ScatterND", 18].types


def versions_of(operator):
    """Return the versions of an operator that are not deprecated, the oldest first."""
    return [version for (name, _), version in VERSIONS.items() if name == operator and not version.deprecated]
