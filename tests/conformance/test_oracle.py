"""Every rule has a case: an oracle that breaks the rule gives another result for one of the rule's cases."""

import collections
import pathlib
import types

import numpy as np
import pytest
from gather_scatter_conformance import oracle, rules
from gather_scatter_conformance.arrays import difference

SOURCE = pathlib.Path(oracle.__file__).read_text()
ELEMENTS_LOOP = "    for at in np.ndindex(indices.shape):\n        output[places[at]] = combine"
TUPLES_LOOP = "    for at in np.ndindex(indices.shape[:-1]):\n        for within in"
ONE_STEP = 'result = number(old + new) if reduction == "add" else number(old * new)'
GATHERED = "output[at] = data[before + (places[chosen],) + behind]"
BACKWARDS = (
    ELEMENTS_LOOP,
    ELEMENTS_LOOP.replace("np.ndindex(indices.shape)", "reversed(list(np.ndindex(indices.shape)))"),
)
# Rules about outputs: a line of the oracle, and a replacement that breaks the rule.
BROKEN = {
    "equation": (GATHERED, "output[at] = data[before + (0,) + behind]"),
    "page-example": ("output[at] = data[places[at]]", "output[at] = data[at]"),
    "element-types": ("moved[0] not in version.types,", "moved[0] not in version.types[:-1],"),
    "opset": ("reduction not in version.reductions,", "reduction not in version.reductions[:3],"),
    "axis": ("return axis + rank if axis < 0", "return -axis - 1 if axis < 0"),
    "output-shape": ("shape = data.shape[:axis] + indices.shape +", "shape = indices.shape + data.shape[:axis] +"),
    "scalar-indices": (
        "check_ranks(data, indices, 0)\n    axis = axis_of(axis, data.ndim)\n    shape",
        "check_ranks(data, indices, 1)\n    axis = axis_of(axis, data.ndim)\n    shape",
    ),
    "bits-kept": ("output[at] = data[places[at]]", 'output[at] = combine("max", data[places[at]], data[places[at]])'),
    "functional": (
        "output = data.copy()\n    for at in np.ndindex(indices.shape):",
        "output = data\n    for at in np.ndindex(indices.shape):",
    ),
    "large": (
        TUPLES_LOOP,
        TUPLES_LOOP.replace("np.ndindex(indices.shape[:-1])", "list(np.ndindex(indices.shape[:-1]))[:600]"),
    ),
    "negative-index": ("refuse(not -size <= index < size,", "refuse(not 0 <= index < size,"),
    "duplicates-last-wins": BACKWARDS,
    "duplicates-aliased": BACKWARDS,
    "duplicates-reduced": ("combine(reduction, output[target],", "combine(reduction, data[target],"),
    "index-is-a-tuple": ("place(indices[at + (i,)],", "place(indices[at + (k - 1 - i,)],"),
    "slice-updates": ("wanted = indices.shape[:-1] + rest", "wanted = indices.shape[:-1] + rest[:-1]"),
    "empty-tuple": ("tuple_places(data, indices, 0, 0)", "tuple_places(data, indices, 0, 1)"),
    "empty-indices": ("refuse(data.ndim < 1,", "refuse(data.ndim < 1 or indices.size == 0,"),
    "empty-data": ("refuse(data.ndim < 1,", "refuse(data.ndim < 1 or data.size == 0,"),
    "batch-dims": ("places[at] = at[:b] + chosen", "places[at] = (0,) * b + chosen"),
    "batch-empty": (
        "refuse(data.shape[:b] != indices.shape[:b],",
        "refuse(data.shape[:b] != indices.shape[:b] or 0 in data.shape[:b],",
    ),
    "smaller-off-axis": ("indices.shape[d] > data.shape[d]\n", "indices.shape[d] != data.shape[d]\n"),
    "longer-on-axis": ("indices.size > 0 and d != axis and", "indices.size > 0 and"),
    "off-axis-empty": ("indices.size > 0 and d != axis and", "d != axis and"),
    "reduction": ('"max": max(a, b)', '"max": min(a, b)'),
    "mul-multiplies": (ONE_STEP, "result = number(old + new)"),
    "integers-wrap": ("wrapped = exact % (1 << bits)", "wrapped = min(max(exact, 0), (1 << bits) - 1)"),
    "bool-reduction": ('old | new if reduction in ("add", "max")', 'old | new if reduction in ("max",)'),
    "rounded-each-step": (ONE_STEP, ONE_STEP.replace("old + new", "float(old) + 0.9999 * float(new)")),
    "left-fold": BACKWARDS,
    "nan-in-max-and-min": ("if np.isnan(old) or np.isnan(new):", "if np.isnan(old):"),
    "nan-made": ("return number(np.nan) if np.isnan(result)", "return number(0) if np.isnan(result)"),
    "infinities": (ONE_STEP, ONE_STEP.replace("old + new", "min(old + new, number(1000))")),
    "signed-zero": ("(new if np.signbit(old) else old) if old == new", "old if old == new"),
    "complex-reduction": ("a * c - b * d", "a * c + b * d"),
    "string-concatenation": (
        "if isinstance(old, bytes):\n        return old + new",
        "if isinstance(old, bytes):\n        return new + old",
    ),
    "circular": ("output[at[:axis] + (position,)", "output[tuple(n % size for n in at[:axis]) + (position,)"),
    "write-indices-default": ("starts = [0] * batch", "starts = [1] * batch"),
    "symbolic-shapes": (GATHERED, "output[at] = data[before + (0,) + behind]"),
    "tensor-encoding": (GATHERED, "output[at] = data[before + (0,) + behind]"),
}
# Rules for rejections, and the rule that a broken oracle does not check: "index-range" in cases of "refused-whole".
OVERLOOKED = {name: name for name, found in rules.RULES.items() if found.refuses} | {"refused-whole": "index-range"}
# Rules about contradictions in a model, not in a node: the oracle does not judge these cases.
OF_THE_MODEL = {"output-declared", "tensor-damage"}


