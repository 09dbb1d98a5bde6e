"""Fails if a document's table of the calls that a binding handles, or of reasons for others, differs from the code.

Usage: binding_tables.py SOURCE_FOLDER [--write]
"""

import pathlib
import re
import sys

TEXT = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'  # adjacent literals are joined

# For each table: its document, its header, the source file with its rows, a regular expression that matches a row
# there, and the format of a row in the document.
TABLES = [
    ("docs/onnxruntime.md", "| node | why |", "bindings/onnxruntime/src/claims.cc",
     r"\{by_\w+,\s*" + TEXT + r",\s*" + TEXT + r"\}", "| {} | {} |"),
    ("docs/torch-install.md", "| operator | handled |", "bindings/torch/src/kernels.cc",
     r"\{" + TEXT + r",\s*" + TEXT + r",\s*\[\]", "| `{}` | {} |"),
    ("docs/torch-install.md", "| reason | the call has | what helps |", "bindings/torch/src/outcomes.inc",
     r"STREW_OUTCOME\(\w+,\s*" + TEXT + r",\s*" + TEXT + r",\s*" + TEXT + r"\)", "| {} | {} | {} |"),
]  # fmt: skip


def literal(text):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def table(root, header, source, row, form):
    rows = [form.format(*map(literal, found)) for found in re.findall(row, (root / source).read_text())]
    columns = header.count("|") - 1
    return "\n".join([header, "|" + " --- |" * columns, *rows]) + "\n"


def main(arguments):
    root = pathlib.Path(arguments[0])
    wrong = []
    for page, header, *rest in TABLES:
        text = (root / page).read_text()
        found = re.search(re.escape(header) + r"\n(\|.*\n)*", text)
        right = table(root, header, *rest)
        if found is None or found[0] != right:
            wrong.append(f"{page}: the table '{header}' must be (binding_tables.py . --write)\n{right}")
        if found is not None and arguments[1:] == ["--write"]:
            (root / page).write_text(text.replace(found[0], right))
    print("\n".join(wrong) or f"{len(TABLES)} tables match the code")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
