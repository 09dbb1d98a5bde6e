"""Calls that strew.numpy hands to NumPy: only calls that Strew cannot run, as the table of docs/migrating.md lists."""

import ast
import contextlib
import pathlib
import tempfile

import numpy as np
import pytest
import strew.numpy as snp
from numpy.lib.stride_tricks import as_strided
from strew.numpy import _at, _bincount, _put, _take
from strew.numpy._handed_over import REASONS
from support import refuses

PAGE = pathlib.Path(__file__).parents[2] / "docs/migrating.md"
FUNCTIONS = ["take", "take_along_axis", "put", "put_along_axis", "bincount"]


def constants(node):
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and each.value in REASONS}


def is_to_numpy(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "to_numpy"


def reasons_in_the_code():
    """Return {(reason, function)}."""
    found = set()
    for module in (_at, _bincount, _put, _take):
        tree = ast.parse(pathlib.Path(module.__file__).read_text())
        for function in tree.body:
            nodes = list(ast.walk(function))
            said = [node.args[0] for node in nodes if is_to_numpy(node)]
            if module is _at:  # the helpers of this module return the reason
                said += [node.value for node in nodes if isinstance(node, ast.Return) and node.value]
            name = "at" if module is _at else getattr(function, "name", None)
            found |= {(reason, name) for node in said for reason in constants(node)}
    return found


def test_the_table_has_every_reason_of_the_code_and_the_functions_that_give_it():
    rows = [line.split("|")[1:-1] for line in PAGE.read_text().splitlines() if line.startswith("|")]
    by_text = {text: reason for reason, text in REASONS.items()}
    shown = {
        (by_text[text.strip()], function.strip(" `"))
        for text, functions in (row for row in rows if len(row) == 2)
        if text.strip() in by_text
        for function in functions.split(",")
    }
    assert shown == reasons_in_the_code()
    assert {reason for reason, _ in shown} == set(REASONS)


def test_nothing_is_handed_over_without_a_reason():
    for module in (_at, _bincount, _put, _take):
        for node in ast.walk(ast.parse(pathlib.Path(module.__file__).read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                text = ast.unparse(node.func)
                assert text not in [f"{name}.{function}" for name in ("np", "numpy") for function in FUNCTIONS]
                assert text != "self._ufunc.at"


def packed():
    return np.zeros(4, [("a", "i1"), ("b", "f8")])["b"]


class Series:
    """An object like pandas' Series: np.take calls its method."""

    def take(self, indices, axis, out, mode):
        return "taken"


class Wrapped:
    """An array like xarray's: NumPy returns results in its class."""

    def __array__(self, dtype=None, copy=None):
        return np.arange(3)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return "wrapped"

    def __getitem__(self, place):
        return "wrapped"

    ndim, shape = 1, (3,)


class Foreign:
    def __array_function__(self, function, types, args, kwargs):
        return "done"


x = np.arange(4.0)
EXAMPLES = [
    ("elements", lambda: snp.take(np.array([1, None], object), [0])),
    ("elements", lambda: snp.take(Series(), [0])),
    ("elements", lambda: snp.bincount(Foreign())),
    ("elements", lambda: snp.take_along_axis(np.ma.array([1, 2]), np.array([0]), 0)),
    ("elements", lambda: snp.put(np.array([1, None], object), [0], 5)),
    ("elements", lambda: snp.put_along_axis(np.zeros(2, "V0"), np.array([0]), np.zeros(1, "V0"), 0)),
    ("elements", lambda: snp.add.at(np.ma.array([1, 2]), [0], 5)),
    ("refused", lambda: snp.take(x, [0.5])),
    ("refused", lambda: snp.take_along_axis(x, np.zeros((1, 1), int), 0)),
    ("refused", lambda: snp.put(x, [0], 1, "bogus")),
    ("refused", lambda: snp.put_along_axis(x, np.array([0.5]), 1, 0)),
    ("refused", lambda: snp.bincount(np.full(2**16 + 1, -1))),
    ("refused", lambda: snp.add.at(x, [0], [1, 2, 3])),
    ("empty", lambda: snp.take(np.zeros((0, 3)), [])),
    ("empty", lambda: snp.put(x, [], 1)),
    ("empty", lambda: snp.put_along_axis(x, np.zeros(0, int), [], 0)),
    ("short", lambda: snp.bincount([])),
    ("short", lambda: snp.bincount(np.ones(2**16, np.uint64), minlength=3)),
    ("elements", lambda: snp.take(Wrapped(), [0])),
    ("elements", lambda: snp.take_along_axis(Wrapped(), np.array([0]), 0)),
    ("empty", lambda: snp.add.at(x, [], 1)),
    ("out", lambda: snp.take(x, [0], out=np.zeros(1, "f4"), mode="clip")),
    ("broadcast", lambda: snp.put_along_axis(np.zeros((1, 2)), np.zeros((3, 1), int), 1, 1)),
    ("strides", lambda: snp.put_along_axis(packed(), np.array([0]), 1, 0)),
    ("strides", lambda: snp.add.at(packed(), [0], 1)),
    ("types", lambda: snp.add.at(np.zeros(2, "g"), [0], 1)),
    ("wider", lambda: snp.add.at(np.zeros(2, int), [0], 1.5)),
    ("indices", lambda: snp.add.at(x.copy(), slice(2), 1)),
]


def spied(monkeypatch):
    seen = []
    for module in (_at, _bincount, _put, _take):
        to_numpy = module.to_numpy
        monkeypatch.setattr(module, "to_numpy", lambda *call, to_numpy=to_numpy, **options: seen.append(call[0]) or to_numpy(*call, **options))
    return seen


@pytest.mark.parametrize(("reason", "call"), EXAMPLES)
def test_calls_are_handed_over_for_the_reason_that_is_theirs(monkeypatch, reason, call):
    seen = spied(monkeypatch)
    with contextlib.suppress(IndexError, TypeError, ValueError):  # AxisError is one of them
        call()
    assert seen == [reason]


class Narrow:
    """An array like Dask's: its functions have fewer parameters than NumPy's, or only keyword parameters."""

    def __array_function__(self, function, types, args, kwargs):
        return {np.take: self.take, np.put: lambda a, ind, v: "put", np.bincount: lambda x, *, weights=None: weights}[function](*args, **kwargs)

    def take(self, a, indices, *, axis=0):
        return axis


def test_other_libraries_get_only_the_options_that_are_given():
    assert snp.take(Narrow(), [1]) == 0 and snp.take(Narrow(), [1], 1) == 1
    assert snp.put(Narrow(), [1], 2) == np.put(Narrow(), [1], 2)
    assert snp.bincount(Narrow()) is None and snp.bincount(Narrow(), "w") == "w"
    refuses(TypeError, "mode", snp.take, Narrow(), [1], mode="clip")


def test_dask_arrays_are_taken_lazily():
    da = pytest.importorskip("dask.array")
    taken = snp.take(da.arange(5, chunks=2), [1])
    assert isinstance(taken, da.Array) and taken.compute().tolist() == [1]


def test_dask_arrays_are_not_written():
    da = pytest.importorskip("dask.array")
    x, at = da.zeros(4, chunks=2), np.array([0])
    for name, call in (("put", lambda: snp.put(x, at, 9)), ("put_along_axis", lambda: snp.put_along_axis(x, at, 9, 0))):
        refuses(TypeError, f"^{name}: a Dask array cannot be changed; strew.dask.scatter_elements returns", call)


def strings():
    return np.array(["a" * 16, "b" * 16, "keep"], np.dtypes.StringDType())


def fortran():
    return np.asfortranarray(np.arange(6.0).reshape(2, 3))


def mapped():
    return np.memmap(tempfile.TemporaryFile(), np.float64, "w+", shape=(3,))


DONE_HERE = [
    lambda lib: lib.take(strings(), [2, 0]),
    lambda lib: lib.take_along_axis(strings(), np.array([2, 0]), 0),
    lambda lib: written(strings(), lambda a: lib.put_along_axis(a, np.array([0, 1]), ["q" * 20, "r" * 20], 0)),
    lambda lib: written(strings()[::-1], lambda a: lib.put_along_axis(a, np.array([0, 1]), ["q" * 20, "r"], 0)),
    lambda lib: written(fortran(), lambda a: lib.put(a, [1, -1], [7, 8])),
    lambda lib: written(fortran()[:, 1], lambda a: lib.put(a, [1, 0, 1], [7, 8])),
    lambda lib: written(np.zeros(3, ">f8"), lambda a: lib.add.at(a, [1, 1], [7.0, 0.5])),
    lambda lib: written(np.zeros(4, [("a", "i1"), ("b", "f8")])["b"], lambda a: lib.take(x, [3, 3, 1, 1], out=a)),
    lambda lib: written(mapped(), lambda a: lib.add.at(a, [[0], [2]], 7.0)),
    lambda lib: written(mapped(), lambda a: lib.put(a, [1, -1], [7, 8])),
    lambda lib: written(mapped(), lambda a: lib.put_along_axis(a, np.array([0, 1]), 8.0, 0)),
    lambda lib: lib.take(x, np.array([2**64 - 1, 0], "u8")),
    lambda lib: lib.take(x, np.array([1, 0]).view(np.ma.MaskedArray)),
]


def written(a, call):
    call(a)
    return a


@pytest.mark.parametrize("call", DONE_HERE)
def test_what_strew_can_do_it_does(monkeypatch, call):
    seen = spied(monkeypatch)
    ours, numpys = call(snp), call(np)
    assert seen == [] and ours.dtype == numpys.dtype and ours.tolist() == numpys.tolist()


@pytest.mark.parametrize("values", [["q" * 20, "r" * 20], "q" * 20, ["s"], np.array(["q" * 20, "r" * 20], object)])
def test_strings_of_any_length_are_put_whole(values):
    """NumPy 2.4's own put leaves such strings unchanged or garbles them."""
    for a in (strings(), np.array(["a" * 16, "b" * 16, None, "keep"], np.dtypes.StringDType(na_object=None))):
        wanted = a.copy()
        wanted[[0, -1]] = values
        snp.put(a, [0, -1], values)
        assert a.tolist() == wanted.tolist()
        every = np.stack([wanted, wanted], -1)[:, 0]
        snp.put(every, np.array([1, 0]), wanted[:2])
        assert every[:2].tolist() == wanted[1::-1].tolist()


ABSURD = as_strided(np.arange(4.0), (5,), (2**62,))


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("take", lambda: snp.take(ABSURD, [0])),
        ("take", lambda: snp.take(ABSURD, [0], out=np.zeros(1))),
        ("take_along_axis", lambda: snp.take_along_axis(ABSURD, np.array([0]), 0)),
        ("put", lambda: snp.put(ABSURD, [0], 1)),
        ("put_along_axis", lambda: snp.put_along_axis(ABSURD, np.array([0]), 1, 0)),
        ("add.at", lambda: snp.add.at(ABSURD, [0], 1)),
        ("add.at", lambda: snp.add.at(ABSURD, np.array([0]), 1.0)),
    ],
)
def test_strides_that_no_memory_has_are_refused_by_strew_and_not_tried_by_numpy(monkeypatch, name, call):
    seen = spied(monkeypatch)
    refuses(ValueError, rf"^{name}: \w+ has shape \[5\] and strides \[\d+\], which reach past 2\^63 - 1 bytes", call)
    assert seen == []


def test_torch_scatter_hands_nothing_to_pytorch_but_a_gather_in_its_composites():
    found = set()
    for path in (pathlib.Path(_at.__file__).parents[1] / "torch_scatter").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                own = ast.unparse(node.func.value).split(".")[-1] in ("strew", "_named", "_calls", "_transforms", "functional", "_segments")
                if not own and node.func.attr.startswith(("scatter", "index_", "gather", "segment", "take", "put", "bincount", "embedding")):
                    found.add((path.stem, node.func.attr))
    assert found == {("softmax", "gather"), ("logsumexp", "gather"), ("std", "gather")}
