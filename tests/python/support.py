"""Helpers of the tests: random operands, the operators in NumPy, and child processes."""

import os
import pathlib
import subprocess
import sys
import threading
import time

import hypothesis
import hypothesis.strategies as st
import ml_dtypes
import numpy as np
import pytest
import strew

hypothesis.settings.register_profile(
    "strew",
    derandomize=True,
    deadline=None,
    max_examples=int(os.environ.get("STREW_TEST_EXAMPLES", "300")),
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("strew")

INDEX_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REDUCTIONS = ["add", "mul", "max", "min"]
NUMPY_TYPES = ["bool", *INDEX_TYPES, "float16", "float32", "float64", "complex64", "complex128"]
ML_TYPES = ["bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
ML_TYPES += ["float4_e2m1fn", "int4", "uint4", "int2", "uint2"]
UFUNCS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}

seeds = st.integers(0, 2**32 - 1)

dims = st.sampled_from([0, 1, 1, 2, 3, 5, 7])
shapes = st.lists(dims, min_size=1, max_size=5).map(tuple)


def uses_libstdcxx():
    """Return whether the module uses libstdc++: only then does the package contain the C++ library."""
    return b"libstdc++.so" in pathlib.Path(strew._strew.__file__).read_bytes()


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name)) if name in ML_TYPES else np.dtype(name)


def random_bits(rng, shape, dtype):
    """Return random bit patterns of the type, including NaN payloads."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.name in ("int2", "uint2", "int4", "uint4"):
        limits = ml_dtypes.iinfo(dtype)
        return rng.integers(limits.min, limits.max + 1, shape, dtype=np.int8).astype(dtype)
    if dtype.name == "float4_e2m1fn":
        return rng.integers(0, 16, shape, dtype=np.uint8).view(dtype)
    return rng.integers(0, 256, (*shape, dtype.itemsize), dtype=np.uint8).view(dtype).reshape(shape)


def random_numbers(rng, shape, dtype):
    """Return numbers whose sums round and overflow, with a few infinities and NaNs, but without zeros."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return random_bits(rng, shape, dtype)
    if dtype.kind == "c":
        return (rng.integers(-3, 4, shape) + 1j * rng.integers(-3, 4, shape)).astype(dtype)
    values = rng.uniform(0.3, 9.0, shape) * rng.choice([-1.0, 1.0], shape)
    values = np.where(rng.random(shape) < 0.02, rng.choice([np.inf, -np.inf, np.nan], shape), values)
    return values.astype(dtype)


def random_indices(rng, shape, size, dtype="int64"):
    """Return legal indices for an axis of this size, about half of them negative if the type has a sign."""
    dtype = np.dtype(dtype)
    low = -size if dtype.kind == "i" else 0
    return rng.integers(low, max(size, 1), shape).astype(dtype)


def restrided(rng, array, aligned=False):
    """Return a copy with gaps and with permuted or reversed axes, which is sometimes misaligned unless `aligned`."""
    order = rng.permutation(array.ndim)
    steps = rng.choice([-2, -1, 1, 2], array.ndim)
    big = [abs(int(steps[axis])) * array.shape[axis] + 1 for axis in order]
    offset = 0 if aligned or array.dtype.kind == "O" else int(rng.integers(0, 2))
    memory = np.zeros(int(np.prod(big)) * array.dtype.itemsize + 1, np.uint8)[offset:]
    whole = np.ndarray(big, array.dtype, memory).transpose(np.argsort(order))
    view = whole[(..., *(slice(None, None, int(step)) for step in steps))][(..., *(slice(0, n) for n in array.shape))]
    view[...] = array
    return view


def assert_same(result, wanted):
    assert type(result) is np.ndarray
    assert result.dtype == wanted.dtype
    assert result.shape == wanted.shape
    assert result.tobytes() == wanted.tobytes()


def assert_same_numbers(result, wanted):
    """Assert equal types, shapes and bits; all NaNs count as equal."""
    assert result.dtype == wanted.dtype
    assert result.shape == wanted.shape
    nan = wanted != wanted
    assert np.array_equal(result != result, nan)
    assert (
        np.where(nan, np.zeros_like(result), result).tobytes()
        == np.where(nan, np.zeros_like(wanted), wanted).tobytes()
    )


def refuses(kind, pattern, function, *operands, **named):
    """Check that the call raises an error of this kind whose text matches the pattern; return the error."""
    with pytest.raises(kind, match=pattern) as refusal:
        function(*operands, **named)
    return refusal.value


def says(kind, text, function, *operands, **named):
    """Check that the call raises an error of this kind with exactly this text; return the error."""
    with pytest.raises(kind) as refusal:
        function(*operands, **named)
    assert str(refusal.value) == text
    return refusal.value


def outcome(call):
    """Return the type and the elements of a call's result, or the type and the text of its error."""
    try:
        result = call()
    except Exception as error:
        return type(error), str(error)
    return result.dtype.str, result.tolist()


def elements_index(indices, axis):
    """Return NumPy index arrays for the positions of gather_elements and scatter_elements."""
    grid = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    grid[axis] = indices
    return tuple(grid)


def tuples_index(indices):
    """Return NumPy index arrays for the positions of gather_nd and scatter_nd without batch axes."""
    return tuple(np.moveaxis(indices, -1, 0))


def scattered(data, index, updates, reduction):
    """Return a copy of `data` after the updates at this index, applied one after the other."""
    result = data.copy()
    with np.errstate(all="ignore"):
        if reduction == "none":
            parts = np.broadcast_arrays(*index)
            for place in np.ndindex(parts[0].shape):
                result[tuple(part[place] for part in parts)] = updates[place]
        else:
            UFUNCS[reduction].at(result, index, updates)
    return result


def at_once(work, arguments):
    """Call the function with each argument in a thread of its own, and wait for all of them."""
    threads = [threading.Thread(target=work, args=(argument,), daemon=True) for argument in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def turns_during(work, turn=lambda: time.sleep(0.001)):
    """Run `work` in a thread, and return how often `turn` was called meanwhile."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    turns = 0
    while thread.is_alive():
        turn()
        turns += 1
    return turns


class Meddler:
    """An operand that calls a function when it is read, such as one that changes another operand."""

    def __init__(self, value, act):
        self.value, self.act = value, act

    def __array__(self, dtype=None, copy=None):
        self.act()
        return np.array(self.value)


def run_python(code, *arguments, timeout=120, **options):
    """Run `code` in a new interpreter that imports this package, assert that it succeeds, and return its output."""
    place = os.path.dirname(os.path.dirname(strew.__file__))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([place, os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def free_memory():
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
