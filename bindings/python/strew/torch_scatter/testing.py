"""Types, devices and reductions over which tests of this interface iterate."""

from typing import Any

import torch

reductions = ["sum", "add", "mean", "min", "max"]
dtypes = [torch.half, torch.bfloat16, torch.float, torch.double, torch.int, torch.long]
grad_dtypes = [torch.float, torch.double]
devices = [torch.device("cpu")]


def tensor(x: Any, dtype: torch.dtype, device: torch.device) -> Any:
    """Return `x` as a tensor of a type on a device, or None if `x` is None.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter.testing import tensor
    >>> tensor([1, 2], torch.float, torch.device("cpu"))
    tensor([1., 2.])
    """
    return None if x is None else torch.tensor(x, device=device).to(dtype)
