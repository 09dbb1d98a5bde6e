"""Fails if a document or a public header uses a home-made word for which docs/glossary.md has a word of the field, or if comments
of C++ have more of a clumsy pattern than its ceiling, which only falls.

Usage: vocabulary.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

INSTEAD = {
    r"(first|second|third)[- ]level( cache)?s?": "L1, L2, L3",
    r"past the caches": "non-temporal stores",
    r"look(s|ing|ed)? ahead": "prefetching",
    r"asked for ahead": "prefetched",
    r"(general|direct) road|road of small calls": "general path, fast path",
    r"(bytes )?behind a (cache )?line": "misaligned",
    r"the interpreter's lock": "the GIL",
    r"l(ie|ies|ay|ying) (together|apart)": "contiguous, non-contiguous",
    r"outputs (that are )?kept|kept outputs?|output kept": "preallocated outputs",
    r"refused whole": "all-or-nothing",
    r"in the place of": "instead of",
    r"what bounds it": "bottleneck",
}
# Patterns of comments in .h and .cc, with the number of lines that may have them.
CEILINGS = {
    r"//.*\b[Ss]o (many|much|few|long|little|large)\b": 19,
    r"//[/<]* ?What\b|///<\s*what\b": 152,
    r"//[/<]* ?Of [a-z]|//.*[.;:] [Oo]f [a-z]+": 36,
    r"//.*\b(those (that|of|from|whose|which|in|with|without|where)|that of|the one (that|of|before|after))\b": 98,
    r"//.*\bThe same\b": 20,
    r"//.*\b[Ww]here\b": 318,
    r"//.*\b(is|are|was|were|be|been) (taken|made|said|asked|told|thought|seen|held|put|given|left|found|known|handed)\b": 188,
    r"//.*\b([Ww]ho|nobody|someone|whoever)\b": 28,
}
PATTERN = re.compile("|".join(rf"\b({old})\b" for old in INSTEAD), re.IGNORECASE)


def texts(root):
    """Documents and public headers."""
    yield from root.glob("*.md")
    yield from root.glob("docs/*.md")
    yield from root.glob("bindings/*/README.md")
    yield from root.glob("include/strew/**/*.h")


def found_in(text):
    """Line numbers and complaints; a phrase may go over the end of a line."""
    flat = re.sub(r"\n(\s*(//+)?\s*)", lambda gap: "\n" + " " * (len(gap.group()) - 1), text)
    for match in re.finditer(PATTERN.pattern.replace(" ", r"\s+"), flat, re.IGNORECASE):
        old = next(old for old in INSTEAD if re.fullmatch(old.replace(" ", r"\s+"), match.group(), re.IGNORECASE))
        yield text.count("\n", 0, match.start()) + 1, f"'{' '.join(match.group().split())}': say {INSTEAD[old]}"


def too_frequent(root):
    """Complaints about patterns that are more frequent than their ceilings, or whose ceiling can be lowered."""
    folders = (root / folder for folder in ("src", "include", "bindings", "apps"))
    lines = [line for folder in folders for path in folder.rglob("*.[hc]*") if path.suffix in (".h", ".cc")
             for line in path.read_text("utf-8").splitlines()]  # fmt: skip
    for pattern, ceiling in CEILINGS.items():
        count = sum(re.search(pattern, line) is not None for line in lines)
        if count > ceiling:
            yield f"comments of C++: {count} lines match {pattern}; at most {ceiling} may"
        elif count < ceiling - 5:
            yield f"comments of C++: {count} lines match {pattern}: lower its ceiling of {ceiling} in tests/vocabulary.py"


def main(root):
    wrong = 0
    count = 0
    for path in sorted(texts(root)):
        count += 1
        for number, complaint in found_in(path.read_text()):
            print(f"{path.relative_to(root)}:{number}: {complaint}")
            wrong += 1
    for complaint in too_frequent(root):
        print(complaint)
        wrong += 1
    assert list(found_in("It looks\n  ahead."))[0][0] == 1
    if not wrong:
        print(f"{count} files use the field's words")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
