"""Runs the workload scatter_elements_add_issue on 1 and on 2 threads; fails where the results differ in one bit.

Usage: run_workload.py STREW FOLDER, the folder that make_workload.py has written
"""

import json
import pathlib
import subprocess
import sys

NAME = "scatter_elements_add_issue"


def run(strew, folder, threads):
    """What `strew run` says of the median of three runs."""
    inputs = [f"--input={name}={folder / name}.npy" for name in ("indices", "updates")]
    options = ["--hash", "--repeat=3", f"--threads={threads}", "--json"]
    command = [strew, "run", folder / f"{NAME}.onnx", *inputs, *options]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main(strew, folder):
    hashes = set()
    for threads in (1, 2):
        report = run(strew, folder, threads)
        indices, updates = (item["shape"] for item in report["inputs"])
        [output] = report["outputs"]
        if not hashes:
            print(f"large job: ScatterElements, add, {updates} updates into {output['shape']}, {output['dtype']}")
        print(
            f"  {threads} thread{'s' if threads > 1 else ' '} {report['seconds'] * 1e3:8.1f} ms"
            f" {updates[0] * updates[1] / report['seconds'] / 1e6:8.1f} million updates/s"
            f" {report['gigabytes_per_second']:6.1f} GB/s"
        )
        hashes.add(output["hash"])
    if len(hashes) > 1:
        sys.exit(f"FAILED: the results differ: {', '.join(sorted(hashes))}")
    print(f"  the same result on 1 and 2 threads, bit for bit: {hashes.pop()}")


main(sys.argv[1], pathlib.Path(sys.argv[2]))
