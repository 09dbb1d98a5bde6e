"""How calls on a CUDA device are made: streams, refusals that nobody waited for, the package that they need."""

import doctest
import gc
import pathlib
import shutil
import subprocess
import sys
import types
import weakref

import device_support
import numpy as np
import pytest
from device_support import DeviceArray, InterfaceArray, device

import strew
import strew.cuda

assert device  # a fixture


def test_work_goes_to_the_stream_that_is_named_after_what_is_there(device):
    data, updates = DeviceArray(np.zeros(3)), InterfaceArray(np.ones(1), stream=7)
    indices = DeviceArray(np.array([1]))
    strew.scatter_elements(data, indices, updates)
    assert device.followed() == [(0, 7)]
    strew.scatter_elements(data, indices, updates, stream=12)
    assert device.followed() == [(12, 0), (12, 0), (12, 7)]
    assert {*data.asked, *indices.asked} == {1}  # the default stream, as DLPack counts

    class Stream:
        cuda_stream = 12

    class NewStream:
        def __cuda_stream__(self):
            return 0, 12

    for stream in (Stream(), NewStream()):
        strew.gather(data, indices, stream=stream)
        assert device.followed() == [(12, 0), (12, 0)]
    strew.gather(data, indices, stream=1)  # the default stream by its other number
    assert device.followed() == []


@pytest.mark.parametrize("stream", ["0", 1.5, True, -1, object()])
def test_what_is_no_stream_is_refused(device, stream):
    with pytest.raises(TypeError, match="^gather: stream is a .*; it must be an int, the address of a CUDA stream, or"):
        strew.gather(DeviceArray(np.zeros(3)), [0], stream=stream)


@pytest.mark.parametrize(("name", "make"), [("stream", int), ("deferred", strew.cuda.DeferredErrors)])
def test_calls_in_cpu_memory_have_no_stream(name, make):
    how = {name: make()}
    message = f"^gather: {name} is for arrays on CUDA devices; data lies in CPU memory$"
    with pytest.raises(ValueError, match=message):
        strew.gather(np.zeros(3), [0], **how)
    with pytest.raises(ValueError, match=f"^tensor_scatter: {name} .*; past_cache lies in CPU memory$"):
        strew.tensor_scatter(np.zeros((1, 2, 1)), np.zeros((1, 1, 1)), **how)


BAD = "gather: indices[1] = 5 is outside [-3, 2] for axis 0 of data with shape [3]"


def test_a_deferred_refusal_comes_from_a_later_call_or_a_wait(device):
    device.set(delays=True)
    data, later = DeviceArray(np.arange(3.0)), strew.cuda.DeferredErrors()
    out = DeviceArray(np.full(2, 9.0))
    assert strew.gather(data, [0, 5], out=out, stream=0, deferred=later) is out
    assert not later.ready()
    later.check()
    with pytest.raises(IndexError) as refusal:
        later.wait()
    assert str(refusal.value) == BAD
    assert out.values.tolist() == [9, 9]
    assert later.ready()
    later.wait()
    device.set()
    strew.gather(data, [0, 5], stream=0, deferred=later)
    with pytest.raises(IndexError) as refusal:
        strew.gather(data, [0, 1], out=out, stream=0, deferred=later)
    assert str(refusal.value) == BAD
    assert out.values.tolist() == [9, 9]
    strew.gather(data, [0, 1], out=out, stream=0, deferred=later)
    later.wait()
    assert out.values.tolist() == [0, 1]


def test_a_captured_call_is_done_or_refused_at_each_launch(device):
    data, indices, later = np.zeros(3), np.array([[1], [1]]), strew.cuda.DeferredErrors()

    def call(stream):
        given = [InterfaceArray(array, stream=stream) for array in (data, indices, np.array([2.0, 3.0]))]
        strew.scatter_nd(*given, "add", out=given[0], stream=stream, deferred=later)

    launch = device.capture(call)
    assert data.tolist() == [0, 0, 0] and not later.ready()
    launch()
    assert data.tolist() == [0, 5, 0]
    indices[1] = 3
    launch()
    for _ in range(2):
        with pytest.raises(IndexError, match=r"^scatter_nd: indices\[1, 0\] = 3 is outside"):
            later.check()
    assert data.tolist() == [0, 5, 0]
    indices[1] = 2
    launch()
    later.wait()
    assert data.tolist() == [0, 7, 3]


