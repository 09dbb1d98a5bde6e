"""Summarises the lines of strew_regret: how much longer the library's choice took than the best strategy.

Usage: strew_regret | regret.py - [--worst 20], or regret.py IN.jsonl [--worst 20]

The best strategy is the one with the lowest median in the even rounds. Only the odd rounds give times, so that luck in the even rounds
does not count. Regret is the median over the odd rounds of the choice's time divided by the best strategy's time, minus 1; it can be
below 0. A second series of the library's choice is one of the candidates. Noise is the regret against this series.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys

import machine

CHOSEN, AGAIN = "default", "again"
LARGE = 0.5


def extra(rounds, other):
    """Return the regret of the choice against another candidate, over the odd rounds."""
    return statistics.median(a / b for a, b in zip(rounds[CHOSEN][1::2], rounds[other][1::2], strict=True)) - 1


def best_of(rounds):
    """Return the fastest candidate in the even rounds, without the choice's first series."""
    return min((way for way in rounds if way != CHOSEN), key=lambda way: statistics.median(rounds[way][::2]))


def judge(call):
    """Return a call with its regret and noise instead of its rounds."""
    rounds = call["ns"]
    best = best_of(rounds)
    found = {"best": best, "regret": extra(rounds, best), "noise": extra(rounds, AGAIN)}
    found["microseconds"] = statistics.median(rounds[CHOSEN]) / 1e3
    return {key: value for key, value in call.items() if key != "ns"} | found


def percentile(values, share):
    """Return the smallest value that at least this share of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]


def summary(calls):
    regrets = [call["regret"] for call in calls]
    return {
        "calls": len(calls),
        "median": statistics.median(regrets),
        "p90": percentile(regrets, 0.9),
        "p95": percentile(regrets, 0.95),
        "worst": max(regrets),
        "large": sum(regret > LARGE for regret in regrets) / len(regrets),
        "noise_p95": percentile([call["noise"] for call in calls], 0.95),
    }


def groups(calls):
    """Return (tasks, operator) -> summary; the operator "all" comes first."""
    found = {}
    for tasks in sorted({call["tasks"] for call in calls}):
        here = [call for call in calls if call["tasks"] == tasks]
        found[tasks, "all"] = summary(here)
        for op in sorted({call["op"] for call in here}):
            found[tasks, op] = summary([call for call in here if call["op"] == op])
    return found


def read(path):
    """Return the calls of a file. Calls from strew_regret on standard input also get the machine and the commit."""
    if str(path) == "-":
        stamp = machine.stamp()
        return [judge(json.loads(line)) | stamp for line in sys.stdin]
    with open(path) as lines:
        return [judge(json.loads(line)) for line in lines]


def describe(call):
    axis = " last axis" if call["last_axis"] else ""
    reduction = "" if call["reduction"] == "none" else f" {call['reduction']}"
    sizes = f"{call['moved_bytes']} bytes in rows of {call['row_bytes']}, table of {call['table_bytes']}"
    return f"{call['op']}{reduction}{axis} {call['dtype']}, {call['pattern']}, {call['mode']}, at {call['offset']}: {sizes}"


def percent(value):
    return f"{value * 100:.1f} %"


def table(calls):
    yield "| tasks | operator | calls | median | p90 | p95 | worst | above 50 % | noise p95 |"
    yield "| --- |" + " --- |" * 8
    for (tasks, op), row in groups(calls).items():
        cells = [percent(row[key]) for key in ("median", "p90", "p95", "worst", "large", "noise_p95")]
        yield f"| {tasks} | {op} | {row['calls']} | {' | '.join(cells)} |"


def worst(calls, count):
    yield "| regret | noise | tasks | us | chosen | best | call |"
    yield "| --- |" + " --- |" * 6
    for call in sorted(calls, key=lambda call: -call["regret"])[:count]:
        chosen = f"{call['chosen']} {call['chosen_tasks']}"
        cells = [percent(call["regret"]), percent(call["noise"]), call["tasks"], f"{call['microseconds']:.4g}", chosen, call["best"]]
        yield f"| {' | '.join(map(str, cells))} | {call['call']}: {describe(call)} |"


def report(calls, count):
    made = sorted({f"{call['machine']}, commit {call['commit']}" for call in calls if "machine" in call})
    seeds = ", ".join(str(seed) for seed in sorted({call["seed"] for call in calls}))
    return "\n".join([*made, f"seed {seeds}", "", *table(calls), "", *worst(calls, count)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--worst", type=int, default=20, help="calls that are listed")
    options = parser.parse_args()
    calls = read(options.file)
    print(report(calls, options.worst))


if __name__ == "__main__":
    main()
