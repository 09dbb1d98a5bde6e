"""Sums of a table by group: `pandas.factorize` makes group numbers, a scatter adds rows. Usage: group_sums.py [ROWS]"""

import sys
import time

import numpy as np
import pandas as pd
import strew


def group_sums(values, codes, groups):
    """Return sums of rows with equal codes, as groupby(sort=False).sum() does, without rows with code -1 (no key)."""
    rules = {"out_of_bounds": "drop", "negative_indices": "out_of_bounds"}
    zeros = np.zeros((len(groups), values.shape[1]))
    return strew.scatter_nd(zeros, codes[:, None], values.to_numpy(), reduction="add", **rules)


def fastest(call):
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - begin)
    return 1e3 * min(seconds), result


def main(rows):
    random = np.random.default_rng(1)
    table = pd.DataFrame(random.random((rows, 4)), columns=list("abcd"))
    city = pd.Series(random.integers(0, 1000, rows))

    alone, wanted = fastest(lambda: table.groupby(city, sort=False).sum())
    numbering, (codes, groups) = fastest(lambda: pd.factorize(city))  # once for all sums by city
    sums, found = fastest(lambda: group_sums(table, codes, groups))
    np.testing.assert_allclose(found, wanted)
    print(f"{rows:,} rows: pandas {alone:.1f} ms, factorize {numbering:.1f} ms, then Strew {sums:.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
