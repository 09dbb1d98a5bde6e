"""Runs PyTorch's own operators with Strew's kernels, for unchanged programs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import torch

from .._arguments import article, as_flag, as_int
from .._errors import wrong_type, wrong_value
from .._names import did_you_mean, hinting
from . import _compile
from ._arguments import check_choice, check_word
from ._library import load_library

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


# The operator of each kernel whose name differs from the operator's name.
_KERNELS = {"mm": "sparse_mm", "addmm": "sparse_mm", "sparse_mm_reduce_impl_backward": "sparse_mm_reduce"}
_EMBEDDING = "; did you mean 'index_select', which looks up rows, or 'embedding_dense_backward' for gradients?"


@hinting
def install(
    operators: Iterable[str] | None = None,
    *,
    threads: str = "torch",
    memory: str = "all",
    max_cached_bytes: int | None = None,
    min_elements: int | None = None,
    compiled: bool = True,
) -> None:
    """Run PyTorch's gathers, scatters and advanced indexing with Strew's kernels, in the whole process.

    Programs need no change. Results have PyTorch's bits, unless those depend on the order of threads. A call that Strew
    does not handle runs as before; `counts` lists such calls with the reasons. Errors are PyTorch's own. `install`
    needs the package strew-torch, built for the installed version of PyTorch.

    Strew caches the freed memory of large CPU tensors, up to a quarter of the memory that the process may use; see
    `memory` and `max_cached_bytes`.

    Parameters
    ----------
    operators : iterable of str, optional
        The operators to replace, such as ``["index_add", "scatter_add"]``. Names from `counts` work too, such as
        ``"mm"`` for ``"sparse_mm"``. The default is all operators whose results have PyTorch's bits. Three others are
        replaced only if named: ``["default", "sparse_mm"]`` adds one of them to the default. All forms of an operator
        are replaced together, including in-place forms and ``out=``. A later `install` replaces an earlier one.
    threads : {'torch', 'strew'}
        The threads that run the kernels: PyTorch's, set by ``torch.set_num_threads``, or Strew's, set by
        `strew.set_num_threads`.
    memory : {'all', 'results', 'torch'}
        The tensors of 1 MiB and more that use Strew's cached memory: all CPU tensors of PyTorch, only new results of
        these operators, or none.
    max_cached_bytes : int, optional
        The largest number of unused bytes to cache for later tensors. By default, a quarter of the memory that the
        process may use, and less if cached memory and tensors together would exceed three quarters of it. Memory that
        stays unused for 10 to 20 seconds is returned to the system. Strew's own arrays have a separate limit.
    min_elements : int, optional
        Handle calls with at least this number of elements. By default, Strew handles calls of the sizes at which it
        was measured to be faster. With 1, tests of a program also cover its small calls.
    compiled : bool, default True
        Whether later compilations by `torch.compile` use Strew as well: see `strew.torch.compiled`.

    Raises
    ------
    ImportError
        If strew-torch is missing, or was built for another minor version of PyTorch.
    TypeError
        If `operators` is one name instead of a list, or a number is not an integer.
    ValueError
        If an operator, `threads` or `memory` is unknown, `operators` is empty, or a number is negative.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.install()
    >>> table, rows = torch.zeros(1000, 64), torch.arange(5000) % 1000
    >>> table = table.index_add(0, rows, torch.ones(5000, 64))
    >>> strew.torch.counts()
    {'aten::index_add': CallCounts(handled=1, fallback=0, reasons={})}
    >>> strew.torch.uninstall()
    """
    check_choice("install", "threads", threads, ("torch", "strew"))
    check_choice("install", "memory", memory, ("all", "results", "torch"))
    compiled = as_flag("install", "compiled", compiled)
    try:
        names_given = None if isinstance(operators, str) else list(["default"] if operators is None else operators)
    except Exception:  # not iterable
        names_given = None
    if names_given is None:
        given, example = (repr(operators), operators) if isinstance(operators, str) else (article(operators), "gather")
        listed = [name.strip() for name in example.split(",")]
        raise wrong_type("install", "operators", f"operators is {given}; it must be a list of names, such as {listed}")
    if not names_given:
        raise wrong_value("install", "operators", "operators is empty; uninstall() lets PyTorch run all of them")
    for name, number in (("max_cached_bytes", max_cached_bytes), ("min_elements", min_elements)):
        if number is not None and as_int("install", name, number) < 0:
            raise wrong_value("install", name, f"{name} is {number}; it must be 0 or more", number)
    library = load_library()
    defaults, others = library.operators(True), library.operators(False)
    known = sorted((*defaults, *others))
    names = set()
    for name in names_given:
        names |= set(defaults) if isinstance(name, str) and name == "default" else {_operator_of(name, known)}
    names |= {name.removesuffix("_weighted") for name in names}
    smallest = -1 if min_elements is None else min_elements
    library.install(sorted(names), threads == "strew", memory != "torch", memory == "all", max_cached_bytes, smallest)
    if compiled:
        _compile.install(min_elements)
    else:
        _compile.uninstall()


def _operator_of(name: str, known: list[str]) -> str:
    """Return the operator of a kernel or of a form of an operator, such as index_put for "aten::index_put_"."""
    check_word("install", "an operator", name)
    operator = name.removeprefix("aten::").partition(".")[0].strip("_").removesuffix("_forward_only")
    operator = _KERNELS.get(operator, operator.removesuffix("_impl"))
    if operator not in known:
        known = ["default", *known]
        others = _EMBEDDING if operator == "embedding" else did_you_mean(operator, known) or "; choose from " + ", ".join(known)
        raise wrong_value("install", "operators", f"there is no operator {name!r}{others}", name)
    return operator


def uninstall() -> None:
    """Let PyTorch run its own kernels again. Do nothing if Strew's kernels are not installed."""
    if hasattr(torch.ops.strew_torch, "uninstall"):
        torch.ops.strew_torch.uninstall()
        _compile.uninstall()


@contextlib.contextmanager
@hinting
def installed(
    operators: Iterable[str] | None = None,
    *,
    threads: str = "torch",
    memory: str = "all",
    max_cached_bytes: int | None = None,
    min_elements: int | None = None,
    compiled: bool = True,
) -> Iterator[None]:
    """Return a context manager that calls `install`, and `uninstall` at the end. Both affect the whole process.

    Parameters
    ----------
    operators, threads, memory, max_cached_bytes, min_elements, compiled
        As in `install`.
    """
    numbers: Any = {"max_cached_bytes": max_cached_bytes, "min_elements": min_elements}
    install(operators, threads=threads, memory=memory, compiled=compiled, **numbers)
    try:
        yield
    finally:
        uninstall()
