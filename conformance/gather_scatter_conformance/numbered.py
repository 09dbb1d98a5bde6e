"""The numbered edge cases: each in every version, element type and index type that allows it. Outputs are literals."""

import numpy as np

from .questions import FLOATS, MOVES, NUMBERS, empty

D = [[0, 1, 2], [3, 4, 5]]
X = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
SQUARE = [[0, 1], [2, 3]]
ZEROS = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
NAN, INF = float("nan"), float("inf")
LOWEST = {"int64": -(2**63), "int32": -(2**31)}
HIGHEST = 2**63 - 1


def gather(ask):
    """Cases G1 to G17 of Gather."""
    ask.legal("scalar-indices", "Gather", "G1", [10, 20, 30], 1, types=MOVES, expect=20)
    ask.legal("output-shape", "Gather", "G2", D, [[0, -1], [1, 0]], types=MOVES, axis=1,
              expect=[[[0, 2], [1, 0]], [[3, 5], [4, 3]]])  # fmt: skip
    ask.legal("negative-index", "Gather", "G3", D, [-2, -1], types=MOVES, axis=0, expect=D)
    ask.refused("index-range", "Gather", "G4_above", D, [2], indices="all", axis=0)
    ask.refused("index-range", "Gather", "G4_below", D, [-3], indices="all", axis=0)
    for name, axis in (("above", 2), ("below", -3), ("beyond_int32", 2**32)):
        ask.refused("axis-range", "Gather", f"G5_{name}", D, [0], axis=axis)
    ask.legal("empty-indices", "Gather", "G6", D, empty(2, 0), types=MOVES, axis=1)
    ask.legal("empty-indices", "Gather", "G7", empty(0, 3), empty(0), types=MOVES, axis=0)
    ask.refused("index-into-nothing", "Gather", "G8", empty(0, 3), [0], indices="all", axis=0)
    ask.legal("empty-data", "Gather", "G9", empty(2, 0), [1, 1, 0], types=MOVES, axis=0)
    ask.refused("index-of-empty-slice", "Gather", "G9_above", empty(2, 0), [2], indices="all", axis=0)
    ask.legal("axis", "Gather", "G10", D, [0, 2], types=MOVES, axis=-1, expect=[[0, 2], [3, 5]])
    for index_type, index in LOWEST.items():
        ask.refused("index-range", "Gather", "G11", [1, 2, 3], [index], indices=index_type)
    words = np.array([b"a", "bé".encode(), b"", b"x\0"], dtype=object)
    ask.legal("bits-kept", "Gather", "G12", words, [3, 1, 1], types=("string",))
    ask.refused("scalar-data", "Gather", "G13", 5, [0])
    for index_type in ("float32", "uint32", "int16"):
        ask.refused("index-type", "Gather", "G14", [1, 2, 3], [0], indices=index_type)
    ask.refused("bfloat16-from-13", "Gather", "G15", [1, 2], [1], dtype="bfloat16", since=(1, 11))
    ask.legal("element-types", "Gather", "G15", [1, 2], [1], types=("bfloat16",))
    for dtype in ("int4", "float8_e4m3fn", "int2"):
        ask.refused("element-type", "Gather", "G16", [1, 0], [1], dtype=dtype)
    ask.legal("output-shape", "Gather", "G17", D, [[[0], [1], [1]], [[1], [0], [0]]], types=MOVES)


