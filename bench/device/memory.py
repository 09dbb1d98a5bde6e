"""Arrays on a CUDA device, through libcudart alone, or on a host that emulates a device."""

import contextlib
import ctypes
import ctypes.util
import glob
import importlib.machinery
import subprocess
import sys
import types

import numpy as np

MAJOR, MINOR = 75, 76  # cudaDevAttrComputeCapabilityMajor and ...Minor
TO_DEVICE, TO_HOST = 1, 2


class Array:
    def __init__(self, machine, shape, dtype):
        self.machine, self.shape, self.dtype = machine, tuple(shape), np.dtype(dtype)
        self.nbytes = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        self.address = machine.allocate(max(self.nbytes, 1))

    def __del__(self):
        with contextlib.suppress(Exception):  # the interpreter may be exiting
            self.machine.free(self.address)

    device = property(lambda self: self.machine)

    @property
    def __cuda_array_interface__(self):
        kind = f"<V{self.dtype.itemsize}" if self.dtype.kind == "V" else self.dtype.str
        data = (self.address, False)
        return {"shape": self.shape, "strides": None, "typestr": kind, "data": data, "stream": 1, "version": 3}

    def __array_namespace__(self):
        return types.SimpleNamespace(
            uint8=np.uint8,
            empty=lambda shape, *, dtype, device: Array(device, shape, dtype),
            asarray=lambda values, *, device: device.array(values),
        )

    def fetch(self):
        values = np.empty(self.shape, self.dtype)
        self.machine.copy(values.ctypes.data, self.address, self.nbytes, TO_HOST)
        return values


class Machine:
    def array(self, values):
        values = np.ascontiguousarray(values)
        made = Array(self, values.shape, values.dtype)
        self.copy(made.address, values.ctypes.data, made.nbytes, TO_DEVICE)
        return made


class Cuda(Machine):
    """The first CUDA device."""

    tiny = False

    def __init__(self, runtime):
        self._runtime = runtime
        runtime.cudaMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
        runtime.cudaFree.argtypes = [ctypes.c_void_p]
        runtime.cudaMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def _ask(self, name, *arguments):
        error = getattr(self._runtime, name)(*arguments)
        if error != 0:
            self._runtime.cudaGetErrorString.restype = ctypes.c_char_p
            raise RuntimeError(f"{name}: {self._runtime.cudaGetErrorString(error).decode()}")

    def allocate(self, size):
        address = ctypes.c_void_p()
        self._ask("cudaMalloc", ctypes.byref(address), size)
        return address.value

    def free(self, address):
        self._runtime.cudaFree(address)

    def copy(self, to, begin, size, way):
        self._ask("cudaMemcpy", to, begin, size, way)

    def describe(self):
        def attribute(number):
            value = ctypes.c_int()
            self._ask("cudaDeviceGetAttribute", ctypes.byref(value), number, 0)
            return value.value

        query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader", "--id=0"]
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            name, driver, size = subprocess.run(query, capture_output=True, text=True, check=True).stdout.split(", ")
            named = {"device": name, "driver": driver, "memory": size.strip()}
            return named | {"architecture": f"{attribute(MAJOR)}{attribute(MINOR)}"}
        return {"device": "unknown", "architecture": f"{attribute(MAJOR)}{attribute(MINOR)}"}


class Host(Machine):
    """The host, which emulates a device with the library of tests/cuda."""

    tiny = True

    def __init__(self, library):
        package = types.ModuleType("strew_cuda")
        package.__spec__ = importlib.machinery.ModuleSpec("strew_cuda", None)
        package.LIBRARY = str(library.resolve())
        sys.modules["strew_cuda"] = package
        self.library = library
        self._kept = {}

    def allocate(self, size):
        memory = np.empty(size + 16, np.uint8)
        address = memory.ctypes.data + -memory.ctypes.data % 16
        self._kept[address] = memory
        return address

    def free(self, address):
        del self._kept[address]

    def copy(self, to, begin, size, way):
        ctypes.memmove(to, begin, size)

    def describe(self):
        return {"device": "the host, which emulates a device: its times mean nothing"}


def find_device():
    """Return the first CUDA device, or None."""
    names = ["libcudart.so.13", "libcudart.so", *sorted(glob.glob("/usr/local/cuda*/lib64/libcudart.so*"))]
    names += [path for folder in sys.path for path in glob.glob(f"{folder}/nvidia/**/libcudart.so.13", recursive=True)]
    for name in names:
        with contextlib.suppress(OSError):
            runtime = ctypes.CDLL(name)
            count = ctypes.c_int()
            if runtime.cudaGetDeviceCount(ctypes.byref(count)) == 0 and count.value > 0:
                return Cuda(runtime)
            return None
    return None
