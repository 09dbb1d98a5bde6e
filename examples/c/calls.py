"""Makes the calls of examples/c/calls.c from Python's ctypes, with no other package. Usage: calls.py [LIBRARY]

LIBRARY is the path of the shared library; by default the system finds libstrew.so.
"""

import ctypes
import sys

strew = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libstrew.so")
FLOAT32, INT64, INDEX_OUT_OF_RANGE = 1, 7, 3
c_int64_p = ctypes.POINTER(ctypes.c_int64)


class View(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("shape", c_int64_p),
        ("strides", c_int64_p),
    ]

    @classmethod
    def of(cls, array, dtype, *shape):
        dims = (ctypes.c_int64 * len(shape))(*shape)
        view = cls(ctypes.sizeof(cls), ctypes.addressof(array), dtype, len(shape), dims, None)
        view.keeps = array, dims
        return view


class Attribute(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("number", ctypes.c_int64),
        ("word", ctypes.c_char_p),
        ("element", ctypes.POINTER(View)),
    ]


class Error(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("code", ctypes.c_int32),
        ("axis", ctypes.c_int32),
        ("message", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
        ("op", ctypes.c_char_p),
        ("operand", ctypes.c_char_p),
        ("where", ctypes.c_char_p),
        ("position", c_int64_p),
        ("position_rank", ctypes.c_int32),
        ("value_kind", ctypes.c_int32),
        ("signed_value", ctypes.c_int64),
    ]


class Params(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("reduction", ctypes.c_char_p),
        ("acc_dtype", ctypes.c_char_p),
        ("weight", ctypes.POINTER(View)),
        ("addend", ctypes.POINTER(View)),
        ("base", ctypes.POINTER(View)),
        ("relu", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("threads", ctypes.c_void_p),
        ("scratch_bytes", ctypes.c_int64),
        ("reject_duplicates", ctypes.c_int32),
        ("output_is_new", ctypes.c_int32),
    ]


def call(function, *arguments):
    """Call the function. Return None, or the fields of its error."""
    error = ctypes.POINTER(Error)()
    if function(*arguments, ctypes.byref(error)) == 0:
        return None
    fault = error.contents
    found = {"code": fault.code, "message": fault.message.decode(), "operand": fault.operand.decode(),
             "position": fault.position[: max(fault.position_rank, 0)], "value": fault.signed_value}  # fmt: skip
    strew.strew_error_free(error)
    return found


def must(function, *arguments):
    if fault := call(function, *arguments):
        raise ValueError(fault["message"])


def inputs(*views):
    return (ctypes.POINTER(View) * len(views))(*map(ctypes.pointer, views)), ctypes.c_size_t(len(views))


def print_values(name, values):
    print(name, *(f"{value:g}" for value in values))


def main():
    none = ctypes.c_size_t(0)
    table = View.of((ctypes.c_float * 8)(1, 2, 3, 4, 5, 6, 7, 8), FLOAT32, 4, 2)
    ids = (ctypes.c_int64 * 2)(3, -1)
    picked = (ctypes.c_float * 4)()
    gathered = inputs(table, View.of(ids, INT64, 2))
    result = ctypes.byref(View.of(picked, FLOAT32, 2, 2))
    must(strew.strew_run, b"gather", None, none, *gathered, result, None)
    print_values("gather", picked)

    sums = (ctypes.c_float * 4)()
    total = View.of(sums, FLOAT32, 4)
    scattered = inputs(total, View.of((ctypes.c_int64 * 3)(1, 1, 3), INT64, 3, 1),
                       View.of((ctypes.c_float * 3)(10, 20, 30), FLOAT32, 3))  # fmt: skip
    add = Attribute(ctypes.sizeof(Attribute), b"reduction", 0, b"add", None)
    plan = ctypes.c_void_p()
    must(strew.strew_plan_new, b"scatter_nd", ctypes.byref(add), ctypes.c_size_t(1), *scattered, ctypes.byref(plan))
    for _ in range(2):
        must(strew.strew_plan_run, plan, *scattered, ctypes.byref(total), None)
    strew.strew_plan_free(plan)
    print_values("scatter_nd", sums)

    ids[1] = 9
    fault = call(strew.strew_run, b"gather", None, none, *gathered, result, None)
    assert fault["code"] == INDEX_OUT_OF_RANGE
    print(fault["message"])
    print(f"{fault['operand']}[{fault['position'][0]}] = {fault['value']}")

    edges = ctypes.c_void_p()
    options = Options(ctypes.sizeof(Options))
    threads = ctypes.c_void_p()
    must(strew.strew_threads_new, ctypes.c_int32(2), ctypes.byref(threads))
    options.threads = threads
    sources = View.of((ctypes.c_int64 * 3)(0, 1, 3), INT64, 3)
    targets = View.of((ctypes.c_int64 * 3)(0, 0, 1), INT64, 3)
    maxima = (ctypes.c_float * 4)()
    must(strew.strew_edges_new, ctypes.byref(sources), ctypes.byref(targets), ctypes.c_int64(4), ctypes.c_int64(2),
         None, none, ctypes.byref(options), ctypes.byref(edges))  # fmt: skip
    must(strew.strew_gather_scatter, ctypes.byref(table), edges,
         ctypes.byref(Params(ctypes.sizeof(Params), b"max")), ctypes.byref(View.of(maxima, FLOAT32, 2, 2)), None,
         ctypes.byref(options))  # fmt: skip
    strew.strew_edges_free(edges)
    strew.strew_threads_free(threads)
    print_values("gather_scatter", maxima)


main()
