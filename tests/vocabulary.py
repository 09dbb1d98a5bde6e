"""Fails if a document or a public header uses another word than the term of docs/glossary.md, or if an unclear pattern occurs more
often than its ceiling in comments, docstrings, documents or names in C++. Ceilings may only be lowered.

Usage: vocabulary.py SOURCE_FOLDER
"""

import ast
import io
import pathlib
import re
import sys
import tokenize

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
# Pattern -> the most lines that may match in comments of .h and .cc, in comments and docstrings of .py, and in documents.
CEILINGS = {
    r"\b[Ss]o (many|much|few|long|little|large)\b": (5, 0, 1),
    r"^[Ww]hat\b|[.:;] [Ww]hat\b": (2, 0, 5),
    r"^Of [a-z]|[.;:] [Oo]f [a-z]": (6, 0, 0),
    r"\b(those (that|of|from|whose|which|in|with|without|where)|that of|the one (that|of|before|after))\b": (7, 8, 2),
    r"\bThe same\b": (2, 0, 5),
    r"\b[Ww]here\b": (12, 5, 16),
    r"\b(is|are|was|were|be|been) (taken|made|said|asked|told|thought|seen|held|put|given|left|found|known|handed)\b": (14, 5, 6),
    r"\b([Ww]ho|nobody|someone|whoever)\b": (2, 0, 0),
}
# Pattern of names in C++ -> the most matches: bare participles and adjectives; functions `x_of`, of which each name counts once; and
# numbers with a comment whose names end in a quantity without a unit (`width`, not `width_bytes`).
NAMES = {
    r"\b(near_|cold_|chosen_|waiting_|taken_over|one_way|divided|of_one_of|apart|made)\b": 10,
    r"\b(?!all_of|any_of|none_of|find_|is_|check_|choose_)[a-z][a-z_]*_of\(": 62,
    r"^ *(?:std::)?(?:u?int\w*|size_t|double|float) (?:\w+_)?(size|width|length|stride|step|distance|offset|origin|row|line|run|wake|sort"
    r"|memory|limit|reach|unit|chunk|tile|group|ahead)(?: = [^;]*)?; *///<": 15,
}
PATTERN = re.compile("|".join(rf"\b({old})\b" for old in INSTEAD), re.IGNORECASE)


def texts(root):
    yield from root.glob("*.md")
    yield from root.glob("docs/*.md")
    yield from root.glob("bindings/*/README.md")
    yield from root.glob("include/strew/**/*.h")


def found_in(text):
    """Yield line numbers and errors. A phrase may continue on the next line."""
    flat = re.sub(r"\n(\s*(//+)?\s*)", lambda gap: "\n" + " " * (len(gap.group()) - 1), text)
    for match in re.finditer(PATTERN.pattern.replace(" ", r"\s+"), flat, re.IGNORECASE):
        old = next(old for old in INSTEAD if re.fullmatch(old.replace(" ", r"\s+"), match.group(), re.IGNORECASE))
        yield text.count("\n", 0, match.start()) + 1, f"'{' '.join(match.group().split())}': say {INSTEAD[old]}"


def cpp_texts(root):
    for folder in ("src", "include", "bindings", "apps"):
        for path in (root / folder).rglob("*.[hc]*"):
            if path.suffix in (".h", ".cc"):
                yield path.read_text("utf-8")


def cpp_lines(root):
    """Yield the comments of C++ without their slashes."""
    for text in cpp_texts(root):
        yield from re.findall(r"//[/<]* ?(.*)", text)


def python_lines(root):
    """Yield the lines of comments and docstrings of Python."""
    for folder in ("bindings", "scripts", "bench", "conformance", "tests"):
        for path in (root / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.COMMENT:
                    yield token.string.lstrip("#! ")
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield from map(str.strip, (ast.get_docstring(node) or "").splitlines())


def document_lines(root):
    """Yield the lines of prose of the README, HACKING and docs, without the marks of headings and lists."""
    for path in (root / "README.md", root / "HACKING.md", *root.glob("docs/*.md")):
        code = False
        for line in path.read_text("utf-8").splitlines():
            code ^= line.lstrip().startswith("```")
            if not code:
                yield line.lstrip("-*# ")


def too_frequent(root):
    """Yield the patterns that are more frequent than their ceilings, or whose ceilings can be lowered."""
    texts_of = {"comments of C++": cpp_lines, "comments and docstrings of Python": python_lines, "documents": document_lines}
    for (name, lines_of), at in zip(texts_of.items(), range(len(texts_of)), strict=True):
        lines = list(lines_of(root))
        for pattern, ceilings in CEILINGS.items():
            count = sum(re.search(pattern, line) is not None for line in lines)
            if count > ceilings[at]:
                yield f"{name}: {count} lines match {pattern}; at most {ceilings[at]} may"
            elif count < ceilings[at] - 5:
                yield f"{name}: {count} lines match {pattern}: lower its ceiling of {ceilings[at]} in tests/vocabulary.py"


def unclear_names(root):
    """Yield the patterns of names that are more frequent than their ceilings."""
    strings = re.compile(r'"(?:\\.|[^"\\\n])*"|//.*')
    lines = [line for text in cpp_texts(root) for line in strings.sub("", text).splitlines()]
    for pattern, ceiling in NAMES.items():
        found = [match[0] for line in lines for match in re.finditer(pattern, line)]
        count = len(set(found) if "_of" in pattern[-8:] else found)
        if count > ceiling:
            yield f"names in C++: {count} match {pattern}; at most {ceiling} may"


def main(root):
    wrong = 0
    count = 0
    for path in sorted(texts(root)):
        count += 1
        for number, complaint in found_in(path.read_text()):
            print(f"{path.relative_to(root)}:{number}: {complaint}")
            wrong += 1
    for complaint in (*too_frequent(root), *unclear_names(root)):
        print(complaint)
        wrong += 1
    assert list(found_in("It looks\n  ahead."))[0][0] == 1
    if not wrong:
        print(f"{count} files use the field's words")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
