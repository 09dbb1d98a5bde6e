"""Tests the number of threads of a call, concurrent calls, the released GIL, and Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support import assert_same, at_once, random_numbers, refuses, run_python, turns_during

import strew


@pytest.fixture(autouse=True)
def default_threads():
    yield
    strew.set_num_threads(None)


def in_thread(work):
    """Return the result of `work` in another thread, or raise its exception."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def test_the_number_of_threads_is_that_of_the_processors_or_what_was_set():
    assert strew.get_num_threads() == len(os.sched_getaffinity(0))
    strew.set_num_threads(3)
    assert strew.get_num_threads() == 3
    assert in_thread(strew.get_num_threads) == 3
    strew.set_num_threads(np.int8(1))
    assert strew.get_num_threads() == 1
    strew.set_num_threads(None)
    assert strew.get_num_threads() == len(os.sched_getaffinity(0))


def test_with_blocks_nest_and_end_with_exceptions():
    strew.set_num_threads(5)
    with strew.num_threads(2):
        assert strew.get_num_threads() == 2
        with strew.num_threads(1):
            assert strew.get_num_threads() == 1
        with pytest.raises(IndexError), strew.num_threads(3):
            assert strew.get_num_threads() == 3
            strew.gather([1], [1])
        with pytest.raises(ValueError), strew.num_threads(0):
            pass
        strew.set_num_threads(7)
        assert strew.get_num_threads() == 2
    assert strew.get_num_threads() == 7


def test_a_with_block_is_for_its_own_thread():
    strew.set_num_threads(4)
    with strew.num_threads(2):
        assert in_thread(strew.get_num_threads) == 4

        def other():
            with strew.num_threads(3):
                return strew.get_num_threads()

        assert in_thread(other) == 3
        assert strew.get_num_threads() == 2


def test_num_threads_is_a_decorator_too():
    @strew.num_threads(2)
    def work():
        return strew.get_num_threads()

    before = strew.get_num_threads()
    assert work() == work() == 2
    assert strew.get_num_threads() == before


def calls():
    rng = np.random.default_rng(21)
    data = random_numbers(rng, (2003, 23), "float32")
    rows = random_numbers(rng, (4001, 23), "float32")
    index = rng.integers(-2003, 2003, 4001)
    wide = rng.integers(-2003, 2003, (4001, 23))
    cache, update = data[None], rows[None, :1501]
    return {
        "gather": lambda: strew.gather(data, index),
        "gather columns": lambda: strew.gather(data, index % 23, axis=1),
        "gather_elements": lambda: strew.gather_elements(data, wide),
        "gather_nd": lambda: strew.gather_nd(data, np.stack([index, index % 23], -1)),
        "scatter_elements": lambda: strew.scatter_elements(data, wide, rows),
        "scatter_elements add": lambda: strew.scatter_elements(data, wide, rows, 0, "add"),
        "scatter_nd": lambda: strew.scatter_nd(data, index[:, None], rows),
        "scatter_nd add": lambda: strew.scatter_nd(data, index[:, None], rows, "add"),
        "scatter_nd one place": lambda: strew.scatter_nd(data, 0 * index[:, None], rows, "mul"),
        "scatter_nd elements": lambda: strew.scatter_nd(data, wide[:, :1] % [1, 23], rows[:, 0], "add"),
        "tensor_scatter": lambda: strew.tensor_scatter(cache, update, [1500], 1, "circular"),
    }


@pytest.mark.parametrize("name", calls())
def test_the_bits_do_not_depend_on_the_number_of_threads(name):
    call = calls()[name]
    with strew.num_threads(1):
        wanted = call()
    for threads in (2, 3, 7):
        with strew.num_threads(threads):
            assert_same(call(), wanted)
    assert_same(call(), wanted)


def test_many_threads_call_at_once():
    wanted = {name: call() for name, call in calls().items()}
    barrier = threading.Barrier(6)
    failures = []

    def work(seed):
        own = calls()
        barrier.wait()
        try:
            for i, name in enumerate(own):
                with strew.num_threads((seed + i) % 4 + 1):
                    assert_same(own[name](), wanted[name])
                with pytest.raises(IndexError):
                    strew.gather(np.arange(5), [5])
        except BaseException as error:
            failures.append(error)

    at_once(work, range(6))
    assert not failures


def test_the_first_calls_may_come_from_many_threads_at_once():
    code = """
import threading, numpy as np, ml_dtypes, strew
barrier, right = threading.Barrier(12), []
data = np.ones((3000, 100), ml_dtypes.bfloat16)
def work(i):
    barrier.wait()
    if i % 3 == 0:
        strew.set_num_threads(i % 2 + 2)
    result = strew.scatter_nd(data, np.full((300, 1), i), data[:300], 'add')
    right.append(float(result[i, 0]) == 256)
threads = [threading.Thread(daemon=True, target=work, args=(i,)) for i in range(12)]
[t.start() for t in threads], [t.join() for t in threads]
assert right == [True] * 12, right
"""
    run_python(code)


def long_call(seconds=0.2):
    """Return a call that takes at least this many seconds on one thread, and its operands."""
    count = 2_000_000
    while True:
        data, rows = np.zeros(1 << 22, np.float32), np.ones(count, np.float32)
        index = np.random.default_rng(1).integers(0, 1 << 22, (count, 1))

        def call(data=data, index=index, rows=rows):
            with strew.num_threads(1):
                return strew.scatter_nd(data, index, rows, "add", out=data)

        begin = time.perf_counter()
        call()
        if time.perf_counter() - begin >= seconds:
            return call, data
        count *= 2


