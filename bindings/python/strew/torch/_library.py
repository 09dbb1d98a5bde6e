"""Loads the package strew-torch, and reads its counts of calls."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import torch

from .. import _strew
from .._arguments import as_flag


class CallCounts(NamedTuple):
    """Numbers of calls of one kernel: run by Strew, run by PyTorch, and run by PyTorch for each reason."""

    handled: int
    fallback: int
    reasons: dict[str, int]


class _Counts(dict[str, CallCounts]):
    """Counts by kernel. ``str`` returns a table of the counts, and a table with the remedy for each reason."""

    def __init__(self) -> None:
        self.remedies: dict[str, str] = {}

    def __str__(self) -> str:
        handled, fallback = (sum(each) for each in zip((0, 0), *(count[:2] for count in self.values()), strict=True))
        rows = [("kernel", "handled", "fallback", "reasons")]
        for kernel, count in [*self.items(), ("total", CallCounts(handled, fallback, {}))]:
            why = ", ".join(f"{calls} {reason}" for reason, calls in count.reasons.items())
            rows.append((kernel, f"{count.handled}", f"{count.fallback}", why))
        rows[-1] = (*rows[-1][:3], f"{100 * handled / max(handled + fallback, 1):.0f} % handled")
        helps = [("reason", "what helps"), *self.remedies.items()]
        return "\n".join(_aligned(rows) + (["", *_aligned(helps)] if self.remedies else []))


def _aligned(rows: list[Any]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


class CompiledGraph(NamedTuple):
    """Lines of the program that one graph contains: fused, run by the eager kernel, or left to Inductor, with reasons."""

    fused: tuple[str, ...]
    eager: dict[str, str]
    left: dict[str, str]


graphs: list[CompiledGraph] = []  # compiled since `install`


def load_library() -> Any:
    """Return the operators of strew-torch, or raise ImportError if it is missing or does not match this package."""
    try:
        package = importlib.import_module("strew_torch")
    except ModuleNotFoundError as error:
        if error.name != "strew_torch":
            raise
        raise ImportError(
            "strew.torch.install needs the package strew-torch, built for the installed torch; "
            "`make torch PYTHON=...` in Strew's source builds and installs it for the interpreter PYTHON"
        ) from None
    own = f"strew {_strew.__version__}"
    other = f"strew-torch {package.STREW}"
    if package.STREW != _strew.__version__:
        raise ImportError(f"{other} does not match {own}: both must have the same version")
    # Between releases, the functions that the packages call in each other may change while the version does not.
    if (commit := getattr(package, "COMMIT", "")) != _strew.__commit__:
        raise ImportError(
            f"{other} of commit {commit[:12] or 'unknown'} does not match {own} of commit "
            f"{_strew.__commit__[:12] or 'unknown'}: both must be built from the same commit"
        )
    package.load()
    return torch.ops.strew_torch


def counts(*, reset: bool = False) -> dict[str, CallCounts]:
    """Return the numbers of calls that Strew and PyTorch ran since the library was loaded, or since the last reset.

    Parameters
    ----------
    reset : bool, default False
        Whether to set the counts to zero after reading them.

    Returns
    -------
    dict of str to CallCounts
        Counts by kernel, such as ``"aten::index_add_"``, without kernels that were never called. Compiled programs have
        a count for each operator and line, such as ``"strew::gather_scatter model.py:12 index_add"``. `print` shows a
        table with totals, and a remedy for each reason.
    """
    reset = as_flag("counts", "reset", reset)
    found = _Counts()
    if not hasattr(torch.ops.strew_torch, "counts"):
        return found
    for kernel, reason, remedy, calls in zip(*torch.ops.strew_torch.counts(), strict=True):
        name = kernel if kernel.startswith("strew::") else f"aten::{kernel}"
        handled, fallback, reasons = found.get(name, CallCounts(0, 0, {}))
        if reason:
            found.remedies[reason] = remedy
            found[name] = CallCounts(handled, fallback + calls, reasons | {reason: calls})
        else:
            found[name] = CallCounts(handled + calls, fallback, reasons)
    if reset:
        torch.ops.strew_torch.reset_counts()
    return found
