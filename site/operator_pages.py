"""Writes the operator reference: a page for each operator, with its versions, policies and examples as pictures.

Usage: operator_pages.py FOLDER
"""

import inspect
import pathlib
import re
import sys

import numpy as np
import strew
from operator_examples import examples_of

DOCS = pathlib.Path(__file__).parents[1] / "docs"
PLAYGROUND = "../playground/index.html"
ROW = re.compile(r"^\| (.+) \|$", re.M)


def table(header, rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows)) + "\n"


def cells(text):
    """Returns the rows of a document's tables, each as a list of cells."""
    return [[cell.strip() for cell in re.split(r"(?<!\\) \| ", row)] for row in ROW.findall(text)]


def choices():
    """Returns the choice and the reason of each policy, by its number, from docs/semantics.md."""
    found = {}
    for point, choice, reason in [row for row in cells((DOCS / "semantics.md").read_text()) if len(row) == 3]:
        for numbers in re.findall(r"\((A\d[^)]*)\)", point):
            for first, last in re.findall(r"A(\d+)(?: to A(\d+))?", numbers):
                found |= {f"A{n}": (choice, reason) for n in range(int(first), int(last or first) + 1)}
    return found


def policies(op_type):
    """Yields the number, question and link of each policy of an operator, from docs/policies.md."""
    for number, question, operators, link in [row for row in cells((DOCS / "policies.md").read_text()) if len(row) == 4]:
        if re.match(r"A\d", number) and (operators == "all" or op_type in operators.split(", ")):
            yield number, question, link.replace("(semantics.md", "(../docs/semantics.md")


def rule(function):
    """Returns the paragraphs of a docstring between its first line and its parameters, as Markdown."""
    return "\n\n".join(inspect.getdoc(function).split("\nParameters\n")[0].strip().split("\n\n")[1:]).replace("``", "`")


def attribute_rows(attributes):
    for one in attributes:
        values = ", ".join(f"`{word}`" for word in one.values) or {"element": "an element of the type of data", "bool": "true, false"}.get(one.type, one.type)
        default = "" if one.default is None else f"`{str(one.default).lower() if one.type == 'bool' else one.default}`"
        yield [f"`{one.name}`", values, default, one.doc]


def opsets(version):
    first, last = version.since_version, version.last_opset
    return f"opset {last}" if first == last else f"opsets {first} to {last}"


def version_link(version, page=""):
    return f"[{version.op_type}-{version.since_version}]({page}#{version.op_type.lower()}-{version.since_version})"


def version_section(version):
    yield f"### {version.op_type}-{version.since_version}\n"
    yield f"For models of {opsets(version)}.{' Deprecated: ScatterElements computes the same result.' if version.deprecated else ''}\n"
    rows = []
    for one in version.inputs:
        types = "T" if one.types == version.types else " or ".join(f"`{name}`" for name in one.types)
        rows.append([f"`{one.name}`", types + (", optional" if one.optional else ""), one.doc])
    rows.append([f"`{version.output}`", "T", f"the output, of shape `{version.output_shape}`"])
    yield table(["operand", "type", "what it is"], rows)
    if version.attributes:
        yield table(["attribute", "values", "default", "what it says"], attribute_rows(version.attributes))
    else:
        yield "It has no attributes.\n"
    yield f"T is one of {', '.join(f'`{name}`' for name in version.types)}.\n"


def call_of(operator, example):
    """Returns the function and its operands: indices as int64, the others as float32."""
    operands = [np.asarray(values) for values in example.operands.values()]
    operands = [each.astype(np.int64 if "indices" in name else np.float32) for name, each in zip(example.operands, operands, strict=True)]
    return getattr(strew, operator.function), operands


def example_section(operator, example, picture):
    function, operands = call_of(operator, example)
    result = function(*operands, **example.attributes)
    assert np.array_equal(result, np.asarray(example.output, np.float32)), f"{operator.op_type}: {example.title}"
    drawn = strew.picture(function, *operands, **example.attributes)
    newest = f"{operator.op_type}-{example.versions[-1]}"
    address = drawn.url()
    title = address[1 : address.index("?")]
    picture.write_text(drawn.svg.replace(f"<title>{title}", f"<title>{newest}").replace(f">{title}", f">{newest}"), encoding="utf-8")
    given = "".join(f", {name}={value!r}" for name, value in example.attributes.items())
    yield f"### {example.title[0].upper()}{example.title[1:]}\n"
    yield f"![{operator.op_type} of {', '.join(example.operands)}{given}]({picture.name})\n"
    rows = [[f"`{name}`", f"`{values}`"] for name, values in example.operands.items()]
    rows += [[f"`{name}`", f"`{value}`"] for name, value in example.attributes.items()]
    yield table(["operand", "value"], [*rows, [f"`{operator.versions[-1].output}`", f"`{example.output}`"]])
    links = []
    for version in reversed(example.versions):
        opened = address.replace(title, f"{operator.op_type}-{version}", 1)
        links.append(f'<a class="try" href="{PLAYGROUND}{opened.replace("&", "&amp;")}">{operator.op_type}-{version}</a>')
    yield f"Change it in the playground: {', '.join(links)}\n"


def page(operator, folder):
    yield f"# {operator.op_type}\n"
    yield f"{operator.doc}.\n"
    python = f'<a href="../python/strew.html#strew.{operator.function}">strew.{operator.function}</a>'
    cpp = f'<a href="../cpp/ops_8h.html">strew::{operator.function}</a>'
    yield f"In Python {python}, in C++ {cpp}, on the command line `strew op {operator.op_type}`.\n"
    yield rule(getattr(strew, operator.function)) + "\n"
    yield f"Shape of the output: `{operator.versions[-1].output_shape}`.\n"
    yield "## Versions\n"
    rows = [[version_link(one), opsets(one), "; ".join(one.changes) or "the first version"] for one in operator.versions]
    yield table(["version", "models of", "new"], rows)
    for version in reversed(operator.versions):
        yield from version_section(version)
    beyond = [one for one in operator.parameters if one not in operator.versions[-1].attributes]
    if beyond:
        yield "## Beyond ONNX\n"
        yield "Functions and `strew op` have these parameters too; models follow the standard.\n"
        yield table(["parameter", "values", "default", "what it says"], attribute_rows(beyond))
    yield "## Where the standard is silent\n"
    chosen, rows = choices(), {}
    for number, question, link in policies(operator.op_type):
        rows.setdefault((*chosen[number], link), []).append(f"{question} ({number})")
    yield table(["question", "what Strew does", "why", "more"], [["; ".join(each), *row] for row, each in rows.items()])
    yield "## Examples\n"
    for number, example in enumerate(examples_of(operator.op_type), 1):
        yield from example_section(operator, example, folder / f"{operator.op_type}_{number}.svg")


def index():
    yield "# Operators\n"
    yield "ONNX's operators by version. `strew ops OPERATOR` prints them; `strew.operators` has them as data.\n"
    yield f'Try any call: <a class="try" href="{PLAYGROUND}">the playground</a>\n'
    rows = []
    for operator in strew.operators.values():
        versions = ", ".join(version_link(one, f"{operator.op_type}.md") for one in operator.versions)
        rows.append([f"[{operator.op_type}]({operator.op_type}.md)", operator.doc, versions])
    yield table(["operator", "what it gives", "versions"], rows)
    yield "```{toctree}\n:hidden:\n\n" + "\n".join(strew.operators) + "\n```\n"


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for operator in strew.operators.values():
        (folder / f"{operator.op_type}.md").write_text("\n".join(page(operator, folder)), encoding="utf-8")
    (folder / "index.md").write_text("\n".join(index()), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
