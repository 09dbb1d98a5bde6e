"""Other features of PyTorch still work after install(): transforms, autocast, compiled graphs, workers, forks."""

import os
import signal
import threading

import pytest
import strew.torch
import torch
from install_support import bits, copied, same, taken, threads
from torch.func import functional_call, grad, hessian, jvp, vmap
from torch.utils.checkpoint import checkpoint

ROWS = torch.arange(3000) * 7 % 50
GENERATOR = torch.Generator().manual_seed(0)
SOURCE = torch.randn(3000, 16, generator=GENERATOR)
TABLE = torch.randn(50, 16, generator=GENERATOR)


def messages(table):
    """Run a step of message passing with all operators that such steps use."""
    taken = table.index_select(0, ROWS) * SOURCE
    summed = torch.zeros_like(table).index_add(0, ROWS, taken)
    largest = torch.full_like(table, -9.0).scatter_reduce(0, ROWS[:, None].expand_as(taken), taken, "amax")
    return (summed + largest)[ROWS].square().sum()


PROGRAMS = {
    "grad": lambda: torch.autograd.functional.jacobian(messages, TABLE),
    "func.grad": lambda: grad(messages)(TABLE),
    "jvp": lambda: jvp(messages, (TABLE,), (torch.ones_like(TABLE),)),
    "vmap": lambda: vmap(messages)(torch.stack([TABLE, TABLE + 1])),
    "vmap over indices": lambda: vmap(lambda rows: TABLE.index_select(0, rows))(ROWS.view(30, 100)),
    "hessian": lambda: hessian(lambda scale: messages(TABLE * scale))(torch.tensor(1.5)),
    "inference mode": lambda: torch.inference_mode()(messages)(TABLE),
    "checkpoint": lambda: grad_of(lambda table: checkpoint(messages, table, use_reentrant=False)),
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16)(lambda: messages((TABLE @ torch.eye(16)).float()))(),
    "export": lambda: torch.export.export(Messages(), (TABLE,)).module()(TABLE),
    "compile": lambda: torch.compile(messages, backend="aot_eager")(TABLE),
    "functional_call": lambda: functional_call(Messages(), {}, (TABLE,)),
    "conjugate": lambda: torch.zeros(50, 16, dtype=torch.complex64).index_add(0, ROWS, (SOURCE * 1j).conj()),
    "negative": lambda: torch.zeros(50, 16).index_add(0, ROWS, (SOURCE * 1j).conj().imag),
    "deterministic": lambda: deterministic(messages),
    "meta": lambda: torch.empty(50, 16, device="meta").index_add(0, ROWS.to("meta"), SOURCE.to("meta")).shape,
    "bag": lambda: grad_of(lambda table: torch.nn.functional.embedding_bag(ROWS.view(100, 30), table, mode="sum").sum()),
    "embedding": lambda: grad_of(lambda table: torch.nn.functional.embedding(ROWS, table, padding_idx=3).pow(2).sum()),
}


class Messages(torch.nn.Module):
    def forward(self, table):
        return messages(table)


def grad_of(function):
    table = copied(TABLE).requires_grad_()
    function(table).backward()
    return table.grad


def deterministic(function):
    torch.use_deterministic_algorithms(True)
    try:
        return function(TABLE)
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_same(name):
    before = taken()
    with threads(1):  # PyTorch's own sums differ with the number of threads
        expected = PROGRAMS[name]()
        with strew.torch.installed(min_elements=0):
            found = PROGRAMS[name]()
    flat = [tuple(each) if isinstance(each, (tuple, list)) else (each,) for each in (expected, found)]
    assert same(*flat)
    assert taken() > before or name in ("meta", "bag")


def test_second_gradients_are_right():
    index, data = torch.arange(40) % 5, torch.randn(5, 4, dtype=torch.float64, requires_grad=True)
    source = torch.randn(40, 4, dtype=torch.float64, requires_grad=True)
    with strew.torch.installed(min_elements=0):
        assert torch.autograd.gradgradcheck(lambda a, b: a.index_add(0, index, b).pow(3), (data, source))


def test_a_tensor_that_was_changed_in_place_is_noticed():
    table = torch.ones(50, 16, requires_grad=True)
    with strew.torch.installed():
        product = (squared := table * 2) * squared
        version = squared._version
        squared.index_add_(0, ROWS, SOURCE)
        assert squared._version == version + 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.sum().backward()


def test_repeated_updates_give_the_same_in_every_run():
    rows = torch.randint(0, 5000, (200_000,), generator=GENERATOR)
    source = torch.randn(200_000, 8, generator=GENERATOR)
    with threads(2), strew.torch.installed():
        runs = {bits(torch.zeros(5000, 8).index_put_((rows,), source, accumulate=True))[-1] for _ in range(6)}
    with threads(1):
        runs.add(bits(torch.zeros(5000, 8).index_put_((rows,), source, accumulate=True))[-1])
    assert len(runs) == 1


def test_threads_of_python_call_at_once_while_it_is_installed_and_uninstalled():
    expected, found = bits(messages(TABLE)), []

    def work():
        for _ in range(40):
            found.append(bits(messages(TABLE)))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        with strew.torch.installed():
            torch.zeros(1)
    assert set(found) == {expected}


def test_strews_own_threads_give_the_same():
    expected = bits(messages(TABLE))
    with strew.torch.installed(threads="strew"):
        assert bits(messages(TABLE)) == expected


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, item):
        return SOURCE.index_select(0, ROWS + item)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers_of_a_data_loader(context):
    with strew.torch.installed():
        messages(TABLE)
        loader = torch.utils.data.DataLoader(Rows(), batch_size=2, num_workers=2, multiprocessing_context=context)
        batches = torch.cat(list(loader))
    assert torch.equal(batches, torch.stack([SOURCE[ROWS + item] for item in range(8)]))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("options", [{}, {"threads": "strew"}], ids=str)
def test_a_child_of_fork_goes_on(options):
    with strew.torch.installed(**options):
        expected = messages(TABLE)
        child = os.fork()
        if child == 0:
            torch.set_num_threads(1)  # PyTorch's own threads do not survive a fork
            os._exit(0 if torch.equal(messages(TABLE), expected) else 1)
        assert os.waitpid(child, 0)[1] == 0


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_fork_runs_what_strew_takes_on_strews_threads():
    rows = torch.arange(4000) % 50
    with strew.torch.installed(threads="strew"), threads(2):
        source = torch.ones(4000, 16)
        torch.zeros(1 << 18).add_(1)  # on PyTorch's threads, which the child lacks
        expected = torch.zeros(50, 16).index_add(0, rows, source)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(0 if torch.zeros(50, 16).index_add(0, rows, source).equal(expected) else 1)
        assert os.waitpid(child, 0)[1] == 0
