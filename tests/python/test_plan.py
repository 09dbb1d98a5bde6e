"""Tests plans in Python, and the plans that calls cache."""

import gc
import re
import weakref
from functools import partial

from device_support import Lender
import numpy as np
import pytest
from support import refuses, says
import strew


def calls():
    random = np.random.default_rng(7)
    data = random.random((6, 5)).astype(np.float32)
    updates = random.random((4, 5)).astype(np.float32)
    rows = np.array([5, -6, 2, 2])
    yield strew.gather, (data, rows), {"axis": 0}
    yield strew.gather, (data, np.array([9, 1])), {"out_of_bounds": "fill", "fill_value": 3}
    yield strew.gather_elements, (data, rows[None] % 5), {"axis": 1}
    yield strew.gather_nd, (data, rows[:, None]), {}
    yield strew.scatter_elements, (data, np.repeat(rows[:, None], 5, 1), updates), {"reduction": "add", "alpha": 2}
    yield strew.scatter_nd, (data, rows[:, None], updates), {"reduction": "mean"}
    yield strew.tensor_scatter, (data[:, :, None], data[:, :2, None], np.arange(6) % 3), {"axis": 1}
    yield strew.gather, (random.random((300, 40)), random.integers(-300, 300, 500)), {}


@pytest.mark.parametrize("case", list(calls()), ids=lambda case: case[0].__name__)
def test_a_run_gives_the_bits_of_the_operator(case):
    function, operands, attributes = case
    wanted = function(*operands, **attributes)
    planned = strew.plan(function, *operands, **attributes)
    assert planned.output_shape == wanted.shape
    for given in (operands, [np.asfortranarray(each) for each in operands], [each.copy() for each in operands]):
        result = planned.run(*given)
        assert result.dtype == wanted.dtype
        assert result.tobytes() == wanted.tobytes()
        out = np.empty_like(wanted)
        assert planned.run(*given, out=out) is out
        assert out.tobytes() == wanted.tobytes()


def test_attributes_may_be_given_by_position():
    data, rows = np.arange(6.0).reshape(2, 3), np.array([2, 0])
    assert strew.plan(strew.gather, data, rows, 1).run(data, rows).tolist() == [[2, 0], [5, 3]]


def test_a_scatter_works_in_place():
    data, places, updates = np.zeros(4), np.array([[1], [1]]), np.array([2.0, 3.0])
    planned = strew.plan(strew.scatter_nd, data, places, updates, "add")
    assert planned.run(data, places, updates, out=data) is data
    assert data.tolist() == [0, 5, 0, 0]


def test_other_kinds_of_arrays_run_as_the_operator():
    data = np.array(["a", "bc", "d"], object)
    planned = strew.plan(strew.gather, data, [0, 1])
    assert planned.run(data, [2, 1]).tolist() == ["d", "bc"]
    swapped = np.arange(3, dtype=">f4")
    assert strew.plan(strew.gather, swapped, [1]).run(swapped, np.array([2])).tolist() == [2]


def test_what_was_not_planned_is_refused():
    data, rows = np.zeros(3, np.float32), np.array([0, 1])
    run = strew.plan(strew.gather, data, rows).run
    longer, locked = np.zeros(4, np.float32), np.zeros(2, np.float32)
    locked.flags.writeable = False
    error = says(ValueError, "gather: data is float32 [4]; the plan is for float32 [3]", run, longer, rows)
    assert (error.operator, error.operand, error.code) == ("gather", "data", "invalid argument")
    says(TypeError, "gather: indices are int32 [2]; the plan is for int64 [2]", run, data, rows.astype(np.int32))
    error = refuses(IndexError, "3", run, data, np.array([0, 3]))
    assert (error.operand, error.position, error.value) == ("indices", (1,), 3)
    says(ValueError, "gather: out has shape [3]; the result has shape [2]", run, data, rows, out=longer[1:])
    says(TypeError, "gather: there is no parameter 'axis'; the parameters are data, indices, out", run, data, rows, axis=0)
    says(TypeError, "gather: indices are missing", run, data)
    says(ValueError, "gather: out is read-only", run, data, rows, out=locked)


