"""Fails where a document or a public header uses a home-made word for what docs/glossary.md has a word of the field.

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


def main(root):
    wrong = 0
    count = 0
    for path in sorted(texts(root)):
        count += 1
        for number, complaint in found_in(path.read_text()):
            print(f"{path.relative_to(root)}:{number}: {complaint}")
            wrong += 1
    assert list(found_in("It looks\n  ahead."))[0][0] == 1
    if not wrong:
        print(f"{count} files use the field's words")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
