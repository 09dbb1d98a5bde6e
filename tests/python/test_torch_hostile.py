"""Every public function of strew.torch rejects illegal arguments with an error of Strew."""

import inspect
import warnings

import numpy as np
import pytest
import strew
import strew.torch as st
import torch

DATA = torch.arange(12.0).view(3, 4)
INDEX = torch.tensor([0, 2, 1])
RULES = {"out_of_bounds": "error", "negative_indices": "from_end"}
SCATTER = {**RULES, "reduction": "add", "include_self": True, "acc_dtype": "data", "alpha": None, "casting": "equiv"}
ELEMENTS = {"data": DATA, "indices": INDEX[None], "updates": DATA[:1, :3], "axis": 0, **SCATTER, "reject_duplicates": False}
ROWS = {"data": DATA, "indices": INDEX[:, None], "updates": DATA, **SCATTER, "reject_duplicates": False}
CACHE = {"past_cache": DATA, "update": DATA[:, :2], "write_indices": INDEX * 0, "axis": 1, "mode": "linear", "casting": "equiv"}
TERMS = {"weight": torch.ones(3), "addend": torch.ones(3), "relu": False, "argmax": False}
TERMS |= {"reduction": "max", "acc_dtype": "data", "ties": "share"}
LIMITS = {"max_cached_bytes": None, "min_elements": None}

FUNCTIONS = {
    "Edges": {"gather_index": INDEX, "scatter_index": INDEX, "source_size": 3, "target_size": 3},
    "gather_scatter": {"data": DATA, "edges": INDEX, "scatter_index": INDEX, "size": 3, **TERMS},
    "gather": {"data": DATA, "indices": INDEX, "axis": 0, **RULES, "fill_value": None},
    "gather_elements": {"data": DATA, "indices": INDEX[None], "axis": 0, **RULES, "fill_value": None},
    "gather_nd": {"data": DATA, "indices": INDEX[:, None], "batch_dims": 0, **RULES, "fill_value": None},
    "scatter_elements": ELEMENTS,
    "scatter_nd": ROWS,
    "tensor_scatter": CACHE,
    "scatter_elements_": ELEMENTS,
    "scatter_nd_": ROWS,
    "tensor_scatter_": CACHE,
    "install": {"operators": None, **LIMITS, "threads": "torch", "memory": "torch", "compiled": True},
    "counts": {"reset": False},
    "fuse": {"model": torch.nn.Linear(2, 2)},
    "unfuse": {"model": torch.nn.Linear(2, 2)},
}
OTHERS = {"CallCounts", "Compiled", "Fusion", "compiled", "installed", "uninstall"}


class Unknown:
    pass


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    HOSTILE = [None, "x", b"x", 1.5, float("nan"), 7, -9, True, 2**62, 2**63, 2**70, {}, Unknown()]
    HOSTILE += [torch.Tensor, torch.nn.ReLU, [0, 2, 1], [[1], [2, 3]], [torch.tensor(1)], (each for each in range(3))]
    HOSTILE += [np.array([0, 2, 1]), np.ones((3, 4), np.float32), np.array([None, 1]), np.array(["a"])]
    HOSTILE += [torch.tensor(1), torch.tensor(1.0), torch.zeros(1, 1, 1, 1, 1), torch.zeros(0)]
    HOSTILE += [torch.zeros(0, dtype=torch.int64), INDEX, torch.tensor([0, 99, 1]), torch.tensor([2**62, 0, 1]), torch.tensor([True, False, True])]
    HOSTILE += [torch.ones(3, 4, dtype=torch.complex64), torch.zeros(3, 4, dtype=torch.int8), torch.ones(3, 4).half()]
    HOSTILE += [torch.ones(3, 4).double(), torch.ones(3, 4).to(torch.float8_e4m3fn), DATA.to("meta"), INDEX.to("meta")]
    HOSTILE += [DATA.to_sparse(), DATA.to_sparse_csr(), DATA.to_mkldnn()]
    HOSTILE += [torch.quantize_per_tensor(DATA, 1.0, 0, torch.quint8)]
    HOSTILE += [torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), torch.zeros(1).expand(3, 4)]
    HOSTILE += [torch.zeros(1).expand(2**40, 2**20), torch.zeros(1, dtype=torch.int64).expand(2**61)]
    HOSTILE += [st.Edges(INDEX, INDEX, 3, 3), strew.Edges([0], [0], 3, 3)]


