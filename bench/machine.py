"""Returns the machine, the commit and the versions with which the figures are measured."""

import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).parents[1]


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.partition("\n")[0]


def from_proc(path, key):
    with open(path) as lines:
        return next((line.split(":")[1].strip() for line in lines if line.startswith(key)), "unknown")


def caches():
    found = {}
    for cache in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((cache / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            found[f"L{level}"] = size
    return found


def commit():
    """Return Strew's commit, with a + if the work tree differs from it."""
    changed = first_line("git", "status", "--porcelain", "--untracked-files=no")
    return first_line("git", "rev-parse", "--short=12", "HEAD") + ("+" if changed not in ("", "unknown") else "")


def stamp():
    """Return the provenance of a published figure; tests/documented_figures.py requires it."""
    return {"commit": commit(), "machine": f"{cpu()}, {len(os.sched_getaffinity(0))} cores"}


def cpu():
    return from_proc("/proc/cpuinfo", "model name")


def describe(names):
    import libraries

    vectors = ("avx2", "avx512f", "sve", "asimd")
    flags = (from_proc("/proc/cpuinfo", "flags") + " " + from_proc("/proc/cpuinfo", "Features")).split()
    return {
        "cpu": cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "vectors": [name for name in vectors if name in flags],
        "caches": caches(),
        "memory": from_proc("/proc/meminfo", "MemTotal"),
        "system": platform.platform(),
        "compiler": first_line("c++", "--version"),
        "python": platform.python_version(),
        "versions": libraries.versions(names),
    }