def test_a_deferred_call_keeps_its_arrays_until_it_is_done(device):
    device.set(delays=True)
    later, values = strew.cuda.DeferredErrors(), np.zeros(3)
    kept = [DeviceArray(values), DeviceArray(np.array([1])), DeviceArray(np.ones(1))]
    gone = [weakref.ref(array) for array in kept]
    gone.append(weakref.ref(strew.scatter_elements(*kept, reduction="add", stream=0, deferred=later)))
    kept.clear()
    gc.collect()
    assert all(array() is not None for array in gone)
    later.wait()
    gc.collect()
    assert all(array() is None for array in gone)


def test_a_library_that_tells_no_stream_has_to_wait(device):
    data = DeviceArray(np.zeros(3))
    message = "^gather: a DeviceArray does not say on which stream it is used, so a call on it has to wait; "
    with pytest.raises(ValueError, match=message):
        strew.gather(data, [0], deferred=strew.cuda.DeferredErrors())
    with pytest.raises(TypeError, match=r"^gather: deferred is a list; it must be a strew\.cuda\.DeferredErrors$"):
        strew.gather(data, [0], deferred=[])


class FakeCupy(types.ModuleType):
    """What strew asks of CuPy: the current stream of a device, and arrays on it."""

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
    later = strew.cuda.DeferredErrors()
    strew.gather(data, Ndarray(np.array([4]), 1), deferred=later)
    assert device.followed() == []
    with pytest.raises(IndexError):
        later.wait()


class Immutable(DeviceArray):
    __module__ = "jaxlib"


def test_arrays_of_jax_are_made_anew_and_never_written(device):
    data = Immutable(np.zeros(3))
    assert strew.scatter_nd(data, [[1]], 5.0).values.tolist() == [0, 5, 0]
    with pytest.raises(ValueError, match="^scatter_nd: out of type <class '.*'> is immutable; give an array that can"):
        strew.scatter_nd(data, [[1]], 5.0, out=data)
    assert data.values.tolist() == [0, 0, 0]


def test_the_examples_of_the_module_give_what_they_say(device):
    for documented in (strew.cuda.available, strew.cuda.DeferredErrors):
        example = doctest.DocTestParser().get_doctest(documented.__doc__, {}, "cuda", None, None)
        results = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(example)
        assert results.failed == 0 and results.attempted > 0


def run_apart(code, **how):
    """In a process of its own, since a library that was opened stays."""
    here = str(pathlib.Path(__file__).parent)
    code = f"import sys; sys.path.insert(0, {here!r})\n" + code
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, **how).stdout


REFUSED = """
import numpy as np, strew, strew.cuda
from device_support import DeviceArray, install_library
{}
try:
    strew.gather(DeviceArray(np.zeros(3)), [0])
except ImportError as error:
    print(error)
"""


@pytest.mark.skipif(device_support.installed(), reason="strew-cuda13 is installed here")
def test_without_the_package_the_error_says_how_to_get_it():
    said = run_apart(REFUSED.format("print(strew.cuda.available())"))
    assert said.startswith("False\ngather: data lies on cuda:0; for arrays on CUDA devices strew needs the ")
    assert "`make cuda PYTHON=...`" in said and "pip install strew-cuda13" in said


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "static const char* door[] = {\"0.0.1-old\"}; const void* strew_cuda_door() { return door; }",
            "strew-cuda13 was built from another version of Strew (0.0.1-old) than this one (",
        ),
        ("int nothing;", "other.so is no library of strew-cuda13"),
    ],
)
def test_another_library_is_not_used(tmp_path, source, message):
    (tmp_path / "other.c").write_text(source)
    built = ["cc", "-shared", "-fPIC", "-o", tmp_path / "other.so", tmp_path / "other.c"]
    subprocess.run(built, check=True)
    said = run_apart(REFUSED.format(f"install_library({str(tmp_path / 'other.so')!r})"))
    assert message in said