def gather_elements(ask):
    """Cases GE1 to GE11 of GatherElements."""
    nine = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    ask.legal("smaller-off-axis", "GatherElements", "GE1", nine, [[1, 2, 0], [2, 0, 0]], types=MOVES, axis=0,
              expect=[[4, 8, 3], [7, 2, 3]])  # fmt: skip
    ask.legal("smaller-off-axis", "GatherElements", "GE2", [[10, 11, 12], [20, 21, 22]], [[2, 0]], types=MOVES, axis=1,
              expect=[[12, 10]])  # fmt: skip
    ask.legal("longer-on-axis", "GatherElements", "GE3", [[1, 2, 3], [4, 5, 6]], [[0, 0, 0, -1, 2], [-3, -2, -1, 0, 1]],
              types=MOVES, axis=-1, expect=[[1, 1, 1, 3, 3], [4, 5, 6, 4, 5]])  # fmt: skip
    ask.refused("off-axis-larger", "GatherElements", "GE4", D, [[0, 0, 0, 0]], axis=0)
    ask.legal("empty-indices", "GatherElements", "GE5", np.arange(12).reshape(2, 2, 3).tolist(), empty(2, 0, 3),
              types=MOVES, axis=1)  # fmt: skip
    ask.refused("index-range", "GatherElements", "GE6_above", [1, 2, 3], [5], indices="all")
    ask.refused("index-range", "GatherElements", "GE6_below", [1, 2, 3], [-4], indices="all")
    ask.legal("equation", "GatherElements", "GE7", [list(range(40))], [[39, -40, 5]], types=MOVES, axis=1,
              expect=[[39, 0, 5]])  # fmt: skip
    ask.refused("rank-equal", "GatherElements", "GE8", D, [0])
    ask.legal("off-axis-empty", "GatherElements", "GE9", D, empty(5, 0), types=MOVES, axis=1)
    for index_type, index in LOWEST.items():
        ask.refused("index-range", "GatherElements", "GE10", [1, 2, 3], [index], indices=index_type)
    ask.legal("equation", "GatherElements", "GE11", [[1, 2], [3, 4]], [[0, 0], [1, 0]],
              types=("bool", "string", "complex64"), axis=1, expect=[[1, 1], [4, 3]])  # fmt: skip


def gather_nd(ask):
    """Cases ND1 to ND17 of GatherND."""
    ask.legal("index-is-a-tuple", "GatherND", "ND1", SQUARE, [[0, 0], [1, 1]], types=MOVES, expect=[0, 3])
    ask.legal("output-shape", "GatherND", "ND2", SQUARE, [1, 0], types=MOVES, expect=2)
    ask.legal("output-shape", "GatherND", "ND3", SQUARE, [1], types=MOVES, expect=[2, 3])
    ask.legal("batch-dims", "GatherND", "ND4", X, [[1], [0]], types=MOVES, batch_dims=1, expect=[[2, 3], [4, 5]])
    twelve = np.arange(12).reshape(2, 2, 3).tolist()
    ask.legal("batch-dims", "GatherND", "ND5", twelve, [[[2], [0]], [[1], [-1]]], types=MOVES, batch_dims=2,
              expect=[[2, 3], [7, 11]])  # fmt: skip
    ask.refused("batch-dims-equal", "GatherND", "ND6", X, [[0, 0], [1, 1], [0, 1]], batch_dims=1)
    ask.refused("batch-dims-equal", "GatherND", "ND6_multiple", X, [[0, 0], [1, 1], [0, 1], [1, 0]], batch_dims=1,
                why="a multiple of the batch of data, which some runtimes broadcast")  # fmt: skip
    ask.refused("batch-dims-equal", "GatherND", "ND6_one", X, [[0, 0]], batch_dims=1)
    ask.refused("empty-tuple-refused", "GatherND", "ND7", SQUARE, empty(2, 0))
    ask.refused("batch-dims-range", "GatherND", "ND8", X, [[1], [0]], batch_dims=-1)
    ask.refused("batch-dims-range", "GatherND", "ND9", X, [[1], [0]], batch_dims=2)
    ask.legal("batch-empty", "GatherND", "ND10", empty(0, 4), empty(0, 3, 1), types=MOVES, batch_dims=1)
    ask.legal("empty-indices", "GatherND", "ND11", X, empty(0, 2), types=MOVES)
    ask.refused("tuple-too-long", "GatherND", "ND12", X, [[0, 0, 0, 0]])
    ask.refused("tuple-too-long", "GatherND", "ND12_batch", X, [[0, 0, 0], [1, 1, 1]], batch_dims=1)
    ask.legal("negative-index", "GatherND", "ND13", X, [[-1, -2], [-2, 1]], types=MOVES, expect=[[4, 5], [2, 3]])
    ask.legal("output-shape", "GatherND", "ND14", np.arange(24).reshape(2, 3, 4).tolist(), [1, 2], types=MOVES,
              expect=[20, 21, 22, 23])  # fmt: skip
    ask.refused("index-type", "GatherND", "ND15", SQUARE, [[0, 0]], indices="int32")
    ask.refused("index-range", "GatherND", "ND16", X, [[0, 1, 1], [1, 0, 2]])
    ask.refused("attribute-unknown", "GatherND", "ND17", X, [[1], [0]], since=11, batch_dims=0)


