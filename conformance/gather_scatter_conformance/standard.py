"""What the ONNX standard lists of the seven operators: versions, opsets, element types, attributes. No behaviour here."""

import typing

LAST_OPSET = 28

TYPES_15 = (
    "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
    "string", "bool", "complex64", "complex128",
)  # fmt: skip
TYPES_16 = (*TYPES_15, "bfloat16")
TYPES_24 = (
    *TYPES_16, "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "uint4", "int4", "float4_e2m1fn",
    "float8_e8m0fnu",
)  # fmt: skip
EITHER = ("int64", "int32")
INT64 = ("int64",)


class Version(typing.NamedTuple):
    """One operator as one opset introduced it; attributes are names and their kinds."""

    operator: str
    since: int
    opsets: range
    types: tuple
    index_types: tuple
    attributes: dict
    reductions: tuple = ("none",)
    deprecated: bool = False


AXIS = {"axis": int}
REDUCTION = {"reduction": str}
THREE = ("none", "add", "mul")
FIVE = (*THREE, "max", "min")
TO_LAST = LAST_OPSET + 1

VERSIONS = {
    (version.operator, version.since): version
    for version in (
        Version("Gather", 1, range(1, 11), TYPES_15, EITHER, AXIS),
        Version("Gather", 11, range(11, 13), TYPES_15, EITHER, AXIS),
        Version("Gather", 13, range(13, TO_LAST), TYPES_16, EITHER, AXIS),
        Version("GatherElements", 11, range(11, 13), TYPES_15, EITHER, AXIS),
        Version("GatherElements", 13, range(13, TO_LAST), TYPES_16, EITHER, AXIS),
        Version("GatherND", 11, range(11, 12), TYPES_15, INT64, {}),
        Version("GatherND", 12, range(12, 13), TYPES_15, INT64, {"batch_dims": int}),
        Version("GatherND", 13, range(13, TO_LAST), TYPES_16, INT64, {"batch_dims": int}),
        Version("Scatter", 9, range(9, 11), TYPES_15, EITHER, AXIS),
        Version("Scatter", 11, range(11, TO_LAST), TYPES_15, EITHER, AXIS, deprecated=True),
        Version("ScatterElements", 11, range(11, 13), TYPES_15, EITHER, AXIS),
        Version("ScatterElements", 13, range(13, 16), TYPES_16, EITHER, AXIS),
        Version("ScatterElements", 16, range(16, 18), TYPES_16, EITHER, AXIS | REDUCTION, THREE),
        Version("ScatterElements", 18, range(18, TO_LAST), TYPES_16, EITHER, AXIS | REDUCTION, FIVE),
        Version("ScatterND", 11, range(11, 13), TYPES_15, INT64, {}),
        Version("ScatterND", 13, range(13, 16), TYPES_16, INT64, {}),
        Version("ScatterND", 16, range(16, 18), TYPES_16, INT64, REDUCTION, THREE),
        Version("ScatterND", 18, range(18, TO_LAST), TYPES_16, INT64, REDUCTION, FIVE),
        Version("TensorScatter", 24, range(24, TO_LAST), TYPES_24, INT64, AXIS | {"mode": str}),
    )
}
INPUTS = {
    "Gather": ("data", "indices"),
    "GatherElements": ("data", "indices"),
    "GatherND": ("data", "indices"),
    "Scatter": ("data", "indices", "updates"),
    "ScatterElements": ("data", "indices", "updates"),
    "ScatterND": ("data", "indices", "updates"),
    "TensorScatter": ("past_cache", "update", "write_indices"),
}
INDICES = {operator: names[2 if operator == "TensorScatter" else 1] for operator, names in INPUTS.items()}


def versions_of(operator):
    """The versions of an operator that are not deprecated, the oldest first."""
    return [version for (name, _), version in VERSIONS.items() if name == operator and not version.deprecated]
