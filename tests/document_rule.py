"""Fails if a document has a line of prose, a table row or a paragraph that is too long, a dead link, or the name of a
file that does not exist. Also fails if docs/reliability.md names a test that does not exist.

Usage: document_rule.py SOURCE_FOLDER
"""

import fnmatch
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).parent / "support"))
from document_blocks import FOLDERS, documents  # noqa: E402

FOREIGN = {"foreach_target.h", "onnxruntime_c_api.h", "cases.json"}  # files of Highway and ONNX Runtime, and a generated file
PACKAGE_PAGES = {"bindings/python/README.md", "bindings/onnxruntime/README.md", "bindings/torch/README.md"}  # shown on a package index
MAX_PROSE = 100
MAX_ROW = 160
MAX_PARAGRAPH = 6
ITEM = re.compile(r"\s*([-*]|\d+\.) ")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")


def prose(text):
    """Yield number and text of each line outside blocks of code."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, line


def anchors(text):
    """Yield the anchors of headings in the spelling of GitHub and PyPI."""
    for _, line in prose(text):
        if line.startswith("#"):
            yield re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")


def too_long(text):
    """Yield line number and error for lines and paragraphs that are too long."""
    paragraph = 0
    for number, line in prose(text):
        if line.lstrip().startswith("|"):
            if len(line) > MAX_ROW:
                yield number, f"a table row of {len(line)} characters, at most {MAX_ROW} are allowed"
            continue
        if len(line) > MAX_PROSE and " " in line.strip():
            yield number, f"a line of {len(line)} characters, at most {MAX_PROSE} are allowed"
        paragraph = 0 if not line.strip() else 1 if ITEM.match(line) else paragraph + 1
        if paragraph == MAX_PARAGRAPH + 1:
            yield number, f"a paragraph of more than {MAX_PARAGRAPH} lines; split it"


def dead_links(root, path, text):
    """Yield line number and error for relative links to missing files or headings."""
    for number, line in prose(text):
        for name, anchor in LINK.findall(line):
            target = (path.parent / name).resolve() if name else path
            if path.relative_to(root).as_posix() in PACKAGE_PAGES:
                yield number, f"{name or '#' + anchor} is a dead link on a package index, which has only this page"
            elif not target.exists():
                yield number, f"{name} does not exist"
            elif anchor and anchor not in anchors(target.read_text("utf-8")):
                yield number, f"{target.relative_to(root)} has no heading {anchor}"


def absent_files(root, text, files):
    """Yield line number and error for files that a document names but no folder has. src/... is a whole path."""
    for number, line in prose(text):
        for name in re.findall(r"`([\w/*.-]+\.(?:cc|h|py|sh|md|mjs|js|cmake|jsonl?))(?::\d+)?`", line):
            wanted = f"/{name}" if name.startswith("src/") else f"*/{name}"
            if name not in FOREIGN and not fnmatch.filter(files, wanted):
                yield number, f"there is no {name}"


def absent_tests(root, text):
    """Yield line number and error for missing test files and tests that docs/reliability.md names."""
    sources = {path for suffix in ("*.cc", "*.py") for path in (root / "tests").rglob(suffix)}
    everything = "\n".join(path.read_text("utf-8") for path in sources)
    for number, line in prose(text.split("## The same input in other libraries")[0]):
        for name in re.findall(r"`([\w/*]+_test\.cc|[\w/]+/test_\w+\.py)`", line):
            if not list((root / "tests").glob(name)):
                yield number, f"tests/{name} does not exist"
        for name in re.findall(r"(?:\(|, )`(\w+)`", line):
            if name not in everything:
                yield number, f"there is no test {name}"


def main(root):
    pages, broken = documents(root), []
    places = [*root.glob("*"), *(path for folder in [*FOLDERS, "src", "include", "cmake"] for path in (root / folder).rglob("*"))]
    files = [f"/{path.relative_to(root).as_posix()}" for path in places]
    for path in pages:
        text = path.read_text("utf-8")
        absent = absent_tests(root, text) if path.name == "reliability.md" else ()
        for number, complaint in (*too_long(text), *dead_links(root, path, text), *absent_files(root, text, files), *absent):
            broken.append(f"{path.relative_to(root)}:{number}: {complaint}")
    print("\n".join(broken) or f"{len(pages)} documents keep the rules")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
