"""The tables of docs/pytorch.md from the JSON of torch_programs.py.

Usage: torch_figures.py IN.json
"""

import json
import sys

MEMORY = {
    "torch": "PyTorch alone",
    "strew": "`install()`",
    "strew all": '`install(memory="all")`',
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
    lines = ["| program | memory | ms | of that the processor |", "| --- | --- | --- | --- |"]
    for program, _, row in rows_of(report, "memory"):
        for side, name in MEMORY.items():
            lines.append(f"| {program} | {name} | {row[side]['wall'] * 1e3:,.0f} | {row[side]['cpu'] * 1e3:,.0f} |")
    return lines


def tables(report):
    found = {"steps": steps(report, "steps"), "memory": memory(report), "deterministic": steps(report, "deterministic")}
    return [line for kind, lines in found.items() if kind in report for line in lines]


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print("\n".join(tables(json.load(file))))
