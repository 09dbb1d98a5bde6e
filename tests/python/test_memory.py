"""Tests that calls neither copy operands nor leak memory."""

import gc
import sys

import numpy as np
import pytest
from support import free_memory, run_python

import strew

PEAK = """
import numpy as np, strew
def peak(call):
    open('/proc/self/clear_refs', 'w').write('5')
    def read(key):
        return next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith(key)) * 1024
    before = read('VmRSS')
    result = call()
    return read('VmHWM') - before
MIB = 2 ** 20
# The first call loads code and modules and starts threads.
small = np.ones((4096, 64), np.float32)
strew.scatter_nd(small, np.arange(4096)[:, None], small, 'add')
"""

NUMPY_CALLS = """
data = np.ones((2**22, 64), np.float32)
rows = data[:1024].copy()
index = np.arange(1024)
assert peak(lambda: strew.gather(data, index)) < 32 * MIB
assert peak(lambda: strew.gather(data.T, index[:4], axis=-1)) < 32 * MIB
assert peak(lambda: strew.gather(data[::-2, ::-1], index)) < 32 * MIB
assert peak(lambda: strew.gather(data.view('>f4'), index)) < 32 * MIB
assert peak(lambda: strew.gather_elements(data, index.reshape(16, 64))) < 32 * MIB
assert peak(lambda: strew.gather_nd(data, index[:, None])) < 32 * MIB
assert peak(lambda: strew.scatter_nd(data, index[:, None], rows, 'add', out=data)) < 32 * MIB
assert peak(lambda: strew.scatter_elements(data, np.broadcast_to(index[:, None], (1024, 64)), rows, out=data)) < 32 * MIB
assert peak(lambda: strew.tensor_scatter(data[None], rows[None], [5], out=data[None])) < 32 * MIB
assert 1000 * MIB < peak(lambda: strew.scatter_nd(data, index[:, None], rows)) < 1056 * MIB  # the result
places = np.broadcast_to(np.array([3]), (2**22, 1))
assert peak(lambda: strew.scatter_nd(small, places, data, 'max')) < 32 * MIB
del data
for dtype in ('int64', 'uint32'):
    many = np.zeros(2**30 // np.dtype(dtype).itemsize, dtype)
    out = np.ones(many.shape, np.int8)
    assert peak(lambda: strew.gather(np.zeros(3, np.int8), many, out=out)) < 32 * MIB, dtype
    assert not out.any()
"""

JAX_CALLS = """
import jax, jax.numpy as jnp
data = jnp.ones((2**30 // 64 // jnp.dtype(dtype).itemsize, 64), dtype)
rows, index = data[:1024] + data[:1024], jnp.arange(1024)
strew.gather(rows, index)
data.block_until_ready()
assert peak(lambda: strew.gather(data, index)) < 32 * MIB, dtype
assert peak(lambda: strew.gather_nd(data, index[:, None])) < 32 * MIB, dtype
assert peak(lambda: strew.gather_elements(data, index.reshape(16, 64))) < 32 * MIB, dtype
places = np.broadcast_to(np.array([3]), (len(data), 1))
assert peak(lambda: strew.scatter_nd(rows, places, data)) < 32 * MIB, dtype
assert peak(lambda: strew.scatter_nd(data, index[:, None], rows)) > 1000 * MIB, dtype  # the result, which `peak` detects
"""


@pytest.mark.skipif(free_memory() < 6 * 2**30, reason="needs 6 GiB of free memory")
@pytest.mark.slow
def test_a_gigabyte_of_numpy_is_not_copied():
    run_python(PEAK + NUMPY_CALLS, timeout=300)


@pytest.mark.skipif(free_memory() < 6 * 2**30, reason="needs 6 GiB of free memory")
@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float8_e4m3fn"])
def test_a_gigabyte_of_jax_is_not_copied(dtype):
    pytest.importorskip("jax")
    run_python(f"dtype = {dtype!r}" + PEAK + JAX_CALLS, timeout=300)


