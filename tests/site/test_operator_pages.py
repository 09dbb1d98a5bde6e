"""The operator reference has every version, policy and example, and the pictures of the calls."""

import itertools
import re
import xml.etree.ElementTree as ET

import operator_pages
import pytest
import strew
from conftest import ROOT
from operator_examples import examples_of, pages

OPERATORS = list(strew.operators)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("operators")
    operator_pages.main(made)
    return made


@pytest.fixture(params=OPERATORS)
def page(request, folder):
    return request.param, (folder / f"{request.param}.md").read_text("utf-8")


def section(text, heading):
    return text.split(f"# {heading}\n")[1].split("\n#")[0]


def test_every_version_lists_its_types_attributes_and_changes(page):
    name, text = page
    for version in strew.operators[name].versions:
        said = section(text, f"{name}-{version.since_version}")
        assert all(f"`{each}`" in said for each in version.types)
        assert all(f"| `{each.name}` |" in said for each in (*version.attributes, *version.inputs))
        assert ("Deprecated" in said) == version.deprecated
        row = re.search(rf"^\| \[{name}-{version.since_version}\]\(#{name.lower()}-{version.since_version}\) \| .*$", text, re.M)[0]
        assert all(change in row for change in version.changes)


def test_every_parameter_beyond_onnx_is_listed(page):
    name, text = page
    assert all(f"| `{each.name}` |" in text for each in strew.operators[name].parameters)


def test_every_example_has_a_picture_and_a_link_for_each_version(page, folder):
    name, text = page
    examples = examples_of(name)
    assert examples
    for number, example in enumerate(examples, 1):
        said = section(text, example.title[0].upper() + example.title[1:])
        title = ET.fromstring((folder / f"{name}_{number}.svg").read_text("utf-8")).findtext("{http://www.w3.org/2000/svg}title")
        assert title.startswith(f"{name}-{example.versions[-1]}")
        assert f"]({name}_{number}.svg)" in said
        assert re.findall(r'index\.html#(\S+?)\?', said) == [f"{name}-{version}" for version in reversed(example.versions)]
    assert len(list(folder.glob(f"{name}_*.svg"))) == len(examples)


def test_no_example_of_onnxs_pages_is_missing():
    shown = {name: [example.title for example in examples_of(name)] for name in OPERATORS}
    for name, known in (("Gather", pages.GATHER), ("GatherElements", pages.GATHER_ELEMENTS), ("GatherND", pages.GATHER_ND),
                        ("Scatter", pages.SCATTER), ("ScatterND", pages.SCATTER_ND)):  # fmt: skip
        titles = set(itertools.chain(*(title.split(", ") for title in shown[name])))
        assert {row[0].replace("_", " ").removeprefix(f"{name.lower()} ") for row in known} <= titles


def test_a_wrong_output_is_detected(monkeypatch, tmp_path):
    wrong = examples_of("Gather")[0]._replace(output=[[0]])
    monkeypatch.setattr(operator_pages, "examples_of", lambda name: [wrong])
    with pytest.raises(AssertionError, match="^Gather: example 1"):
        operator_pages.main(tmp_path)


def test_every_policy_is_in_the_index_and_has_a_choice(folder):
    chosen = operator_pages.choices()
    numbers = re.findall(r"^\| (A\d+) \|", (ROOT / "docs/policies.md").read_text(), re.M)
    assert numbers == [f"A{n}" for n in range(1, len(numbers) + 1)]
    assert sorted(chosen) == sorted(numbers)
    shown = set(re.findall(r"\((A\d+)\)", "".join(path.read_text() for path in folder.glob("*.md"))))
    assert shown == set(numbers)


def test_a_policy_names_existing_operators():
    rows = operator_pages.cells((ROOT / "docs/policies.md").read_text())
    for number, _, operators, _ in [row for row in rows if re.match(r"A\d", row[0])]:
        assert operators == "all" or set(operators.split(", ")) <= set(OPERATORS), number
