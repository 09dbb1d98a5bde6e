"""The functions for Dask arrays, with the parameters of `strew`'s functions."""

from .. import _derived
from . import _operators
from ._chunks import check_parameters

_KINDS = dict.fromkeys(("array", "array of integers", "array or scalar"), "dask.array.Array or array_like")
_KINDS["result"] = "dask.array.Array"
_IMPORTS = ">>> import dask.array as da, strew.dask\n"
_SHUFFLE_METHOD = """\
shuffle_method : {'auto', 'direct', 'disk', 'tasks', 'p2p'}
    How chunks of indices and data exchange rows if indexed axes have several chunks. All methods give the same result.
"""
_CHECKED = """\
Indices in memory are checked when the function is called. Indices in a Dask array are checked when the result is
computed, before any chunk of the result exists."""

# For each function, the second paragraph and the examples of its docstring.
_WORDS = {
    "gather": (
        "The result has the chunks of `data`, in which the chunks of `indices` replace those along `axis`.",
        """\
>>> table = da.arange(12, chunks=5).reshape(6, 2)
>>> strew.dask.gather(table, [5, 0, -1]).compute()
array([[10, 11],
       [ 0,  1],
       [10, 11]])
""",
    ),
    "gather_elements": (
        "Except along `axis`, the result has the chunks of `data`. If `axis` has one chunk, nothing is shuffled.",
        """\
>>> data = da.arange(6, chunks=2).reshape(2, 3)
>>> strew.dask.gather_elements(data, [[2, 0], [1, 1]], axis=1).compute()
array([[2, 0],
       [4, 4]])
""",
    ),
    "gather_nd": (
        "The result has the chunks of `indices`, then those of `data`.",
        """\
>>> data = da.arange(6, chunks=2).reshape(2, 3)
>>> strew.dask.gather_nd(data, [[1, 2], [0, 0]]).compute()
array([5, 0])
""",
    ),
    "scatter_elements": (
        "The result has the chunks of `data`. If `axis` has one chunk, nothing is shuffled. Updates of one element\n"
        "are applied in row-major order of `indices`, even for floats.",
        """\
>>> strew.dask.scatter_elements(da.zeros(5, chunks=2), [4, 0, 4], [1.0, 2.0, 3.0], reduction="add").compute()
array([2., 0., 0., 0., 4.])
""",
    ),
    "scatter_nd": (
        "The result has the chunks of `data`. Updates of one slice are applied in row-major order of\n"
        "`indices`, even for floats.",
        """\
>>> bins = da.zeros(4, chunks=2)
>>> strew.dask.scatter_nd(bins, [[3], [0], [3]], 1.0, reduction="add").compute()
array([1., 0., 0., 2.])
""",
    ),
    "tensor_scatter": (
        "`update` gets one chunk along `axis`, so nothing is shuffled.",
        """\
>>> strew.dask.tensor_scatter(da.zeros((2, 4, 1), chunks=2), da.ones((2, 2, 1)), [1, 2], axis=1)[..., 0].compute()
array([[0., 1., 1., 0.],
       [0., 0., 1., 1.]])
""",
    ),
}


def _function(name):
    signature = _derived.of_dask(name)

    def call(*operands, **attributes):
        check_parameters(name, attributes, list(signature.parameters))
        try:
            given = signature.bind(*operands, **attributes)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}") from None
        given.apply_defaults()
        return getattr(_operators, name)(**given.arguments)

    note, examples = _WORDS[name]
    more = _SHUFFLE_METHOD if "shuffle_method" in signature.parameters else ""
    return _derived.dressed(call, name, __package__, signature, _KINDS, f"{note}\n{_CHECKED}", _IMPORTS + examples, more)


__all__ = [*_derived.FOR_DASK]
globals().update({name: _function(name) for name in __all__})
