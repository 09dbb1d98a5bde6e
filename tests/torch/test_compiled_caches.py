"""Tests what the caches of compiled programs know of Strew."""

import json
import os
import subprocess
import sys
import textwrap

import torch
from compile_support import Other
from install_support import threads

from strew.torch import _compile_pass

PROCESSES = """
    import json, os, sys, torch, strew.torch
    from torch._dynamo.utils import counters
    def step(x, index):
        return torch.zeros(64, 8).index_add(0, index, x[index].sin() * 2)
    def run(side):
        torch.set_num_threads(1 if side == "one thread" else 2)
        if side not in ("plain", "backend"):
            strew.torch.install(compiled=side != "flag", min_elements=1 if side in ("flag", "one thread") else None)
        torch.use_deterministic_algorithms(side == "flag")
        x = torch.randn(64, 8, generator=torch.Generator().manual_seed(0), requires_grad=True)
        compiled = torch.compile(step, backend="strew" if side == "backend" else "inductor")
        compiled(x, torch.arange(512) * 7 % 64).sum().backward()
        found, counts = strew.torch.compiled(), strew.torch.counts()
        kernels = sum(count.handled for name, count in counts.items() if name.startswith("aten::"))
        missed = counters["inductor"]["fxgraph_cache_miss"] > 0
        print(json.dumps([side, missed, len(found.graphs), len(found.from_cache), kernels > 0]), flush=True)
    for side in sys.argv[1:]:
        if os.fork() == 0:
            run(side)
            os._exit(0)
        os.wait()
"""
# Processes that share caches: whether a graph was compiled, the numbers of reports and of lines from the cache, and
# whether the kernels of `install` ran.
RUNS = [
    ["plain", True, 0, 0, False],
    ["install", True, 1, 0, False],
    ["install", False, 0, 2, False],
    ["backend", False, 0, 2, False],
    ["plain", False, 0, 0, False],
    ["one thread", True, 1, 0, False],
    ["flag", True, 0, 0, True],
    ["flag", False, 0, 0, True],
    ["install", False, 0, 2, False],
]


def test_caches_of_compiled_programs_know_whether_strew_is_there(tmp_path):
    command = [sys.executable, "-P", "-c", textwrap.dedent(PROCESSES), *(side for side, *_ in RUNS)]
    environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
    found = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    assert list(map(json.loads, found.splitlines())) == RUNS


def test_the_key_of_a_cached_graph_depends_on_all_that_the_pass_reads(monkeypatch):
    def key(*given, count=1):
        with threads(count):
            return _compile_pass.StrewPass(*given).uuid()

    keys = [key(), key(1), key(None, Other()), key(count=2)]
    monkeypatch.setattr(torch, "__version__", "2.12")
    keys.append(key())
    monkeypatch.setattr(_compile_pass, "__version__", "0.0")
    keys.append(key())
    assert len(set(keys)) == 6
    assert key() == keys[-1]
    assert key(None, lambda graph: None) is None
