"""Writes the first examples of README.md and the documents as files that a shell can run, for scripts/first_hour.sh.

Usage: first_examples.py FOLDER

    pycon/PAGE.txt  the first session of a page, for python -m doctest
    sh/PAGE.sh      the commands of `strew` in the first block with such commands; they need the checkout's examples/
    cpp/PAGE.cc     the first program of a page
    app/            the README's project: CMakeLists.txt and app.cc
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests/support")]
from document_blocks import all_blocks, commands  # noqa: E402
from documented_code import programs, write_changed, write_consumer  # noqa: E402

ELSEWHERE = {"docs/cuda.md", "docs/pytorch.md", "docs/torch-install.md"}  # pages that need a device, or the gigabytes of PyTorch


def of_the_program(text):
    """Return the commands of `strew` in a block, and the commands that make their arrays."""
    kept = [command for command in commands(text) if command.startswith(("strew ", "python -c "))]
    return kept if any(command.startswith("strew ") and "playground" not in command for command in kept) else []


def main(folder):
    seen = set()
    for block in all_blocks(ROOT):
        name = block.page.removesuffix(".md").replace("/", "_")
        kind = {"pycon": "pycon", "sh": "sh"}.get(block.language)
        text = block.text if kind == "pycon" else "\n".join(of_the_program(block.text)) + "\n" if kind == "sh" else ""
        if block.page in ELSEWHERE or not kind or (name, kind) in seen or not text.strip():
            continue
        seen.add((name, kind))
        write_changed(folder / kind / f"{name}.{'txt' if kind == 'pycon' else 'sh'}", text)
    for name, text in programs(ROOT).items():
        if "int main(" in text and "cuda" not in name:
            write_changed(folder / "cpp" / name, text)
    write_consumer(ROOT, folder / "app")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
