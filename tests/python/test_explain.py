"""Tests explanations of calls, and the limit of scratch memory."""

import collections.abc
import json
import pickle

import numpy as np
import pytest
from support import Meddler, refuses

import strew
import strew.numpy as snp

DATA = np.zeros((4096, 4), np.float32)
PLACES = np.arange(4096)[::-1, None]


@pytest.mark.parametrize(
    "function, operands",
    [
        (strew.gather, (DATA, PLACES)),
        (strew.gather_elements, (DATA, PLACES)),
        (strew.gather_nd, (DATA, PLACES)),
        (strew.gather, (DATA.astype("S3"), PLACES)),
        (strew.gather_elements, (DATA.astype("S3"), PLACES)),
        (strew.gather, (DATA.astype(str).astype(object), PLACES)),
        (strew.scatter_elements, (DATA, PLACES, DATA[:, :1], 0, "add")),
        (strew.scatter_nd, (DATA, PLACES, DATA)),
        (strew.tensor_scatter, (np.stack([DATA] * 8), np.stack([DATA[:7]] * 8), [3] * 8)),  # too large for the fast path
    ],
)
def test_every_operator_is_explained(function, operands):
    before = DATA.copy()
    with strew.num_threads(2):
        explanation = strew.explain(function, *operands)
    taken = [one for one in explanation["considered"] if one["strategy"] == explanation["strategy"]]
    assert [one["reason"] for one in taken] == [explanation["reason"]]
    assert taken[0]["applies"]
    assert all(one["reason"] for one in explanation["considered"])
    assert explanation["tasks"] in (1, 2)
    assert 0 <= explanation["indices"]["lowest"] <= explanation["indices"]["highest"] <= 4095
    np.testing.assert_array_equal(DATA, before)


def test_an_explanation_is_shown_as_lines_and_is_a_mapping():
    with strew.num_threads(2):
        explanation = strew.explain(strew.scatter_nd, DATA, PLACES, DATA, "add")
    lines = repr(explanation).splitlines()
    assert lines[0] == explanation["call"] == "scatter_nd: float32 [4096, 4], indices int64 [4096, 1], reduction=add"
    assert lines[1] == f"{explanation['strategy']}: {explanation['reason']}"
    assert len(lines) == 6 + len(explanation["considered"]) and max(map(len, lines)) < 160
    assert sum(line.startswith(f"  * {explanation['strategy']} ") for line in lines) == 1
    for one, line in zip(explanation["considered"], lines[6:], strict=True):
        assert line[4:].startswith(one["strategy"]) and line.endswith(one["reason"])
        assert (line[20:47].split() == ["-", "-"]) == (not one["applies"])
    assert str(explanation) == f"{explanation}" == repr(explanation)
    assert isinstance(explanation, collections.abc.Mapping)
    assert json.loads(json.dumps(explanation)) == dict(explanation)
    assert pickle.loads(pickle.dumps(explanation)) == explanation


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (np.zeros(3, "M8[s]"), "datetime64[s] [3]"), (np.zeros((3, 2), np.longdouble), "float128 [3, 2]"), (np.array(["ab"]), "string [1]"),
        (np.array(["ab"], object), "string [1]"), (np.zeros(3, "i4,i2"), "[('f0', '<i4'), ('f1', '<i2')] [3]"), (np.zeros(3, ">f4"), "float32 [3]"),
    ],
)  # fmt: skip
def test_the_call_has_the_type_of_the_data(data, named):
    assert strew.explain(strew.gather, data, [0])["call"] == f"gather: {named}, indices int64 [1]"


def test_nothing_is_written():
    data = np.ones((4096, 4), np.float32)
    explanation = strew.explain(strew.scatter_nd, data, PLACES, DATA, reduction="mul", out=data)
    assert explanation["considered"]
    assert data.all()
    assert strew.scatter_nd(data, PLACES, DATA, "mul", out=data) is data, "calls run again afterwards"
    assert not data.any()


def test_what_a_call_refuses_is_refused():
    refuses(IndexError, "4096", strew.explain, strew.gather, DATA, [4096])
    assert strew.gather(DATA, [0]).shape == (1, 4)
    refuses(TypeError, "not one of the operators", strew.explain, np.take, DATA, [0])
    for call in (strew.explain, strew.picture):
        refuses(TypeError, ": a numpy.ndarray is not one of the operators; .*, and its arguments$", call, DATA, [0])
        refuses(TypeError, ": gather_scatter is not one of the operators", call, strew.gather_scatter, DATA, [0])
        refuses(TypeError, ": take runs strew.gather; pass that", call, snp.take, DATA, [0])
        refuses(TypeError, ": At.at runs strew.scatter_nd; pass that", call, snp.add.at, DATA, [0], 1)


def test_a_limit_of_scratch_memory_passes_over_what_needs_more():
    data = np.zeros((2**17, 64), np.float32)
    places = np.zeros((2**17, 16), np.int64)
    call = (strew.scatter_elements, data, places, data[:, :16], 1, "add")
    needed = max(one["scratch_bytes"] for one in strew.explain(*call)["considered"])
    assert needed > 0
    assert strew.get_scratch_limit() == 2**30
    strew.set_scratch_limit(0)
    try:
        explanation = strew.explain(*call)
        assert explanation["scratch_bytes"] == 0
        over = [one for one in explanation["considered"] if one["scratch_bytes"] > 0]
        assert over and all("limit" in one["reason"] for one in over)
    finally:
        strew.set_scratch_limit(2**30)


def test_calls_made_while_operands_are_read_run_and_are_not_explained():
    inner = []

    def act():
        inner.append(strew.gather(np.arange(4.0), [3]))
        inner.append(strew.explain(strew.gather, np.arange(4.0), [1]))

    out = np.full(2, -1.0)
    explanation = strew.explain(strew.gather, np.arange(3.0), Meddler([0, 2], act), out=out)
    assert inner[0] == [3.0]
    assert inner[1]["indices"] and explanation["indices"]
    assert list(out) == [-1, -1]