def test_every_public_function_is_asked():
    assert set(FUNCTIONS) | OTHERS == set(st.__all__)
    for name, arguments in FUNCTIONS.items():
        assert set(inspect.signature(getattr(st, name)).parameters) == set(arguments)


@pytest.fixture
def afterwards():
    yield
    st.uninstall()


@pytest.mark.usefixtures("afterwards")
@pytest.mark.parametrize(("name", "argument"), [(name, each) for name in FUNCTIONS for each in FUNCTIONS[name]])
def test_what_a_function_cannot_take_is_refused_in_words_of_strew(name, argument):
    for hostile in HOSTILE:
        given = {key: each.clone() if isinstance(each, torch.Tensor) else each for key, each in FUNCTIONS[name].items()}
        given[argument] = hostile
        try:
            getattr(st, name)(**given)
        except ImportError:
            pass  # there are no kernels to install
        except Exception as error:
            assert isinstance(error, strew.Refusal), (hostile, error)
            assert isinstance(error, TypeError | ValueError | IndexError | OverflowError | NotImplementedError | MemoryError)
            assert str(error).startswith(f"{name}: ") or name.endswith("_") or "Edges" in name, (hostile, error)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: st.gather_scatter(torch.tensor(1.0), INDEX, INDEX, 3), ValueError, "data has shape [] of rank 0; the rank must be"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX, 3, weight=2.0), TypeError, "weight is a float; strew.torch works on tensors"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX, 3, addend=[1.0]), TypeError, "addend is a list; strew.torch works on tensors"),
        (lambda: st.gather_scatter(DATA, [0], INDEX, 3), TypeError, "edges is a list; strew.torch works on tensors"),
        (lambda: st.gather_scatter(DATA, INDEX, [0], 3), TypeError, "scatter_index is a list; strew.torch works on tensors"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX, 1.5), TypeError, "size is a float; it must be an int"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX, -1), ValueError, "size is -1; it must not be negative"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX, 2**62), ValueError, f"size is {2**62}; a result of shape [{2**62}, 4] has"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX, 10**12), MemoryError, "no memory for a result of shape [1000000000000, 4], which takes 16000000000000 bytes"),
        (lambda: st.Edges(INDEX, INDEX, 3, 10**13), MemoryError, "target_size is 10000000000000; cannot allocate lists for"),
        (lambda: st.gather(DATA, INDEX.to("meta")), ValueError, "indices are on the device meta, without values; data is on cpu"),
        (lambda: st.scatter_nd_(DATA.clone(), INDEX[:, None].to("meta"), DATA), ValueError, "indices are on the device meta"),
        (lambda: st.scatter_nd(DATA, INDEX[:, None], DATA.to("meta")), ValueError, "updates are on the device meta"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX.to("meta"), size=3), ValueError, "scatter_index is on the device meta"),
        (lambda: st.Edges(INDEX.to("meta"), INDEX, 3, 3), ValueError, "gather_index has no values while torch transforms or traces"),
        (lambda: torch.vmap(lambda x: st.Edges(INDEX, x, 3, 3))(INDEX[None]), ValueError, "scatter_index has no values while torch tr"),
        (lambda: repr(st.Edges.__new__(st.Edges)), TypeError, "this Edges was made by __new__ without __init__"),
        (lambda: st.gather_scatter(DATA, st.Edges.__new__(st.Edges)), TypeError, "this Edges was made by __new__ without __init__"),
        (lambda: st.gather(DATA, np.array([None, 0])), TypeError, "indices are of type object; they must be integers"),
        (lambda: st.gather_scatter(DATA, strew.Edges([0], [0], 3, 3)), TypeError, "edges is a strew.Edges; strew.torch works on tensors; build strew.torch.Edges from the original index tensors"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX), TypeError, "pass Edges, or gather_index, scatter_index and size"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX, 3, relu=1), TypeError, "relu is an int; it must be a bool"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX, 3, ties=None), TypeError, "ties is None; it must be a str"),
        (lambda: st.Edges([0], INDEX, 3, 3), TypeError, "gather_index is a list; strew.torch works on tensors (strew.Edges takes"),
        (lambda: st.Edges(INDEX, INDEX, 1.5, 3), TypeError, "source_size is a float; it must be an int"),
        (lambda: st.gather_scatter(DATA, INDEX, INDEX, 3, wieght=DATA), TypeError, "there is no parameter 'wieght'; the parameters are data"),
        (lambda: st.gather(DATA, INDEX, axs=0), TypeError, "there is no parameter 'axs'; the parameters are data, indices, axis, out_of"),
        (lambda: st.fuse(torch.nn.Linear(1, 1), strict=True), TypeError, "there is no parameter 'strict'; the parameter is model"),
        (lambda: st.fuse("x"), TypeError, "model is a str; it must be a torch.nn.Module"),
        (lambda: st.unfuse(None), TypeError, "model is None; it must be a torch.nn.Module"),
        (lambda: st.gather(DATA, INDEX, INDEX), TypeError, "axis is a torch.Tensor; it must be an int"),
        (lambda: st.gather(torch.nested.nested_tensor([DATA]), INDEX), TypeError, "data is a nested tensor, which strew.torch does not support"),
        (lambda: st.gather(DATA, INDEX, True), TypeError, "axis is a bool; it must be an int"),
        (lambda: st.gather_elements(DATA, INDEX[None], 1.0), TypeError, "axis is a float; it must be an int"),
        (lambda: st.gather_nd(DATA, INDEX[:, None], None), TypeError, "batch_dims is None; it must be an int"),
        (lambda: st.scatter_elements_(DATA, INDEX[None], 1.0, "0"), TypeError, "axis is a str; it must be an int"),
        (lambda: st.scatter_nd(DATA, INDEX[:, None], DATA, 1), TypeError, "reduction is an int; it must be a str"),
        (lambda: st.tensor_scatter(DATA, DATA, mode=None), TypeError, "mode is None; it must be a str"),
        (lambda: st.gather_nd(DATA.numpy(), INDEX), TypeError, "data is a numpy.ndarray; strew.torch works on tensors (strew.gather_nd takes"),
        (lambda: st.scatter_nd_([1, 2], INDEX, [1]), TypeError, "data is a list; strew.torch works on tensors (strew.scatter_nd takes any"),
        (lambda: st.tensor_scatter(DATA, 1.0), TypeError, "update is a float; strew.torch works on tensors"),
        (lambda: st.gather(DATA, "0"), TypeError, "indices are a str; they must be integers"),
        (lambda: st.gather(DATA, None), TypeError, "indices are None; they must be integers"),
        (lambda: st.scatter_nd(DATA, INDEX[:, None], "0"), TypeError, "updates are a str; they must be numbers"),
        (lambda: st.gather(DATA, [[0], [1, 2]]), ValueError, "indices are not an array: expected sequence"),
        (lambda: st.gather_elements(DATA, INDEX[None], 2**64), ValueError, "axis 18446744073709551616"),
        (lambda: st.scatter_nd(DATA, 0, 1.0), ValueError, "indices have shape [] of rank 0; the rank must be"),
        (lambda: st.gather(DATA[0, 0], 0), ValueError, "data has shape [] of rank 0; the rank must be"),
    ],
)
def test_what_is_wrong_is_said(call, kind, text):
    with pytest.raises(kind) as raised:
        call()
    assert raised.value.text.startswith(text)


def test_what_was_probably_meant_by_a_misspelt_parameter_is_said():
    for name, wrong, right in [
        ("gather_scatter", "wieght", "weight"), ("scatter_nd_", "reducton", "reduction"), ("install", "operator", "operators"),
        ("gather_scatter", "dim_size", "size"), ("gather_scatter", "aggr", "reduction"),
        ("gather_scatter", "gather_index", "edges"),
    ]:
        with pytest.raises(TypeError, match=f"^{name}: there is no parameter '{wrong}'; .*; did you mean '{right}'"):
            getattr(st, name)(DATA, **{wrong: 1})
