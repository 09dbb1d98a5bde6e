"""`strew` and `strew.torch` on CUDA tensors: on an emulated device, and traced without a device.

On the emulated device every tensor reports a CUDA device, so the functions, their gradients and torch's own steps run the
code for devices. Only traced calls test the error for tensors on two devices: fake tensors need no memory on a device.
"""

import types

import device_support
from device_support import DeviceArray
import numpy as np
import pytest
import strew.cuda
import strew.torch as st
from strew.torch import _operators
from support import refuses
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch_support import ELEMENTS, REDUCTIONS, doubles, gradients

OPERATORS = ["gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "tensor_scatter"]


@pytest.fixture
def on_device(monkeypatch):
    """Return a function that runs a call with tensors on the emulated device."""
    played = device_support.play()
    played.set()

    def run(call):
        with monkeypatch.context() as patch:
            patch.setattr(torch.Tensor, "is_cuda", property(lambda tensor: True), raising=False)
            patch.setattr(torch.Tensor, "is_cpu", property(lambda tensor: False), raising=False)
            patch.setattr(torch.Tensor, "get_device", lambda tensor: 0, raising=False)
            patch.setattr(torch.cuda, "current_stream", lambda device: types.SimpleNamespace(cuda_stream=9))
            return call()

    run.device = played
    return run


def assert_same(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        assert a.numpy().tobytes() == b.numpy().tobytes()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float8_e5m2, torch.int16, torch.bool, torch.complex64])
def test_tensors_of_many_types_give_what_they_give_in_cpu_memory(on_device, dtype):
    data = torch.arange(-6, 6).view(4, 3).to(dtype)
    rows, columns = torch.tensor([[2], [0], [2]]), torch.tensor([1, -1])
    calls = [
        lambda: strew.gather(data, columns, 1),
        lambda: strew.gather(data.T, [0]),
        lambda: strew.scatter_nd(data, rows, data[1:]),
        lambda: strew.scatter_nd(data, rows.to(torch.uint8), data[:3]),
        lambda: strew.tensor_scatter(data[None], data[None, 1:2], axis=1),
    ]
    for call in calls:
        assert torch.equal(on_device(call).view(torch.uint8), call().view(torch.uint8))


def test_a_tensor_is_written_in_place_or_not_at_all(on_device):
    data = torch.zeros(3)
    before = data._version
    assert on_device(lambda: strew.scatter_nd(data, [[1], [1]], [2.0, 3.0], "add", out=data)) is data
    assert data.tolist() == [0, 5, 0]
    assert data._version > before
    message = r"^scatter_nd: indices\[1, 0\] = 3 is outside \[-3, 2\] for axis 0 of data with shape \[3\]$"
    refuses(IndexError, message, on_device, lambda: strew.scatter_nd(data, [[0], [3]], [7.0, 7.0], out=data))
    assert data.tolist() == [0, 5, 0]


def test_work_goes_to_the_current_stream(on_device):
    indices = DeviceArray(np.array([1]))
    on_device(lambda: strew.gather(torch.zeros(3), torch.tensor([1])))
    assert on_device.device.followed() == []
    on_device(lambda: strew.gather(torch.zeros(3), indices))
    assert on_device.device.followed() == [(9, 0)]
    with pytest.raises(IndexError, match=r"^gather: indices\[0\] = 4"), strew.cuda.deferred():
        on_device(lambda: strew.gather(torch.zeros(3), torch.tensor([4])))


def test_a_tensor_in_cpu_memory_is_refused_beside_one_on_a_device(on_device):
    data = DeviceArray(np.zeros(3, np.float32))
    message = "^scatter_elements: updates are in CPU memory but data is on cuda:0; all arrays"
    refuses(ValueError, message, strew.scatter_elements, data, [0], torch.ones(1))
    on_device(lambda: strew.scatter_elements(data, [0], torch.ones(1)))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_gradients_have_the_bits_of_those_in_cpu_memory(on_device, reduction):
    data, updates = doubles(4, 3, seed=1), doubles(3, 3, seed=2)
    rows = torch.tensor([[2], [0], [2]])
    calls = [
        (lambda x: st.gather(x, torch.tensor([3, 0, 3])), (data,)),
        (lambda x: st.gather_elements(x, ELEMENTS, 0), (data,)),
        (lambda x: st.gather_nd(x, rows), (data,)),
        (lambda x, u: st.scatter_elements(x, ELEMENTS, u, 0, reduction), (data, updates)),
        (lambda x, u: st.scatter_nd(x, rows, u, reduction), (data, updates)),
        (lambda x, u: st.tensor_scatter(x[None], u[None, :2], torch.tensor([1])), (data, updates)),
        (lambda x, u: st.scatter_nd(x, torch.tensor([[1], [1], [0]]), u, "add", alpha=2), (data, updates)),
    ]
    for call, operands in calls:
        wanted = [part.detach() for part in gradients(call, *operands)]
        assert_same([part.detach() for part in on_device(lambda: gradients(call, *operands))], wanted)  # noqa: B023


