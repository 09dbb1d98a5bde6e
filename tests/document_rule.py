"""Fails where a document has a line of prose, a table row or a paragraph that is too long, or a link that leads
nowhere, and where docs/reliability.md names a test that is not there.

Usage: document_rule.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

FOLDERS = ["docs", "apps", "bindings", "bench", "examples", "fuzz", "tests", "scripts"]
PACKAGE_PAGES = {"bindings/python/README.md", "bindings/onnxruntime/README.md", "bindings/torch/README.md"}  # what a package index shows
MAX_PROSE = 100
MAX_ROW = 160
MAX_PARAGRAPH = 6
ITEM = re.compile(r"\s*([-*]|\d+\.) ")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")


def prose(text):
    """The numbered lines outside blocks of code."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, line


def anchors(text):
    """What a link may name behind #: the headings, as GitHub and PyPI spell them."""
    for _, line in prose(text):
        if line.startswith("#"):
            yield re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")


def too_long(text):
    """Lines and paragraphs that are longer than a reader takes in, as number and complaint."""
    paragraph = 0
    for number, line in prose(text):
        if line.startswith("|"):
            if len(line) > MAX_ROW:
                yield number, f"a table row of {len(line)} characters, at most {MAX_ROW} are allowed"
            continue
        if len(line) > MAX_PROSE and " " in line.strip():
            yield number, f"a line of {len(line)} characters, at most {MAX_PROSE} are allowed"
        paragraph = 0 if not line.strip() else 1 if ITEM.match(line) else paragraph + 1
        if paragraph == MAX_PARAGRAPH + 1:
            yield number, f"a paragraph of more than {MAX_PARAGRAPH} lines; split it"


def dead_links(root, path, text):
    """Relative links to files or headings that are not there, as number and complaint."""
    for number, line in prose(text):
        for name, anchor in LINK.findall(line):
            target = (path.parent / name).resolve() if name else path
            if path.relative_to(root).as_posix() in PACKAGE_PAGES:
                yield number, f"{name or '#' + anchor} leads nowhere on a package index, which has this page alone"
            elif not target.exists():
                yield number, f"{name} does not exist"
            elif anchor and anchor not in anchors(target.read_text("utf-8")):
                yield number, f"{target.relative_to(root)} has no heading {anchor}"


def absent_tests(root, text):
    """Files and single tests that the page of promises names and that do not exist, as number and complaint."""
    sources = {path for suffix in ("*.cc", "*.py") for path in (root / "tests").rglob(suffix)}
    everything = "\n".join(path.read_text("utf-8") for path in sources)
    for number, line in prose(text.split("## The same input elsewhere")[0]):
        for name in re.findall(r"`([\w/*]+_test\.cc|[\w/]+/test_\w+\.py)`", line):
            if not list((root / "tests").glob(name)):
                yield number, f"tests/{name} does not exist"
        for name in re.findall(r"(?:\(|, )`(\w+)`", line):
            if name not in everything:
                yield number, f"there is no test {name}"


def main(root):
    documents = [*root.glob("*.md"), *(path for folder in FOLDERS for path in (root / folder).rglob("*.md"))]
    broken = []
    for path in sorted(documents):
        text = path.read_text("utf-8")
        absent = absent_tests(root, text) if path.name == "reliability.md" else ()
        for number, complaint in (*too_long(text), *dead_links(root, path, text), *absent):
            broken.append(f"{path.relative_to(root)}:{number}: {complaint}")
    print("\n".join(broken) or f"{len(documents)} documents keep the rules")
    return 1 if broken or not documents else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
