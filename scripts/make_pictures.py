"""Draws the documents' pictures, which tests/python/test_picture.py checks. Usage: make_pictures.py [FOLDER]"""

import pathlib
import sys

import numpy as np

import strew

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "docs" / "pictures"


def counted(*shape, first=0):
    return np.arange(first, first + np.prod(shape), dtype=np.float32).reshape(shape)


ONES = np.ones((4, 2), np.float32)
ROWS = np.array([[1, 2], [10, 20], [100, 200]], np.float32)
MATRIX = counted(3, 3)
PAIRS = [[0, 1], [2, 0]]

# Name -> operator, its operands and its attributes.
CALLS = {
    "scatter_nd_add": (strew.scatter_nd, [ONES, [[3], [0], [3]], ROWS], {"reduction": "add"}),
    "scatter_nd_last_wins": (strew.scatter_nd, [ONES, [[3], [0], [-1]], ROWS], {}),
    "scatter_nd_refused": (strew.scatter_nd, [ONES, [[3], [7]], ROWS[:2]], {}),
    "scatter_elements_drop": (
        strew.scatter_elements,
        [counted(2, 4), [[3, 1, 3], [-4, 9, 2]], counted(2, 3, first=10)],
        {"axis": 1, "out_of_bounds": "drop"},
    ),
    "gather": (strew.gather, [MATRIX, PAIRS], {}),
    "gather_elements": (strew.gather_elements, [MATRIX, PAIRS], {}),
    "gather_nd": (strew.gather_nd, [MATRIX, PAIRS], {}),
    "gather_large": (strew.gather, [counted(1000, 64), np.arange(500) * 7919 % 1000], {}),
    "tensor_scatter": (
        strew.tensor_scatter,
        [counted(2, 4, 2), counted(2, 2, 2, first=100), [3, 1]],
        {"mode": "circular"},
    ),
}


def pictures():
    return {
        f"{name}.svg": strew.picture(function, *operands, **attributes).svg
        for name, (function, operands, attributes) in CALLS.items()
    }


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures().items():
        (folder / name).write_text(svg, encoding="utf-8")
        print(folder / name)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
