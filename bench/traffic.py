"""What a named workload must move: streamed bytes, and random accesses, for the roofline."""

import workloads

# Tables up to this size stay in a cache: reading them at random costs no access to memory.
CACHED_BYTES = 1 << 23
LINE_BYTES = 64

# name -> bytes of data, indices and output; random places and the bytes of each; False where a table or its row is cached.
ELEMENTS = 481385 * 80
SHAPES = {
    "gather_rows_256B": (0, 524288, 524288, 256),
    "gather_rows_64B": (0, 2097152, 2097152, 64),
    "gather_rows_4KiB": (0, 16384, 16384, 4096),
    "gather_lut32": (0, 16777216 / 2, 0, 0),
    "gather_elements_issue": (0, ELEMENTS, ELEMENTS, 4),
    "gather_elements_last": (8192 * 4096 * 4, 8192 * 1024, 0, 0),
    "scatter_elements_add_issue": (556416 * 320, ELEMENTS, ELEMENTS, 4),
    "scatter_elements_add_rowidx": (556416 * 320, ELEMENTS, 481385, 320),
    "scatter_elements_none_last": (8192 * 4096 * 4, 8192 * 1024, 0, 0),
    "scatter_elements_add_1d": (1 << 26, 4194304, 4194304, 4),
    "gathernd_elements": (0, 2 * 4194304, 4194304, 4),
    "gathernd_batch1": (0, 131072, 131072, 256),
    "scatternd_add_uniform": (1 << 28, 8388608, 8388608, 4),
    "scatternd_none_uniform": (1 << 28, 8388608, 8388608, 4),
    "scatternd_add_zipf": (1 << 26, 8388608, 8388608, 4),
    "scatternd_add_hot": (1 << 22, 8388608, 0, 0),
    "scatternd_rows_add": (1 << 28, 524288, 524288, 256),
    "scatternd_rows_none_bev": (214272 * 256, 12000, 12000, 256),
    "scatternd_kv_none": (1 << 27, 768, 256, 256),
    "tensorscatter_kv": (1 << 27, 8, 256, 256),
}
OUTPUTS = {
    "gather_lut32": 16777216 * 4,
    "gather_elements_last": 8192 * 1024 * 4,
    "scatter_elements_none_last": 8192 * 1024 * 4,
    "scatternd_add_hot": 8388608 * 4,
}


def traffic(name, in_place=False):
    """(streamed bytes, random accesses): data and output of a scatter are streamed, as are indices and updates; the places of
    single elements and rows are random, as long as the table is larger than a cache."""
    data, indices, places, width = SHAPES[name]
    elements = OUTPUTS.get(name, places * width)
    streamed = indices * 8 + elements
    if workloads.WORKLOADS[name].op.startswith("Scatter") or name == "tensorscatter_kv":
        streamed += 0 if in_place else 2 * data
    else:
        streamed += data
        if width > LINE_BYTES:  # what follows the first line of a row comes in order
            streamed += places * (width - LINE_BYTES)
    return streamed, places