def test_in_place_functions_write_tensors_on_a_device(on_device):
    cache = torch.zeros(1, 3, 2)
    on_device(lambda: st.tensor_scatter_(cache, torch.ones(1, 1, 2), [1]))
    assert cache[0, :, 0].tolist() == [0, 1, 0]
    sums = torch.zeros(3)
    on_device(lambda: st.scatter_elements_(sums, [1, 1], 2.0, reduction="add"))
    assert sums.tolist() == [0, 4, 0]


@pytest.mark.parametrize("name", [*OPERATORS, "scatter_elements_", "scatter_nd_", "tensor_scatter_", "products_of_others"])
def test_every_operator_has_a_kernel_and_a_gradient_for_cuda(name):
    for key in ("CUDA", "AutogradCUDA"):
        assert torch._C._dispatch_has_computed_kernel_for_dispatch_key(f"strew::{name}", key)


def traced():
    """Return traced calls of every function on CUDA tensors, and the expected shapes of their results."""
    cuda = {"device": "cuda"}
    x, u = torch.zeros(4, 3, **cuda), torch.zeros(3, 3, **cuda)
    i, e, rows = (torch.zeros(shape, dtype=torch.int64, **cuda) for shape in ((2,), (3, 3), (3, 1)))
    c, w = torch.zeros(1, 4, 3, **cuda), torch.zeros(1, 2, 3, **cuda)
    return {
        "gather": (x, i, 1, "from_end"),
        "gather_elements": (x, e, 0, "from_end"),
        "gather_nd": (x, rows, 0),
        "tensor_scatter": (c, w, torch.zeros(1, dtype=torch.int64, **cuda), 1, "circular"),
        **{f"scatter_elements {r}": (x, e, u, 0, r, "error", "from_end", True, "data") for r in [*REDUCTIONS, "sub", "div", "mean"]},
        **{f"scatter_nd {r}": (x, rows, u, r, "error", "from_end", True, "data") for r in [*REDUCTIONS, "sub", "div", "mean"]},
    }


class Context:
    """The object that passes values from a forward pass to its backward pass."""

    needs_input_grad = (True,) * 8

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors


def test_operators_and_gradients_stay_on_their_device():
    with FakeTensorMode():
        for name, operands in traced().items():
            function = getattr(_operators, name.split()[0]).functions["transformable"]
            operator = getattr(torch.ops.strew, name.split()[0])
            defaults = [argument.default_value for argument in operator.default._schema.arguments]
            operands = (*operands, *defaults[len(operands) :])
            result = operator(*operands)
            assert result.device.type == "cuda", name
            context = Context()
            function.setup_context(context, operands, result)
            gradients_of = function.backward(context, torch.ones_like(result))
            given = [part for part in gradients_of if part is not None]
            assert given and all(part.device.type == "cuda" for part in given), name


def test_functions_bring_what_they_are_given_to_the_device_of_the_data():
    with FakeTensorMode():
        data = torch.zeros(4, 3, device="cuda")
        at = torch.zeros(2, dtype=torch.int64, device="cuda")
        results = [
            st.gather(data, [1, 2]),
            st.scatter_nd(data, [[1]], [[1.0, 2.0, 3.0]]),
            st.scatter_elements(data, np.zeros((1, 3), np.int64), 1.0, reduction="add"),
            st.scatter_nd(data, at.unsqueeze(-1), data[:2], "add"),
            st.gather(data, at),
        ]
    assert [result.device.type for result in results] == ["cuda"] * len(results)
