"""`strew.torch`: custom operators, gradients, tracing."""

import doctest
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

import strew  # noqa: E402
import strew.torch as st  # noqa: E402

REDUCTIONS = ["none", "add", "mul", "max", "min"]
ROWS = [
    pytest.param(torch.tensor([[1], [0]]), id="distinct"),
    pytest.param(torch.tensor([[0], [0], [-3], [2], [0]]), id="repeated"),
    pytest.param(torch.tensor([[2, 1], [0, 1], [2, -3]]), id="elements"),
    pytest.param(torch.empty(3, 0, dtype=torch.int64), id="empty tuples"),
    pytest.param(torch.empty(0, 1, dtype=torch.int64), id="no tuples"),
    pytest.param(torch.tensor([[[0], [1]], [[1], [1]]], dtype=torch.int16), id="two axes of tuples"),
]
ELEMENTS = torch.tensor([[0, 1, 0], [0, 0, -1], [2, 2, 2]])


def doubles(*shape, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=dtype, generator=generator).requires_grad_()


def whole_numbers(*shape, seed=0):
    """Few different values, so that there are ties and zeros."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-1, 2, shape, generator=generator).to(torch.float64).requires_grad_()


def slices(indices, data, make=doubles, seed=1):
    return make(*indices.shape[:-1], *data.shape[indices.shape[-1] :], seed=seed)


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() + done.stderr


def test_the_examples_in_docstrings_hold():
    result = doctest.testmod(st)
    assert result.attempted > 15 and result.failed == 0


def test_torch_is_imported_only_by_strew_torch():
    code = "import sys, strew; strew.gather([1, 2], [0]); print('torch' in sys.modules); import strew.torch; print('torch' in sys.modules)"
    assert run_python(code).split() == ["False", "True"]


def test_without_torch_the_import_says_so():
    code = "import sys; sys.modules['torch'] = None; import strew; strew.gather([1, 2], [0]); import strew.torch"
    assert "ModuleNotFoundError: import of torch halted" in run_python(code)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("indices", [1, [2, 0, 2], [[0, -1], [1, 1]], []], ids=["scalar", "list", "matrix", "empty"])
def test_gather_and_its_derivatives(indices, axis):
    data = doubles(3, 4, 3)
    assert torch.equal(st.gather(data, indices, axis), strew.gather(data.detach(), indices, axis))
    assert torch.autograd.gradcheck(lambda d: st.gather(d, indices, axis), data)
    assert torch.autograd.gradgradcheck(lambda d: st.gather(d, indices, axis), data)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_elements_and_its_derivatives(axis):
    data = doubles(3, 4)
    assert torch.equal(st.gather_elements(data, ELEMENTS, axis), strew.gather_elements(data.detach(), ELEMENTS, axis))
    assert torch.autograd.gradcheck(lambda d: st.gather_elements(d, ELEMENTS, axis), data)
    assert torch.autograd.gradgradcheck(lambda d: st.gather_elements(d, ELEMENTS, axis), data)


BATCHED = {
    "no batch": (0, torch.tensor([[0, 1], [0, 1], [2, -3]])),
    "one axis": (1, torch.tensor([[[1], [1]], [[-1], [0]], [[0], [0]]], dtype=torch.uint8).to(torch.int8)),
    "unsigned": (1, torch.tensor([[1], [1], [0]], dtype=torch.uint32)),
    "two axes": (2, torch.tensor([[[1], [1], [0], [0]]] * 3)),
}


@pytest.mark.parametrize("batch_dims, indices", BATCHED.values(), ids=BATCHED)
def test_gather_nd_and_its_derivatives(batch_dims, indices):
    data = doubles(3, 4, 2)
    assert torch.equal(st.gather_nd(data, indices, batch_dims), strew.gather_nd(data.detach(), indices, batch_dims))
    assert torch.autograd.gradcheck(lambda d: st.gather_nd(d, indices, batch_dims), data)
    assert torch.autograd.gradgradcheck(lambda d: st.gather_nd(d, indices, batch_dims), data)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scatter_elements_and_its_gradients(reduction, axis):
    def scatter(data, updates):
        return st.scatter_elements(data, ELEMENTS, updates, axis, reduction)

    data, updates = doubles(3, 4), doubles(3, 3, seed=1)
    expected = strew.scatter_elements(data.detach(), ELEMENTS, updates.detach(), axis, reduction)
    assert torch.equal(scatter(data, updates), expected)
    assert torch.autograd.gradcheck(scatter, (data, updates))
    if reduction != "mul":
        assert torch.autograd.gradgradcheck(scatter, (data, updates))


@pytest.mark.parametrize("indices", ROWS)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scatter_nd_and_its_gradients(reduction, indices):
    def scatter(data, updates):
        return st.scatter_nd(data, indices, updates, reduction)

    data = doubles(3, 4, 2)
    updates = slices(indices, data)
    expected = strew.scatter_nd(data.detach(), indices, updates.detach(), reduction)
    assert torch.equal(scatter(data, updates), expected)
    assert torch.autograd.gradcheck(scatter, (data, updates))
    if reduction != "mul":
        assert torch.autograd.gradgradcheck(scatter, (data, updates))


@pytest.mark.parametrize("reduction", ["none", "add", "mul"])
def test_complex_gradients(reduction):
    data, updates = doubles(3, 4, dtype=torch.complex128), doubles(3, 3, seed=1, dtype=torch.complex128)
    assert torch.autograd.gradcheck(
        lambda d, u: st.scatter_elements(d, ELEMENTS, u, 1, reduction), (data, updates)
    )


CACHES = {
    "from the start": (None, -2, "linear"),
    "at a place": ([2, 0], -2, "linear"),
    "on the last axis": ([0, 2], -1, "linear"),
    "around the end": ([3, 9], 1, "circular"),
}


@pytest.mark.parametrize("starts, axis, mode", CACHES.values(), ids=CACHES)
def test_tensor_scatter_and_its_derivatives(starts, axis, mode):
    def scatter(cache, update):
        return st.tensor_scatter(cache, update, starts, axis, mode)

    cache = doubles(2, 4, 4)
    update = doubles(2, 2, 4, seed=1) if axis != -1 else doubles(2, 4, 2, seed=1)
    expected = strew.tensor_scatter(cache.detach(), update.detach(), starts, axis, mode)
    assert torch.equal(scatter(cache, update), expected)
    assert torch.autograd.gradcheck(scatter, (cache, update))
    assert torch.autograd.gradgradcheck(scatter, (cache, update))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_a_gradient_is_computed_only_for_what_needs_it(reduction):
    both = (doubles(3, 4), doubles(3, 3, seed=1))
    wanted = torch.autograd.grad(st.scatter_elements(both[0], ELEMENTS, both[1], 1, reduction).square().sum(), both)
    for which in (0, 1):
        some = [operand if i == which else operand.detach() for i, operand in enumerate(both)]
        result = st.scatter_elements(some[0], ELEMENTS, some[1], 1, reduction).square().sum()
        (alone,) = torch.autograd.grad(result, some[which])
        assert torch.equal(alone, wanted[which])


def gradients(function, *operands):
    operands = [operand.detach().clone().requires_grad_() for operand in operands]
    result = function(*operands)
    weights = torch.arange(1.0, result.numel() + 1, dtype=result.dtype).view(result.shape)
    return result, *torch.autograd.grad(result, operands, weights)


def assert_same(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12, equal_nan=True)


def test_gradients_are_those_of_torch_for_gathers():
    data, rows = doubles(5, 4), torch.tensor([4, 0, 4, 4, 1])
    assert_same(gradients(lambda d: st.gather(d, rows), data), gradients(lambda d: d.index_select(0, rows), data))
    positive = ELEMENTS % 3
    assert_same(
        gradients(lambda d: st.gather_elements(d, positive, 1), data), gradients(lambda d: d.gather(1, positive), data)
    )


@pytest.mark.parametrize("make", [doubles, whole_numbers], ids=["no ties", "ties and zeros"])
@pytest.mark.parametrize("name", ["add", "mul", "max", "min"])
def test_gradients_are_those_of_torch_for_reductions(name, make):
    theirs = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}[name]
    indices = torch.randint(0, 4, (6, 5), generator=torch.Generator().manual_seed(3))
    data, updates = make(4, 5), make(6, 5, seed=1)
    assert_same(
        gradients(lambda d, u: st.scatter_elements(d, indices, u, 0, name), data, updates),
        gradients(lambda d, u: d.scatter_reduce(0, indices, u, theirs, include_self=True), data, updates),
    )


def test_gradients_are_those_of_torch_for_adding_rows():
    rows, data, updates = torch.tensor([2, 0, 2]), doubles(3, 4), doubles(3, 4, seed=1)
    assert_same(
        gradients(lambda d, u: st.scatter_nd(d, rows.unsqueeze(-1), u, "add"), data, updates),
        gradients(lambda d, u: d.index_add(0, rows, u), data, updates),
    )


def test_only_the_update_that_stayed_has_a_gradient():
    data, updates = torch.zeros(3), torch.tensor([1.0, 2.0, 3.0, 4.0])
    _, of_data, of_updates = gradients(lambda d, u: st.scatter_elements(d, [1, -2, 0, 1], u), data, updates)
    assert of_data.tolist() == [0.0, 0.0, 3.0]
    assert of_updates.tolist() == [0.0, 0.0, 1.0, 2.0]


@pytest.mark.parametrize("factors", [[0.0, 2, 3], [0.0, 0, 3], [0.0, 0, 0], [float("inf"), 0, 2], [1e200, 1e200, 1e-300]])
def test_the_gradient_of_a_product_never_divides(factors):
    data, updates = torch.tensor([7.0], dtype=torch.float64), torch.tensor(factors, dtype=torch.float64)
    _, of_data, of_updates = gradients(lambda d, u: st.scatter_elements(d, [0, 0, 0], u, reduction="mul"), data, updates)
    a, b, c = factors
    expected = [7 * (b * c), 7 * a * c, 7 * a * b]
    torch.testing.assert_close(of_updates, torch.tensor(expected, dtype=torch.float64), equal_nan=True)
    torch.testing.assert_close(of_data, torch.tensor([a * b * c], dtype=torch.float64), equal_nan=True)


def test_long_runs_of_factors_are_multiplied_exactly():
    updates = torch.full((200,), 2.0)
    updates[100:] = 0.5
    _, _, of_updates = gradients(
        lambda d, u: st.scatter_elements(d, torch.zeros(200, dtype=torch.int64), u, reduction="mul"), torch.ones(1), updates
    )
    assert torch.equal(of_updates, 1 / updates)


def test_ties_share_the_gradient_of_an_extreme():
    data, updates = torch.tensor([3.0, 1.0]), torch.tensor([3.0, 2.0, 3.0, 0.0])
    _, of_data, of_updates = gradients(
        lambda d, u: st.scatter_elements(d, [0, 0, 0, 1], u, reduction="max"), data, updates
    )
    third = torch.tensor(1.0) / 3
    assert of_data.tolist() == [third, 2.0]
    assert of_updates.tolist() == [third, 0.0, third, 0.0]


def test_a_nan_takes_the_gradient_of_an_extreme():
    nan = float("nan")
    _, of_data, of_updates = gradients(
        lambda d, u: st.scatter_elements(d, [0, 0, 0], u, reduction="min"), torch.tensor([1.0]), torch.tensor([nan, 0.0, nan])
    )
    assert of_data.tolist() == [0.0] and of_updates.tolist() == [0.5, 0.0, 0.5]


def operator_cases():
    ops, rows = torch.ops.strew, torch.tensor([[0], [0], [2]])
    yield ops.gather, (doubles(3, 4), ELEMENTS, 1)
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


@pytest.mark.parametrize("recorded", [False, True])
def test_errors_keep_their_type_and_text(recorded):
    data = torch.zeros(3, 4, requires_grad=recorded)
    with pytest.raises(IndexError, match=r"gather: indices\[0\] = 3 is outside \[-3, 2\]"):
        st.gather(data, [3])
    with pytest.raises(TypeError, match="gather: indices are float32; they must be integers"):
        st.gather(data, [1.0])
    with pytest.raises(ValueError, match="scatter_nd: reduction 'mean' is none of"):
        st.scatter_nd(data, [[1]], torch.ones(1, 4), "mean")
    with pytest.raises(TypeError, match="scatter_elements: updates of type torch.float32 cannot go into data of type torch.int64"):
        st.scatter_elements(torch.zeros(3, dtype=torch.int64), [0], [1.5])


def test_errors_keep_their_type_in_compiled_code():
    torch.compiler.reset()
    compiled = torch.compile(lambda x: st.gather(x, [9]) + 1, fullgraph=True, backend="aot_eager")
    with pytest.raises(IndexError, match="is outside"):
        compiled(torch.zeros(3))


def test_tracing_refuses_an_axis_that_is_not_there():
    with pytest.raises(ValueError, match=r"gather: axis 2 is outside \[-2, 1\] for data of shape"):
        st.gather(torch.zeros(3, 4, device="meta"), torch.zeros(1, dtype=torch.int64, device="meta"), 2)


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


def test_autograd_notices_what_was_written_in_place():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    loss = (y * y).sum()
    with torch.no_grad():
        st.scatter_nd_(y, [[0]], [9.0])
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_conjugate_and_negative_views_stand_for_their_values():
    z = torch.complex(torch.arange(4.0), torch.ones(4))
    assert torch.equal(st.gather(z.conj(), [1]), z.conj()[[1]])
    written = z.clone().conj()
    st.scatter_nd_(written, [[0]], torch.tensor([2j]).conj())
    assert torch.equal(written, torch.cat([torch.tensor([-2j]), z.conj()[1:]]))
    reals = torch.zeros(4)
    assert torch.equal(st.scatter_nd_(reals, [[0], [1], [2], [3]], z.conj().imag), -torch.ones(4))


def test_forward_mode_is_refused_and_not_taken_for_zero():
    x = torch.ones(3)
    with pytest.raises(NotImplementedError, match="gather: there is no forward-mode derivative"):
        torch.func.jvp(lambda t: st.gather(t, [0]), (x,), (x,))
    with pytest.raises(NotImplementedError, match="scatter_nd_: there is no forward-mode derivative"):
        torch.func.jvp(lambda t: st.scatter_nd_(t.clone(), [[0]], torch.ones(1)), (x,), (x,))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_types_have_gradients(dtype):
    data, updates = torch.ones(2, dtype=dtype), torch.full((3,), 2, dtype=dtype)
    for reduction in REDUCTIONS:
        wide = gradients(lambda d, u, r=reduction: st.scatter_elements(d, [0, 0, 1], u, 0, r), data.double(), updates.double())
        narrow = gradients(lambda d, u, r=reduction: st.scatter_elements(d, [0, 0, 1], u, 0, r), data, updates)
        assert all(n.dtype == dtype and torch.equal(n.double(), w) for n, w in zip(narrow, wide, strict=True))
