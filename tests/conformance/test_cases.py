"""Tests the suite's guarantees about its cases, and that its list of operators is Strew's."""

import hashlib
import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from gather_scatter_conformance import oracle, rules, suite
from gather_scatter_conformance.standard import TABLE, VERSIONS

NUMBERED = [f"{short}{number}" for short, count in
            {"G": 17, "GE": 11, "ND": 17, "SE": 25, "SC": 4, "SN": 24, "TS": 15}.items() for number in range(1, count + 1)]  # fmt: skip


def digest(cases):
    """Return a hash of the bytes of all models, inputs and outputs."""
    seen = hashlib.sha256()
    for path, case in cases.items():
        seen.update(path.encode() + case.model().SerializeToString(deterministic=True))
        for array in (*case.feeds.values(), *case.outputs):
            seen.update(repr(array.tolist()).encode() if array.dtype == object else array.tobytes())
    return seen.hexdigest()


def test_there_are_thousands_and_their_files_are_small(cases):
    assert len(cases) >= 3000
    tensors = sum(
        array.nbytes
        for case in cases.values()
        for array in (*case.feeds.values(), *case.outputs)
        if array.dtype != object
    )
    models = sum(case.model().ByteSize() for case in cases.values())
    facts = len(json.dumps({path: case.facts() for path, case in cases.items()}))
    assert tensors + models + facts + 40 * 3 * len(cases) < 20 << 20


def test_they_are_the_same_bytes_in_another_process(cases):
    code = f"import sys; sys.path[:0] = {[str(ROOT / 'conformance'), str(ROOT / 'tests/conformance')]}\n" \
           "from gather_scatter_conformance import suite\nfrom test_cases import digest\nprint(digest(suite.all_cases()))"  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "12345"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == digest(cases)


def test_every_rule_and_every_version_has_cases(cases):
    assert {case.rule for case in cases.values()} == set(rules.RULES)
    assert {(case.operator, case.since) for case in cases.values()} == set(VERSIONS)
    opsets = {(case.operator, case.opset) for case in cases.values() if case.rule == "opset"}
    assert {opset for operator, opset in opsets if operator == "Gather"} == set(range(1, 29))


def test_every_element_and_index_type_of_every_version_has_a_case(cases):
    seen = {(case.operator, case.since, *case.name.split("_")[-2:]) for case in cases.values() if not case.refused}
    named = {"_".join(map(str, key)) for key in seen}
    for (operator, since), version in VERSIONS.items():
        if version.deprecated:
            continue
        for dtype in version.types:
            for index_type in version.index_types:
                assert f"{operator}_{since}_{dtype.rpartition('_')[2]}_{index_type}" in named


@pytest.mark.parametrize("number", NUMBERED)
def test_every_numbered_case_is_there(number, cases):
    assert any(re.match(rf"{number}(_|$)", case.name) for case in cases.values())


def test_cases_json_names_the_source_of_each_expectation(cases):
    for case in cases.values():
        facts = case.facts()
        assert facts["said_by"] in ("standard", "reference", "policy")
        assert len(facts["sentence"]) > 10
        assert ("compare" in facts) == (case.refused is None)
        assert facts["expect"] in ("output", "refused at check", "refused at run")


def test_no_foreign_folder_is_emptied(tmp_path):
    (tmp_path / "precious").write_text("x")
    with pytest.raises(FileExistsError):
        suite.write(tmp_path)
    assert (tmp_path / "precious").exists()


def test_only_chooses_the_cases_with_a_text_in_their_path(cases):
    asked = []

    def answer(*question):
        asked.append(question)
        return oracle.answer(*question)

    for only in ("ScatterND-16/duplicates", "illegal/Gather-13", "_symbolic"):
        asked.clear()
        some = suite.all_cases(answer, only)
        assert {path: case.facts() for path, case in some.items()} == {
            path: case.facts() for path, case in cases.items() if only in path
        }
        assert 0 < len(asked) <= (len(cases) if only == "_symbolic" else 3 * len(some))


KEYS = ["operator", "version", "deprecated", "inputs", "output", "types", "index_types", "attributes"]


def of_the_standard(value):
    """Return ONNX's part of the table of operators, without Strew's documentation and extensions."""
    if isinstance(value, list):
        return [of_the_standard(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: of_the_standard(one) for key, one in value.items() if key != "doc" and (key in KEYS or "version" not in value)}


def test_the_table_is_what_strew_prints_of_its_own():
    printed = subprocess.run([ROOT / "build" / "strew", "ops", "--json"], capture_output=True, check=True)
    assert of_the_standard(json.loads(printed.stdout)) == TABLE
