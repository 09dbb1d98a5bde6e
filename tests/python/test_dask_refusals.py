"""What strew.dask refuses when it is called: shapes, attributes, types, unknown parameters."""

import numpy as np
import pytest
import strew

pytest.importorskip("dask")

import dask.array as da
import strew.dask

REFUSED = [
    ("gather", [(3,), (2,)], {"axis": 1}),
    ("gather_nd", [(3, 2), (2, 3)], {}),
    ("gather_nd", [(3, 2), (2, 1)], {"batch_dims": 1}),
    ("gather_elements", [(3, 2), (2, 3)], {}),
    ("scatter_nd", [(3, 2), (4, 1), (4, 3)], {}),
    ("scatter_elements", [(3, 2), (4, 1), (4, 2)], {}),
    ("scatter_nd", [(3, 2), (4, 1), (4, 2)], {"reduction": "sum"}),
    ("tensor_scatter", [(3, 2, 4), (3, 5, 4)], {"axis": 1}),
    ("tensor_scatter", [(3, 2, 4), (3, 1, 4)], {"axis": 0}),
]


@pytest.mark.parametrize(("op", "shapes", "attributes"), REFUSED)
def test_shapes_and_attributes_are_refused_when_called_in_the_words_of_one_call(op, shapes, attributes):
    operands = [np.zeros(shape, np.int64 if n == 1 else np.float32) for n, shape in enumerate(shapes)]
    if op == "tensor_scatter":
        operands = [operand.astype(np.float32) for operand in operands]
    with pytest.raises((ValueError, TypeError)) as one:
        getattr(strew, op)(*operands, **attributes)
    with pytest.raises(one.type) as lazy:
        getattr(strew.dask, op)(*(da.from_array(operand, chunks=1) for operand in operands), **attributes)
    assert str(lazy.value) == str(one.value)


def test_types_are_refused_when_called():
    data, indices = da.zeros((4, 2), chunks=2), da.zeros((3, 1), dtype=int, chunks=2)
    with pytest.raises(TypeError, match="scatter_nd: updates are float32 but data is float64"):
        strew.dask.scatter_nd(data, indices, da.zeros((3, 2), dtype=np.float32))
    with pytest.raises(TypeError, match="gather: data has type <U3; strings are not for strew.dask"):
        strew.dask.gather(da.from_array(np.array(["abc", "d"])), [0])
    for words in (np.array(["abc", "d"], object), np.array(["abc"], np.dtypes.StringDType())):
        with pytest.raises(TypeError, match=r"gather: data has type .*; strings are not for strew.dask"):
            strew.dask.gather(words, [0])
        with pytest.raises(TypeError, match=r"scatter_nd: updates has type .*; strings are not for strew.dask"):
            strew.dask.scatter_nd(data, [[1]], words)
    with pytest.raises(TypeError, match="gather: the chunks of data are no ndarrays but of type MaskedArray"):
        strew.dask.gather(da.ma.masked_equal(da.zeros(3), 0), [0])
    with pytest.raises(ValueError, match="gather: exchange 'mail' is none of 'auto', 'direct', 'files', 'tasks', 'p2p'"):
        strew.dask.gather(data, indices, exchange="mail")
    unknown = da.from_array(np.arange(5), chunks=2)
    with pytest.raises(ValueError, match="gather: indices has chunks of unknown sizes; call its compute_chunk_sizes"):
        strew.dask.gather(data, unknown[unknown > 3])


def test_out_and_unknown_parameters_are_refused_when_called():
    data, buffer = da.zeros(4, chunks=2), np.zeros(1)
    for call in (
        lambda: strew.dask.gather(data, [1], out=buffer),
        lambda: strew.dask.gather_nd(data, [[1]], out=None),
        lambda: strew.dask.gather_elements(data, [1], out=buffer),
        lambda: strew.dask.scatter_nd(data, [[1]], 1.0, out=data),
        lambda: strew.dask.scatter_elements(data, [1], 1.0, out=data),
    ):
        with pytest.raises(TypeError, match="there is no parameter 'out' for Dask arrays; write the result with dask.array.store"):
            call()
    with pytest.raises(TypeError, match="there is no parameter 'bogus'; there are data, indices, axis, out_of_bounds") as caught:
        strew.dask.gather(data, [1], bogus=1)
    assert str(caught.value).endswith("negative_indices, exchange")


def test_p2p_without_a_cluster_is_refused_when_called():
    with pytest.raises(ValueError, match="gather: exchange 'p2p' is for a cluster: make a distributed.Client first"):
        strew.dask.gather(da.zeros(4, chunks=2), da.zeros(4, dtype=int, chunks=2), exchange="p2p")
