"""The examples of the operators' pages. Outputs are literals taken from the pages; no implementation computes them."""

from .questions import MOVES, NUMBERS

# GatherND: name, versions, type stated by the page, batch_dims, data, indices, output.
SQUARE = [[0, 1], [2, 3]]
CUBE = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
GATHER_ND = [
    ("example_1", [11, 12, 13], None, 0, SQUARE, [[0, 0], [1, 1]], [0, 3]),
    ("example_2", [11, 12, 13], None, 0, SQUARE, [[1], [0]], [[2, 3], [0, 1]]),
    ("example_3", [11, 12, 13], None, 0, CUBE, [[0, 1], [1, 0]], [[2, 3], [4, 5]]),
    ("example_4", [11, 12, 13], None, 0, CUBE, [[[0, 1]], [[1, 0]]], [[[2, 3]], [[4, 5]]]),
    ("example_5", [12, 13], None, 1, CUBE, [[1], [0]], [[2, 3], [4, 5]]),
    ("int32", [11, 12, 13], "int32", 0, SQUARE, [[0, 0], [1, 1]], [0, 3]),
    ("float32", [11, 12, 13], "float32", 0, CUBE, [[[0, 1]], [[1, 0]]], [[[2, 3]], [[4, 5]]]),
    ("int32_batchdim_1", [12, 13], "int32", 1, CUBE, [[1], [0]], [[2, 3], [4, 5]]),
]

# Scatter: name, axis (None: not given), data, indices, updates, output.
ROW = [[1.0, 2.0, 3.0, 4.0, 5.0]]
SCATTERED_ROW = [[1.0, 1.1, 3.0, 2.1, 5.0]]
ZEROS = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
TWO_ROWS = [[1.0, 1.1, 1.2], [2.0, 2.1, 2.2]]
FILLED = [[2.0, 1.1, 0.0], [1.0, 0.0, 2.2], [0.0, 2.1, 1.2]]
SCATTER = [
    ("example_1", None, ZEROS, [[1, 0, 2], [0, 2, 1]], TWO_ROWS, FILLED),
    ("example_2", 1, ROW, [[1, 3]], [[1.1, 2.1]], SCATTERED_ROW),
    ("scatter_without_axis", None, ZEROS, [[1, 0, 2], [0, 2, 1]], TWO_ROWS, FILLED),
    ("scatter_with_axis", 1, ROW, [[1, 3]], [[1.1, 2.1]], SCATTERED_ROW),
]

# ScatterND: name, versions, reduction (None: not given), data, indices, updates, output.
# For the four reductions, comments on the page show LOW as block 2 of the output. But the indices [[0], [0]] do not
# address block 2, and the outputs that the ONNX project publishes leave it unchanged.
UP = [[1, 2, 3, 4], [5, 6, 7, 8], [8, 7, 6, 5], [4, 3, 2, 1]]
DOWN = [[8, 7, 6, 5], [4, 3, 2, 1], [1, 2, 3, 4], [5, 6, 7, 8]]
HIGH = [[5, 5, 5, 5], [6, 6, 6, 6], [7, 7, 7, 7], [8, 8, 8, 8]]
LOW = [[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 4, 4, 4]]
BLOCKS = [UP, UP, DOWN, DOWN]
ADDED = [[7, 8, 9, 10], [13, 14, 15, 16], [18, 17, 16, 15], [16, 15, 14, 13]]
MULTIPLIED = [[5, 10, 15, 20], [60, 72, 84, 96], [168, 147, 126, 105], [128, 96, 64, 32]]
MAXIMA = [[5, 5, 5, 5], [6, 6, 7, 8], [8, 7, 7, 7], [8, 8, 8, 8]]
MINIMA = [[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 3, 2, 1]]
LINE = [1, 2, 3, 4, 5, 6, 7, 8]
ALL = [11, 13, 16, 18]
SCATTER_ND = [
    ("example_1", ALL, None, LINE, [[4], [3], [1], [7]], [9, 10, 11, 12], [1, 11, 3, 10, 9, 6, 7, 12]),
    ("example_2", ALL, None, BLOCKS, [[0], [2]], [HIGH, LOW], [HIGH, UP, LOW, DOWN]),
    ("scatternd", ALL, None, BLOCKS, [[0], [2]], [HIGH, LOW], [HIGH, UP, LOW, DOWN]),
    ("scatternd_add", [16, 18], "add", BLOCKS, [[0], [0]], [HIGH, LOW], [ADDED, UP, DOWN, DOWN]),
    ("scatternd_multiply", [16, 18], "mul", BLOCKS, [[0], [0]], [HIGH, LOW], [MULTIPLIED, UP, DOWN, DOWN]),
    ("scatternd_max", [18], "max", BLOCKS, [[0], [0]], [HIGH, LOW], [MAXIMA, UP, DOWN, DOWN]),
    ("scatternd_min", [18], "min", BLOCKS, [[0], [0]], [HIGH, LOW], [MINIMA, UP, DOWN, DOWN]),
]

# Gather, GatherElements: name, axis (None: not given), data, indices, output. ScatterElements has the examples of Scatter.
THREE_PAIRS = [[1.0, 1.2], [2.3, 3.4], [4.5, 5.7]]
GATHER = [
    ("example_1", None, THREE_PAIRS, [[0, 1], [1, 2]], [[[1.0, 1.2], [2.3, 3.4]], [[2.3, 3.4], [4.5, 5.7]]]),
    ("example_2", 1, [[1.0, 1.2, 1.9], [2.3, 3.4, 3.9], [4.5, 5.7, 5.9]], [[0, 2]],
     [[[1.0, 1.9]], [[2.3, 3.9]], [[4.5, 5.9]]]),
]  # fmt: skip
GATHER_ELEMENTS = [
    ("example_1", 1, [[1, 2], [3, 4]], [[0, 0], [1, 0]], [[1, 1], [4, 3]]),
    ("example_2", 0, [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[1, 2, 0], [2, 0, 0]], [[4, 8, 3], [7, 2, 3]]),
]


def given(**attributes):
    """Return the attributes that a page states."""
    return {name: value for name, value in attributes.items() if value is not None}


def ask_all(ask):
    """Adds every example for every version whose page has it."""
    rule = "page-example"
    for operator, examples in (("Gather", GATHER), ("GatherElements", GATHER_ELEMENTS)):
        for name, axis, data, indices, output in examples:
            ask.legal(rule, operator, name, data, indices, types=MOVES, expect=output, **given(axis=axis))
    for name, versions, stated, batch_dims, data, indices, output in GATHER_ND:
        for version in versions:
            # Examples 1 to 4 of versions 12 and 13 state the default of batch_dims, which version 11 lacks.
            stated_dims = batch_dims if version > 11 and (batch_dims or name.startswith("example")) else None
            ask.legal(rule, "GatherND", name, data, indices, types=(stated,) if stated else MOVES, since=version,
                      expect=output, **given(batch_dims=stated_dims))  # fmt: skip
    for operator, known in (("Scatter", SCATTER), ("ScatterElements", SCATTER[:2])):
        for name, axis, data, indices, updates, output in known:
            ask.legal(rule, operator, name, data, indices, updates, types=MOVES, expect=output, **given(axis=axis))
    for name, versions, reduction, data, indices, updates, output in SCATTER_ND:
        ask.legal(rule, "ScatterND", name, data, indices, updates, types=NUMBERS if reduction else MOVES,
                  since=versions, expect=output, **given(reduction=reduction))  # fmt: skip
