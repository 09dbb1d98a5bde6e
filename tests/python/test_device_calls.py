"""Tests streams and checked indices of calls on a CUDA device, and the errors without strew-cuda13."""

import contextlib
import doctest
import inspect
import pathlib
import shutil
import subprocess
import sys
import types

import device_support
import numpy as np
import pytest
from support import refuses, run_python, says
from device_support import DeviceArray, InterfaceArray, Told, device

import strew
import strew.cuda
from strew import _device

assert device  # a fixture


def test_work_goes_to_the_stream_of_the_data_after_what_is_there(device):
    data, updates = DeviceArray(np.zeros(3)), InterfaceArray(np.ones(1), stream=7)
    indices = DeviceArray(np.array([1]))
    strew.scatter_elements(data, indices, updates)
    assert device.followed() == [(0, 7)]
    own = InterfaceArray(np.zeros(3), stream=12)
    strew.scatter_elements(own, indices, updates, out=own)
    assert device.followed() == [(12, 0), (12, 7)]
    assert {*data.asked, *indices.asked} == {1}  # DLPack's number of the default stream
    strew.scatter_elements(Told(np.zeros(3)), indices, DeviceArray(np.ones(1)), out=data)
    assert device.followed() == []


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (719, RuntimeError, "cudaErrorLaunchFailure: unspecified launch failure"),
        (209, NotImplementedError, "cudaErrorNoKernelImageForDevice: no kernel image is available for execution on the device"),
    ],
)
def test_what_cuda_says_is_raised(device, error, kind, words):
    for block in (contextlib.nullcontext, strew.cuda.deferred):
        out = DeviceArray(np.zeros(2))
        device.fails("cudaLaunchKernelEx", error)
        with block(), pytest.raises(kind) as refusal:
            strew.gather(Told(np.ones(3)), [0, 1], out=out)
        assert str(refusal.value) == f"gather: cudaLaunchKernelEx failed with {words}"
        assert out.values.tolist() == [0, 0]


def test_a_want_of_memory_is_a_memory_error(device):
    given = InterfaceArray(np.zeros(3)), InterfaceArray(np.array([[1]])), InterfaceArray(np.ones(1))
    device.set(memory=0)
    with pytest.raises(MemoryError, match=r"^scatter_nd: cannot allocate \d+ bytes of device memory$"):
        strew.scatter_nd(*given, "add", out=given[0])


def test_indices_that_were_checked_are_not_read_again(device):
    values = np.array([[1], [0], [1]])
    data, indices, updates = (DeviceArray(each) for each in (np.zeros((3, 2)), values, np.ones((3, 2))))
    kept = strew.check_indices(strew.scatter_nd, data, indices, updates, "add")
    assert (kept.shape, kept.dtype, kept.device, kept.axis_sizes) == ((3, 1), np.int64, "cuda:0", (3,))
    assert repr(kept).endswith(f", device='cuda:0', axis_sizes=(3,), device_bytes={kept.device_bytes})")
    assert kept.device_bytes > 0
    asked = len(indices.asked)
    values[:] = 99
    for reduction, wanted in (("add", [[1, 1], [2, 2], [0, 0]]), ("none", [[1, 1], [1, 1], [0, 0]])):
        said = strew.explain(strew.scatter_nd, data, kept, updates, reduction)
        assert said["uses_checked_indices"] and "  indices: already checked" in repr(said).splitlines()
        assert strew.scatter_nd(data, kept, updates, reduction).values.tolist() == wanted
    wide = DeviceArray(np.arange(15, dtype=np.float32).reshape(3, 5))
    assert strew.gather_nd(wide, kept).values.tolist() == wide.values[[1, 0, 1]].tolist()
    assert len(indices.asked) == asked
    taller = DeviceArray(np.zeros((4, 2)))
    assert not strew.explain(strew.scatter_nd, taller, kept, updates, "add")["uses_checked_indices"]
    with pytest.raises(IndexError, match=r"^scatter_nd: indices\[0, 0\] = 99 is outside \[-4, 3\]"):
        strew.scatter_nd(taller, kept, updates, "add")