def scatter_elements(ask):
    """Cases SE1 to SE25 and SC1 to SC4 of Scatter and ScatterElements."""
    indices, updates = [[1, 0, 2], [0, 2, 1]], [[1.0, 1.1, 1.2], [2.0, 2.1, 2.2]]
    filled = [[2.0, 1.1, 0], [1.0, 0, 2.2], [0, 2.1, 1.2]]
    for operator in ("ScatterElements", "Scatter"):
        short = "SE" if operator == "ScatterElements" else "SC"
        ask.legal("equation", operator, "SE1" if short == "SE" else "SC1", ZEROS, indices, updates, types=MOVES, axis=0,
                  expect=filled)  # fmt: skip
        ask.legal("negative-index", operator, "SE2" if short == "SE" else "SC3", [[1, 2, 3, 4, 5]], [[1, -3]],
                  [[1.5, 2.5]], types=MOVES, axis=1, expect=[[1, 1.5, 2.5, 4, 5]])  # fmt: skip
        ask.legal("duplicates-last-wins", operator, "SE4", [[1, 2]], [[0, 0]], [[10, 30]], types=MOVES, axis=1,
                  expect=[[30, 2]])  # fmt: skip
        ask.refused("off-axis-larger", operator, "SE9", D, [[0, 0, 0, 0]], [[1, 1, 1, 1]], axis=0)
        ask.legal("smaller-off-axis", operator, "SE10", ZEROS, [[0], [2]], [[7], [8]], types=MOVES, axis=0,
                  expect=[[7, 0, 0], [0, 0, 0], [8, 0, 0]])  # fmt: skip
        ask.legal("empty-indices", operator, "SE11", D, empty(0, 3), empty(0, 3), types=MOVES, expect=D)
        ask.refused("updates-shape", operator, "SE12", D, [[0, 1, 1]], [[1, 1]])
        ask.refused("updates-shape", operator, "SE12_broadcast", D, [[0, 1, 1]], [[1]])
        ask.refused("updates-shape", operator, "SE12_larger", D, [[0, 1]], [[1, 1, 1]])
        ask.legal("axis", operator, "SE14", [[[[[1]], [[2]]]]], [[[[[1]], [[0]]]]], [[[[[3]], [[4]]]]], types=MOVES,
                  axis=2, expect=[[[[[4]], [[3]]]]])  # fmt: skip
        ask.refused("same-type", operator, "SE18", np.zeros((1, 2), np.float32), [[0]], np.zeros((1, 1), np.float64))
        for name, axis in (("above", 2), ("below", -3), ("beyond_int32", 2**32)):
            ask.refused("axis-range", operator, f"SE19_axis_{name}", D, [[0]], [[1]], axis=axis)
        ask.refused("index-range", operator, "SE19_above", D, [[0, 2, 1]], [[1, 1, 1]], indices="all")
        ask.refused("index-range", operator, "SE19_below", D, [[0, -3, 1]], [[1, 1, 1]], indices="all")
        ask.legal("functional", operator, "SE21", ZEROS, indices, updates, also_data=True)
        ask.refused("refused-whole", operator, "SE22", [0] * 8, [*[1] * 999, 8], [1] * 1000, indices="all")
        ask.legal("empty-data", operator, "SE24", empty(2, 0), empty(1, 0), empty(1, 0), types=MOVES, axis=0)
    ask.refused("bfloat16-from-13", "ScatterElements", "SE20", [[1, 2]], [[0]], [[1]], dtype="bfloat16", since=11)
    ask.refused("bfloat16-from-13", "Scatter", "SE20", [[1, 2]], [[0]], [[1]], dtype="bfloat16", since=9)
    ask.refused("deprecated", "Scatter", "SC2", ZEROS, indices, updates, since=11, opsets=(11, 13, 16, 18, 24))
    ask.refused("attribute-unknown", "Scatter", "SC4", ZEROS, indices, updates, since=9, reduction="add")
    elements_reductions(ask)


