"""An image seen through a lens; positions outside the image are clipped to its edge. Usage: remap_image.py [HEIGHT]"""

import sys
import time

import numpy as np
import strew


def main(height):
    shape = height, height * 16 // 9
    random = np.random.default_rng(1)
    image = random.integers(0, 256, (*shape, 4), dtype=np.uint8)
    y, x = np.indices(shape)
    swirl = 20 * np.sin(np.hypot(y - shape[0] / 2, x - shape[1] / 2) / 30)
    places = np.stack([y + swirl, x - swirl], -1).astype(np.int64)

    alone = ours = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        wanted = image[places[..., 0].clip(0, shape[0] - 1), places[..., 1].clip(0, shape[1] - 1)]
        between = time.perf_counter()
        found = strew.gather_nd(image, places, out_of_bounds="clip", negative_indices="out_of_bounds")
        alone, ours = min(alone, between - begin), min(ours, time.perf_counter() - between)
    assert np.array_equal(found, wanted)
    print(f"{shape[0]} x {shape[1]}: NumPy {1e3 * alone:.1f} ms, Strew {1e3 * ours:.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1080)
