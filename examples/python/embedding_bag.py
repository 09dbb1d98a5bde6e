"""Embedding bags and their gradient, with PyTorch's own module under install(). Usage: embedding_bag.py [BAGS]"""

import sys
import time

import strew.torch
import torch


def step(bag, ids, offsets):
    bag.weight.grad = None
    begin = time.perf_counter()
    bag(ids, offsets).square().sum().backward()
    return time.perf_counter() - begin, bag.weight.grad


def main(bags):
    torch.manual_seed(1)
    bag = torch.nn.EmbeddingBag(100_000, 64, mode="sum")
    offsets = torch.arange(0, bags * 20, 20)
    ids = torch.randint(0, 100_000, (bags * 20,))

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # Strew, on any number of threads, has the bits of PyTorch on one thread
    _, wanted = step(bag, ids, offsets)
    torch.set_num_threads(threads)
    alone = min(step(bag, ids, offsets)[0] for _ in range(3))
    strew.torch.install()
    with_strew, found = min((step(bag, ids, offsets) for _ in range(3)), key=lambda each: each[0])
    handled = sum(count.handled for count in strew.torch.counts().values())
    strew.torch.uninstall()
    assert torch.equal(found, wanted) and (handled or bags < 1000)
    times = f"PyTorch {1e3 * alone:.1f} ms, with install() {1e3 * with_strew:.1f} ms"
    print(f"{bags:,} bags: {times}, {handled} calls handled")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