def elements_reductions(ask):
    """The cases among SE1 to SE25 with a reduction."""
    name = "ScatterElements"
    row = [[10, 20, 30, 40]]
    ask.legal("longer-on-axis", name, "SE3_none", [[1, 2]], [[0, 1, 0, 1]], row, types=MOVES, axis=1, expect=[[30, 40]])
    ask.legal("duplicates-reduced", name, "SE3_add", [[1, 2]], [[0, 1, 0, 1]], row, types=NUMBERS, axis=1,
              reduction="add", expect=[[41, 62]])  # fmt: skip
    ask.legal("duplicates-reduced", name, "SE3_mul", [[1, 2]], [[0, 1, 0, 1]], row, types=NUMBERS, axis=1,
              reduction="mul", expect=[[300, 1600]])  # fmt: skip
    for reduction, expect in (("max", [NAN, NAN, 5, NAN]), ("min", [NAN, NAN, 1, NAN])):
        ask.legal("nan-in-max-and-min", name, f"SE5_{reduction}", [NAN, 1, 1, NAN], [0, 1, 2, 3], [5, NAN, 5, NAN],
                  types=FLOATS, compare="values", reduction=reduction, expect=expect)  # fmt: skip
    wraps(ask, name, lambda indices: indices)
    for reduction in ("add", "max", "mul", "min"):
        expect = [1, 1, 0, 1] if reduction in ("add", "max") else [0, 1, 0, 0]
        ask.legal("bool-reduction", name, f"SE7_{reduction}", [0, 1, 0, 1], [0, 1, 2, 3], [1, 1, 0, 0], types=("bool",),
                  reduction=reduction, expect=expect)  # fmt: skip
    a, b, x, y, axy = (np.array(word, dtype=object) for word in ([b"a", b"b"], [b"b"], [b"x", b"y"], [b"y", b"b"], [b"axy", b"b"]))
    ask.legal("duplicates-last-wins", name, "SE8_none", a, [0, 0], x, types=("string",), expect=y)
    ask.legal("string-concatenation", name, "SE8_add", a, [0, 0], x, types=("string",), reduction="add", expect=axy)
    for reduction in ("mul", "max", "min"):
        ask.refused("string-only-add", name, f"SE8_{reduction}", a, [0, 0], x, dtype="string", reduction=reduction)
    halves(ask, name, lambda indices: indices)
    folds(ask, name, lambda indices: indices)
    for reduction in ("sum", "ADD", "", "mean", "prod", "update"):
        ask.refused("reduction-name", name, f"SE16_{reduction or 'empty'}", [1, 2], [0], [1], since=(16, 18),
                    reduction=reduction)  # fmt: skip
    for reduction in ("max", "min"):
        ask.refused("reduction-name", name, f"SE17_{reduction}", [1, 2], [0], [1], since=16, reduction=reduction)
    ask.refused("attribute-unknown", name, "SE17", [1, 2], [0], [1], since=(11, 13), reduction="none")
    ask.legal("duplicates-reduced", name, "SE23", [1, 2, 3, 4], [-1, 3], [8, 9], types=NUMBERS, reduction="add",
              expect=[1, 2, 3, 21])  # fmt: skip
    ask.legal("duplicates-aliased", name, "SE23_none", [1, 2, 3, 4], [-1, 3], [9, 8], types=MOVES, expect=[1, 2, 3, 8])
    for reduction, expect in (("max", [INF, 1, 3]), ("min", [1, -INF, -INF])):
        ask.legal("infinities", name, f"SE25_{reduction}", [1, 1, -INF], [0, 1, 2], [INF, -INF, 3], types=FLOATS,
                  reduction=reduction, expect=expect)  # fmt: skip
    large = np.array([2**53 + 1, -(2**53) - 1]), np.array([2**53, -(2**53)])
    ask.legal("reduction", name, "SE25_int64_max", large[1], [0, 1], large[0], types=("int64",), reduction="max")
    ask.legal("reduction", name, "SE25_int64_min", large[1], [0, 1], large[0], types=("int64",), reduction="min")