def test_sums_keep_the_sorted_order_of_checked_indices(device):
    rng = np.random.default_rng(20261122)
    values, edges = rng.standard_normal((3000, 2)), rng.integers(0, 40, (3000, 1))
    data, indices, updates = (DeviceArray(each) for each in (np.zeros((40, 2)), edges, values))
    kept = strew.check_indices(strew.scatter_nd, data, indices, updates, "add")
    said = strew.explain(strew.scatter_nd, data, kept, updates, "add")
    without = strew.explain(strew.scatter_nd, data, indices, updates, "add")
    assert (said["strategy"], without["strategy"]) == ("device_sort_fold",) * 2
    assert kept.device_bytes > 12 * 3000 and said["scratch_bytes"] < without["scratch_bytes"] / 8
    wanted = strew.scatter_nd(data.values, edges, values, "add")
    assert strew.scatter_nd(data, kept, updates, "add").values.tobytes() == wanted.tobytes()


def test_checked_indices_come_behind_the_work_on_them_and_lie_in_one_place(device):
    data, indices = DeviceArray(np.arange(3.0)), InterfaceArray(np.array([2, 0]), stream=7)
    kept = strew.check_indices(strew.gather, data, indices)
    assert device.followed() == [(0, 7)]
    assert strew.gather(data, kept).values.tolist() == [2, 0]
    assert device.followed() == []
    brought = strew.check_indices(strew.gather, data, [1, 1])
    assert strew.gather(data, brought).values.tolist() == [1, 1]
    for given, on_host, place in [(np.zeros(3), kept, "on cuda:0"), (data, None, "in CPU memory")]:
        wrong = on_host or strew.check_indices(strew.gather, np.zeros(3), [0])
        refuses(ValueError, f"^gather: indices are {place} but data ", strew.gather, given, wrong)
    refuses(IndexError, r"^gather: indices\[1\] = 9 is outside", strew.check_indices, strew.gather, data, [0, 9])


class FakeCupy(types.ModuleType):
    """The functions of CuPy that strew uses: the current stream of a device, and arrays on the device."""

    def __init__(self):
        super().__init__("cupy")
        self.used, self.uint8 = [], np.uint8
        self.cuda = types.SimpleNamespace(Device=self.on, get_current_stream=lambda: types.SimpleNamespace(ptr=31))

    def on(self, number):
        self.used.append(number)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def empty(self, shape, dtype):
        return Ndarray(np.zeros(shape, dtype), self.used[-1])

    def asarray(self, values):
        return Ndarray(values.copy(), self.used[-1])


class Ndarray(DeviceArray):
    __module__ = "cupy"
    __array_namespace__ = None


def test_cupy_is_asked_for_its_stream_and_for_memory(device, monkeypatch):
    cupy = FakeCupy()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    data = Ndarray(np.arange(3.0), 1)
    result = strew.scatter_nd(data, [[1]], 5.0, "add")
    assert (type(result), result.number, result.values.tolist()) == (Ndarray, 1, [0, 6, 2])
    assert {*cupy.used} == {1}
    assert data.asked == [31]
    with pytest.raises(IndexError, match="= 4 is outside"), strew.cuda.deferred():
        strew.gather(data, Ndarray(np.array([4]), 1))
        assert device.followed() == []


class Immutable(DeviceArray):
    __module__ = "jaxlib"


def test_arrays_of_jax_are_made_anew_and_never_written(device):
    data = Immutable(np.zeros(3))
    assert strew.scatter_nd(data, [[1]], 5.0).values.tolist() == [0, 5, 0]
    with pytest.raises(ValueError, match="^scatter_nd: out of type <class '.*'> is immutable; pass a writable array"):
        strew.scatter_nd(data, [[1]], 5.0, out=data)
    assert data.values.tolist() == [0, 0, 0]


def test_jax_itself_makes_what_is_asked_of_it():
    jax = pytest.importorskip("jax")
    like = jax.numpy.arange(3.0)
    assert _device.stream(like, 0) is None
    result = _device.empty("gather", like, 0, (2, 3))
    memory = _device.memory("gather", like, 0, 100)
    brought = _device.brought("gather", like, 0, np.array([7, 0, 255], np.uint8))
    assert all(isinstance(array, jax.Array) and array.device == like.device for array in (result, memory, brought))
    assert (result.dtype, result.shape, memory.dtype, memory.shape) == (like.dtype, (2, 3), np.uint8, (100,))
    assert (brought.dtype, brought.tolist()) == (np.uint8, [7, 0, 255])


