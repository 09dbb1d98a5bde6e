"""Arrays on emulated CUDA devices give the bits and the error messages of arrays in CPU memory."""

import device_support
import ml_dtypes
import numpy as np
import pytest
from device_support import DeviceArray, InterfaceArray, device
from hypothesis import given, settings
from support import INDEX_TYPES, ML_TYPES, NUMPY_TYPES, REDUCTIONS, dtype_of, random_bits, random_indices
from support import random_numbers, refuses, restrided, says, seeds

import strew

LENT_TYPES = [*NUMPY_TYPES, *(name for name in ML_TYPES if name in device_support.NAMED_CODES)]
assert device  # a fixture

ALL_REDUCTIONS = ["none", *REDUCTIONS, "sub", "div", "and", "or", "xor", "mean"]


def outcome(call):
    try:
        result = call()
    except Exception as error:
        return type(error).__name__, str(error)
    result = getattr(result, "values", result)
    return result.tobytes(), result.dtype, result.shape


class Case:
    """A random call of one operator. About one index in forty is far out of bounds."""

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        self.name = rng.choice(["gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd"])
        rank = int(rng.integers(1, 4))
        shape = tuple(int(n) for n in rng.choice([1, 2, 3, 5, 7], rank))
        dtype = dtype_of(rng.choice(LENT_TYPES))
        draw = random_bits if self.name.startswith("gather") else random_numbers
        axis = int(rng.integers(0, rank))
        self.data = draw(rng, shape, dtype)
        how = {}
        if self.name.endswith("nd"):
            length = int(rng.integers(1, rank + 1))
            tuples = tuple(int(n) for n in rng.choice([1, 2, 6], int(rng.integers(0, 3))))
            last = [random_indices(rng, tuples, shape[axis]) for axis in range(length)]
            indices = np.stack(last, -1)
            updates = (*tuples, *shape[length:])
        elif self.name == "gather":
            indices = random_indices(rng, tuple(int(n) for n in rng.choice([1, 4], int(rng.integers(0, 3)))), shape[axis])
            how["axis"] = axis
        else:
            many = [int(rng.integers(1, n + 1)) for n in shape]
            many[axis] = int(rng.integers(1, 9))
            indices = random_indices(rng, tuple(many), shape[axis])
            updates, how["axis"] = tuple(many), axis
        if rng.random() < 0.3 and indices.size > 0:
            indices.reshape(-1)[rng.integers(0, indices.size)] = 100
        kind = rng.choice(INDEX_TYPES)
        self.indices = indices.astype(kind) if np.dtype(kind).kind == "i" else np.abs(indices).astype(kind)
        scatters = self.name.startswith("scatter")
        self.updates = draw(rng, updates, dtype) if scatters else None
        if scatters:
            how["reduction"] = rng.choice(ALL_REDUCTIONS)
            how["include_self"] = bool(rng.integers(0, 2))
            how["acc_dtype"] = rng.choice(["data", "data", "data", "float32"])
        how["out_of_bounds"] = rng.choice(["error", "clip", "wrap", "drop" if scatters else "fill"])
        how["negative_indices"] = rng.choice(["from_end", "out_of_bounds"])
        self.how = {name: value if isinstance(value, bool | int) else str(value) for name, value in how.items()}

    def operands(self):
        return [np.asarray(each) for each in (self.data, self.indices, self.updates) if each is not None]

    def call(self, operands, **more):
        return getattr(strew, self.name)(*operands, **self.how, **more)

    def call_with_checked(self, operands):
        data, _, *updates = operands
        kept = strew.check_indices(getattr(strew, self.name), *operands, **self.how)
        return self.call([data, kept, *updates])


@given(seeds)
@settings(max_examples=1500)
def test_a_call_gives_what_it_gives_in_cpu_memory(seed):
    played = device_support.play()
    case = Case(seed)
    rng = case.rng
    played.set(seed=seed, most_blocks=int(rng.integers(1, 5)))
    wanted = outcome(lambda: case.call(case.operands()))
    placed = [restrided(rng, values, aligned=True) if rng.random() < 0.5 else values for values in case.operands()]
    named = [values.dtype.name not in device_support.NAMED_CODES and rng.random() < 0.3 for values in placed]
    arrays = [InterfaceArray(values) if ok else DeviceArray(values) for values, ok in zip(placed[1:], named[1:], strict=True)]
    arrays.insert(0, DeviceArray(placed[0]))
    assert outcome(lambda: case.call(arrays)) == wanted
    if rng.random() < 0.3:
        assert outcome(lambda: case.call_with_checked(arrays)) == wanted
        assert outcome(lambda: case.call_with_checked(placed)) == wanted