def wraps(ask, operator, shaped):
    """Case SE6 for one operator; `shaped` converts a list of positions to the operator's indices."""
    for dtype, reduction, data, update, expect in (
        ("int8", "add", [127, -128], [1, -1], [-128, 127]),
        ("uint8", "add", [255, 0], [1, 5], [0, 5]),
        ("uint16", "mul", [65535, 2], [65535, 3], [1, 6]),
        ("int16", "mul", [256, -256], [256, 128], [0, -32768]),
        ("int32", "mul", [65536, 3], [65536, 5], [0, 15]),
        ("int32", "add", [2**31 - 1, 0], [1, 0], [-(2**31), 0]),
        ("uint32", "add", [2**32 - 1, 0], [2, 0], [1, 0]),
        ("int64", "add", [HIGHEST, 0], [1, 0], [-(2**63), 0]),
        ("int64", "mul", [2**32, 1], [2**32, 1], [0, 1]),
        ("uint64", "mul", [2**63, 1], [3, 1], [2**63, 1]),
    ):
        arrays = [np.array(values, dtype) for values in (data, update, expect)]
        ask.legal("integers-wrap", operator, f"SE6_{reduction}", arrays[0], shaped([0, 1]), arrays[1], types=(dtype,),
                  reduction=reduction, expect=arrays[2])  # fmt: skip


def halves(ask, operator, shaped):
    """Case SE13: a sum that would be larger in float32."""
    for dtype, start in (("float16", 2048), ("bfloat16", 256)):
        ask.legal("rounded-each-step", operator, "SE13", [start], shaped([0, 0]), [1, 1], types=(dtype,),
                  reduction="add", expect=[start])  # fmt: skip
    for dtype, start, factor in (("float16", 1.0009765625, 1.0009765625), ("bfloat16", 1.0078125, 1.0078125)):
        ask.legal("rounded-each-step", operator, "SE13_mul", [start], shaped([0] * 6), [factor] * 6, types=(dtype,),
                  reduction="mul")  # fmt: skip


def folds(ask, operator, shaped):
    """Case SE15: sums that depend on their order."""
    ask.legal("left-fold", operator, "SE15", [1e8], shaped([0, 0, 0]), [1, -1e8, 1], types=("float32",),
              reduction="add", expect=[1.0])  # fmt: skip
    ask.legal("left-fold", operator, "SE15_double", [1e17], shaped([0, 0, 0]), [1, -1e17, 1], types=("float64",),
              reduction="add", expect=[1.0])  # fmt: skip
    ask.legal("left-fold", operator, "SE15_mul", [1e30], shaped([0, 0, 0]), [1e-30, 1e30, 1e-20], types=("float32",),
              reduction="mul")  # fmt: skip
    ask.legal("left-fold", operator, "SE15_starts_with_data", [1.0], shaped([0, 0]), [1e8, -1e8], types=("float32",),
              reduction="add", expect=[0.0])  # fmt: skip


