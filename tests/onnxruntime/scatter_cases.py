"""The numbered cases of Scatter, ScatterElements, ScatterND and TensorScatter."""

import ml_dtypes
import numpy as np
from cases import HIGHEST, arange, case, filled, indices

D = arange(2, 3)
NAN, INF = np.nan, np.inf
ZEROS = filled((3, 3))
THREE = ([[1, 0, 2], [0, 2, 1]], [[1.0, 1.1, 1.2], [2.0, 2.1, 2.2]], [[2.0, 1.1, 0], [1.0, 0, 2.2], [0, 2.1, 1.2]])
FIVE = [[1, 2, 3, 4, 5]]
NANS = ([NAN, 1, 1, NAN], [0, 1, 2, 3], [5, NAN, 5, NAN])
BOOLS = (np.array([False, True, False, True]), [0, 1, 2, 3], np.array([True, True, False, False]))
LAST_OF_1000_IS_BAD = [0] * 999 + [9]
BIG = 2**53


def small(dtype, data, updates, expected):
    """Each update on the element in its place."""
    return np.array(data, dtype), list(range(len(data))), np.array(updates, dtype), np.array(expected, dtype)


def on_first(dtype, data, updates, expected):
    """All updates on the first element."""
    return np.array(data, dtype), [0] * len(updates), np.array(updates, dtype), np.array(expected, dtype)


ELEMENTS = [
    case("SE1", "ScatterElements", ZEROS, *THREE, axis=0),
    case("SE2", "ScatterElements", FIVE, [[1, -3]], [[1.5, 2.5]], [[1, 1.5, 2.5, 4, 5]], axis=1),
    case("SE3", "ScatterElements", [[1, 2]], [[0, 1, 0, 1]], [[10, 20, 30, 40]], [[41, 62]], axis=1, reduction="add"),
    case("SE3", "ScatterElements", [[1, 2]], [[0, 1, 0, 1]], [[10, 20, 30, 40]], [[300, 1600]], axis=1, reduction="mul"),
    case("SE4", "ScatterElements", [[1, 2]], [[0, 0]], [[10, 30]], [[30, 2]], axis=1),
    case("SE5", "ScatterElements", *NANS, [NAN, NAN, 5, NAN], reduction="max"),
    case("SE5", "ScatterElements", *NANS, [NAN, NAN, 1, NAN], reduction="min"),
    case("SE6", "ScatterElements", *small(np.int8, [127, -128], [1, -1], [-128, 127]), reduction="add"),
    case("SE6", "ScatterElements", *small(np.uint16, [65535], [65535], [1]), reduction="mul"),
    case("SE6", "ScatterElements", *small(np.int64, [2**63 - 1], [1], [-(2**63)]), reduction="add"),
    case("SE6", "ScatterElements", *small(np.int32, [65536], [65536], [0]), reduction="mul"),
    *(case("SE7", "ScatterElements", *BOOLS, np.array([1, 1, 0, 1], bool), reduction=r) for r in ("add", "max")),
    *(case("SE7", "ScatterElements", *BOOLS, np.array([0, 1, 0, 0], bool), reduction=r) for r in ("mul", "min")),
    case("SE9", "ScatterElements", D, indices((1, 4)), filled((1, 4)), "scatter_elements: indices", axis=0),
    case("SE10", "ScatterElements", ZEROS, [[0], [2]], [[7], [8]], [[7, 0, 0], [0, 0, 0], [8, 0, 0]], axis=0),
    case("SE11", "ScatterElements", D, indices((0, 3)), filled((0, 3)), D),
    case("SE12", "ScatterElements", D, indices((2, 3)), filled((1, 3)), "scatter_elements: updates"),
    case("SE12", "ScatterElements", D, indices((2, 3)), filled((2, 3, 1)), "scatter_elements: updates"),
    case("SE13", "ScatterElements", *on_first(np.float16, [2048], [1, 1], [2048]), reduction="add"),
    case("SE13", "ScatterElements", *on_first(ml_dtypes.bfloat16, [256], [1, 1], [256]), reduction="add"),
    case(
        "SE14",
        "ScatterElements",
        filled((1, 1, 2, 1, 1), 1, 2),
        np.array([1, 0]).reshape(1, 1, 2, 1, 1),
        filled((1, 1, 2, 1, 1), 3, 4),
        filled((1, 1, 2, 1, 1), 4, 3),
        axis=2,
    ),
    case("SE15", "ScatterElements", *on_first(np.float32, [1e8], [1, -1e8, 1], [1]), reduction="add"),
    case("SE19", "ScatterElements", D, [[0]], [[0]], "scatter_elements: axis 2 is outside [-2, 1]", axis=2),
    case("SE19", "ScatterElements", D, [[0]], [[0]], "scatter_elements: axis -3 is outside [-2, 1]", axis=-3),
    case("SE19", "ScatterElements", D, [[2]], [[0]], "scatter_elements: indices[0, 0] = 2 is outside [-2, 1]"),
    case("SE22", "ScatterElements", FIVE[0], LAST_OF_1000_IS_BAD, [0] * 1000, "scatter_elements: indices[999] = 9"),
    case("SE23", "ScatterElements", [1, 2], [-1, 1], [10, 100], [1, 112], reduction="add"),
    case("SE24", "ScatterElements", filled((2, 0)), indices((1, 0)), filled((1, 0)), filled((2, 0))),
    case("SE25", "ScatterElements", *small(np.float32, [1, INF, -INF], [INF, 1, -INF], [INF, INF, -INF]), reduction="max"),
    case("SE25", "ScatterElements", *small(np.int64, [BIG, BIG], [BIG + 1, BIG - 1], [BIG + 1, BIG]), reduction="max"),
    case("SC1", "Scatter", ZEROS, *THREE, axis=0, opset=9),
    case("SC1", "Scatter", ZEROS, *THREE, axis=0, opset=10),
    case("SC3", "Scatter", FIVE, [[1, -3]], [[1.5, 2.5]], [[1, 1.5, 2.5, 4, 5]], axis=1, opset=9),
]

