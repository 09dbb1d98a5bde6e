"""The part of PyTorch that docs/cuda.md uses, on the emulated device."""

import contextlib
import types

import numpy as np
from device_support import DeviceArray


class Tensor(DeviceArray):
    __module__ = "torch"
    __array_namespace__ = None

    def tolist(self):
        return self.values.tolist()

    def to(self, device):
        return self


class CUDAGraph:
    def replay(self):
        self.launch()


class Torch(types.ModuleType):
    uint8 = np.uint8
    Tensor = type("Tensor", (), {})  # for isinstance; no object has this type

    def __init__(self, played):
        super().__init__("torch")
        self._played, self._stream = played, 0
        self.cuda = types.SimpleNamespace(
            CUDAGraph=CUDAGraph,
            current_stream=lambda device=None: types.SimpleNamespace(cuda_stream=self._stream),
            graph=self._capture,
            synchronize=lambda: None,
        )

    def tensor(self, values, device):
        values = np.asarray(values)
        return Tensor(values.astype(np.float32) if values.dtype == np.float64 else values)

    def zeros(self, *shape, device):
        return Tensor(np.zeros(shape, np.float32))

    def empty(self, shape, dtype, device):
        return Tensor(np.full(shape, 0, dtype))

    def from_numpy(self, values):
        return Tensor(values.copy())

    @contextlib.contextmanager
    def _capture(self, graph):
        with self._played.captures() as captured:
            self._stream = captured.stream
            yield
            self._stream = 0
        graph.launch = captured.launch