def test_other_threads_go_on_during_a_long_call():
    call, _ = long_call()
    assert turns_during(call) >= 10


def test_operands_cannot_be_taken_away_during_a_call():
    call, data = long_call()
    assert turns_during(call, lambda: refuses(ValueError, "cannot resize", data.resize, 10)) > 0
    assert data.size == 1 << 22


def test_indices_that_change_meanwhile_reach_nothing_outside():
    data = np.arange(1000.0)
    indices = np.zeros(100_000, np.int64)
    stop = threading.Event()

    def spoil():
        while not stop.is_set():
            indices[::7] = 2**40
            indices[::7] = 3

    def calls():
        out = np.zeros(1000)
        updates = np.ones(100_000)
        for _ in range(50):
            yield lambda: strew.gather(data, indices)
            yield lambda: strew.scatter_nd(data, indices[:, None], updates, "add", out=out)

    thread = threading.Thread(daemon=True, target=spoil)
    thread.start()
    try:
        for call in calls():
            try:
                assert call().size
            except IndexError as error:
                said = ("is outside [-1000, 999]", "were changed while they were checked", "were changed while they were used")
                assert any(part in str(error) for part in said)
    finally:
        stop.set()
        thread.join()


# The program sets a handler, because children of a shell's background job ignore SIGINT.
INTERRUPTED = """
import signal, sys
import numpy as np, strew
signal.signal(signal.SIGINT, signal.default_int_handler)
count = 1 << 24
data, index = np.zeros((1 << 22), np.int32), np.random.default_rng(1).integers(0, 1 << 22, (count, 1), np.int32)
rows = np.broadcast_to(np.int32(1), (count,))
strew.set_num_threads(1)
print('ready', flush=True)
try:
    for _ in range(1000):
        strew.scatter_nd(data, index, rows, 'add', out=data)
    print('not interrupted')
except KeyboardInterrupt:
    print('interrupted', int(data.sum(dtype=np.int64)) % count == 0)
"""


def test_ctrl_c_during_a_long_call_is_raised_after_it():
    place = os.path.dirname(os.path.dirname(strew.__file__))
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": place},
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    output, _ = child.communicate(timeout=60)
    assert output == "interrupted True\n"
    assert child.returncode == 0


def test_a_small_call_does_not_hold_the_lock_while_it_waits_for_a_large_one():
    data, updates = np.zeros(1 << 22), np.ones(1 << 22)
    index = np.random.default_rng(5).integers(0, 1 << 22, (1 << 22, 1))

    def large():
        for _ in range(3):
            strew.scatter_nd(data, index, updates, "add", out=data)

    assert turns_during(large, lambda: strew.gather(np.arange(2000.0), np.arange(1000))) > 20


def test_threads_that_cannot_be_had_are_a_memory_error():
    code = """
import resource, strew
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
try:
    strew.set_num_threads(1024)
except MemoryError as error:
    print(error)
"""
    assert "cannot create 1024 threads" in run_python(code, timeout=60)


def test_pools_that_nobody_uses_are_given_up():
    for count in range(2, 30):
        with strew.num_threads(count):
            strew.gather(np.arange(9000), np.arange(9000))
    assert len(os.listdir("/proc/self/task")) < 150


def test_threads_with_stacks_of_48_kib_make_every_kind_of_call():
    run_python(
        """
import threading
import ml_dtypes, numpy as np, strew

n = 1 << 17
rng = np.random.default_rng(0)
data = rng.standard_normal(n).astype(np.float32)
at = rng.integers(0, n, n)
half, quarter = data.astype(np.float16), data.astype(ml_dtypes.float8_e4m3fn)
rows, words = data.reshape(-1, 64), np.array(["a", "b", "c"] * 10)
calls = [
    lambda: strew.gather(data[:8], [1, 2]),
    lambda: strew.gather(data[:4000], at[:4000] % 4000),
    lambda: strew.gather(data, at),
    lambda: strew.gather(data, at + 7, out_of_bounds="fill", fill_value=-1),
    lambda: strew.gather(data, [n]),
    lambda: strew.gather(words, [0, 1]),
    lambda: strew.gather_elements(rows, np.zeros(rows.shape, int), 0),
    lambda: strew.scatter_elements(data, at, data, reduction="add"),
    lambda: strew.scatter_elements(data, at[::-1] + 7, data[::-1], reduction="mean", include_self=False, out_of_bounds="drop"),
    lambda: strew.scatter_elements(quarter, at, quarter, reduction="add", acc_dtype="float32"),
    lambda: strew.scatter_elements(words, [0], ["z"], reduction="add"),
    lambda: strew.scatter_nd(half, at[:, None], half, reduction="add", acc_dtype="float32", alpha=2),
    lambda: strew.scatter_nd(rows, at[:2000, None] % len(rows), rows[:2000], reduction="mul"),
    lambda: strew.explain(strew.scatter_elements, data, at, data),
    lambda: strew.picture(strew.gather, data[:9], [1, 2]).svg,
]
strew.gather(data, at)
threading.stack_size(48 << 10)
for number, call in enumerate(calls):
    refused = []
    def run():
        try:
            call()
        except IndexError:
            refused.append(number)
    thread = threading.Thread(target=run)
    print(number, flush=True)
    thread.start()
    thread.join()
    assert refused == ([4] if number == 4 else [])
"""
    )
