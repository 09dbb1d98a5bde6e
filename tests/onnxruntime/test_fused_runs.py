"""Runs of one fused node after the other and at a time: errors, and edges that come again."""

import threading

import numpy as np
import pytest
from fusion_models import INDICES, assert_equal_runs, error_of, feeds_of, fused, model_of, runs_fused
from support import assert_same


@pytest.mark.parametrize("name", ["from", "column"])
def test_an_index_out_of_bounds_is_the_error_of_the_node(name):
    for indices in INDICES:
        model = model_of("add relu", indices)
        one, other = runs_fused(model)
        feeds = feeds_of(model)
        good = one.run(None, feeds)[0]
        bad = feeds | {name: np.where(np.arange(50).reshape(feeds[name].shape) == 7, 1000, feeds[name])}
        message = error_of(one, bad)
        assert "1000 is outside" in message
        assert message == error_of(other, bad)
        assert_same(one.run(None, feeds)[0], good)


def test_two_layers_share_their_edges():
    after = 'h = Gather<axis = 0>(y, from) k = Relu(h) z = ScatterElements<axis = 0, reduction = "add">(base, e, k)'
    model = model_of("add relu", after=after, outputs=", float[t, c] z")
    one, other = runs_fused(model, threads=2)
    assert fused(one).count("ScatterElements") == 2
    feeds = feeds_of(model, sources=6)
    for _ in range(3):
        for result, wanted in zip(one.run(None, feeds), other.run(None, feeds), strict=True):
            assert_same(result, wanted)


@pytest.mark.parametrize("columns", [3, 64])
def test_indices_that_change_from_run_to_run(columns):
    model = model_of("mul add")
    one, other = runs_fused(model)
    graphs = [feeds_of(model, seed, edges=30 + seed % 3, columns=columns) for seed in range(7)]
    for seed in (0, 0, 1, 0, 2, 3, 4, 5, 6, 0, 5, 5, 1):
        assert_equal_runs(one, other, graphs[seed], times=1)


def test_indices_changed_in_place():
    model = model_of("mul")
    one, other = runs_fused(model)
    feeds = feeds_of(model)
    for place in range(50):
        feeds["column"][place] = (feeds["column"][place] + 1) % 6
        assert_equal_runs(one, other, feeds)


def test_two_threads_and_two_graphs_on_one_session():
    model = model_of("add relu")
    one, other = runs_fused(model, threads=2)
    graphs = [feeds_of(model, seed, edges=400) for seed in range(2)]
    wanted = [other.run(None, feeds)[0] for feeds in graphs]
    failures = []

    def work(which):
        for _ in range(50):
            if not np.array_equal(one.run(None, graphs[which])[0], wanted[which], equal_nan=True):
                failures.append(which)

    workers = [threading.Thread(target=work, args=(i % 2,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures
