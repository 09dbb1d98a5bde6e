"""Tests `strew.torch`: custom operators, tracing, errors, and functions that work in place."""

import doctest
import inspect
import os

import pytest
import strew
import strew.torch as st
from support import refuses, run_python
import torch
from torch_support import ELEMENTS, REDUCTIONS, assert_same, doubles, gradients


def test_the_examples_in_docstrings_hold():
    texts = [st.__doc__, *(getattr(st, name).__doc__ for name in st._functions.__all__)]
    examples = [doctest.DocTestParser().get_doctest(text, {}, "strew.torch", None, None) for text in texts]
    results = [doctest.DocTestRunner().run(example) for example in examples]
    assert sum(result.attempted for result in results) > 15 and not any(result.failed for result in results)


def test_sums_of_bfloat16_are_rounded_as_migrating_md_says():
    data, rows = torch.full((2, 4), 256.0, dtype=torch.bfloat16), torch.zeros(300, dtype=torch.long)
    index, ones = rows[:, None].expand(300, 4), torch.ones(300, 4, dtype=torch.bfloat16)
    plain = [data.index_put((rows,), ones, accumulate=True), st.scatter_nd(data, rows[:, None], ones, reduction="add")]
    wide = [data.index_add(0, rows, ones), data.scatter_add(0, index, ones), data.scatter_reduce(0, index, ones, "sum")]
    wide += [st.scatter_nd(data, rows[:, None], ones, reduction="add", acc_dtype="float32")]
    assert [each[0, 0].item() for each in (*plain, *wide)] == [256, 256, 556, 556, 556, 556]


def test_torch_is_imported_only_by_strew_torch():
    ask = "print('torch' in sys.modules);"
    code = f"import sys, strew; strew.gather([1, 2], [0]); {ask} import strew.torch; {ask}"
    assert run_python(code).split() == ["False", "True"]


def test_without_torch_the_import_says_so():
    code = "import sys; sys.modules['torch'] = None; import strew; strew.gather([1, 2], [0]); import strew.torch"
    refuses(AssertionError, "ModuleNotFoundError: import of torch halted", run_python, code)


def operator_cases():
    ops, rows = torch.ops.strew, torch.tensor([[0], [0], [2]])
    yield ops.gather, (doubles(5, 4), ELEMENTS, 1)
    yield ops.gather, (doubles(3, 4), ELEMENTS, 0)
    yield ops.gather_elements, (doubles(3, 4), ELEMENTS, 1)
    yield ops.gather_nd, (doubles(3, 4), rows, 0)
    yield ops.gather_nd, (doubles(3, 4), rows, 1)
    for reduction in REDUCTIONS:
        yield ops.scatter_elements, (doubles(3, 4), ELEMENTS, doubles(3, 3), 1, reduction)
        yield ops.scatter_nd, (doubles(3, 4), rows, doubles(3, 4), reduction)
    yield ops.scatter_elements, (doubles(4, 3).t(), ELEMENTS, doubles(3, 3), 1, "add")
    yield ops.tensor_scatter, (doubles(2, 4, 3), doubles(2, 2, 3))
    yield ops.tensor_scatter, (doubles(2, 4, 3), doubles(2, 2, 3), torch.tensor([1, 3]), -2, "circular")
    yield ops.scatter_elements_, (torch.zeros(3, 4), ELEMENTS, torch.ones(3, 3), 1, "add")
    yield ops.scatter_nd_, (torch.zeros(3, 4), rows, torch.ones(3, 4), "add")
    yield ops.tensor_scatter_, (torch.zeros(2, 4, 3), torch.ones(2, 2, 3), None)
    yield ops.products_of_others, (torch.ones(3, 1), torch.tensor([0, 0, 2]), torch.ones(3, 1))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator, operands", list(operator_cases()), ids=lambda value: str(value)[:30])
def test_operators_keep_the_rules_of_torch(operator, operands):
    torch.library.opcheck(operator.default, operands)


def chain(x, u):
    rows = torch.tensor([[0], [0], [2]])
    y = st.gather(x, ELEMENTS, 1).sum(1) + st.gather_elements(x, ELEMENTS, 0).sum()
    y = st.scatter_elements(y, ELEMENTS, u, 0, "add")
    y = st.scatter_nd(y, rows, y * 2, "mul")
    y = st.scatter_nd(y, rows, y * 3, "max") + st.gather_nd(y, rows, 1).sum()
    counts = torch.zeros(4, dtype=y.dtype)
    st.scatter_elements_(counts, [0, 1], 1.0, reduction="add")
    return st.tensor_scatter(y.unsqueeze(0), y[:2].unsqueeze(0), [1]) + counts.sum()


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_code_gives_the_same_values_and_gradients(backend, dynamic):
    torch.compiler.reset()
    operands = (doubles(3, 3), doubles(3, 3, seed=1))
    compiled = torch.compile(chain, fullgraph=True, backend=backend, dynamic=dynamic)
    assert_same(gradients(compiled, *operands), gradients(chain, *operands))


@pytest.mark.skipif("STREW_TEST_INDUCTOR" not in os.environ, reason="takes long; set STREW_TEST_INDUCTOR")
def test_code_compiled_by_inductor_gives_the_same_values_and_gradients():
    torch.compiler.reset()
    operands = (doubles(3, 3), doubles(3, 3, seed=1))
    assert_same(gradients(torch.compile(chain, fullgraph=True), *operands), gradients(chain, *operands))


def test_an_exported_program_takes_other_sizes():
    class Rows(torch.nn.Module):
        def forward(self, x, indices, u):
            return st.scatter_nd(x, indices, st.gather(x, indices.squeeze(-1)) * u, "add")

    rows, count = torch.export.Dim("rows"), torch.export.Dim("count")
    example = (torch.zeros(5, 4), torch.zeros(3, 1, dtype=torch.int64), torch.zeros(3, 4))
    program = torch.export.export(Rows(), example, dynamic_shapes=({0: rows}, {0: count}, {0: count}))
    assert [n.target for n in program.graph.nodes if "strew" in str(n.target)] == [
        torch.ops.strew.gather.default,
        torch.ops.strew.scatter_nd.default,
    ]
    operands = (doubles(9, 4).detach(), torch.tensor([[1], [1], [8], [0]]), doubles(4, 4).detach())
    assert torch.equal(program.module()(*operands), Rows()(*operands))


def test_the_underscored_functions_write_in_place():
    for write, operands, expected in [
        (st.scatter_elements_, ([1, 1], 2.0, 0, "add"), [0.0, 4.0, 0.0]),
        (st.scatter_nd_, ([[1], [2]], [5.0, 6.0]), [0.0, 5.0, 6.0]),
    ]:
        data = torch.zeros(3)
        assert write(data, *operands) is data and data.tolist() == expected
    cache = torch.zeros(1, 3)
    assert st.tensor_scatter_(cache, torch.ones(1, 2), [2], -1, "circular") is cache
    assert cache.tolist() == [[1.0, 0.0, 1.0]]


def test_writing_in_place_carries_gradients():
    buffer, updates = torch.zeros(3), torch.tensor([2.0, 3.0], requires_grad=True)
    assert st.scatter_elements_(buffer, [1, 1], updates, reduction="mul") is buffer
    buffer.sum().backward()
    assert updates.grad.tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        st.scatter_nd_(torch.zeros(3, requires_grad=True), [[0]], [1.0])


def write_detached(y):
    saved = y.detach()
    strew.scatter_nd(saved, [[0]], [9.0], out=saved)


@pytest.mark.parametrize("write", [lambda y: st.scatter_nd_(y, [[0]], [9.0]), write_detached])
def test_autograd_notices_what_was_written_in_place(write):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    loss = (y * y).sum()
    with torch.no_grad():
        write(y)
    refuses(RuntimeError, "modified by an inplace operation", loss.backward)


def test_conjugate_and_negative_views_stand_for_their_values():
    z = torch.complex(torch.arange(4.0), torch.ones(4))
    assert torch.equal(st.gather(z.conj(), [1]), z.conj()[[1]])
    written = z.clone().conj()
    st.scatter_nd_(written, [[0]], torch.tensor([2j]).conj())
    assert torch.equal(written, torch.cat([torch.tensor([-2j]), z.conj()[1:]]))
    reals = torch.zeros(4)
    assert torch.equal(st.scatter_nd_(reals, [[0], [1], [2], [3]], z.conj().imag), -torch.ones(4))


def test_completion_offers_only_what_is_meant_for_callers():
    assert dir(st) == sorted([*st.__all__, "onnx_translation"])


@pytest.mark.parametrize(
    "call",
    [
        lambda data, index, **how: st.gather(data, index, **how),
        lambda data, index, **how: st.gather_elements(data, index, **how),
        lambda data, index, **how: st.gather_nd(data, index[:, None], **how),
        lambda data, index, **how: st.scatter_elements(data, index, torch.ones(2), reduction="add", **how),
        lambda data, index, **how: st.scatter_nd(data, index[:, None], torch.ones(2), **how),
        lambda data, index, **how: st.scatter_elements_(data.detach(), index, torch.ones(2), **how),
        lambda data, index, **how: st.scatter_nd_(data.detach(), index[:, None], torch.ones(2), **how),
    ],
)
def test_negative_indices_are_refused_where_that_is_asked_for(call):
    data = torch.arange(3.0, requires_grad=True)
    refuses(IndexError, "= -1 is outside ", call, data, torch.tensor([0, -1]), negative_indices="out_of_bounds")
    with pytest.raises(TypeError, match="negative_indices is a bool; it must be a str"):
        call(data, torch.tensor([0, 1]), negative_indices=True)
    result = call(data, torch.tensor([0, 1]), negative_indices="out_of_bounds")
    assert torch.equal(result, call(data, torch.tensor([0, -2])))
    if result.requires_grad:
        result.sum().backward()
        assert data.grad is not None


@pytest.mark.parametrize("name", [name for name in st.__all__ if name.startswith(("gather", "scatter", "tensor_scatter")) and name != "gather_scatter"])
def test_a_function_has_the_parameters_and_defaults_of_its_like_in_strew(name):
    ours, whole = (
        {p.name: p.default for p in inspect.signature(getattr(module, name.rstrip("_"))).parameters.values()} for module in (st, strew)
    )
    assert ours.items() <= whole.items()
    assert whole.keys() - ours.keys() <= {"out"}
