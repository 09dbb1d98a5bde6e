"""The key-value cache of a language model: each step writes a row per sequence, in place. Usage: kv_cache.py [STEPS]"""

import sys

import numpy as np
import strew


def main(steps):
    batch, heads, longest, width = 2, 4, 16, 8
    cache = np.zeros((batch, heads, longest, width), np.float16)
    random = np.random.default_rng(1)
    written = np.array([5, 0])  # lengths of the prompts: the position of the next row of each sequence
    wanted = cache.copy()
    for _ in range(steps):
        row = random.random((batch, heads, 1, width)).astype(np.float16)
        strew.tensor_scatter(cache, row, written, mode="circular", out=cache)  # wraps around at the end
        for sequence in range(batch):
            wanted[sequence, :, written[sequence] % longest] = row[sequence, :, 0]
        written += 1
    assert np.array_equal(cache, wanted)
    print(f"{steps} steps; row {(written[0] - 1) % longest} of sequence 0 was written last")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
