"""Time for each update as work grows: runs `strew bench` for every operator from 2^10 to 2^27 updates.

Usage: growth.py OUT.jsonl [--strew build/strew] [--only WORD ...] [--powers 10 27] [--threads 1 2] [--seconds 80]

The tables have as many elements as there are updates, 16 to a row where the operator moves rows. Points that are in the file are
left out; after --seconds it stops: call it again to go on. plot_growth.py draws the file.
"""

import argparse
import json
import pathlib
import subprocess
import time

from machine import stamp
from progress import Progress

ROW = 16


def command_of(operator, count):
    """Arguments of `strew bench` for `count` elements gathered or updated."""
    rows, add = count // ROW, ["--reduction", "add"]
    flat, table = f"float32[{count}]", f"float32[{rows},{ROW}]"
    return {
        "Gather rows": ["Gather", "--data", table, "--indices", f"int64[{rows}]"],
        "Gather": ["Gather", "--data", flat, "--indices", f"int64[{count}]"],
        "GatherElements": ["GatherElements", "--data", table, "--indices", f"int64[{rows},{ROW}]"],
        "GatherND": ["GatherND", "--data", flat, "--indices", f"int64[{count},1]"],
        "ScatterElements add": ["ScatterElements", "--data", table, "--indices", f"int64[{rows},{ROW}]", *add],
        "ScatterND add": ["ScatterND", "--data", flat, "--indices", f"int64[{count},1]", *add],
        "ScatterND": ["ScatterND", "--data", flat, "--indices", f"int64[{count},1]"],
        "ScatterND rows add": ["ScatterND", "--data", table, "--indices", f"int64[{rows},1]", *add],
        "TensorScatter": [
            "TensorScatter", "--data", f"float32[1,{rows},{ROW}]", "--updates", f"float32[1,{rows},{ROW}]",
            "--indices", "int64[1]",
        ],
    }[operator]  # fmt: skip


OPERATORS = (
    "Gather rows",
    "Gather",
    "GatherElements",
    "GatherND",
    "ScatterElements add",
    "ScatterND add",
    "ScatterND",
    "ScatterND rows add",
    "TensorScatter",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--strew", default="build/strew")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--powers", nargs=2, type=int, default=(10, 27))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    lines = options.file.read_text().splitlines() if options.file.exists() else []
    there = {(line["name"], line["power"], line["threads"]) for line in map(json.loads, lines)}
    wanted = [
        (name, power, threads)
        for power in range(options.powers[0], options.powers[1] + 1)
        for name in OPERATORS
        for threads in options.threads
        if all(word in name for word in options.only)
    ]
    left = [point for point in wanted if point not in there]
    end, progress = time.monotonic() + options.seconds, Progress("growth", len(left))
    for number, (name, power, threads) in enumerate(left):
        if time.monotonic() > end:
            print(f"{len(left) - number} of {len(wanted)} points are left")
            raise SystemExit(3)
        command = [options.strew, "bench", *command_of(name, 1 << power), "--json", "--threads", str(threads)]
        command += ["--repeat", "15" if power < 22 else "5"]
        account = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        point = {"name": name, "power": power, "threads": threads, "seconds": account["strew"]["seconds"]}
        point |= {"bytes": account["bytes"], "strategy": account["strategy"]["name"]} | stamp()
        with options.file.open("a") as file:
            file.write(json.dumps(point) + "\n")
        progress.step()
    progress.end()


if __name__ == "__main__":
    main()