def test_a_plan_without_write_indices_runs_with_none_and_without():
    cache, update = np.zeros((2, 4, 3), np.float32), np.ones((2, 1, 3), np.float32)
    planned = strew.plan(strew.tensor_scatter, cache, update)
    assert "write_indices" not in repr(planned)
    for given in [(cache, update), (cache, update, None)]:
        assert np.array_equal(planned.run(*given), strew.tensor_scatter(cache, update))
    message = "tensor_scatter: write_indices were not passed to strew.plan; pass None, or make another plan"
    says(ValueError, message, planned.run, cache, update, np.array([0, 1]))


def test_what_cannot_be_planned_is_refused():
    data, rows = np.zeros(3), np.array([0])
    words = "gather: out was passed to strew.plan; pass it to run instead"
    says(ValueError, words, strew.plan, strew.gather, data, rows, out=np.zeros(1))
    words = "not one of the operators; pass a function such as strew.scatter_nd"
    refuses(TypeError, words, strew.plan, np.take, data, rows)
    refuses(TypeError, "None is not one of the operators", strew.plan, None, data, rows)
    assert refuses(ValueError, "axis", strew.plan, strew.gather, data, rows, axis=1).operand == "axis"
    for make in (strew.Plan, lambda: strew.Plan.__new__(strew.Plan)):
        says(TypeError, "Plan: only strew.plan makes a Plan", make)


class Tagged(np.ndarray):
    """An ndarray with settable attributes."""


def test_a_plan_keeps_its_attributes_when_their_objects_change():
    data, rows = np.arange(3.0), np.array([9, 1])
    for fill in (np.array(5.0), np.array(5.0).view(Tagged), memoryview(np.array(5.0))):
        planned = strew.plan(strew.gather, data, rows, out_of_bounds="fill", fill_value=fill)
        np.asarray(fill)[()] = 7.0
        assert planned.run(data, rows).tolist() == [5, 1]
        assert planned.run(np.arange(6.0)[::2] / 2, rows).tolist() == [5, 1]
    alpha = np.array(2.0)
    planned = strew.plan(strew.scatter_elements, data, rows[1:], data[:1], reduction="add", alpha=alpha)
    alpha[()] = 3.0
    for updates in (np.ones(1), np.ones(2)[::2], [1.0]):
        assert planned.run(data, rows[1:], updates).tolist() == [0, 3, 2]


def test_a_plan_reads_a_number_once():
    class Axis:
        value = 1

        def __index__(self):
            return self.value

    axis, data, rows = Axis(), np.arange(6.0).reshape(2, 3), np.array([1, 0])
    planned = strew.plan(strew.gather, data, rows, axis=axis)
    axis.value = 0
    assert repr(planned) == "Plan(gather: data float64 [2, 3], indices int64 [2], axis=1)"
    for given in (data, np.asfortranarray(data)):
        assert planned.run(given, rows).tolist() == [[1, 0], [4, 3]]


def test_a_plan_is_collected_with_the_array_that_holds_it():
    fill = np.array(5.0).view(Tagged)
    fill.plan = strew.plan(strew.gather, np.arange(3.0), np.array([9, 1]), out_of_bounds="fill", fill_value=fill)
    gone = weakref.ref(fill.plan)
    del fill
    gc.collect()
    assert gone() is None


def test_overlap_is_reported_in_the_words_of_the_operator():
    memory = np.arange(8.0)
    data, rows = memory[:4], np.array([3, 2, 1, 0])
    planned = strew.plan(strew.gather, data, rows)
    errors = [refuses(ValueError, "out overlaps", run, data, rows, out=memory[1:5]) for run in (strew.gather, planned.run)]
    assert [(str(error), error.operand) for error in errors] == [(str(errors[0]), "out")] * 2
    cache, update = memory[:4].reshape(2, 2), np.ones((2, 1))
    planned = strew.plan(strew.tensor_scatter, cache, update, axis=1)
    calls = partial(strew.tensor_scatter, cache, update, axis=1), partial(planned.run, cache, update)
    errors = [refuses(ValueError, "out overlaps", call, out=memory[1:5].reshape(2, 2)) for call in calls]
    assert [(str(error), error.operand) for error in errors] == [(str(errors[0]), "out")] * 2