def scatter_nd(ask):
    """Cases SN1 to SN24 of ScatterND."""
    name = "ScatterND"
    ask.legal("index-is-a-tuple", name, "SN1", [1, 2, 3, 4, 5, 6, 7, 8], [[4], [3], [1], [7]], [9, 10, 11, 12],
              types=MOVES, expect=[1, 11, 3, 10, 9, 6, 7, 12])  # fmt: skip
    ask.legal("slice-updates", name, "SN2", [1, 2, 3], [1], 5, types=MOVES, expect=[1, 5, 3])
    ask.legal("empty-tuple", name, "SN3", D, empty(1, 0), [[[9, 8, 7], [6, 5, 4]]], types=MOVES,
              expect=[[9, 8, 7], [6, 5, 4]])  # fmt: skip
    ask.legal("empty-tuple", name, "SN4", [1, 2], empty(2, 0), [[10, 20], [100, 200]], types=NUMBERS, reduction="add",
              expect=[111, 222])  # fmt: skip
    ask.legal("empty-tuple", name, "SN5", D, empty(0), [[9, 8, 7], [6, 5, 4]], types=MOVES,
              expect=[[9, 8, 7], [6, 5, 4]])  # fmt: skip
    ask.legal("empty-indices", name, "SN6", D, empty(0, 2), empty(0), types=MOVES, expect=D)
    ask.legal("slice-updates", name, "SN7", X, [[[0, 0]]], [[[100, 101]]], types=MOVES,
              expect=[[[100, 101], [2, 3]], [[4, 5], [6, 7]]])  # fmt: skip
    for reduction, expect in (("max", [[5, 2], [3, 4]]), ("min", [[1, 2], [3, 1]])):
        ask.legal("reduction", name, f"SN8_{reduction}", [[1, 2], [3, 4]], [[0, 0], [1, 1]], [5, 1], types=NUMBERS,
                  reduction=reduction, expect=expect)  # fmt: skip
    ask.legal("negative-index", name, "SN9", [1, 2, 3, 4], [[-1], [-4]], [9, 8], types=MOVES, expect=[8, 2, 3, 9])
    ask.legal("duplicates-aliased", name, "SN10_none", [1, 2, 3, 4], [[-1], [3]], [9, 8], types=MOVES,
              expect=[1, 2, 3, 8])  # fmt: skip
    ask.legal("duplicates-reduced", name, "SN10_add", [1, 2, 3, 4], [[-1], [3]], [9, 8], types=NUMBERS, reduction="add",
              expect=[1, 2, 3, 21])  # fmt: skip
    ask.refused("updates-shape", name, "SN11", D, [[1]], [[7]], why="a shape that NumPy would broadcast")
    ask.refused("updates-shape", name, "SN12", [1, 2, 3, 4], [[1], [2]], [7, 8, 9], why="more updates than tuples")
    ask.refused("updates-shape", name, "SN12_fewer", [1, 2, 3, 4], [[1], [2]], [7])
    ask.refused("updates-shape", name, "SN13", X, [[1]], [[7, 8]],
                why="data.shape[k:r-1], as the pages said until 2026")  # fmt: skip
    ask.refused("index-of-empty-slice", name, "SN14", empty(3, 0), [[7]], empty(1, 0))
    ask.refused("index-into-nothing", name, "SN15", empty(0, 2), [[0]], [[1, 2]])
    ask.legal("empty-data", name, "SN15_no_tuples", empty(0, 2), empty(0, 1), empty(0, 2), types=MOVES)
    ask.legal("index-is-a-tuple", name, "SN16", [[0] * 4] * 4, [[[0, 1], [1, 2]], [[2, 3], [3, 0]]], [[1, 2], [3, 4]],
              types=MOVES, expect=[[0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 3], [4, 0, 0, 0]])  # fmt: skip
    for reduction, expect in (("max", [NAN, NAN, 5, NAN]), ("min", [NAN, NAN, 1, NAN])):
        ask.legal("nan-in-max-and-min", name, f"SN17_{reduction}", [NAN, 1, 1, NAN], [[0], [1], [2], [3]],
                  [5, NAN, 5, NAN], types=FLOATS, compare="values", reduction=reduction, expect=expect)  # fmt: skip
    ask.refused("tuple-too-long", name, "SN18", SQUARE, [[0, 0, 0]], [1])
    ask.refused("scalar-indices-refused", name, "SN18_indices", [1, 2], 0, 1)
    ask.refused("scalar-data", name, "SN18_data", 1, empty(1, 0), [1])
    complexes(ask, name, lambda indices: [[i] for i in indices], "SN19", "SN20")
    ask.refused("index-type", name, "SN21", [1, 2], [[0]], [1], indices="int32")
    rows = [[1, 2, 3], [4, 5, 6], [2, 2, 2]]
    for reduction, expect in (("add", [[1, 2, 3], [10, 12, 14]]), ("mul", [[1, 2, 3], [8, 20, 36]]),
                              ("max", [[1, 2, 3], [4, 5, 6]]), ("min", [[1, 2, 3], [1, 2, 2]])):  # fmt: skip
        ask.legal("duplicates-reduced", name, f"SN22_{reduction}", [[1, 2, 3], [3, 3, 3]], [[1], [1], [-1]],
                  [[1, 2, 3], [4, 5, 6], [2, 2, 2]] if reduction != "mul" else [[1, 2, 3], [2, 2, 2], [1, 1, 1]],
                  types=NUMBERS, reduction=reduction,
                  expect=expect if reduction != "mul" else [[1, 2, 3], [6, 12, 18]])  # fmt: skip
    ask.legal("duplicates-last-wins", name, "SN22_none", [[1, 2, 3], [3, 3, 3]], [[1], [1], [-1]], rows, types=MOVES,
              expect=[[1, 2, 3], [2, 2, 2]])  # fmt: skip
    ask.legal("slice-updates", name, "SN23_strings", D, [[1]], [[7, 8, 9]], types=("string",),
              expect=[[0, 1, 2], [7, 8, 9]])  # fmt: skip
    for reduction in ("add", "mul", "max", "min"):
        expect = [1, 1, 0, 1] if reduction in ("add", "max") else [0, 1, 0, 0]
        ask.legal("bool-reduction", name, f"SN23_{reduction}", [[0, 1, 0, 1]], [[0]], [[1, 1, 0, 0]], types=("bool",),
                  reduction=reduction, expect=[expect])  # fmt: skip
    ask.refused("index-range", name, "SN24", [[0] * 4] * 4, [[0, 5]], [1], why="the flat offset is inside data")
    ask.refused("index-range", name, "SN24_negative", [[0] * 4] * 4, [[1, -5]], [1],
                why="the flat offset is inside data")  # fmt: skip
    ask.refused("refused-whole", name, "SE22", [0] * 8, [*[[1]] * 999, [8]], [1] * 1000)
    ask.legal("functional", name, "SE21", D, [[1]], [[7, 8, 9]], also_data=True)
    wraps(ask, name, lambda indices: [[i] for i in indices])
    halves(ask, name, lambda indices: [[i] for i in indices])
    folds(ask, name, lambda indices: [[i] for i in indices])


