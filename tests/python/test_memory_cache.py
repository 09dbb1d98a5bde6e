"""Memory of large results is reused, is released on request, and otherwise behaves like NumPy's or torch's own."""

import gc
import multiprocessing
import tracemalloc

import numpy as np
import pytest
from support import at_once

import strew

ROWS = np.arange(2**20)  # a result of 4 MiB
TABLE = np.arange(2**20, dtype=np.float32)


@pytest.fixture(autouse=True)
def empty_cache():
    limit = strew.get_memory_cache_limit()
    strew.release_memory_cache()
    yield
    strew.set_memory_cache_limit(limit)
    strew.release_memory_cache()


def test_a_later_result_takes_the_memory_of_a_deleted_one():
    first = strew.gather(TABLE, ROWS)
    address = first.ctypes.data
    view = first[1:]
    del first
    assert strew.get_memory_cache_bytes() == 0, "a view keeps it in use"
    del view
    assert strew.get_memory_cache_bytes() >= 2**22
    again = strew.gather(TABLE, ROWS[::-1])
    assert again.ctypes.data == address
    assert strew.get_memory_cache_bytes() == 0
    np.testing.assert_array_equal(again, TABLE[::-1])


def test_results_in_use_have_memory_of_their_own():
    results = [strew.gather(TABLE, np.full(2**18 + i, i)) for i in range(20)]
    for i, result in enumerate(results):
        assert (result == i).all()


def test_a_limit_bounds_what_is_kept():
    strew.set_memory_cache_limit(6 * 2**20)
    results = [strew.gather(TABLE, ROWS) for _ in range(3)]
    results.clear()
    assert strew.get_memory_cache_bytes() == 4 * 2**20
    strew.set_memory_cache_limit(0)
    assert strew.get_memory_cache_bytes() == 0
    assert strew.get_memory_cache_limit() == 0
    strew.gather(TABLE, ROWS)
    assert strew.get_memory_cache_bytes() == 0


def test_small_results_are_not_kept():
    strew.gather(TABLE, ROWS[:1000])
    assert strew.get_memory_cache_bytes() == 0


def test_a_result_is_an_array_of_its_own_that_can_be_resized():
    result = strew.gather(TABLE, ROWS)
    assert result.flags.owndata and result.base is None
    result.resize(2**21, refcheck=False)
    np.testing.assert_array_equal(result[: 2**20], TABLE)
    assert not result[2**20 :].any()
    result.resize(10, refcheck=False)
    np.testing.assert_array_equal(result, TABLE[:10])


def test_tracemalloc_sees_results():
    tracemalloc.start()
    try:
        result = strew.gather(TABLE, ROWS)
        assert tracemalloc.get_traced_memory()[0] >= result.nbytes
    finally:
        tracemalloc.stop()


def test_a_failed_call_gives_its_memory_back():
    with pytest.raises(IndexError):
        strew.gather(TABLE, np.append(ROWS, 2**20))
    assert strew.get_memory_cache_bytes() >= 2**22


def test_other_arrays_keep_numpys_memory():
    strew.gather(TABLE, ROWS)
    kept = strew.get_memory_cache_bytes()
    np.ones(2**20, np.float32)
    assert strew.get_memory_cache_bytes() == kept


def test_threads_may_delete_results_of_others():
    def work(seed):
        for i in range(20):
            result = strew.gather(TABLE, np.full(2**18, seed + i))
            held.append(result)
            if len(held) > 3:
                held.pop(0)
            if not (result == seed + i).all():
                wrong.append(seed)

    held, wrong = [], []
    at_once(work, (0, 100, 200, 300))
    assert not wrong


def _in_child(result):
    return float(strew.gather(result, ROWS[:2**19]).sum()), strew.get_memory_cache_bytes()


def test_a_child_uses_the_memory_of_its_parent_without_changing_it():
    result = strew.gather(TABLE, ROWS)
    strew.gather(TABLE, ROWS)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        total, kept = pool.apply(_in_child, (result,))
    assert total == float(TABLE[:2**19].sum())
    assert kept > 0
    np.testing.assert_array_equal(result, TABLE)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "bool", "complex64", "float8_e4m3fn"])
def test_torch_results_take_memory_of_deleted_ones(dtype):
    torch = pytest.importorskip("torch")
    dtype = getattr(torch, dtype)
    data = torch.arange(2**21).to(torch.uint8).view(dtype if dtype != torch.bool else torch.uint8)
    data = data.to(torch.bool) if dtype == torch.bool else data
    rows = torch.arange(len(data)).flip(0).view(-1, 2)
    first = strew.gather(data, rows)
    address = first.data_ptr()
    assert not first._is_view() and first.is_contiguous()
    assert first.dtype == dtype and first.shape == rows.shape
    clone = first[:2].clone()
    del first
    gc.collect()
    assert strew.get_memory_cache_bytes() >= 2**21
    again = strew.gather(data, rows)
    assert again.data_ptr() == address
    assert torch.equal(again[:2].view(torch.uint8), clone.view(torch.uint8))


def test_torch_results_can_be_shared_saved_and_given_a_gradient(tmp_path):
    torch = pytest.importorskip("torch")
    result = strew.gather(torch.arange(2.0**20), torch.arange(2**20))
    torch.save(result, tmp_path / "result.pt")
    assert torch.equal(torch.load(tmp_path / "result.pt"), result)
    assert torch.equal(result.clone().share_memory_(), result)
    result.requires_grad_()
    (result * 2).sum().backward()
    assert (result.grad == 2).all()
