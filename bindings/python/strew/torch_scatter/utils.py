"""How an index is broadcast."""

import torch

from ._calls import arranged, expanded


def broadcast(src: torch.Tensor, other: torch.Tensor, dim: int) -> torch.Tensor:
    """Expand an index to the shape of what it is for.

    Parameters
    ----------
    src : Tensor
        Of rank 1, it runs along `dim` of `other`; of more, axes are appended on the right.
    other : Tensor
    dim : int

    Returns
    -------
    Tensor
        A view of the shape of `other`.

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
