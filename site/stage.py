"""Writes the sources of the site for Sphinx: the documents in the folders that they have in the checkout, README.md as
the first page, the contents of docs/README.md as the menu, and pages for the C++ and Python references.

Usage: stage.py FOLDER
"""

import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).parents[1]
sys.path.append(str(ROOT / "bench"))
import figures  # noqa: E402

ELSEWHERE = ["conformance/README.md", "examples/README.md"]
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "HACKING.md", "SECURITY.md", *ELSEWHERE]
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
MODULES = ["strew", "strew.numpy", "strew.dask", "strew.cuda", "strew.torch", "strew.torch_scatter"]
TABLE = re.compile(r"<!-- table: (.*) -->")
REFERENCES = ["operators/index", "python/index", "cpp_headers"]


def is_page(path):
    return path.suffix == ".md" and (path.parent == ROOT / "docs" or path.relative_to(ROOT).as_posix() in PAGES)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def toctree(pages, caption=""):
    head = f":caption: {caption}\n" if caption else ""
    return "\n```{toctree}\n:hidden:\n" + head + "\n" + "\n".join(pages) + "\n```\n"


def menu():
    """Yields each section of docs/README.md as a part of the menu."""
    contents = (ROOT / "docs/README.md").read_text("utf-8")
    for section in contents.split("\n## ")[1:]:
        title = section.splitlines()[0]
        links = re.findall(r"^- \[.*?\]\((.*?)\.md\)", section, re.M)
        pages = [link.removeprefix("../") if link.startswith("../") else f"docs/{link}" for link in links]
        yield toctree([*(REFERENCES if title == "Reference" else []), *pages], title)


def rendered(wanted):
    """Returns the table that a document requests by `peers MODE THREADS` or `sweep LIMIT`, from docs/plots."""
    kind, *how = wanted[1].split()
    if kind == "peers":
        lines = figures.peer_table(figures.read(ROOT / "docs/plots/peers.json"), how[0], int(how[1]))
    else:
        lines = figures.sweep_losses(figures.read(ROOT / "docs/plots/sweep.jsonl"), float(how[0]))
    return "\n".join(line if line.startswith("|") else f"\n{line}\n" for line in lines) + "\n"


def stage_documents(folder):
    for page in [path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / page for page in ELSEWHERE)] if is_page(path)]:
        text = TABLE.sub(rendered, page.read_text("utf-8"))
        for name in LINK.findall(text):
            target = (page.parent / name).resolve()
            if target.is_file() and not is_page(target):
                copy = folder / target.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(target, copy)
        text = re.sub(r"\]\(((?:\.\./)*)README\.md", r"](\1index.md", text) if page.parent != ROOT / "docs" else text.replace("](../README.md", "](../index.md")
        text = text.replace("\n\n```\n", "\n```\n")  # removes the blank line that ends an example for doctest
        first = page == ROOT / "README.md"
        name = "index.md" if first else page.relative_to(ROOT).as_posix()
        write(folder / name, text + "".join([toctree(["docs/README"]), *menu()]) if first else text)


def stage_python(folder):
    """Writes a page for each module with all its public names, and an index of these pages."""
    for module in MODULES:
        write(folder / f"python/{module}.rst", f"{module}\n{'=' * len(module)}\n\n.. automodule:: {module}\n   :members:\n")
    listed = "".join(f"- [{module}]({module}.rst)\n" for module in MODULES)
    write(folder / "python/index.md", f"# Python reference\n\nThe docstrings, as `help` shows them.\n\n{listed}{toctree(MODULES)}")


def stage_headers(folder):
    """Writes a table of the public headers: a link to doxygen's page, and the comment at the top of the header."""
    rows = []
    for header in sorted((ROOT / "include/strew").rglob("*.h")):
        name = header.relative_to(ROOT / "include").as_posix()
        page = header.name.replace("_", "__").replace(".", "_8") + ".html"
        # Shows only the first line of the comment at the top of the C header.
        first = re.match(r"(?://.*\n)+|/\*.*\n", header.read_text("utf-8"))[0]
        purpose = re.sub(r"^(//|/\*) ?", "", first, flags=re.MULTILINE).replace("\n", " ").strip()
        rows.append(f'| <a href="cpp/{page}">{name}</a> | {purpose} |')
    text = "# C++ reference\n\nThe public headers. `<strew/strew.h>` includes those that most programs need.\n\n"
    text += 'All names: <a href="cpp/namespacestrew.html">namespace strew</a>.\n\n'
    write(folder / "cpp_headers.md", text + "| header | what it has |\n| --- | --- |\n" + "\n".join(rows) + "\n")


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    stage_documents(folder)
    stage_python(folder)
    stage_headers(folder)
    for name in ("conf.py", "torch_stand_in.py", "site.css"):
        target = folder / ("_static" if name.endswith(".css") else "") / name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / "site" / name, target)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
