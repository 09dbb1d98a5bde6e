"""Tests device calls inside `strew.cuda.deferred`: late errors, captures, and memory kept until the calls end."""

import asyncio
import contextvars
import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support import refuses, says
from device_support import DeviceArray, InterfaceArray, Told, device

import strew
import strew.cuda

assert device  # a fixture


BAD = "gather: indices[1] = 5 is outside [-3, 2] for axis 0 of data with shape [3]"


def test_a_deferred_refusal_comes_from_a_later_call_or_a_wait(device):
    device.set(delays=True)
    data, out = Told(np.arange(3.0)), DeviceArray(np.full(2, 9.0))
    with strew.cuda.deferred() as later:
        assert strew.gather(data, [0, 5], out=out) is out
        assert not later.ready()
        later.check()
        says(IndexError, BAD, later.wait)
        assert out.values.tolist() == [9, 9]
        assert later.ready()
        later.wait()
        device.set()
        strew.gather(data, [0, 5], out=out)
        says(IndexError, BAD, strew.gather, data, [0, 1], out=out)
        assert out.values.tolist() == [9, 9]
        strew.gather(data, [0, 1], out=out)
    assert out.values.tolist() == [0, 1]


def gather_of(number):
    """Make a call that is rejected for index `number`, now or later."""
    return strew.gather(Told(np.arange(3.0)), [number], out=DeviceArray(np.zeros(1)))


def is_refused_for(number):
    return pytest.raises(IndexError, match=rf"^gather: indices\[0\] = {number} is outside \[-3, 2\]")


def test_the_end_of_a_block_raises_the_first_refusal_of_its_own_calls(device):
    device.set(delays=True)
    with is_refused_for(7), strew.cuda.deferred():
        gather_of(7)
        with is_refused_for(5), strew.cuda.deferred():
            gather_of(5)
            gather_of(6)
    with is_refused_for(8):  # outside a block, errors are raised at once
        gather_of(8)


def test_an_exception_leaves_a_block_as_it_is_and_ends_it(device):
    device.set(delays=True)
    with pytest.raises(KeyError, match="mine"), strew.cuda.deferred() as later:
        gather_of(7)
        raise KeyError("mine")
    with is_refused_for(7):
        later.wait()
    with is_refused_for(8):
        gather_of(8)


def test_threads_and_tasks_share_no_block(device):
    device.set(delays=True)

    def at_once():
        with is_refused_for(4):
            gather_of(4)

    async def task(number):
        with is_refused_for(number), strew.cuda.deferred():
            gather_of(number)
            await asyncio.sleep(0)
            gather_of(number + 10)

    async def tasks():
        await asyncio.gather(task(5), task(6))

    with strew.cuda.deferred() as later, ThreadPoolExecutor(1) as threads:
        threads.submit(contextvars.copy_context().run, at_once).result()
        asyncio.run(tasks())
        assert later.ready()


def test_calls_in_cpu_memory_are_done_in_a_block_as_elsewhere():
    with strew.cuda.deferred():
        assert strew.gather(np.arange(3.0), [1]).tolist() == [1]
        with is_refused_for(5):
            strew.gather(np.arange(3.0), [5])


def test_a_captured_call_is_done_or_refused_at_each_launch(device):
    data, indices = np.zeros(3), np.array([[1], [1]])
    with device.captures() as captured, strew.cuda.deferred() as later:
        given = [InterfaceArray(array, stream=captured.stream) for array in (data, indices, np.array([2.0, 3.0]))]
        strew.scatter_nd(*given, "add", out=given[0])
    launch = captured.launch
    assert data.tolist() == [0, 0, 0] and not later.ready()
    launch()
    assert data.tolist() == [0, 5, 0]
    indices[1] = 3
    launch()
    for _ in range(2):
        refuses(IndexError, r"^scatter_nd: indices\[1, 0\] = 3 is outside", later.check)
    assert data.tolist() == [0, 5, 0]
    indices[1] = 2
    launch()
    later.wait()
    assert data.tolist() == [0, 7, 3]


def test_a_call_that_waits_is_refused_in_a_capture_and_leaves_nothing_in_it(device):
    data, indices = np.zeros(3), np.array([[1]])
    with device.captures() as captured:
        given = [InterfaceArray(array, stream=captured.stream) for array in (data, indices, np.ones(1))]
        words = "^scatter_nd: the stream is being captured, so the host cannot wait for the call; "
        with pytest.raises(ValueError, match=words + r"defer it \(.*strew\.cuda\.deferred\(\)\), or use enqueue$"):
            strew.scatter_nd(*given, "add", out=given[0])
        with pytest.raises(ValueError, match=words + "check indices before the capture$"):
            strew.check_indices(strew.scatter_nd, *given, "add")
    captured.launch()
    assert data.tolist() == [0, 0, 0]


def test_a_deferred_call_keeps_its_arrays_until_it_is_done(device):
    device.set(delays=True)
    kept = [Told(np.zeros(3)), DeviceArray(np.array([1])), DeviceArray(np.ones(1)), DeviceArray(np.zeros(3))]
    gone = [weakref.ref(array) for array in kept]
    with strew.cuda.deferred():
        strew.scatter_elements(*kept[:3], reduction="add", out=kept[3])
        kept.clear()
        gc.collect()
        assert all(array() is not None for array in gone)
    gc.collect()
    assert all(array() is None for array in gone)


def test_a_deferred_call_keeps_checked_indices_until_it_is_done(device):
    device.set(delays=True)
    data, indices, result = Told(np.arange(3.0)), DeviceArray(np.array([2, 0])), DeviceArray(np.zeros(2))
    gone = weakref.ref(indices)
    kept = strew.check_indices(strew.gather, data, indices)
    with strew.cuda.deferred():
        strew.gather(data, kept, out=result)
        del indices, kept
        gc.collect()
        assert gone() is not None
    gc.collect()
    assert gone() is None and result.values.tolist() == [2, 0]


def test_a_call_on_arrays_that_tell_no_stream_waits_in_a_block_too(device):
    device.set(delays=True)
    with strew.cuda.deferred() as later:
        with is_refused_for(4):
            strew.gather(DeviceArray(np.zeros(3)), [4])
        assert later.ready()
