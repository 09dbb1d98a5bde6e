"""Where arrays begin, on which pages, and in which layout: a fresh array of a library begins where its allocator likes."""

import itertools
import mmap

import numpy as np

LINE, PAGE, HUGE_PAGE = 64, 4096, 2 << 20
turn = itertools.count()  # arrays that all began with a huge page would meet in the same sets of the caches
LAYOUTS = ("dense", "reversed", "strided", "fortran")


def memory(count, offset, huge):
    """Bytes that begin so far behind the begin of a page; `huge` says which pages, None leaves that to the system."""
    mapped = mmap.mmap(-1, count + 2 * HUGE_PAGE)
    if huge is not None:
        mapped.madvise(mmap.MADV_HUGEPAGE if huge else 15)  # MADV_NOHUGEPAGE, which the module has no name for
    whole = np.frombuffer(mapped, np.uint8)
    begin = -whole.ctypes.data % HUGE_PAGE + 5 * next(turn) % 64 * PAGE + offset
    return whole[begin : begin + count]


def placed(array, offset=0, huge=None, layout="dense"):
    """The same elements at another place."""
    shape, strided = array.shape, layout == "strided"
    order = "F" if layout == "fortran" else "C"
    stored = shape[:-1] + (2 * shape[-1],) if strided else shape
    view = memory(int(np.prod(stored)) * array.itemsize, offset, huge).view(array.dtype).reshape(stored, order=order)
    view = view[..., ::2] if strided else view[..., ::-1] if layout == "reversed" else view
    view[...] = array
    return view


def copy_like(array):
    """A copy that begins as far behind a cache line, in the same layout."""
    layout = "dense" if array.flags.c_contiguous else "fortran" if array.flags.f_contiguous else "strided"
    layout = "reversed" if layout != "dense" and array.strides[-1] < 0 else layout
    return placed(array, array.ctypes.data % LINE, layout=layout)
