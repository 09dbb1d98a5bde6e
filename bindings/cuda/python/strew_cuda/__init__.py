"""The library that the package strew opens when it is given an array on a CUDA device. There is nothing to call here."""

import pathlib

__all__ = ["LIBRARY"]

LIBRARY = str(pathlib.Path(__file__).resolve().parent / "libstrew_cuda.so")
