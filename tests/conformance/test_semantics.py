"""Every row of docs/semantics.md that a model can express has cases."""

import re

from conftest import ROOT
from gather_scatter_conformance import rules

# Rows without the number of a policy, and the rules whose cases test them.
BY_NAME = {
    "Same bits": ["large", "left-fold"],
    "Order": ["duplicates-last-wins", "left-fold", "rounded-each-step"],
    "All-or-nothing": ["refused-whole"],
    "No broadcasting of arrays": ["updates-shape", "batch-dims-equal", "update-dimensions"],
}
# Policies that no model can express, with the reason.
NOT_IN_A_MODEL = {
    "The first fault": "words of a message",
    "No access out of bounds": "another thread changes indices during a call",
    '"inverse of" (A38)': "a promise that is not made",
    "which text wins (A43)": "a rule for reading the standard",
}
# Sections about what Strew's own interfaces offer besides ONNX.
EXTENSIONS = (
    "Index values that ONNX rejects",
    "Reductions that ONNX lacks",
    "Data that repeats one value",
    "Extensions of the C++ interface",
)


def rows():
    """Return the first cells of all tables, and the promises, which are in bold."""
    sections = re.split(r"^## ", (ROOT / "docs" / "semantics.md").read_text(), flags=re.M)
    text = "## ".join(section for section in sections if not section.startswith(EXTENSIONS))
    cells = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    guaranteed = text.split("## Guaranteed for every operator")[1].split("\n## ")[0]
    promises = re.findall(r"^- \*\*(.+?)\.\*\*", guaranteed, re.M)
    return promises + [cell for cell in cells if cell != "point" and not set(cell) <= {"-", " "}]


def policies_in(text):
    """Return the numbers in a text: "A12" and the range "A1 to A4"."""
    numbers = set(re.findall(r"A(\d+)", text))
    for first, last in re.findall(r"A(\d+) to A(\d+)", text):
        numbers |= set(map(str, range(int(first), int(last) + 1)))
    return {f"A{number}" for number in numbers}


def test_every_row_has_cases_or_a_reason_why_no_model_can_express_it(cases):
    used = {case.rule for case in cases.values()}
    settled = {policy for name in used for policy in rules.RULES[name].policies}
    missing = []
    for row in rows():
        policies = policies_in(row)
        if row in NOT_IN_A_MODEL:
            continue
        held = policies <= settled if policies else row in BY_NAME and set(BY_NAME[row]) <= used
        if not held:
            missing.append((row, sorted(policies - settled)))
    assert not missing


def test_the_named_rows_exist():
    assert set(BY_NAME) | set(NOT_IN_A_MODEL) <= set(rows())


def test_every_policy_in_a_heading_has_cases(cases):
    text = (ROOT / "docs" / "semantics.md").read_text()
    settled = {policy for case in cases.values() for policy in rules.RULES[case.rule].policies}
    for heading in re.findall(r"^## .*", text, re.M):
        assert policies_in(heading) <= settled
