"""Emulates a CUDA device on the host, by a build of strew-cuda13's library for it, and provides arrays on it."""

import contextlib
import ctypes
import importlib.machinery
import importlib.util
import pathlib
import sys
import types

import numpy as np
import pytest
from support import uses_libstdcxx

LIBRARY = pathlib.Path(__file__).parents[2] / "build/tests/cuda/libstrew_cuda_host_door.so"
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
NAMED_CODES = {
    "bfloat16": 4,
    "float8_e4m3fn": 10,
    "float8_e4m3fnuz": 11,
    "float8_e5m2": 12,
    "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14,
}


def installed():
    return importlib.util.find_spec("strew_cuda") is not None


def install_library(path=LIBRARY):
    """Put a package strew_cuda with this library into sys.modules. An opened library is never unloaded."""
    module = types.ModuleType("strew_cuda")
    module.__spec__ = importlib.machinery.ModuleSpec("strew_cuda", None)
    module.LIBRARY = str(path)
    sys.modules["strew_cuda"] = module


def play():
    """Return the emulated device, which runs all later calls; skip the test if the library was not built."""
    if not LIBRARY.exists():
        pytest.skip("scripts/build.sh release strew_cuda_host_door builds what this test needs")
    if not uses_libstdcxx():
        pytest.skip("the wheel was compiled with libc++, the emulated device with libstdc++")
    install_library()
    return Device(ctypes.CDLL(str(LIBRARY)))


class Device:
    def __init__(self, library):
        self._library = library
        library.strew_host_play.argtypes = [ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int]

    def set(self, *, seed=0, most_blocks=3, memory=2**62, delays=False):
        """Set the seed of the order of blocks and threads, bytes of memory, and whether events complete late."""
        self._library.strew_host_play(seed, most_blocks, memory, delays)

    def has(self, *, driver=13000, devices=1, capability=90):
        """Set what CUDA reports until the next `set`: version of the driver (0: no driver), devices, and capability."""
        self._library.strew_host_machine(driver, devices, capability)

    def fails(self, call, error):
        """Let the next call of this function of CUDA's runtime return this error code."""
        self._library.strew_host_fail(call.encode(), error)

    @contextlib.contextmanager
    def captures(self):
        """Capture calls on the yielded `stream` (an int) into a graph. After the block, `launch` runs the graph."""
        for name in ("strew_host_capture", "strew_host_graph", "strew_host_launch"):
            getattr(self._library, name).restype = ctypes.c_void_p
            getattr(self._library, name).argtypes = [ctypes.c_void_p] * (name != "strew_host_capture")
        captured = types.SimpleNamespace(stream=self._library.strew_host_capture())
        yield captured
        graph = self._library.strew_host_graph(captured.stream)
        assert graph is not None, "the capture was broken"
        captured.launch = lambda: self._library.strew_host_launch(graph)

    def followed(self):
        """Return the pairs (waiting stream, stream that it waits for) since the last call."""
        pairs = (ctypes.c_size_t * 64)()
        count = self._library.strew_host_followed(pairs, 32)
        return [(pairs[2 * i], pairs[2 * i + 1]) for i in range(count)]


class Lent(ctypes.Structure):
    """DLManagedTensor of DLPack."""

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


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Lender:
    """An array that exports its elements only by DLPack."""

    def __init__(self, values, device=(1, 0), error=None):
        self.values, self.device_, self.error = values, device, error

    def __dlpack__(self, **how):
        if self.error is not None:
            raise self.error
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.device_


class DeviceArray:
    """An array of a library with DLPack, and with the array API to make new arrays."""

    def __init__(self, values, device=0):
        self.values, self.number = np.asarray(values), device
        self.asked = []  # the streams that __dlpack__ was called with
        self._lent = []

    dtype = property(lambda self: self.values.dtype)
    shape = property(lambda self: self.values.shape)
    device = property(lambda self: f"cuda:{self.number}")

    def __dlpack_device__(self):
        return 2, self.number

    def __dlpack__(self, *, stream=None):
        if stream is None:
            raise BufferError("a stream has to be named")
        self.asked.append(stream)
        values = self.values
        size = values.dtype.itemsize
        sizes = (ctypes.c_int64 * max(values.ndim, 1))(*values.shape)
        strides = (ctypes.c_int64 * max(values.ndim, 1))(*(step // size for step in values.strides))
        code = NAMED_CODES.get(values.dtype.name, CODES.get(values.dtype.kind))
        lent = Lent(values.ctypes.data, (2, self.number), values.ndim, code, 8 * size, 1, sizes, strides)
        self._lent.append((lent, sizes, strides))
        return new_capsule(ctypes.addressof(lent), b"dltensor", None)

    def __array_namespace__(self):
        return types.SimpleNamespace(
            uint8=np.uint8,
            empty=lambda shape, *, dtype, device: DeviceArray(np.full(shape, 0, dtype), int(device[-1])),
            asarray=lambda values, *, device: DeviceArray(values.copy(), int(device[-1])),
        )

    def astype(self, dtype):
        return DeviceArray(self.values.astype(dtype), self.number)


class InterfaceArray:
    """An array that has only `__cuda_array_interface__`, as an array of Numba does."""

    def __init__(self, values, *, stream=None, read_only=False, **odd):
        self.values = values
        self.__cuda_array_interface__ = {
            "shape": values.shape,
            "strides": values.strides,
            "typestr": values.dtype.str,
            "data": (values.ctypes.data, read_only),
            "stream": stream,
            "version": 3,
        } | odd


class Told(InterfaceArray):
    """An array with `__cuda_array_interface__` on the default stream, of a library that can make new arrays."""

    dtype = property(lambda self: self.values.dtype)
    device = "cuda:0"
    __array_namespace__ = DeviceArray.__array_namespace__

    def __init__(self, values):
        super().__init__(np.asarray(values), stream=1)


@pytest.fixture
def device():
    played = play()
    played.set()
    played.followed()
    yield played
    played.set()