def complexes(ask, operator, shaped, number, refused_number):
    """Cases SN19 and SN20 for one operator."""
    for dtype in ("complex64", "complex128"):
        ask.legal("complex-reduction", operator, f"{number}_mul", np.array([1 + 1j], dtype), shaped([0, 0]),
                  np.array([2, 1j], dtype), types=(dtype,), reduction="mul",
                  expect=np.array([-2 + 2j], dtype))  # fmt: skip
        ask.legal("complex-reduction", operator, f"{number}_add", np.array([1 + 1j, 3], dtype), shaped([0, 0]),
                  np.array([2, 1j], dtype), types=(dtype,), reduction="add",
                  expect=np.array([3 + 2j, 3], dtype))  # fmt: skip
        for reduction in ("max", "min"):
            ask.refused("complex-no-order", operator, f"{refused_number}_{reduction}", [1], shaped([0]), [2],
                        dtype=dtype, reduction=reduction)  # fmt: skip


def tensor_scatter(ask):
    """Cases TS1 to TS15 of TensorScatter."""
    name = "TensorScatter"
    two = [[[0], [0], [0], [0]], [[0], [0], [0], [0]]]
    ask.legal("equation", name, "TS1", two, [[[1], [2]], [[3], [4]]], [1, 2], types=MOVES,
              expect=[[[0], [1], [2], [0]], [[0], [0], [3], [4]]])  # fmt: skip
    cache = [[[-1]] * 4] * 5
    ask.legal("circular", name, "TS2", cache, [[[1]], [[2]], [[3]], [[4]], [[5]]], [0] * 5,
              types=("float32", "int8", "float16"), axis=1, mode="circular",
              expect=[[[n], [-1], [-1], [-1]] for n in range(1, 6)])  # fmt: skip
    one = [[[0], [0], [0], [0]]]
    for label, start in (("TS3", 3), ("TS3_highest", HIGHEST)):
        ask.legal("circular", name, label, one, [[[1], [2]]], [start], types=MOVES, mode="circular",
                  expect=[[[2], [0], [0], [1]]])  # fmt: skip
    ask.refused("linear-bound", name, "TS4", one, [[[1], [2]]], [3])
    ask.refused("linear-bound", name, "TS4_highest", one, [[[1], [2]]], [HIGHEST])
    for mode in ("linear", "circular"):
        ask.refused("update-too-long", name, f"TS5_{mode}", one, [[[1]] * 5], [0], mode=mode)
        ask.refused("write-index-negative", name, f"TS8_{mode}", one, [[[1], [2]]], [-1], mode=mode)
    ask.refused("cache-axis", name, "TS6", [[0] * 4] * 2, [[1], [2]], [0, 0])
    ask.legal("axis", name, "TS7", [[0] * 4] * 2, [[1], [2]], [0, 3], types=MOVES, axis=1,
              expect=[[1, 0, 0, 0], [0, 0, 0, 2]])  # fmt: skip
    ask.legal("axis", name, "TS9", [[[0] * 3] * 2], [[[1], [2]]], [2], types=MOVES, axis=-1,
              expect=[[[0, 0, 1], [0, 0, 2]]])  # fmt: skip
    ask.refused("mode-name", name, "TS10", one, [[[1], [2]]], [0], mode="foo")
    ask.refused("write-indices-shape", name, "TS10_shape", one, [[[1], [2]]], [0, 0])
    ask.refused("write-indices-shape", name, "TS10_rank", one, [[[1], [2]]], [[0]])
    ask.refused("index-type", name, "TS10", one, [[[1], [2]]], [0], indices="int32")
    ask.refused("cache-axis", name, "TS10_axis_0", one, [[[1], [2], [3], [4]]], [0], axis=0)
    ask.refused("cache-axis", name, "TS10_axis_minus_3", one, [[[1], [2], [3], [4]]], [0], axis=-3)
    ask.refused("axis-range", name, "TS10_axis_3", one, [[[1], [2]]], [0], axis=3)
    ask.legal("write-indices-default", name, "TS11", one, [[[1], [2]]], None, types=MOVES,
              expect=[[[1], [2], [0], [0]]])  # fmt: skip
    ask.legal("write-indices-default", name, "TS11_empty_name", one, [[[1], [2]]], None, empty_name=True,
              expect=[[[1], [2], [0], [0]]])  # fmt: skip
    ask.legal("empty-indices", name, "TS12", one, empty(1, 0, 1), [2], types=MOVES, expect=one)
    for dtype in ("int2", "uint2"):
        ask.refused("element-type", name, "TS13", one, [[[1], [1]]], [0], dtype=dtype)
    nibbles = [[[1, 2, 3], [4, 5, 6], [7, 1, 2]]]
    ask.legal("bits-kept", name, "TS14", nibbles, [[[3, 2, 1]]], [1], types=("int4", "uint4", "float4_e2m1fn"),
              expect=[[[1, 2, 3], [3, 2, 1], [7, 1, 2]]])  # fmt: skip
    ask.refused("update-dimensions", name, "TS15", [[[0, 0], [0, 0]]], [[[1]]], [0])
    ask.refused("update-dimensions", name, "TS15_batch", two, [[[1]]], [0, 0])
    ask.refused("rank-equal", name, "TS15_rank", one, [[1]], [0])
    ask.legal("functional", name, "SE21", one, [[[1], [2]]], [1], also_data=True)


def ask_all(ask):
    for ask_some in (gather, gather_elements, gather_nd, scatter_elements, scatter_nd, tensor_scatter):
        ask_some(ask)
    complexes(ask, "ScatterElements", lambda indices: indices, "SN19", "SN20")