@given(seeds)
@settings(max_examples=500)
def test_a_call_writes_into_out_or_nothing(seed):
    device_support.play().set(seed=seed)
    case = Case(seed)
    scatters = case.updates is not None
    shape = case.data.shape if scatters else case.call(case.operands()).shape if not outside(case) else None
    if shape is None:
        return
    in_place = scatters and case.rng.random() < 0.5
    before = case.data if in_place else np.full(shape, 1, case.data.dtype)
    expected, written = before.copy(), restrided(case.rng, before, aligned=True)
    on_host, on_device = case.operands(), [DeviceArray(values) for values in case.operands()]
    out = DeviceArray(written)
    if in_place:
        on_host[0], on_device[0] = expected, out
    wanted = outcome(lambda: case.call(on_host, out=expected))
    got = outcome(lambda: case.call(on_device, out=out))
    assert got[0] == wanted[0] and (got == wanted)
    assert written.tobytes() == expected.tobytes()


def outside(case):
    return isinstance(outcome(lambda: case.call(case.operands()))[0], str)


@pytest.mark.parametrize("mode", ["linear", "circular"])
@pytest.mark.parametrize("starts", [None, [1, 2], [1, 3], [-1, 0]])
def test_tensor_scatter_gives_what_it_gives_in_cpu_memory(device, mode, starts):
    cache, update = np.arange(24.0).reshape(2, 4, 3), -np.ones((2, 2, 3))
    starts = None if starts is None else np.array(starts)
    wanted = outcome(lambda: strew.tensor_scatter(cache, update, starts, mode=mode))
    arrays = [DeviceArray(cache), DeviceArray(update), None if starts is None else DeviceArray(starts)]
    assert outcome(lambda: strew.tensor_scatter(*arrays, mode=mode)) == wanted


def test_sequences_and_scalars_go_where_the_data_lie(device):
    data = DeviceArray(np.zeros((3, 2), np.float32))
    assert strew.scatter_nd(data, [[1], [-1]], 2).values.tolist() == [[0, 0], [2, 2], [2, 2]]
    assert strew.scatter_nd(data, [[1]], [[3, 4]], "add").values.tolist() == [[0, 0], [3, 4], [0, 0]]
    assert strew.gather(data, [[0, 1]], axis=1).values.shape == (3, 1, 2)
    assert strew.gather(data, [], axis=1).values.shape == (3, 0)
    halves = DeviceArray(np.ones(3, ml_dtypes.bfloat16))
    assert strew.scatter_elements(halves, [0, 0], [1.5, 2.5], reduction="add").values.tolist() == [5, 1, 1]


def test_values_that_are_read_in_cpu_memory_are_numbers(device):
    data = DeviceArray(np.arange(3.0))
    filled = strew.gather(data, [0, 9], out_of_bounds="fill", fill_value=-1)
    assert filled.values.tolist() == [0, -1]
    scaled = strew.scatter_elements(data, [1], [2.0], reduction="add", alpha=0.5)
    assert scaled.values.tolist() == [0, 2, 2]
    on_device = DeviceArray(np.array(0.5))
    message = "is on cuda:0, but it must be in CPU memory; pass a number"
    for values in (data, np.arange(3.0)):
        scatter = {"reduction": "add", "alpha": on_device}
        says(ValueError, f"scatter_elements: alpha {message}", strew.scatter_elements, values, [1], [2.0], **scatter)
        gather = {"out_of_bounds": "fill", "fill_value": on_device}
        says(ValueError, f"gather: fill_value {message}", strew.gather, values, [0, 9], **gather)


