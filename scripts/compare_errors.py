#!/usr/bin/env python3
"""Passes the same invalid or unusual input to Strew, ONNX Runtime, PyTorch and NumPy, and prints the results as a table.

Usage: compare_errors.py PYTHON_WITH_STREW PYTHON_WITH_OTHERS    (the same twice if it has all packages)

Each case runs in a process of its own, so that a crash is visible. The second interpreter needs numpy, onnx,
onnxruntime and torch; a missing one shows as "not installed".
"""

import pathlib
import signal
import subprocess
import sys
import tempfile

from error_cases import CASES, LIBRARIES

HERE = pathlib.Path(__file__).resolve().parent


def answer(python, case, library):
    """Return the result of a case in a library: the last line that it printed, or its signal."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, str(HERE / "error_cases.py"), case, library]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, errors="replace")
        except subprocess.TimeoutExpired:
            return "does not terminate"
    if done.returncode < 0:
        return f"CRASH ({signal.Signals(-done.returncode).name})"
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines else f"ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"


def main():
    strew, others = sys.argv[1:]
    print("| input | " + " | ".join(LIBRARIES.values()) + " |")
    print("| --- |" + " --- |" * len(LIBRARIES))
    for case, title in CASES.items():
        answers = [answer(strew if name == "strew" else others, case, name) for name in LIBRARIES]
        print(f"| {title} | " + " | ".join(text.replace("|", "\\|") for text in answers) + " |", flush=True)


if __name__ == "__main__":
    main()
