"""The programs of examples/python that need PyTorch or PyTorch Geometric run."""

import pytest
from test_examples import run_example


@pytest.mark.parametrize(
    ("name", "needs", "size", "said"),
    [
        ("embedding_bag.py", "strew_torch", 200, "200 bags: PyTorch "),
        ("gcn.py", "torch", 500, "500 nodes, a step: index_add "),
        ("pyg_fuse.py", "torch_geometric", 500, "500 nodes, a step: PyG "),
    ],
)
def test_an_example_runs_as_a_program(name, needs, size, said):
    pytest.importorskip(needs)
    assert run_example(name, size).startswith(said)
