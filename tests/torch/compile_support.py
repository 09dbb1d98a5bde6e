"""Code shared by tests of compiled programs: programs over edges, and a compiler that stops before it writes code."""

import contextlib

import torch
from install_support import bits
from torch._inductor.custom_graph_pass import CustomGraphPass

import strew.torch
from strew.torch import _compile

NODES, EDGES, COLUMNS = 20, 90, 5


class Other(CustomGraphPass):
    """A pass of the user."""

    ran = 0

    def __call__(self, graph):
        Other.ran += 1

    def uuid(self):
        return "other"


def operands(dtype=torch.float32, shape=(NODES, COLUMNS), edges=EDGES):
    """Return features of nodes, and the source, the target and the weight of each edge."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(shape, generator=generator).to(dtype).requires_grad_()
    source, target = torch.randint(0, shape[0], (2, edges), generator=generator)
    return x, source, target, torch.rand(edges, generator=generator).to(dtype).requires_grad_()


def added(messages, index, size=NODES):
    return messages.new_zeros(size, *messages.shape[1:]).index_add(0, index, messages)


def without_code(module, inputs):
    """Run Inductor's graphs after Strew's pass, without compiling them."""
    from functorch.compile import make_boxed_func
    from torch._inductor.compile_fx import compile_fx

    return compile_fx(module, inputs, inner_compile=lambda graph, *_, **__: make_boxed_func(graph.forward))


@contextlib.contextmanager
def fusing(**how):
    """Run a block with Strew's pass for graphs of any size; a rewrite that fails is an error."""
    torch._dynamo.reset()
    with strew.torch.installed(**{"min_elements": 1} | how), torch._inductor.config.patch(force_disable_caches=True):
        from strew.torch import _compile_pass

        _compile_pass.must_succeed = True
        try:
            yield
        finally:
            _compile_pass.must_succeed = False


def step(function, arguments):
    """Return the result of a function, and the gradients of all arguments that require one."""
    result = function(*arguments)
    wanted = [each for each in arguments if isinstance(each, torch.Tensor) and each.requires_grad]
    if not result.requires_grad:
        return (result,)
    seed = torch.arange(result.numel(), dtype=result.dtype).view(result.shape).cos()
    return result, *torch.autograd.grad((result * seed).sum(), wanted, allow_unused=True)


def compiled_step(function, arguments, backend=without_code, least=1, **how):
    with fusing(min_elements=least):
        return step(torch.compile(function, backend=backend, **how), arguments)


def fused():
    """Return the number of operators fused since the last `fusing`."""
    return sum(len(graph.fused) for graph in _compile.compiled().graphs)


def eager():
    return [why for graph in _compile.compiled().graphs for why in graph.eager.values()]


def are_near(expected, found, dtype):
    tolerance = {"rtol": 0.05, "atol": 0.05} if dtype == torch.bfloat16 else {"rtol": 1e-4, "atol": 1e-5}
    for one, other in zip(expected, found, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.stride() == other.stride()
            torch.testing.assert_close(other, one, **tolerance)


def are_same_bits(expected, found):
    return all(one is other is None or bits(one) == bits(other) for one, other in zip(expected, found, strict=True))
