"""The library that the package strew loads for arrays on a CUDA device. This module has no functions for users."""

import pathlib

__all__ = ["LIBRARY"]

LIBRARY = str(pathlib.Path(__file__).resolve().parent / "libstrew_cuda.so")
