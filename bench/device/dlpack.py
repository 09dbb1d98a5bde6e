"""Makes DLPack capsules of memory on the first CUDA device, for types that `__cuda_array_interface__` cannot name."""

import ctypes

CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class Lent(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_kept = []


def capsule(address, shape, dtype):
    """Return a capsule of dense elements at this address. Its descriptor is never freed."""
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    code = 4 if dtype.name == "bfloat16" else CODES[dtype.kind]
    lent = Lent(address, (2, 0), len(shape), code, 8 * dtype.itemsize, 1, sizes, None)
    _kept.append((lent, sizes))
    return _new(ctypes.addressof(lent), b"dltensor", None)
