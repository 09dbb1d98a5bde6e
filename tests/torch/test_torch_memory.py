"""Tests the memory cached for later tensors: its size, the time until its release, and the tensors that reuse it."""

import io
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import strew.torch
import torch
from install_support import outcome, same

SOURCE = torch.arange(4000 * 16, dtype=torch.float32).view(4000, 16)
MIB = 1 << 20


def kept():
    return torch.ops.strew_torch.kept_bytes()


@pytest.fixture(autouse=True)
def nothing_kept():
    strew.torch.install(max_cached_bytes=0)
    yield
    strew.torch.install(max_cached_bytes=0)
    strew.torch.uninstall()


def floats(mebibytes):
    return torch.ones(mebibytes * MIB // 4)


@pytest.mark.parametrize("memory", ["results", "all"])
def test_results_in_kept_memory_are_tensors_like_any_other(memory):
    rows = torch.arange(100_000) % 4000
    with strew.torch.installed(memory=memory):
        result = SOURCE.index_select(0, rows)
    expected = SOURCE[rows]
    assert torch.equal(result, expected)
    assert torch.equal(result.clone().resize_(200_000, 16)[:100_000], expected)
    assert result.resize_(200_000, 16).shape == (200_000, 16)
    assert torch.equal(result[:100_000], expected)
    assert result.untyped_storage().resizable()
    assert result.share_memory_().is_shared()


def saved_and_loaded(tensor):
    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    return torch.load(file)


def resized_again_and_again(tensor):
    for length in (3 * MIB, 10, MIB, 0, 2 * MIB):
        tensor = tensor.resize_(length).fill_(length)
    return tensor


def result_of(work):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


PROGRAMS = {
    "resize_": lambda: resized_again_and_again(floats(4)),
    "storage.resize_": lambda: (tensor := floats(4), tensor.untyped_storage().resize_(8 * MIB), tensor.clone())[2],
    "set_": lambda: torch.empty(0).set_(floats(4)[5:].untyped_storage()),
    "from_numpy": lambda: torch.from_numpy(np.ones(MIB, np.float32)).add_(1).clone(),
    "numpy": lambda: torch.from_numpy(floats(4).numpy().copy()),
    "numpy resize_": lambda: torch.from_numpy(np.ones(MIB, np.float32)).resize_(2 * MIB)[:MIB],
    "dlpack": lambda: torch.from_dlpack(floats(4)) * 2,
    "frombuffer": lambda: torch.frombuffer(bytearray(b"ab" * MIB), dtype=torch.uint8) + 1,
    "save": lambda: saved_and_loaded(floats(4)),
    "pin_memory": lambda: floats(4).pin_memory(),
    "share_memory_": lambda: floats(4).share_memory_().add_(1),
    "another thread's": lambda: result_of(lambda: floats(4)) + 1,
    "data": lambda: (tensor := floats(4), setattr(tensor, "data", floats(8)), tensor + 1)[2],
    "too large": lambda: torch.empty(1 << 60, dtype=torch.uint8),
    "channels last": lambda: torch.ones(2, 8, 256, 256).contiguous(memory_format=torch.channels_last),
    "convolution": lambda: torch.nn.functional.conv2d(torch.ones(2, 8, 256, 256), torch.ones(4, 8, 3, 3)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_programs_do_with_tensors_goes_on(name):
    expected = outcome(PROGRAMS[name])
    with strew.torch.installed():
        found = [outcome(PROGRAMS[name]) for _ in range(3)]
    assert all(same(each, expected) for each in found)


def test_all_memory_of_torch_is_kept_unless_it_is_told_otherwise():
    for memory in ("torch", "results"):
        with strew.torch.installed(memory=memory):
            floats(12)
            assert kept() == 0
    with strew.torch.installed():
        tensor = floats(12)
        other = tensor.clone()
    assert tensor.resize_(5 * MIB)[: 3 * MIB].min() == 1  # the tensor's own allocator resizes it
    assert torch.equal(other, tensor[: 3 * MIB])


def test_no_more_is_kept_than_the_option_says():
    for limit in (0, 9 * MIB):
        with strew.torch.installed(max_cached_bytes=limit):
            tensors = [floats(4) for _ in range(4)]
            tensors.clear()
            assert limit - 5 * MIB < kept() <= limit
    with strew.torch.installed():
        tensors = [floats(256) for _ in range(6)]
        tensors.clear()
        assert kept() >= 768 * MIB


@pytest.fixture
def soon():
    torch.ops.strew_torch.give_back_after(20)
    yield
    torch.ops.strew_torch.give_back_after(10_000)


def wait_until_nothing_is_kept():
    while kept() > 0:  # pytest's time limit ends this loop if the memory never returns
        time.sleep(0.01)


def test_what_nobody_takes_for_a_while_is_given_back(soon):
    with strew.torch.installed():
        for _ in range(2):  # the first thread has ended, so a second one returns the memory
            floats(16)
            wait_until_nothing_is_kept()
        tensor = floats(16)
        time.sleep(0.1)
        assert tensor.min() == 1
    del tensor
    wait_until_nothing_is_kept()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_fork_keeps_memory_and_gives_it_back(soon):
    with strew.torch.installed():
        mine = floats(16)
        floats(16)
        child = os.fork()
        if child == 0:
            torch.set_num_threads(1)  # PyTorch's own threads do not survive a fork
            good = mine.min() == 1 and floats(16).min() == 1 and kept() > 0
            wait_until_nothing_is_kept()
            os._exit(0 if good else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert mine.min() == 1


class Large(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, item):
        return floats(2) * item


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers_of_a_data_loader_send_large_tensors(context):
    with strew.torch.installed():
        floats(16)
        loader = torch.utils.data.DataLoader(Large(), batch_size=2, num_workers=2, multiprocessing_context=context)
        found = [batch.amin(1).tolist() + batch.amax(1).tolist() for batch in loader]
    assert found == [[i, i + 1.0, i, i + 1.0] for i in (0.0, 2.0, 4.0)]


def test_threads_never_share_the_memory_of_a_tensor():
    wrong = []

    def work(mark):
        held = []
        for i in range(60):
            held.append(floats(1 + i % 3) * mark)
            if i % 4 == 3:
                wrong.extend(each for each in held if each.min() != mark or each.max() != mark)
                held.clear()

    with strew.torch.installed():
        threads = [threading.Thread(target=work, args=(mark,)) for mark in range(1, 5)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            strew.torch.uninstall()
            strew.torch.install()
    assert not wrong


def test_the_profiler_sees_kept_memory():
    with strew.torch.installed(), torch.profiler.profile(profile_memory=True) as profile:
        SOURCE.index_select(0, torch.arange(100_000) % 4000)
    selected = [event for event in profile.key_averages() if event.key == "aten::index_select"]
    assert selected[0].cpu_memory_usage == 100_000 * 16 * 4


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="PyTorch was built without oneDNN")
def test_tensors_of_onednn_may_be_freed_after_uninstall():
    with strew.torch.installed(memory="all"):
        tensor = torch.randn(1024, 1024).to_mkldnn()
    later = torch.randn(1024, 1024).to_mkldnn()
    del tensor
    with strew.torch.installed(memory="all"):
        del later
