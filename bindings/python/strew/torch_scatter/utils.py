"""Broadcasting of an index."""

import torch

from ._calls import arranged, expanded


def broadcast(src: torch.Tensor, other: torch.Tensor, dim: int) -> torch.Tensor:
    """Return an index expanded to the shape of `other`.

    Parameters
    ----------
    src : Tensor
        The index. With rank 1, it runs along `dim` of `other`; with a higher rank, axes are appended on the right.
    other : Tensor
    dim : int

    Returns
    -------
    Tensor
        A view with the shape of `other`.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter.utils import broadcast
    >>> broadcast(torch.tensor([4, 5]), torch.zeros(3, 2), 1)
    tensor([[4, 5],
            [4, 5],
            [4, 5]])
    """
    rows, _ = arranged("broadcast", other, src, dim, None, None)
    return expanded("broadcast", rows, other.size(), other, src)
