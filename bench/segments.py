"""Times reductions of the segments of a vector beside torch.segment_reduce, in turn: processor time of one thread.

Usage: segments.py [--elements 4000000] [--rounds 7]
"""

import argparse
import statistics
import time

import torch

import strew
from strew import torch_scatter

SEED = 28584


def lengths_of(elements):
    """Title -> the length of each segment: all alike, evenly spread, of a power law, and one that is long."""
    random = torch.Generator().manual_seed(SEED)
    for length in (4, 32, 1000):
        count = elements // length
        yield f"{length} elements", torch.full((count,), length)
        yield f"0 to {2 * length} elements", torch.randint(0, 2 * length + 1, (count,), generator=random)
    yield "power law", torch.rand(elements // 20, generator=random).pow(-1 / 1.1).clamp(max=elements / 4).long()
    hub = torch.randint(0, 9, (elements // 8,), generator=random)
    hub[1000] = elements // 10
    yield "0 to 8 elements, one of 10 %", hub


def calls_of(lengths):
    start = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
    values = torch.randn(int(start[-1]), generator=torch.Generator().manual_seed(SEED))
    edges = strew.Edges.from_segments(start)
    calls = {}
    for name, torch_name in (("sum", "sum"), ("max", "max")):
        calls[f"torch {name}"] = lambda how=torch_name: torch.segment_reduce(values, how, offsets=start, axis=0)
        calls[f"segment_csr {name}"] = lambda how=name: torch_scatter.segment_csr(values, start, reduce=how)
        how = "add" if name == "sum" else name
        calls[f"prepared {name}"] = lambda how=how: strew.gather_scatter(values, edges, reduction=how)
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=int, default=4_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(1)
    strew.set_num_threads(1)
    for number, (title, lengths) in enumerate(lengths_of(options.elements)):
        calls = calls_of(lengths)
        spent = {name: [] for name in calls}
        for turn in range(options.rounds + 1):
            for name, call in calls.items():
                begin = time.process_time()
                call()
                if turn > 0:
                    spent[name].append(time.process_time() - begin)
        if number == 0:
            print("| segments of | " + " | ".join(calls) + " |\n| " + "--- | " * (len(calls) + 1))
        print(f"| {title} | " + " | ".join(f"{statistics.median(each) * 1e3:.1f}" for each in spent.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
