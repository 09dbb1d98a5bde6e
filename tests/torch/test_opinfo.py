"""PyTorch's own samples of these operators give the same bits and the same errors on Strew."""

import pytest
import torch
from compile_support import are_near, compiled_step, step
from install_support import copied, difference, taken
from torch.testing._internal.common_methods_invocations import op_db

NAMES = (
    "__getitem__ gather index_add index_copy index_fill index_put index_reduce index_select masked_scatter put scatter"
    " scatter_add scatter_reduce take take_along_dim nn.functional.embedding nn.functional.embedding_bag"
).split()
OPERATORS = [info for info in op_db if info.name in NAMES]


def samples(info, gradients):
    for dtype in sorted(info.supported_backward_dtypes("cpu") if gradients else info.supported_dtypes("cpu"), key=str):
        torch.manual_seed(0)
        for sample in info.sample_inputs("cpu", dtype, requires_grad=gradients):
            yield dtype, sample


def compare(info, gradients, call_of):
    """Compare PyTorch alone and Strew for `call_of` of each sample. Return the number of compared calls."""
    compared, before = 0, taken()
    for dtype, sample in samples(info, gradients):
        call = call_of(sample)
        assert difference(call, min_elements=0) is None, f"{info.formatted_name} {dtype} {sample}"
        compared += 1
    assert compared > 0
    return compared, taken() - before


def call_of_copies(function):
    return lambda sample: lambda: function(copied(sample.input), *copied(sample.args), **sample.kwargs)


@pytest.mark.parametrize("info", OPERATORS, ids=lambda info: info.formatted_name)
def test_a_new_result_is_the_same(info):
    compare(info, False, call_of_copies(info.op))


@pytest.mark.parametrize("info", [info for info in OPERATORS if info.inplace_variant], ids=lambda info: info.formatted_name)
def test_a_result_in_place_is_the_same(info):
    compare(info, False, call_of_copies(info.inplace_variant))


@pytest.mark.parametrize("info", [info for info in OPERATORS if info.supports_out], ids=lambda info: info.formatted_name)
def test_a_result_in_out_is_the_same(info):
    def call_of(sample):
        def call():
            arguments = copied(sample.input), *copied(sample.args)
            result = info.op(*arguments, **sample.kwargs)
            return info.op(*arguments, **sample.kwargs, out=torch.empty_like(result))

        return call

    compare(info, False, call_of)


@pytest.mark.parametrize("info", [info for info in OPERATORS if info.supports_autograd], ids=lambda info: info.formatted_name)
def test_gradients_are_the_same(info):
    def call_of(sample):
        def call():
            inputs = copied(sample.input), *copied(sample.args)
            result = info.op(*inputs, **sample.kwargs)
            result = result[0] if isinstance(result, tuple) else result
            leaves = [each for each in inputs if isinstance(each, torch.Tensor) and each.requires_grad]
            if not leaves or not result.requires_grad:
                return result
            return torch.autograd.grad(result, leaves, torch.ones_like(result), allow_unused=True)

        return call

    compare(info, True, call_of)


@pytest.mark.parametrize("info", [info for info in OPERATORS if info.supports_autograd], ids=lambda info: info.formatted_name)
def test_compiled_programs_have_the_same_results_and_gradients(info):
    for sample in info.sample_inputs("cpu", torch.float32, requires_grad=True):
        arguments = sample.input, *sample.args

        def program(*given, how=sample.kwargs):
            return (info.method_variant or info.op)(*given, **how)  # PyTorch Geometric replaces torch.index_select

        are_near(step(program, arguments), compiled_step(program, arguments), torch.float32)


@pytest.mark.parametrize("info", [info for info in OPERATORS if info.error_inputs_func], ids=lambda info: info.formatted_name)
def test_errors_are_the_same_word_for_word(info):
    for error in info.error_inputs("cpu"):
        assert difference(call_of_copies(info.op)(error.sample_input), min_elements=0) is None, error.sample_input


def test_many_of_the_samples_ran_on_strew():
    called = [
        compare(info, False, call_of_copies(info.op))
        for info in OPERATORS
        if info.name in ("index_add", "gather", "index_copy", "index_select", "scatter", "take", "__getitem__")
    ]
    assert sum(on_strew for _, on_strew in called) > sum(compared for compared, _ in called) // 2