def broken_oracle(old, new):
    """Return an oracle in which one piece of code is replaced."""
    assert SOURCE.count(old) == 1, f"{SOURCE.count(old)} places read {old!r}"
    module = types.ModuleType("gather_scatter_conformance.broken_oracle")
    module.__package__ = "gather_scatter_conformance"
    exec(compile(SOURCE.replace(old, new), "broken_oracle.py", "exec"), module.__dict__)
    return module


def expects_the_same(module, case):
    inputs = {name: None if array is None else array.copy() for name, array in case.inputs.items()}
    try:
        output = module.answer(case.operator, case.since, inputs, case.attributes)
    except module.Illegal as error:
        return case.refused is not None and error.rule == OVERLOOKED.get(case.rule, case.rule)
    except Exception:
        return False
    if case.refused or difference(output, case.output, case.compare):
        return False
    return all(array is None or array.tolist() == inputs[name].tolist() or np.isnan(array.astype(complex)).any()
               for name, array in case.inputs.items())  # fmt: skip


@pytest.fixture(scope="module")
def by_rule(cases):
    found = collections.defaultdict(list)
    for case in cases.values():
        found[case.rule].append(case)
    return found


def test_every_rule_has_a_way_to_break_it():
    legal = {name for name, found in rules.RULES.items() if not found.refuses}
    assert set(BROKEN) == legal
    assert set(OVERLOOKED) | legal == set(rules.RULES)


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_rule_changes_what_a_case_expects(name, by_rule):
    module = broken_oracle(*BROKEN[name])
    assert not all(expects_the_same(module, case) for case in by_rule[name])


@pytest.mark.parametrize("name", sorted(set(OVERLOOKED) - OF_THE_MODEL))
def test_an_overlooked_rejection_changes_what_a_case_expects(name, by_rule):
    module = broken_oracle("    if condition:\n", f"    if condition and rule != {OVERLOOKED[name]!r}:\n")
    assert not all(expects_the_same(module, case) for case in by_rule[name])


def test_the_unbroken_oracle_agrees_with_itself(by_rule):
    module = broken_oracle("    if condition:\n", "    if (condition):\n")
    for name, found in by_rule.items():
        if name not in OF_THE_MODEL:
            assert all(expects_the_same(module, case) for case in found[:5]), name


def test_halves_are_rounded_once_to_the_nearest_even():
    from fractions import Fraction

    from gather_scatter_conformance.arrays import dtype_of

    random = np.random.RandomState(3)
    for dtype in ("float16", "bfloat16", "float32"):
        number = dtype_of(dtype).type
        for a, b in (random.rand(300, 2) * 2.0 ** random.randint(-6, 7, (300, 2))).astype(dtype_of(dtype)):
            for reduction, exact in (
                ("add", Fraction(float(a)) + Fraction(float(b))),
                ("mul", Fraction(float(a)) * Fraction(float(b))),
            ):
                got = oracle.combine(reduction, a, b)
                up, down = np.nextafter(got, number(np.inf)), np.nextafter(got, number(-np.inf))
                distance = abs(Fraction(float(got)) - exact)
                for other in (up, down):
                    far = abs(Fraction(float(other)) - exact)
                    even = int(np.array(got).view(f"u{got.itemsize}")) % 2 == 0
                    assert distance < far or (distance == far and even), (dtype, reduction, a, b)
