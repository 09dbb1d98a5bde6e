"""The tables of docs/torch-install.md from the JSON of torch_programs.py.

Usage: torch_figures.py IN.json
"""

import json
import sys

MEMORY = {
    "torch": "PyTorch alone",
    "strew results": '`install(memory="results")`',
    "strew": "`install()`",
    "torch malloc": "PyTorch alone, glibc's settings",
    "strew malloc": "`install()`, glibc's settings",
}


def rows_of(report, kind):
    """Program, number of threads and figures of each row."""
    for program, counts in report.get(kind, {}).items():
        for threads, row in counts.items():
            yield program, threads, row


def faster(row):
    return row["torch"]["wall"] / row["strew"]["wall"]


def steps(report, kind):
    lines = ["| program | threads | PyTorch, ms | Strew, ms | times as fast |", "| --- | --- | --- | --- | --- |"]
    for program, threads, row in rows_of(report, kind):
        alone, on_strew = (f"{row[side]['wall'] * 1e3:,.0f}" for side in ("torch", "strew"))
        lines.append(f"| {program} | {threads} | {alone} | {on_strew} | {faster(row):.2f} |")
    return lines


def memory(report):
    lines = [
        "| program | threads | memory | ms | CPU time, ms | most memory, GiB |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for program, threads, row in rows_of(report, "memory"):
        for side, name in MEMORY.items():
            if found := row.get(side):
                times = f"{found['wall'] * 1e3:,.0f} | {found['cpu'] * 1e3:,.0f} | {found['peak'] / 2**30:.2f}"
                lines.append(f"| {program} | {threads} | {name} | {times} |")
    return lines


def tables(report):
    found = {"steps": steps(report, "steps"), "memory": memory(report), "deterministic": steps(report, "deterministic")}
    return [line for kind, lines in found.items() if kind in report for line in lines]


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print("\n".join(tables(json.load(file))))
