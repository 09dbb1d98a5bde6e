#!/usr/bin/env python3
"""Prints the public interface, C++ from the headers and Python from the package, or compares it with docs/interface.

Usage: public_interface.py cpp|python            prints it
       public_interface.py cpp|python --check    fails if docs/interface/ differs
       public_interface.py cpp|python --update   writes it there
With python, the last two also check or write the table of functions in docs/python.md.
"""

import difflib
import importlib
import inspect
import pathlib
import re
import sys
from typing import NoReturn

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ["strew", "strew.numpy", "strew.dask"]


def without_comments(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.sub(r"(?m)^\s*#(?:[^\n]*\\\n)*[^\n]*$|^\s*STREW_API_(BEGIN|END)\s*$", "", text)


def end_of(text, at, pair="{}"):
    """Return the position after the bracket that closes the bracket at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == pair[0]) - (text[i] == pair[1])
        if depth == 0:
            return i + 1
    return len(text)


def declarations(text, public=True):
    """Return the public declarations in order, without function bodies, but with bodies of classes and enums."""
    at, begin = 0, 0
    while at < len(text):
        if text[at] == ";":
            if public and (line := " ".join(text[begin:at].split())):
                yield line
            begin = at + 1
        elif text[at] == "(":
            at = end_of(text, at, "()") - 1
        elif text[at] == "{":
            head, end = " ".join(text[begin:at].split()), end_of(text, at)
            if re.search(r"=\s*$", head):  # an initializer
                at = end - 1
            elif re.match(r"namespace (\w+::)*detail\b", head):
                at = begin = end
                continue
            elif head.startswith(("namespace", 'extern "C"')):
                yield from declarations(text[at + 1 : end - 1])
                at = begin = end
                continue
            elif re.match(r"(template <.*> )?(class|struct) ", head):
                yield f"{head} {{"
                yield from ("  " + line for line in members(text[at + 1 : end - 1], head.startswith("struct")))
                at = text.index(";", end)
                begin = at + 1
            elif head.startswith("enum"):
                yield f"{head} {{ {' '.join(text[at + 1 : end - 1].split())} }}"
                at = text.index(";", end)
                begin = at + 1
            elif re.search(r"\)|noexcept|const$", head):  # a function with its body
                if public:
                    yield re.sub(r"(?<=\)) : .*| : \w+\(.*", "", head)
                at = begin = end
                continue
            else:  # a member or a variable with an initializer
                at = end - 1
        at += 1


def members(text, public):
    parts = re.split(r"\b(public|private|protected):", text)
    yield from declarations(parts[0]) if public else ()
    for access, part in zip(parts[1::2], parts[2::2], strict=True):
        if access == "public":
            yield from declarations(part)


def cpp():
    for path in sorted((ROOT / "include/strew").rglob("*.h")):
        lines = [line for line in declarations(without_comments(path.read_text())) if not re.match(r"\s*friend\b|(class|struct) \w+$", line)]
        if lines:
            yield f"strew/{path.relative_to(ROOT / 'include/strew').as_posix()}"
            yield from (f"  {line}" for line in lines)


def signature(thing):
    """Return names and defaults, without annotations, whose text depends on the Python version."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    if found.return_annotation in (NoReturn, "NoReturn"):  # the call only raises an error that names an alternative
        return ""
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def python():
    for name in MODULES:
        module = importlib.import_module(name)
        yield name
        for public in sorted(module.__all__):
            thing = getattr(module, public)
            if inspect.ismodule(thing):
                continue
            yield f"  {public}{signature(thing)}"
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                for member, what in sorted(vars(thing).items()):
                    if not member.startswith("_"):
                        yield f"    .{member}{signature(what) if callable(what) else ''}"


def functions():
    """Yield the rows of the table of functions in docs/python.md."""
    module = importlib.import_module("strew._strew")
    for operator in module._operators():
        parameters = str(inspect.signature(getattr(module, operator["name"]))).partition(", out=")[0].replace("'", '"')
        shape = operator["output_shape"].partition(";")[0]
        yield f"| `{operator['name']}{parameters})` | {operator['op_type']}-{operator['since_version']} | `{shape}` |"


def main(language, command=""):
    now = "\n".join({"cpp": cpp, "python": python}[language]()) + "\n"
    if not command:
        print(now, end="")
        return 0
    files = {f"docs/interface/{language}.txt": now}
    if language == "python":
        head, rows = r"(\| function \| ONNX \| shape of the result \|\n.*\n)", r"(?:\|.*\n)*"
        table = "\n".join(functions()) + "\n"
        page, tables = re.subn(head + rows, lambda found: found[1] + table, (ROOT / "docs/python.md").read_text())
        if tables != 1:
            sys.exit(f"docs/python.md has {tables} tables of functions; it must have one, with the head 'shape of the result'")
        files["docs/python.md"] = page
    changed = []
    for name, text in files.items():
        before = (ROOT / name).read_text() if (ROOT / name).exists() else ""
        changed += [line for line in difflib.ndiff(before.splitlines(), text.splitlines()) if line[0] in "+-"]
        if command == "--update":
            (ROOT / name).write_text(text)
    if command == "--update":
        return 0
    print("\n".join(changed) or f"the public interface is that of {', '.join(files)}")
    if changed:
        print(f"The public interface changed. If that is intended, run scripts/public_interface.py {language} --update")
    return bool(changed)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("cpp", "python"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