def test_updates_of_another_type_are_cast_by_their_own_library(device):
    data, updates = DeviceArray(np.zeros(2, np.float32)), DeviceArray(np.array([7]))
    assert strew.scatter_elements(data, [1], updates, casting="same_kind").values.tolist() == [0, 7]
    refuses(TypeError, "updates are int64 but data is float32", strew.scatter_elements, data, [1], updates)


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        ((DeviceArray, DeviceArray, np.asarray), "updates are in CPU memory but data is on cuda:0"),
        ((DeviceArray, np.asarray, DeviceArray), "indices are in CPU memory but data is on cuda:0"),
        ((np.asarray, DeviceArray, np.asarray), "indices are on cuda:0 but data is in CPU memory"),
        ((np.asarray, np.asarray, InterfaceArray), "updates are on cuda:0 but data is in CPU memory"),
        ((DeviceArray, lambda values: DeviceArray(values, 1), DeviceArray), "indices are on cuda:1 but data is on cuda:0"),
    ],
)
def test_arrays_in_different_places_are_refused_by_name(device, operands, message):
    values = np.zeros((3, 1)), np.array([[1]]), np.ones((1, 1))
    arrays = [make(value) for make, value in zip(operands, values, strict=True)]
    says(ValueError, f"scatter_nd: {message}; all arrays of a call must be in the same memory", strew.scatter_nd, *arrays)


def test_an_out_in_another_place_is_refused(device):
    data = np.zeros(3)
    for given, out, place in [(DeviceArray(data), data, "in CPU memory"), (data, DeviceArray(data), "on cuda:0")]:
        refuses(ValueError, f"^gather: out is {place} but data is ", strew.gather, given, [0, 1, 2], out=out)


def test_a_library_that_gives_no_memory_needs_out(device):
    data, indices, out = np.arange(4.0), np.array([[3], [0]]), np.zeros(2)
    given = InterfaceArray(data), InterfaceArray(indices)
    message = "^gather_nd: data is a device_support.InterfaceArray, and strew cannot create arrays of its library; pass out=, and pass every operand as a device array$"
    refuses(TypeError, message, strew.gather_nd, *given)
    refuses(TypeError, message, strew.gather_nd, given[0], [[3], [0]], out=InterfaceArray(out))
    lent = InterfaceArray(out)
    assert strew.gather_nd(*given, out=lent) is lent
    assert out.tolist() == [3, 0]


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ({"typestr": ">f8"}, r"data of type .* cannot be read on a CUDA device"),
        ({"typestr": "|V8"}, r"data of type .* cannot be read on a CUDA device"),
        ({"mask": object()}, "data has a mask, which would be lost"),
        ({"strides": (12,)}, "data has strides that are not multiples of the element size"),
    ],
)
def test_an_interface_that_says_what_cannot_be_read_is_refused(device, odd, message):
    with pytest.raises((TypeError, ValueError), match=f"^gather: {message}"):
        strew.gather(InterfaceArray(np.zeros(3), **odd), [0], out=InterfaceArray(np.zeros(1)))


def test_a_read_only_interface_is_no_out(device):
    out = InterfaceArray(np.zeros(3), read_only=True)
    with pytest.raises(ValueError, match="^gather: out is read-only$"):
        strew.gather(DeviceArray(np.zeros(3)), DeviceArray(np.array([0, 1, 2])), out=out)


def test_a_call_without_room_to_work_in_is_refused_with_the_figure(device):
    limit = strew.get_scratch_limit()
    strew.set_scratch_limit(100)
    try:
        with pytest.raises(NotImplementedError, match=r"scatter_nd: device_sort_fold needs \d+ bytes of device memory"):
            strew.scatter_nd(DeviceArray(np.zeros(9)), [[1]] * 50, np.float64(1), "add")
    finally:
        strew.set_scratch_limit(limit)


def test_explain_names_the_device_and_its_strategy(device):
    data, out = DeviceArray(np.zeros(3)), DeviceArray(np.ones(3))
    said = strew.explain(strew.scatter_nd, data, [[1]], [2.0], "add", out=out)
    assert said["call"] == "scatter_nd: float64 [3], indices int64 [1, 1], updates float64 [1]"
    assert (said["device"], said["strategy"]) == ("cuda:0", "device_columns")
    assert said["scratch_bytes"] > 0
    assert repr(said).splitlines()[1].startswith("device_columns on cuda:0: ")
    assert out.values.tolist() == [1, 1, 1]
    with pytest.raises(NotImplementedError, match="^gather: a picture shows elements in CPU memory"):
        strew.picture(strew.gather, data, [0])


def test_there_is_no_third_device(device):
    refuses(RuntimeError, "there are 2 devices", strew.gather, DeviceArray(np.zeros(3), 5), [0])
    assert strew.gather(DeviceArray(np.arange(3), 1), [2]).number == 1