LEAKS = """
import gc, os, sys
import ml_dtypes, numpy as np, strew
def resident():
    return int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGE_SIZE')
def fails(call, error):
    try:
        call()
    except error:
        return
    raise AssertionError
def check(calls, count):
    for name, call in calls.items():
        for _ in range(2000):
            call()
        for last in (False, True):  # a second time, because allocators may grow once without a leak
            gc.collect()
            before = resident()
            for _ in range(count):
                call()
            gc.collect()
            grown = resident() - before
            if grown < 20 * count + 2**18:  # an object leaked by each call takes more than 20 bytes
                break
            assert not last, (name, grown)
data, index = np.arange(12.0).reshape(3, 4), np.array([[2], [0]])
rows = np.ones((2, 4))
"""

NUMPY_LEAKS = """
cache = data[None]
half = data.astype(ml_dtypes.bfloat16)
out = np.zeros((2, 4))
check({
    'gather': lambda: strew.gather(data, [2, 0]),
    'gather out': lambda: strew.gather(data, index[:, 0], out=out),
    'gather_elements': lambda: strew.gather_elements(data, index),
    'gather_nd': lambda: strew.gather_nd(data, index),
    'scatter_elements': lambda: strew.scatter_elements(data, index, rows[:, :1], 0, 'add'),
    'scatter_nd': lambda: strew.scatter_nd(data, index, rows, 'mul'),
    'in place': lambda: strew.scatter_nd(data, index, rows, 'max', out=data),
    'tensor_scatter': lambda: strew.tensor_scatter(cache, cache[:, :1], [2]),
    'bfloat16': lambda: strew.scatter_nd(half, index, half[:2]),
    'scalar': lambda: strew.scatter_nd(data, index, 1),
    'threads': lambda: strew.set_num_threads(2),
    'IndexError': lambda: fails(lambda: strew.gather(data, [9]), IndexError),
    'TypeError': lambda: fails(lambda: strew.scatter_nd(data, index, half), TypeError),
    'ValueError': lambda: fails(lambda: strew.scatter_nd(data, index, rows, 'sum'), ValueError),
    'out refused': lambda: fails(lambda: strew.gather(data, index, out=out), ValueError),
    'signature': lambda: fails(lambda: strew.gather(data), TypeError),
}, 100_000)
"""

ODD_LEAKS = """
class Lender:
    def __dlpack__(self, **how):
        return data.__dlpack__(**how)
class Raiser:
    def __dlpack__(self, **how):
        raise RuntimeError
class Array:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError
words = np.array(['one', 'two', 'three'], object)
wide, text = np.array(['one', 'two']), np.array(['one' * 20, 'two'], np.dtypes.StringDType())
field = np.zeros(4, [('pad', 'u1'), ('x', 'f8')])['x']
swapped = data.astype('>f8')
fixed = np.zeros((2, 4))
int4 = np.zeros(3, ml_dtypes.int4)
check({
    'field': lambda: strew.gather(field, [1]),
    'field scatter': lambda: strew.scatter_nd(field, [[1]], field[:1]),
    'swapped': lambda: strew.gather(swapped, [1]),
    'swapped out': lambda: strew.gather(swapped, [1, 2], out=fixed),
    'swapped scatter': lambda: strew.scatter_nd(swapped, index, rows),
    'Lender': lambda: strew.gather(Lender(), [0]),
    'int4': lambda: strew.scatter_nd(int4, [[1]], [3]),
    'words': lambda: strew.gather(words, [1, 0]),
    'words out': lambda: strew.gather(words, [1, 0, 0], out=words.copy()),
    'words scatter': lambda: strew.scatter_nd(words, [[1]], words[:1]),
    'words add': lambda: strew.scatter_nd(words, [[1], [1]], words[:2], 'add'),
    'wide': lambda: strew.gather(wide, [1, 0]),
    'wide add': lambda: strew.scatter_nd(wide, [[1], [1]], wide, 'add'),
    'text': lambda: strew.gather(text, [1, 0]),
    'text add': lambda: strew.scatter_nd(text, [[1], [1]], text, 'add'),
    'Raiser': lambda: fails(lambda: strew.gather(Raiser(), [0]), TypeError),
    'Array': lambda: fails(lambda: strew.scatter_nd(data, index, Array()), RuntimeError),
    'cut': lambda: fails(lambda: strew.scatter_nd(int4, [[1]], [30]), OverflowError),
    'words index': lambda: fails(lambda: strew.scatter_nd(words, [[9]], words[:1], 'add'), IndexError),
    'words type': lambda: fails(lambda: strew.scatter_nd(words, [[0], [1]], np.array(['x', b''], object), 'add'), TypeError),
    'words out': lambda: fails(lambda: strew.gather(words, [0], out=wide), ValueError),
    'wide out': lambda: fails(lambda: strew.gather(wide, [0, 1], out=words[:2]), TypeError),
}, 20_000)
"""

