"""What the JSON of graph.py says: the tables of docs/graph-performance.md."""

import statistics

PEERS = {"plain loop": "#6b6b6b", "torch CSR": "#d98b2b", "SciPy CSR": "#7a9b3a", "DGL": "#8a5aa3", "torch + Strew": "#7fb2d6", "torch": "#b8b8b8"}
CALLS = {
    "sum": "weighted sum",
    "sum, weights sorted": "weights sorted",
    "sum, edges used once": "used once",
    "sum, bfloat16 added in float32": "bfloat16",
    "gradient of data": "gradient of data",
    "gradient of weights": "gradient of weights",
    "max": "maximum",
    "max with argmax": "with argmax",
    "making edges": "making edges",
}


def milliseconds(row, call, library):
    times = row["seconds"].get(f"{call} / {library}")
    return statistics.median(times) * 1e3 if times else None


def _line(cells):
    return f"| {' | '.join('-' if cell is None else cell if isinstance(cell, str) else f'{cell:.1f}' for cell in cells)} |"


def tables(rows):
    """The lines of both tables: Strew beside others, and all that Strew was timed with."""
    names = ["strew", *PEERS]
    yield _line(["graph, threads", "call", *names])
    yield _line(["---"] * (len(names) + 2))
    titles = {key: ", ".join(key.rsplit("/", 1)) for key in rows}
    for key, row in rows.items():
        for call in ("sum", "max"):
            yield _line([titles[key], CALLS[call], *(milliseconds(row, call, name) for name in names)])
    yield _line(["graph, threads", *CALLS.values()])
    yield _line(["---"] * (len(CALLS) + 1))
    for key, row in rows.items():
        yield _line([titles[key], *(milliseconds(row, call, "strew") for call in CALLS)])
