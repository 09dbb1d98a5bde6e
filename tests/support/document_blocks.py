"""The documents of the tree and the blocks of code in them, for the tests that read, compile and run them."""

import collections
import re

FOLDERS = ["docs", "apps", "bindings", "conformance", "bench", "examples", "fuzz", "tests", "scripts"]

Block = collections.namedtuple("Block", "page line language text section")
Block.__doc__ = "A block: its page, the number of its first line of code, the word after the fence, code, heading."


def documents(root):
    """Return all Markdown files, sorted by path."""
    return sorted([*root.glob("*.md"), *(path for folder in FOLDERS for path in (root / folder).rglob("*.md"))])


def blocks(root, path):
    """Yield the blocks of one document. An indented block has no language."""
    section, inside, before, in_list = "", None, "", False
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if inside is not None:
            if line.strip() == "```":
                yield Block(path.relative_to(root).as_posix(), *inside[:2], "".join(f"{each}\n" for each in inside[2:]), section)
                inside, line = None, ""
            else:
                inside.append(line)
        elif fence := re.match(r"\s*```(.*)", line):
            inside = [number + 1, fence[1].strip()]
        elif line.startswith("    ") and not before.strip() and not in_list:
            yield Block(path.relative_to(root).as_posix(), number, "", line + "\n", section)
            line = "code"
        elif line.startswith("#"):
            section = line.lstrip("#").strip()
        in_list = bool(re.match(r"\s*([-*]|\d+\.) ", line)) or (in_list and (not line.strip() or line.startswith(" ")))
        before = line
    assert inside is None, f"{path}: a block is not closed"


def all_blocks(root):
    return [block for path in documents(root) for block in blocks(root, path)]


def commands(text):
    """Yield the commands of a block for a shell. Lines joined by a quote or a backslash are one command."""
    command = ""
    for line in text.splitlines():
        command += line
        if line.endswith("\\"):
            command = command[:-1]
        elif _open(command):
            command += "\n"
        else:
            if command.strip() and not command.lstrip().startswith("#"):
                yield command
            command = ""
    assert not command, f"a quote is not closed: {command}"


def _open(command):
    """Return whether a quote is open at the end. Quotes in a comment do not count."""
    quote = ""
    for before, character in zip(" " + command, command):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "#" and before.isspace():
            return False
    return bool(quote)


def is_quick(command):
    """True if tests/python/test_documents.py runs the command: the program, or Python that needs no package of its own."""
    return command.startswith(("strew ", "python -c ")) or (command.startswith("python -m strew ") and "playground" not in command)