JAX_LEAKS = """
import jax.numpy as jnp
lent, places = jnp.asarray(data), jnp.asarray(index)
four = lent.astype('int4')
check({
    'gather': lambda: strew.gather(lent, places),
    'scatter': lambda: strew.scatter_nd(lent, places, lent[:2]),
    'int4': lambda: strew.gather(four, places),
    'out': lambda: fails(lambda: strew.gather(lent, [0, 1, 2], out=lent), ValueError),
    'IndexError': lambda: fails(lambda: strew.gather(lent, [3]), IndexError),
}, 15_000)
"""


@pytest.mark.parametrize("calls", [NUMPY_LEAKS, ODD_LEAKS, JAX_LEAKS], ids=["numpy", "odd", "jax"])
@pytest.mark.slow
def test_memory_does_not_grow_over_many_calls(calls):
    if calls is JAX_LEAKS:
        pytest.importorskip("jax")
    run_python(LEAKS + calls, timeout=600)


def test_operands_and_types_keep_their_reference_counts():
    data, index, rows = np.arange(12.0).reshape(3, 4), np.array([[2], [0]]), np.ones((2, 4))
    swapped, wide = data.astype(">f8"), np.array(["a", "b", "c"])
    words, text = wide.astype(object), wide.astype(np.dtypes.StringDType())
    held = [data, index, rows, swapped, words, text, wide]
    held += [array.dtype for array in held] + [np.dtype("O"), np.dtype("f8"), np.dtype("i8"), None, *words]

    def counts():
        gc.collect()
        return [sys.getrefcount(item) for item in held]

    def calls():
        strew.gather(data, index)
        strew.scatter_nd(data, index, rows, "add")
        strew.scatter_nd(data, index, 1)
        strew.scatter_nd(swapped, index, rows)
        strew.tensor_scatter(data[None], data[None], None)
        for strings in (words, text, wide):
            strew.gather(strings, [0, 1])
            strew.gather(strings, [0, 1, 2], out=strings.copy())
            strew.scatter_nd(strings, index, strings[:2], "add")
            strew.scatter_nd(strings, index, strings[:2])
        for bad in (
            lambda: strew.gather(words, data),
            lambda: strew.gather(data, [5]),
            lambda: strew.scatter_nd(text, index, data),
        ):
            with pytest.raises((TypeError, IndexError)):
                bad()

    calls()
    before = counts()
    for _ in range(100):
        calls()
    grown = np.subtract(counts(), before)
    assert np.abs(grown).max() < 50, grown.tolist()


def test_the_result_does_not_keep_the_operands_alive():
    data = np.arange(4.0)
    before = sys.getrefcount(data)
    results = [strew.gather(data, [0]), strew.scatter_nd(data, [[0]], 1)]
    assert sys.getrefcount(data) == before
    assert all(result.base is None and result.flags.owndata for result in results)