def test_cupy_itself_is_known():
    cupy = pytest.importorskip("cupy")
    values = np.arange(6.0)
    memory = cupy.cuda.UnownedMemory(values.ctypes.data, values.nbytes, values, device_id=0)
    array = cupy.ndarray((2, 3), np.float64, cupy.cuda.MemoryPointer(memory, 0))
    assert _device._library(array) == "cupy"
    assert {"shape", "dtype"} <= {*inspect.signature(cupy.empty).parameters}
    assert not hasattr(array, "__array_namespace__")


def test_the_examples_of_the_module_give_what_they_say(device):
    for documented in (strew.cuda.available, strew.cuda.deferred, strew.cuda.unavailable_reason, strew.cuda.DeferredErrors):
        example = doctest.DocTestParser().get_doctest(documented.__doc__, {}, "cuda", None, None)
        results = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(example)
        assert results.failed == 0 and results.attempted > 0


def run_apart(code):
    """Run code in a new process, because an opened library is never unloaded. Return its output."""
    return run_python(f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n{code}")


REFUSED = """
import numpy as np, strew, strew.cuda
from device_support import DeviceArray, install_library
{}
try:
    strew.gather(DeviceArray(np.zeros(3)), [0])
except ImportError as error:
    print(error)
"""


def test_why_no_call_can_run_is_said(device):
    assert strew.cuda.available() and strew.cuda.unavailable_reason() is None
    for machine, why in [
        ({"driver": 0}, "there is no CUDA driver; one for CUDA 13 or newer is needed"),
        ({"driver": 12080}, "the driver is for CUDA 12.8; one for CUDA 13 or newer is needed"),
        ({"devices": 0}, "no CUDA device is visible to this process (CUDA_VISIBLE_DEVICES)"),
        ({"capability": 70}, "the newest device has compute capability 7.0, and the kernels were compiled for 8.0 and newer"),
    ]:
        device.has(**machine)
        assert strew.cuda.unavailable_reason() == why and not strew.cuda.available()
        words = f"gather: data has a __cuda_array_interface__, but {why}"
        says(NotImplementedError, words, strew.gather, InterfaceArray(np.zeros(3)), [0])


def test_an_address_that_is_none_of_a_device_is_refused(device):
    lost = InterfaceArray(np.zeros(3), data=(64, False))
    message = "^gather: data has an address in __cuda_array_interface__ that belongs to no CUDA device$"
    refuses(ValueError, message, strew.gather, lost, [0])


@pytest.mark.skipif(device_support.installed(), reason="strew-cuda13 is installed here")
def test_without_the_package_the_error_says_how_to_get_it():
    said = run_apart(REFUSED.format("print(strew.cuda.available(), strew.cuda.unavailable_reason())"))
    assert said.startswith("False for arrays on CUDA devices, strew needs the package strew-cuda13; `make cuda ")
    assert "\ngather: data is on cuda:0; for arrays on CUDA devices, strew needs the " in said
    assert "`make cuda PYTHON=...`" in said and "pip install strew-cuda13" in said


OLD_DOOR = "static const char* door[] = {\"0.0.1-old\"}; const void* strew_cuda_door() { return door; }"


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (OLD_DOOR, "strew-cuda13 was built from a different version of Strew (0.0.1-old) than this one ("),
        ("int nothing;", "other.so is not a library of strew-cuda13"),
    ],
)
def test_another_library_is_not_used(tmp_path, source, message):
    (tmp_path / "other.c").write_text(source)
    built = ["cc", "-shared", "-fPIC", "-o", tmp_path / "other.so", tmp_path / "other.c"]
    subprocess.run(built, check=True)
    install = f"install_library({str(tmp_path / 'other.so')!r})"
    said = run_apart(REFUSED.format(f"{install}\nprint(strew.cuda.unavailable_reason())"))
    assert said.count(message) == 2
