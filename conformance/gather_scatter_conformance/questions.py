"""Turns literals for one operator into cases for every version, element type and index type that allows them."""

import numpy as np

from . import oracle, rules
from .arrays import as_type, difference, fits
from .case import Case, path_of
from .standard import INDICES, INPUTS, VERSIONS, versions_of

MOVES = "moves"  # every type of the version
NUMBERS = "numbers"  # types that represent all literals exactly and have the reduction
FLOATS = ("float32", "float64", "float16", "bfloat16")


class Questions:
    """Collects the cases whose path contains `only`, by path. A test replaces `answer`, the oracle."""

    def __init__(self, answer=oracle.answer, only=""):
        self.cases, self._answer, self._only = {}, answer, only

    def legal(
        self, rule, operator, name, *literals, types=("float32",), indices="all", since=None, opsets=None,
        compare="bits", expect=None, symbolic=False, also_data=False, empty_name=False, constants=(), why="", recipe="",
        **attributes,
    ):
        """Adds legal cases. The oracle computes the output, which must equal the literal `expect`."""
        for version in self._versions(operator, since, attributes):
            for opset in opsets or version.opsets[:1]:
                if opset not in version.opsets:
                    continue
                for dtype, index_type in self._types(version, types, indices, literals, expect, attributes):
                    label = self._label(name, dtype, index_type, opset if opsets else None)
                    if self._only not in path_of("legal", operator, version.since, rule, label):
                        continue
                    arrays = self._arrays(operator, literals, dtype, index_type)
                    output = self._answer(operator, version.since, arrays, attributes)
                    if expect is not None and (dtype == "float32" or types == MOVES or fits(expect, dtype)):
                        told = difference(output, as_type(expect, dtype), "values")
                        if told:
                            raise AssertionError(f"{operator}-{version.since} {rule} {name} {dtype}: {told}")
                    where = operator, version.since, opset, rule, label
                    how = compare, symbolic, dict.fromkeys(constants), empty_name, also_data, None, why, recipe
                    self._add(Case(*where, arrays, attributes, output, None, *how))

    def refused(
        self, rule, operator, name, *literals, dtype="float32", indices="int64", since=None, opsets=None, why="",
        refused_at=None, declared=None, constants=None, **attributes,
    ):  # fmt: skip
        """Adds illegal cases. The oracle must reject them by this rule, unless `refused_at` is given.

        A rule about shapes adds two cases. One declares the shapes; the other does not, so only a run can reject it.
        """
        for version in self._versions(operator, since, attributes if rule not in OF_ATTRIBUTES else {}):
            if rule != "deprecated" and version.deprecated:
                continue
            for opset in opsets or version.opsets[:1]:
                if opset not in version.opsets:
                    continue
                types = version.index_types if indices == "all" else (indices,)
                for index_type in types:
                    label = self._label(name, dtype, index_type, opset if opsets else None)
                    if self._only not in path_of("illegal", operator, version.since, rule, label + "_symbolic"):
                        continue
                    arrays = self._arrays(operator, literals, dtype, index_type)
                    needs = "types" if refused_at else self._refusal(rule, operator, version.since, arrays, attributes)
                    for symbolic in (False, True) if needs == "shapes" else (False,):
                        stage = refused_at or ("run" if needs == "values" or symbolic else "check")
                        where = operator, version.since, opset, rule, label + "_symbolic" * symbolic
                        how = "bits", symbolic, constants or {}, False, False, declared, why
                        self._add(Case(*where, arrays, attributes, None, stage, *how))

    def _refusal(self, rule, operator, since, arrays, attributes):
        try:
            self._answer(operator, since, arrays, attributes)
        except oracle.Illegal as error:
            # The oracle reports one bad index among many as an index out of range.
            same = error.rule == rule or (rule == "refused-whole" and error.rule == "index-range")
            if same:
                return error.needs
            raise AssertionError(f"{operator}-{since} {rule}: the oracle reports {error}") from None
        raise AssertionError(f"{operator}-{since} {rule}: the oracle accepts it")

    def _add(self, case):
        if case.rule not in rules.RULES:
            raise AssertionError(f"no rule {case.rule}")
        if self._only not in case.path:
            return
        if case.path in self.cases:
            raise AssertionError(f"two cases have the path {case.path}")
        self.cases[case.path] = case

    @staticmethod
    def _versions(operator, since, attributes):
        if since is not None:
            wanted = (since,) if isinstance(since, int) else since
            return [VERSIONS[operator, number] for number in wanted]
        reduction = attributes.get("reduction", "none")
        return [
            version
            for version in versions_of(operator)
            if set(attributes) <= set(version.attributes) and reduction in version.reductions
        ]

    @staticmethod
    def _types(version, types, indices, literals, expect, attributes):
        index_types = version.index_types if indices == "all" else (indices,)
        if types == MOVES:
            names = version.types
        elif types == NUMBERS:
            known = [values for values in [*_moved(version.operator, literals), expect] if values is not None]
            names = [
                name for name in version.types
                if _has_reduction(name, attributes) and all(fits(values, name) for values in known)
            ]  # fmt: skip
        else:
            names = [name for name in types if name in version.types]
        return [(name, index_type) for name in names for index_type in index_types]

    @staticmethod
    def _arrays(operator, literals, dtype, index_type):
        arrays = {}
        for name, values in zip(INPUTS[operator], literals, strict=False):
            kind = index_type if name == INDICES[operator] else dtype
            arrays[name] = None if values is None else as_type(values, kind)
        for name in INPUTS[operator][len(literals) :]:
            arrays[name] = None
        return arrays

    @staticmethod
    def _label(name, dtype, index_type, opset):
        return "_".join([name, *([f"opset{opset}"] if opset else []), dtype, index_type])


OF_ATTRIBUTES = ("attribute-unknown", "attribute-kind", "reduction-name")


def _moved(operator, literals):
    return [values for name, values in zip(INPUTS[operator], literals, strict=False) if name != INDICES[operator]]


def _has_reduction(name, attributes):
    if name in ("string", "bool"):
        return False
    return "complex" not in name or attributes.get("reduction", "none") not in ("max", "min")


class empty:  # noqa: N801 - reads like a literal
    """A literal without elements, whose shape nested lists cannot express: empty(2, 0)."""

    def __init__(self, *shape):
        self.shape = shape

    def __array__(self, dtype=None, copy=None):
        return np.zeros(self.shape, dtype or np.float64)