@pytest.mark.parametrize(
    ("planned", "others"),
    [
        ("M8[s]", ["M8[D]", "m8[s]", "u1"]),
        ("V1", ["u1", "V2"]),
        ("u1", ["V1"]),
        ("i4,f4", ["f4,i4", "V8"]),
        ("f4", ["M8[s]"]),
    ],
)
def test_a_plan_of_a_type_that_only_numpy_knows_runs_no_other(planned, others):
    rows, dtype = np.array([2, 0]), np.dtype(planned)
    data = np.zeros(3, dtype)
    plan = strew.plan(strew.gather, data, rows)
    name = {"u1": "uint8", "f4": "float32"}.get(planned, str(dtype))
    assert repr(plan) == f"Plan(gather: data {name} [3], indices int64 [2])"
    assert plan.run(data, rows).dtype == dtype
    for other in others:
        refuses(TypeError, rf" \[3\]; the plan is for {re.escape(name)} \[3\]$", plan.run, np.zeros(3, other), rows)
    updates = strew.plan(strew.scatter_elements, data, rows, data[:2])
    assert updates.run(data, rows, data[:2]).dtype == dtype
    refuses(TypeError, "both must have the same type", updates.run, data, rows, np.zeros(2, others[0]))


TABLE = np.arange(12.0).reshape(3, 4)
FIRST = np.array([2, 0])


def expected_calls():
    """Yield similar calls of gather, each with NumPy's result."""
    wide = np.arange(20.0).reshape(5, 4)
    yield (TABLE, FIRST), {}, TABLE[FIRST]
    yield (TABLE, FIRST), {"axis": 1}, TABLE[:, FIRST]
    yield (TABLE.astype(np.float32), FIRST), {}, TABLE[FIRST].astype(np.float32)
    yield (wide, FIRST), {}, wide[FIRST]
    yield (TABLE, FIRST.astype(np.int32)), {}, TABLE[FIRST]
    yield (TABLE, np.array([[2], [0]])), {}, TABLE[[[2], [0]]]
    yield (TABLE, FIRST + 2), {"out_of_bounds": "clip"}, TABLE[[2, 2]]
    yield (TABLE, FIRST + 2), {"out_of_bounds": "wrap"}, TABLE[[1, 2]]
    yield (TABLE, FIRST + 2), {"out_of_bounds": "fill", "fill_value": 7.0}, np.stack([np.full(4, 7.0), TABLE[2]])
    yield (TABLE, FIRST + 2), {"out_of_bounds": "fill", "fill_value": 8.0}, np.stack([np.full(4, 8.0), TABLE[2]])
    yield (TABLE[::-1], FIRST), {}, TABLE[::-1][FIRST]
    yield (TABLE.astype(">f8"), FIRST), {}, TABLE[FIRST].astype(">f8")


def test_calls_that_differ_in_one_thing_get_plans_of_their_own():
    for first in expected_calls():
        for second in expected_calls():
            for arguments, attributes, expected in (first, second, first, first):
                np.testing.assert_array_equal(strew.gather(*arguments, **attributes), expected)


def test_scatters_differ_in_reduction_and_updates():
    data, indices, updates = np.zeros(3), np.array([[1], [1]]), np.array([2.0, 3.0])
    for _ in range(2):
        assert strew.scatter_nd(data, indices, updates, "add")[1] == 5
        assert strew.scatter_nd(data, indices, updates, "max")[1] == 3
        assert strew.scatter_nd(data, indices, updates, "add", alpha=2.0)[1] == 10
        assert strew.scatter_nd(data, indices, 4.0, "add")[1] == 8
        refuses(ValueError, "updates have shape", strew.scatter_nd, data, indices, np.ones(3), "add")


def test_a_call_is_checked_however_often_it_was_made():
    for _ in range(3):
        strew.gather(TABLE, FIRST)
        refuses(IndexError, "3", strew.gather, TABLE, FIRST + 1)


class Calling(Lender):
    """An array that calls the operator when its memory is requested."""

    def __dlpack__(self, **given):
        self.inner = [strew.gather(np.arange(100.0), np.arange(n)) for n in (40, 41)]
        return super().__dlpack__(**given)


def test_a_call_keeps_its_plan_while_another_is_made_within_it():
    for _ in range(2):
        out = Calling(np.zeros((2, 4)))
        strew.gather(TABLE, FIRST, out=out)
        np.testing.assert_array_equal(out.values, TABLE[FIRST])
        assert [len(made) for made in out.inner] == [40, 41]
