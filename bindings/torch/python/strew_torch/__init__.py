"""Strew's kernels for PyTorch, as a library that `strew.torch.install` loads."""

import pathlib

import torch

from ._version import COMMIT, STREW, TORCH

__all__ = ["COMMIT", "STREW", "TORCH", "load"]


def load() -> None:
    """Load the library into PyTorch.

    Raises
    ------
    ImportError
        If the library was built for another minor version of PyTorch.
    """
    running = ".".join(torch.__version__.split(".")[:2])
    if running != TORCH:
        raise ImportError(
            f"strew-torch was built for torch {TORCH}, but this is torch {torch.__version__}: build it again in this "
            "environment, with `make torch PYTHON=...` in Strew's source"
        )
    torch.ops.load_library(pathlib.Path(__file__).resolve().parent / "libstrew_torch.so")
