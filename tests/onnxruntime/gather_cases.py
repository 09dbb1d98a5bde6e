"""The numbered cases of Gather, GatherElements and GatherND."""

import ml_dtypes
import numpy as np
from cases import HIGHEST, LOWEST, arange, case, filled, indices

D = arange(2, 3)
X = arange(2, 2, 2)
NUMBERS = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.float32)
PAIRS = arange(2, 2)

GATHER = [
    case("G1", "Gather", [10, 20, 30], 1, 20),
    case("G2", "Gather", D, [[0, -1], [1, 0]], [[[0, 2], [1, 0]], [[3, 5], [4, 3]]], axis=1),
    case("G3", "Gather", D, [-2, -1], D, axis=0),
    case("G3", "Gather", D, [-2, -1], D, axis=0, opset=1),
    case("G4", "Gather", D, [2], "gather: indices[0] = 2 is outside [-2, 1] for axis 0 of data with shape [2, 3]"),
    case("G4", "Gather", D, [0, -3], "gather: indices[1] = -3 is outside [-2, 1]"),
    case("G5", "Gather", D, [0], "gather: axis 2 is outside [-2, 1]", axis=2),
    case("G5", "Gather", D, [0], "gather: axis -3 is outside [-2, 1]", axis=-3),
    case("G5", "Gather", D, [0], "gather: axis 4294967296 is outside [-2, 1]", axis=1 << 32),
    case("G6", "Gather", D, indices((2, 0)), filled((2, 2, 0)), axis=1),
    case("G7", "Gather", filled((0, 3)), indices((0,)), filled((0, 3))),
    case("G8", "Gather", filled((0, 3)), [0], "gather: indices[0] = 0, but there is no position to choose"),
    case("G9", "Gather", filled((2, 0)), [1, 1, 0], filled((3, 0))),
    case("G9", "Gather", filled((2, 0)), [2], "gather: indices[0] = 2 is outside [-2, 1]"),
    case("G10", "Gather", D, [0, 2], [[0, 2], [3, 5]], axis=-1),
    case("G11", "Gather", D, [LOWEST], "gather: indices[0] = -9223372036854775808 is outside"),
    case("G11", "Gather", D, np.array([-(2**31)], np.int32), "gather: indices[0] = -2147483648 is outside"),
    case("G13", "Gather", filled(()), [0], "gather: data has shape []"),
    case("G15", "Gather", np.array([1, 2], ml_dtypes.bfloat16), [1], np.array([2], ml_dtypes.bfloat16), opset=13),
    case("G17", "Gather", D, [[[1, 0]], [[-1, -2]]], D[[[[1, 0]], [[1, 0]]]]),
]

GATHER_ELEMENTS = [
    case("GE1", "GatherElements", NUMBERS, [[1, 2, 0], [2, 0, 0]], [[4, 8, 3], [7, 2, 3]], axis=0),
    case("GE2", "GatherElements", [[10, 11, 12], [20, 21, 22]], [[2, 0]], [[12, 10]], axis=1),
    case(
        "GE3",
        "GatherElements",
        NUMBERS[:2],
        [[0, 0, 0, -1, 2], [-3, -2, -1, 0, 1]],
        [[1, 1, 1, 3, 3], [4, 5, 6, 4, 5]],
        axis=-1,
    ),
    case("GE4", "GatherElements", D, [[0, 0, 0, 0]], "gather_elements: indices", axis=0),
    case("GE5", "GatherElements", arange(2, 2, 3), indices((2, 0, 3)), filled((2, 0, 3)), axis=1),
    case("GE6", "GatherElements", D, [[0, 5], [0, 0]], "gather_elements: indices[0, 1] = 5 is outside [-3, 2]", axis=1),
    case("GE6", "GatherElements", D, [[0, -4], [0, 0]], "gather_elements: indices[0, 1] = -4 is outside", axis=1),
    case("GE7", "GatherElements", arange(1, 40), [[39, -40, 5]], [[39, 0, 5]], axis=1),
    case("GE8", "GatherElements", D, [0], "gather_elements: indices"),
    case("GE9", "GatherElements", D, indices((5, 0)), filled((5, 0)), axis=1),
    case("GE10", "GatherElements", D, [[LOWEST]], "gather_elements: indices[0, 0] = -9223372036854775808 is outside"),
    case("GE11", "GatherElements", np.array([True, False]), [1, 0, 0], np.array([False, True, True])),
]

GATHER_ND = [
    case("ND1", "GatherND", PAIRS, [[0, 0], [1, 1]], [0, 3]),
    case("ND2", "GatherND", PAIRS, [1, 0], 2),
    case("ND3", "GatherND", PAIRS, [1], [2, 3]),
    case("ND4", "GatherND", X, [[1], [0]], [[2, 3], [4, 5]], batch_dims=1),
    case("ND5", "GatherND", arange(2, 2, 3), [[[2], [0]], [[1], [-1]]], [[2, 3], [7, 11]], batch_dims=2),
    case("ND6", "GatherND", X, indices((3, 2)), "gather_nd: ", batch_dims=1),
    case("ND7", "GatherND", X, indices((2, 0)), "gather_nd: indices"),
    case("ND8", "GatherND", X, [[0]], "gather_nd: batch_dims", batch_dims=-1),
    case("ND9", "GatherND", X, indices((2, 1)), "gather_nd: batch_dims", batch_dims=2),
    case("ND10", "GatherND", filled((0, 4)), indices((0, 3, 1)), filled((0, 3)), batch_dims=1),
    case("ND11", "GatherND", X, indices((0, 2)), filled((0, 2))),
    case("ND12", "GatherND", X, [[0, 0, 0, 0]], "gather_nd: indices"),
    case("ND12", "GatherND", X, indices((2, 3)), "gather_nd: indices", batch_dims=1),
    case("ND13", "GatherND", X, [[-1, -2], [-2, 1]], [[4, 5], [2, 3]]),
    case("ND14", "GatherND", arange(2, 3, 4), [1, 2], [20, 21, 22, 23]),
    case("ND16", "GatherND", X, [[0, 0, 0], [1, 1, 2]], "gather_nd: indices[1, 2] = 2 is outside [-2, 1] for axis 2"),
    case("ND16", "GatherND", X, [[0, HIGHEST]], "gather_nd: indices[0, 1] = 9223372036854775807 is outside"),
]

CASES = GATHER + GATHER_ELEMENTS + GATHER_ND
