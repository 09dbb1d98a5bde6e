"""Runs the commands that the documents show, each page in a fresh clone of HEAD.

Usage: documented_commands.py SOURCE_FOLDER FOLDER [PAGE...]: clones into FOLDER, and runs the commands of these pages (all
pages by default). make test-release runs this program. BEFORE has commands to run first, READ_AS the values of placeholders.

The commands of `strew` and `python -c` are quick: tests/python/test_documents.py runs them in make test. EXCEPTIONS has
the commands that nothing runs, with the reason. RUN_BY has the commands that scripts/run_tests.sh or another script runs.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).parent / "support"))
from document_blocks import all_blocks, commands, is_quick  # noqa: E402

EXCEPTIONS = {
    "needs root": ["scripts/first_hour.sh"],
    "needs CUDA's toolkit, 4 GB": ["make cuda PYTHON=venv/bin/python", "scripts/pack_gpu.sh python3 FOLDER"],
    "needs PyTorch or other libraries of more than 1 GB": [
        "make torch PYTHON=venv/bin/python",
        "venv/bin/python -m strew.torch train.py --epochs 3",
        "python -m strew.torch --operators index_add,gather --threads strew --max-cached-bytes 1073741824 train.py",
        ".venv/bin/python scripts/compare_errors.py venv/bin/python venv/bin/python",
        "make bench",
        "make bench BENCH=--quick",
    ],
    "takes a quarter of an hour or more": [
        "scripts/plant_cuda_faults.py",
        "scripts/test_wheels.sh onnxruntime",
        "STREW_RANDOM_CASES=1000000 ctest --preset release -R random_comparison",
    ],
}
RUN_BY = {  # command -> the tier, stage, script or other page that runs this command
    "make test": "test",
    ".venv/bin/python -m pytest": "python tests, a to s",
    "scripts/make_sdist.sh": "scripts/test_sdist.sh",
    "scripts/test_sdist.sh": "sdist",
    "scripts/test_wheels.sh sdist": "python wheel",
    "make release": "release conditions",
    "scripts/build_wheel.sh release SOURCE FOLDER": "scripts/release.sh",
    "scripts/portability.sh": "portability",
    "scripts/compare_abi.sh COMMIT": "scripts/release.sh",
    "scripts/test_wheels.sh pythons": "other pythons",
    ".venv/bin/python -m pytest tests/onnxruntime": "onnxruntime tests",
    "make test-torch": "torch",
    "make playground": "playground",
    "make run-playground": "playground",
    "python -m strew playground": "playground tests",
    ".venv/bin/python -m pytest tests/playground": "playground tests",
    "make site": "site",
    "make conformance": "make conformance suite",
    ".venv/bin/python -m strew.conformance --runtime onnxruntime": "docs/conformance.md",
    "make lint": "clang-tidy",
    "make fuzz MINUTES=30": "fuzzers",
    "scripts/test_wheels.sh cuda": "cuda wheel",
    "scripts/test_cuda_compile.sh": "tests/cuda/CMakeLists.txt",
    "ctest --preset release -R engine": "tests",
    "cmake --workflow --preset asan": "asan tests",
    "cmake -S . -B build -DSTREW_CUDA=ON -DSTREW_BUILD_APPS=OFF -DSTREW_BUILD_TESTS=OFF": "tests/cuda/consumer/find_package.sh",
    "cmake --build build": "tests/cuda/consumer/find_package.sh",
    "cmake --install build --prefix PREFIX": "tests/cuda/consumer/find_package.sh",
    "c++ -std=c++20 examples/onnxruntime/placement.cc": "tests/onnxruntime/test_documents.py",
    "library=": "tests/onnxruntime/test_documents.py",
    "./placement": "tests/onnxruntime/test_documents.py",
}
BEFORE = {  # beginning of a command -> the commands to run before this command
    "pip install onnx_gather_scatter_conformance": "make conformance && python3 -m venv venv",
    "cmake -B build -Dstrew_DIR": "python3 tests/documented_code.py . --consumer app && cd app",
}
READ_AS = {  # placeholder -> its value
    "PREFIX=/usr/local": "PREFIX=prefix",
    "PREFIX=$HOME/.local": "PREFIX=prefix",
    "onnx_gather_scatter_conformance-*.whl": "build/wheel/conformance/onnx_gather_scatter_conformance-*.whl",
}
# Beginnings of commands that may exit with 1, because ONNX Runtime breaks rules of the conformance suite.
FINDINGS = ("onnx-gather-scatter-conformance --runtime", ".venv/bin/python -m strew.conformance --runtime")


def bare(command):
    return shlex.join(shlex.split(command, comments=True)).replace("'", "") if "$(" not in command else command.strip()


def elsewhere(command):
    """Return the entry of EXCEPTIONS or RUN_BY for a command, or None. Some entries match all commands that begin with them."""
    names = [name for names in EXCEPTIONS.values() for name in names] + [name for name in RUN_BY]
    short = ("python -m strew playground", "c++ -std", "library=", "./placement")
    said = bare(command)
    return next((name for name in names if said == name or (name.startswith(short) and said.startswith(name))), None)


def pages(root):
    """Return the pages with commands that this program runs: {page: its shell blocks}."""
    found = {}
    for block in all_blocks(root):
        if block.language == "sh":
            found.setdefault(block.page, []).append(block)
    return {
        page: blocks
        for page, blocks in found.items()
        if any(not is_quick(command) and not elsewhere(command) and not command.startswith("export ") for block in blocks for command in commands(block.text))
    }


def script(blocks):
    """Return the commands of the blocks as one script. Each block runs in a subshell."""
    lines = ["set -euo pipefail", ". scripts/ccache.sh"]
    for block in blocks:
        lines.append("(")
        for command in commands(block.text):
            if elsewhere(command):
                continue
            lines += [before for name, before in BEFORE.items() if command.startswith(name)]
            for shown, meant in READ_AS.items():
                command = command.replace(shown, meant)
            lines.append(f"echo {shlex.quote(f'+ {command}')}")
            lines += ["{", command, "} || test $? = 1"] if command.startswith(FINDINGS) else [command]
        lines += [":", ")"]
    return "\n".join(lines) + "\n"


def run(root, folder, page, blocks):
    """Run a page's commands in a new clone, and return whether all succeeded. The clone is removed after success."""
    clone, log = folder / page.replace("/", "_"), folder / f"{page.replace('/', '_')}.log"
    shutil.rmtree(clone, ignore_errors=True)
    begin = time.monotonic()
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", root, clone], check=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STREW_", "VIRTUAL_ENV", "MAKE"))}
    environment["PATH"] = f"{clone}/venv/bin:{environment['PATH']}"
    with log.open("w") as output:
        done = subprocess.run(["bash", "-c", script(blocks)], cwd=clone, env=environment, stdin=subprocess.DEVNULL,
                              stdout=output, stderr=subprocess.STDOUT)  # fmt: skip
    print(f"{page}: {'passed' if done.returncode == 0 else 'FAILED'} in {time.monotonic() - begin:.0f} s", flush=True)
    if done.returncode:
        print("\n".join(log.read_text(errors="replace").splitlines()[-60:]))
        return False
    shutil.rmtree(clone)
    return True


def complaints(root):
    """Yield the errors in EXCEPTIONS and RUN_BY: names that no document has, and runners that do not exist."""
    shown = [command for block in all_blocks(root) if block.language == "sh" for command in commands(block.text)]
    used = {elsewhere(command) for command in shown}
    tiers = (root / "scripts/run_tests.sh").read_text()
    for name in [*sum(EXCEPTIONS.values(), []), *RUN_BY]:
        if name not in used:
            yield f"tests/documented_commands.py: no document shows {name}"
    for name, runner in RUN_BY.items():
        if f'"{runner}" ' not in tiers and f"tier_{runner}()" not in tiers and not (root / runner).is_file():
            yield f"tests/documented_commands.py: {name}: there is no stage, tier or file {runner}"


def main(arguments):
    root, folder = (pathlib.Path(name).resolve() for name in arguments[:2])
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {page: blocks for page, blocks in pages(root).items() if not arguments[2:] or page in arguments[2:]}
    done = [run(root, folder, page, blocks) for page, blocks in chosen.items()]
    return not (done and all(done))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