EIGHT = [1, 2, 3, 4, 5, 6, 7, 8]
X = arange(2, 2, 2)
NAN_PAIRS = ([[NAN, 1], [2, 3]], [[0], [1]], [[1, NAN], [NAN, 4]])
ROWS = (arange(2, 2), [[1], [1]], [[5, 2], [1, 7]])
FOURS = [[[0, 1], [1, 2]], [[2, 3], [3, 0]]], [[1, 2], [3, 4]]

ND = [
    case("SN1", "ScatterND", EIGHT, [[4], [3], [1], [7]], [9, 10, 11, 12], [1, 11, 3, 10, 9, 6, 7, 12]),
    case("SN2", "ScatterND", [1, 2, 3], [1], 5, [1, 5, 3]),
    case("SN3", "ScatterND", D, indices((1, 0)), D[None] + 9, D + 9),
    case("SN4", "ScatterND", [1, 2], indices((2, 0)), [[10, 20], [100, 200]], [111, 222], reduction="add"),
    case("SN5", "ScatterND", D, indices((0,)), D + 9, D + 9),
    case("SN6", "ScatterND", D, indices((0, 2)), filled((0,)), D),
    case("SN7", "ScatterND", X, [[[0, 0]]], [[[100, 101]]], [[[100, 101], [2, 3]], [[4, 5], [6, 7]]]),
    case("SN8", "ScatterND", [[1, 2], [3, 4]], [[0, 0], [1, 1]], [5, 1], [[5, 2], [3, 4]], reduction="max"),
    case("SN8", "ScatterND", [[1, 2], [3, 4]], [[0, 0], [1, 1]], [5, 1], [[1, 2], [3, 1]], reduction="min"),
    case("SN9", "ScatterND", EIGHT[:4], [[-1], [-4]], [9, 8], [8, 2, 3, 9]),
    case("SN10", "ScatterND", EIGHT[:4], [[-1], [3]], [9, 8], [1, 2, 3, 8]),
    case("SN10", "ScatterND", EIGHT[:4], [[-1], [3]], [9, 8], [1, 2, 3, 21], reduction="add"),
    case("SN11", "ScatterND", D, [[1]], [[7]], "scatter_nd: updates"),
    case("SN12", "ScatterND", D, [[1]], filled((2, 3)), "scatter_nd: updates"),
    case("SN13", "ScatterND", X, [[0, 0]], filled((1,)), "scatter_nd: updates"),
    case("SN14", "ScatterND", filled((3, 0)), [[7]], filled((1, 0)), "scatter_nd: indices[0, 0] = 7 is outside [-3, 2]"),
    case("SN15", "ScatterND", filled((0, 2)), [[0]], filled((1, 2)), "scatter_nd: indices[0, 0] = 0, but there is no"),
    case("SN15", "ScatterND", filled((0, 2)), indices((0, 1)), filled((0, 2)), filled((0, 2))),
    case("SN16", "ScatterND", filled((4, 4)), *FOURS, [[0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 3], [4, 0, 0, 0]]),
    case("SN17", "ScatterND", *NAN_PAIRS, [[NAN, NAN], [NAN, 4]], reduction="max"),
    case("SN17", "ScatterND", *NAN_PAIRS, [[NAN, NAN], [NAN, 3]], reduction="min"),
    case("SN18", "ScatterND", D, [[0, 0, 0]], [1], "scatter_nd: indices"),
    case("SN18", "ScatterND", D, 0, [1, 2, 3], "scatter_nd: indices"),
    case("SN18", "ScatterND", 1, [[0]], [1], "scatter_nd: data"),
    case("SN22", "ScatterND", *ROWS, [[0, 1], [8, 12]], reduction="add"),
    case("SN22", "ScatterND", *ROWS, [[0, 1], [10, 42]], reduction="mul"),
    case("SN22", "ScatterND", *ROWS, [[0, 1], [5, 7]], reduction="max"),
    case("SN22", "ScatterND", *ROWS, [[0, 1], [1, 2]], reduction="min"),
    *(
        case("SN23", "ScatterND", BOOLS[0][None], [[0]], BOOLS[2][None], np.array([wanted], bool), reduction=reduction)
        for reduction, wanted in {"add": [1, 1, 0, 1], "max": [1, 1, 0, 1], "mul": [0, 1, 0, 0], "min": [0, 1, 0, 0]}.items()
    ),
    case("SN24", "ScatterND", filled((4, 4)), [[0, 5]], [1], "scatter_nd: indices[0, 1] = 5 is outside [-4, 3] for axis 1"),
]


