"""Compares results and gradients of PyTorch, CuPy and JAX arrays on a device with the CPU's, and tests docs/cuda.md."""

import contextlib
import doctest
import importlib.util
import os
import pathlib
import re

import checks
import numpy as np

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/cuda.md"
CALLS = 150


def of_torch():
    """Return functions that copy an ndarray to the device and back, and one that changes the current stream."""
    import torch

    side = torch.cuda.Stream()
    return lambda x: torch.from_numpy(x.copy()).cuda(), lambda x: x.cpu().numpy(), lambda: torch.cuda.stream(side)


def of_cupy():
    import cupy

    side = cupy.cuda.Stream(non_blocking=True)
    return cupy.asarray, cupy.asnumpy, lambda: side


def of_jax():
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.device_put, np.asarray, None


LIBRARIES = {"torch": of_torch, "cupy": of_cupy, "jax": of_jax}


def random_calls_of(library):
    """Compare random calls on a library's arrays with the CPU's. A third of PyTorch's and CuPy's use another stream."""
    put, fetch, stream = LIBRARIES[library]()
    rng = np.random.default_rng(20261127)
    for number in range(CALLS):
        call = checks.random_call(rng, 40 if number % 8 else 20000)
        with stream() if stream and number % 3 == 0 else contextlib.nullcontext():
            checks.compare(call, put, fetch, f"{library}, case {number}")


def gradients():
    """Compare results and gradients of strew.torch on the device with the CPU's."""
    import torch

    import strew.torch as st

    generator = torch.Generator().manual_seed(1)
    draw = lambda *shape: torch.rand(shape, dtype=torch.float64, generator=generator) + 0.5  # noqa: E731
    rows = torch.tensor([[2], [0], [2], [3]])
    elements = torch.tensor([[3, 0, 1], [0, 0, 2], [3, 1, 1], [2, 2, 2]])
    data, updates = draw(4, 3), draw(4, 3)
    calls = [lambda x, u, place, how=how: st.scatter_nd(x, place(rows), u, how) for how in ("add", "mul", "max", "min", "none")]
    calls += [
        lambda x, u, place: st.gather(x, place(torch.tensor([3, 0, 3]))) * u[:3],
        lambda x, u, place: st.gather_elements(x, place(elements), 0) * u,
        lambda x, u, place: st.scatter_elements(x, place(elements), u, 0, "add"),
        lambda x, u, place: st.tensor_scatter(x[None], u[None, :2], place(torch.tensor([1]))),
    ]
    for number, call in enumerate(calls):
        found = []
        for place in (lambda t: t, lambda t: t.cuda()):
            x, u = (place(each.clone()).requires_grad_() for each in (data, updates))
            result = call(x, u, place)
            (result * result).sum().backward()
            found.append([each.detach().cpu().numpy().tobytes() for each in (result, x.grad, u.grad)])
        if found[0] != found[1]:
            raise checks.Wrong(f"strew.torch, call {number}: results or gradients differ from those in CPU memory")
    return len(calls)


def arrays(machine, left):
    if machine.tiny:
        return {"left_out": "the host lends no arrays of other libraries"}
    found = {}
    for library in LIBRARIES:
        if importlib.util.find_spec(library) is None:
            found[library] = "not installed"
            continue
        random_calls_of(library)
        found[library] = f"{CALLS} calls"
    if importlib.util.find_spec("torch"):
        found["gradients"] = f"of {gradients()} calls"
    return found | {"said": "; ".join(f"{key}: {value}" for key, value in found.items())}


def examples(machine, left):
    """Run the examples of docs/cuda.md, as one session."""
    if machine.tiny or importlib.util.find_spec("torch") is None:
        return {"left_out": "the examples need a device and PyTorch"}
    blocks = re.findall(r"^```pycon\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, PAGE.name, str(PAGE), 0)
    said = []
    done = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    if done.failed:
        raise checks.Wrong("".join(said))
    return {"said": f"{done.attempted} statements of {PAGE.name} gave the results that it shows"}
