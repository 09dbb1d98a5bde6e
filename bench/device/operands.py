"""Operands of the calls that times.py times, made by PyTorch or on the host, and clocks for these calls."""

import time

import numpy as np


def by_the_clock(call):
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) * 1e3


class OnTorch:
    """Makes arrays and measures times with PyTorch."""

    def __init__(self, torch):
        self.torch, self.place = torch, {"device": "cuda"}
        torch.manual_seed(20261122)

    def fractions(self, count):
        return self.torch.rand(count, dtype=self.torch.float64, **self.place)

    def whole(self, values):
        return values.to(self.torch.int64)

    def sort(self, values):
        return values.sort().values

    def numbers(self, shape, dtype):
        dtype = getattr(self.torch, dtype)
        if dtype.is_floating_point:
            return self.torch.randn(shape, **self.place).to(dtype)
        return self.torch.randint(-9, 9, shape, dtype=dtype, **self.place)

    def lent(self, values):
        return values

    def milliseconds(self, call):
        events = [self.torch.cuda.Event(enable_timing=True) for _ in range(2)]
        events[0].record()
        call()
        events[1].record()
        events[1].synchronize()
        return events[0].elapsed_time(events[1])

    def synchronize(self):
        self.torch.cuda.synchronize()


class OnHost:
    """Makes arrays and measures times on the host, for tests; the times mean nothing."""

    def __init__(self, machine):
        self.machine, self.rng = machine, np.random.default_rng(20261122)

    def fractions(self, count):
        return self.rng.random(count)

    def whole(self, values):
        return values.astype(np.int64)

    def sort(self, values):
        return np.sort(values)

    def numbers(self, shape, dtype):
        dtype = "float16" if dtype == "bfloat16" else dtype  # NumPy lacks bfloat16; float16 has the same size
        return self.machine.array((self.rng.standard_normal(shape) * 9).astype(dtype))

    def lent(self, values):
        return self.machine.array(values)

    milliseconds = staticmethod(by_the_clock)

    def synchronize(self):
        pass


def places(maker, pattern, rows, count):
    uniform = maker.whole(maker.fractions(count) * rows)
    match pattern:
        case "sorted":
            return maker.sort(uniform)
        case "zipf":  # the n-th most frequent row, at a random position, occurs 1/n times as often as the first
            rank = maker.whole(rows ** maker.fractions(count)) - 1
            return rank * 2654435761 % rows
        case "half hot":
            return uniform * maker.whole(maker.fractions(count) < 0.5)
        case "one":
            return uniform * 0
    return uniform