def cache(number, past, update, at, expected, **attributes):
    return case(number, "TensorScatter", past, at, update, expected, opset=24, **attributes)


FOUR = filled((1, 4, 1))
LENGTH_2 = filled((1, 2, 1), 1, 2)
LENGTH_5 = filled((1, 5, 1), 1, 2, 3, 4, 5)

CACHES = [
    cache("TS1", filled((2, 4, 1)), filled((2, 2, 1), 1, 2, 3, 4), [1, 2], filled((2, 4, 1), 0, 1, 2, 0, 0, 0, 3, 4)),
    cache(
        "TS2",
        filled((5, 4, 1), *[-1] * 20),
        filled((5, 1, 1), 1, 2, 3, 4, 5),
        [0] * 5,
        np.insert(filled((5, 3, 1), *[-1] * 15), 0, filled((5, 1), 1, 2, 3, 4, 5), 1),
        axis=1,
        mode="circular",
    ),
    cache("TS3", FOUR, LENGTH_2, [3], filled((1, 4, 1), 2, 0, 0, 1), mode="circular"),
    cache("TS3", FOUR, LENGTH_2, [HIGHEST], filled((1, 4, 1), 2, 0, 0, 1), mode="circular"),
    cache("TS4", FOUR, LENGTH_2, [3], "tensor_scatter: write_indices"),
    cache("TS5", FOUR, LENGTH_5, [0], "tensor_scatter: update"),
    cache("TS5", FOUR, LENGTH_5, [0], "tensor_scatter: update", mode="circular"),
    cache("TS6", filled((2, 4)), filled((2, 1)), [0, 0], "tensor_scatter: axis"),
    cache("TS7", filled((2, 4)), filled((2, 1), 1, 2), [0, 3], filled((2, 4), 1, 0, 0, 0, 0, 0, 0, 2), axis=1),
    cache("TS8", FOUR, LENGTH_2, [-1], "tensor_scatter: write_indices"),
    cache("TS9", filled((1, 2, 3)), filled((1, 2, 1), 1, 2), [2], filled((1, 2, 3), 0, 0, 1, 0, 0, 2), axis=-1),
    cache("TS10", FOUR, LENGTH_2, [0, 0], "tensor_scatter: write_indices"),
    cache("TS10", FOUR, LENGTH_2, [0], "tensor_scatter: axis", axis=0),
    cache("TS10", FOUR, LENGTH_2, [0], "tensor_scatter: axis", axis=3),
    cache("TS11", FOUR, LENGTH_2, None, filled((1, 4, 1), 1, 2, 0, 0)),
    cache("TS12", FOUR + 7, filled((1, 0, 1)), [2], FOUR + 7),
    cache("TS15", FOUR, filled((1, 2, 3)), [0], "tensor_scatter: update"),
]

CASES = ELEMENTS + ND + CACHES
