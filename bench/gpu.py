"""Tests Strew on a CUDA device: bits and errors equal to the CPU's, arrays of PyTorch, CuPy and JAX, times of Strew and
these libraries, and no findings of compute-sanitizer.

Usage: bench/gpu.py [--json FILE] [--minutes 7.5] [--only STAGE ...] [--workloads PATTERN ...]
                    [--wheels FOLDER | --host LIBRARY]

--wheels names the folder with strew and strew-cuda13 from scripts/pack_gpu.sh; without it they must be installed. NumPy
is needed too, and PyTorch for the times. Exits with 3 if there is no device, with 1 if a check fails. --host runs all
stages in tiny sizes without a device, on the library from scripts/build.sh release strew_cuda_host_door. The stage cpu,
the CPU's workloads on 1 to 16 threads, runs only if --only names it.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PARTS = pathlib.Path(__file__).resolve().parent / "device"
sys.path[:0] = [str(PARTS), str(PARTS.parent)]
STAGES = ["pairs", "random", "refusals", "arrays", "examples", "sanitizer", "times"]
NO_DEVICE = 3


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("gpu.json"))
    parser.add_argument("--minutes", type=float, default=7.5, help="skip stages that have not begun by then")
    parser.add_argument("--only", nargs="+", default=STAGES, choices=[*STAGES, "cpu"])
    parser.add_argument("--workloads", nargs="+", default=["*"], metavar="PATTERN", help="workloads of the stages times and cpu")
    parser.add_argument("--wheels", type=pathlib.Path, help="folder of the wheels of strew and strew-cuda13")
    parser.add_argument("--host", type=pathlib.Path, metavar="LIBRARY")
    return parser.parse_args()


def install(wheels):
    """Put the packages on the path of this process and its children."""
    target = tempfile.mkdtemp(prefix="strew-gpu-")
    found = sorted(wheels.glob("strew*.whl"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", target]
    subprocess.run([*pip, *found], check=True)
    sys.path.insert(0, target)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [target, os.environ.get("PYTHONPATH")]))


def run_stages(options, machine, report, begin):
    import checks
    import frameworks
    import processors
    import program
    import times
    import workloads

    def keep(found):
        """Write the report with all figures of the current stage, which may be cut off later."""
        report["stages"][name] = found
        program.save(options.json, report)

    def measured(stage, names):
        return lambda machine, left: stage.measure(machine, left, program.matching(names, options.workloads), keep)

    works = {
        "pairs": checks.pairs,
        "random": checks.random_calls,
        "refusals": checks.refusals,
        "arrays": frameworks.arrays,
        "examples": frameworks.examples,
        "sanitizer": lambda machine, left: checks.sanitizer(machine, PARTS, left),
        "times": measured(times, times.WORKLOADS),
        "cpu": measured(processors, workloads.WORKLOADS),
    }
    for name in options.only:
        left = options.minutes * 60 - (time.monotonic() - begin)
        started = time.monotonic()
        print(f"{name}:", flush=True)
        try:
            found = works[name](machine, left) if left > 0 else {"left_out": "out of time"}
        except Exception as error:  # the later stages still run
            said = str(error) if isinstance(error, checks.Wrong) else f"{type(error).__name__}: {error}"
            found = report["stages"].get(name, {}) | {"wrong": said}
        found["took"] = round(time.monotonic() - started, 1)
        keep(found)
        said = found.get("wrong") or found.get("left_out") or found.get("said", "")
        print(f"  {'WRONG: ' if 'wrong' in found else ''}{said} ({found['took']} s)", flush=True)


def main():
    import memory

    options = arguments()
    if options.host and not options.host.exists():
        print(f"{options.host} is not here; `scripts/build.sh release strew_cuda_host_door` builds it.")
        return 1
    machine = memory.Host(options.host) if options.host else memory.find_device()
    if machine is None:
        print("There is no CUDA device or no libcudart here: nothing was run.")
        return NO_DEVICE
    begin = time.monotonic()
    report = {"date": time.strftime("%Y-%m-%d"), "machine": machine.describe(), "stages": {}}
    print(" ".join(f"{key}: {value}" for key, value in report["machine"].items()), flush=True)
    if options.wheels:
        install(options.wheels)
    import strew.cuda

    if why := strew.cuda.unavailable_reason():
        print(f"No call can run here: {why}")
        return 1
    run_stages(options, machine, report, begin)
    return 1 if any("wrong" in found for found in report["stages"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
