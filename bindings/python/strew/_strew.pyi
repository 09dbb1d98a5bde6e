# What the module compiled from bindings/python/src offers. tests/python/test_stubs.py holds it against the module.
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Buffer

from ._model_info import NodeInfo, ValueInfo, Violation

class _Array(Protocol):
    """What can be read without a copy: an ndarray, a torch.Tensor, a jax.Array, an array of the array API."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...

class _Proto(Protocol):
    """An onnx.ModelProto."""

    def SerializeToString(self) -> bytes: ...

_ArrayT = TypeVar("_ArrayT", bound=_Array)
_OutT = TypeVar("_OutT", bound=_Array)
_DTypeT = TypeVar("_DTypeT", bound=np.dtype[Any])
_Typed: TypeAlias = np.ndarray[tuple[Any, ...], _DTypeT]
_Operand: TypeAlias = _Array | ArrayLike
_Indices: TypeAlias = _Array | SupportsIndex | Sequence[_Indices] | CheckedIndices
_Path: TypeAlias = str | PathLike[str] | PathLike[bytes]

__commit__: str
__version__: str
_NEWEST_OPSET: int

# From here on scripts/make_stubs.py writes.
_OutOfBoundsGather: TypeAlias = Literal["error", "clip", "wrap", "fill"]
_OutOfBoundsScatter: TypeAlias = Literal["error", "clip", "wrap", "drop"]
_NegativeIndices: TypeAlias = Literal["from_end", "out_of_bounds"]
_Reduction: TypeAlias = Literal["none", "add", "mul", "max", "min", "sub", "div", "and", "or", "xor", "mean"]
_AccDtype: TypeAlias = Literal["data", "float32"]
_Casting: TypeAlias = Literal["equiv", "same_kind"]
_Mode: TypeAlias = Literal["linear", "circular"]
@overload
def gather(
    data: _Operand,
    indices: _Indices,
    axis: int = 0,
    *,
    out: _OutT,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _OutT: ...
@overload
def gather(
    data: _Operand,
    indices: _Indices,
    axis: int,
    out: _OutT,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _OutT: ...
@overload
def gather(
    data: _Typed[_DTypeT],
    indices: _Indices,
    axis: int = 0,
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _Typed[_DTypeT]: ...
@overload
def gather(
    data: _ArrayT,
    indices: _Indices,
    axis: int = 0,
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _ArrayT: ...
@overload
def gather(
    data: ArrayLike,
    indices: _Indices,
    axis: int = 0,
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> NDArray[Any]: ...
@overload
def gather_elements(
    data: _Operand,
    indices: _Indices,
    axis: int = 0,
    *,
    out: _OutT,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _OutT: ...
@overload
def gather_elements(
    data: _Operand,
    indices: _Indices,
    axis: int,
    out: _OutT,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _OutT: ...
@overload
def gather_elements(
    data: _Typed[_DTypeT],
    indices: _Indices,
    axis: int = 0,
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _Typed[_DTypeT]: ...
@overload
def gather_elements(
    data: _ArrayT,
    indices: _Indices,
    axis: int = 0,
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _ArrayT: ...
@overload
def gather_elements(
    data: ArrayLike,
    indices: _Indices,
    axis: int = 0,
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> NDArray[Any]: ...
@overload
def gather_nd(
    data: _Operand,
    indices: _Indices,
    batch_dims: int = 0,
    *,
    out: _OutT,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _OutT: ...
@overload
def gather_nd(
    data: _Operand,
    indices: _Indices,
    batch_dims: int,
    out: _OutT,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _OutT: ...
@overload
def gather_nd(
    data: _Typed[_DTypeT],
    indices: _Indices,
    batch_dims: int = 0,
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _Typed[_DTypeT]: ...
@overload
def gather_nd(
    data: _ArrayT,
    indices: _Indices,
    batch_dims: int = 0,
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> _ArrayT: ...
@overload
def gather_nd(
    data: ArrayLike,
    indices: _Indices,
    batch_dims: int = 0,
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: _Operand | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> NDArray[Any]: ...
@overload
def scatter_elements(
    data: _Operand,
    indices: _Indices,
    updates: _Operand,
    axis: int = 0,
    reduction: _Reduction = "none",
    *,
    out: _OutT,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: _Operand | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> _OutT: ...
@overload
def scatter_elements(
    data: _Operand,
    indices: _Indices,
    updates: _Operand,
    axis: int,
    reduction: _Reduction,
    out: _OutT,
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: _Operand | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> _OutT: ...
@overload
def scatter_elements(
    data: _ArrayT,
    indices: _Indices,
    updates: _Operand,
    axis: int = 0,
    reduction: _Reduction = "none",
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: _Operand | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> _ArrayT: ...
@overload
def scatter_elements(
    data: ArrayLike,
    indices: _Indices,
    updates: _Operand,
    axis: int = 0,
    reduction: _Reduction = "none",
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: _Operand | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> NDArray[Any]: ...
@overload
def scatter_nd(
    data: _Operand,
    indices: _Indices,
    updates: _Operand,
    reduction: _Reduction = "none",
    *,
    out: _OutT,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: _Operand | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> _OutT: ...
@overload
def scatter_nd(
    data: _Operand,
    indices: _Indices,
    updates: _Operand,
    reduction: _Reduction,
    out: _OutT,
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: _Operand | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> _OutT: ...
@overload
def scatter_nd(
    data: _ArrayT,
    indices: _Indices,
    updates: _Operand,
    reduction: _Reduction = "none",
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: _Operand | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> _ArrayT: ...
@overload
def scatter_nd(
    data: ArrayLike,
    indices: _Indices,
    updates: _Operand,
    reduction: _Reduction = "none",
    out: None = None,
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: _Operand | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> NDArray[Any]: ...
@overload
def tensor_scatter(
    past_cache: _Operand,
    update: _Operand,
    write_indices: _Indices | None = None,
    axis: int = -2,
    mode: _Mode = "linear",
    *,
    out: _OutT,
    casting: _Casting = "equiv",
) -> _OutT: ...
@overload
def tensor_scatter(
    past_cache: _Operand,
    update: _Operand,
    write_indices: _Indices | None,
    axis: int,
    mode: _Mode,
    out: _OutT,
    *,
    casting: _Casting = "equiv",
) -> _OutT: ...
@overload
def tensor_scatter(
    past_cache: _ArrayT,
    update: _Operand,
    write_indices: _Indices | None = None,
    axis: int = -2,
    mode: _Mode = "linear",
    out: None = None,
    *,
    casting: _Casting = "equiv",
) -> _ArrayT: ...
@overload
def tensor_scatter(
    past_cache: ArrayLike,
    update: _Operand,
    write_indices: _Indices | None = None,
    axis: int = -2,
    mode: _Mode = "linear",
    out: None = None,
    *,
    casting: _Casting = "equiv",
) -> NDArray[Any]: ...
# To here.

def _operators() -> list[dict[str, Any]]: ...
def _operator_versions() -> list[dict[str, Any]]: ...

_newest_opset: int

def _thread_count() -> int: ...
def _memory_cache_limit() -> int: ...
def _memory_cache_bytes() -> int: ...
def _release_memory_cache() -> None: ...
def _scratch_limit() -> int: ...
def _set_scratch_limit(bytes: int) -> None: ...
def _explain(
    function: Callable[..., Any], arguments: tuple[Any, ...], attributes: dict[str, Any]
) -> dict[str, Any]: ...
def _check_indices(
    function: Callable[..., Any], arguments: tuple[Any, ...], attributes: dict[str, Any]
) -> CheckedIndices: ...
def _plan(
    function: Callable[..., Any], arguments: tuple[Any, ...], attributes: dict[str, Any]
) -> Plan: ...
def _picture(
    function: Callable[..., Any], arguments: tuple[Any, ...], attributes: dict[str, Any], title: str
) -> tuple[str, str | None, list[tuple[str, str, list[int], list[str | bytes]]]]: ...
def _route(
    indices: _Indices,
    axes: Sequence[NDArray[np.int64] | int],
    tuples: bool = False,
    out_of_bounds: str = "error",
    negative_indices: str = "from_end",
) -> tuple[NDArray[np.int64], NDArray[np.uint32] | NDArray[np.uint64], NDArray[np.uint32], tuple[int, int] | None]: ...
def _find_bad_index(
    indices: _Indices,
    axes: Sequence[NDArray[np.int64] | int],
    tuples: bool = False,
    out_of_bounds: str = "error",
    negative_indices: str = "from_end",
) -> tuple[int, int] | None: ...
def _scatter_parts(rows: _Array, parts: Sequence[tuple[_Indices, _Operand]], reduction: str = "none") -> None: ...
def _output_shape(
    function: Callable[..., Any], arguments: tuple[Any, ...], attributes: dict[str, Any]
) -> tuple[int, ...]: ...
def _set_memory_cache_limit(bytes: int) -> None: ...
def _article(object: object) -> str: ...
def _with_verb(operand: str, verb: str) -> str: ...
def _run_program(arguments: Sequence[bytes]) -> int: ...
def _set_thread_count(count: int) -> None: ...
def _exchange_own_thread_count(count: int) -> int: ...
def _run_node(
    op_type: str, opset: int, inputs: Sequence[_Operand | None], attributes: dict[str, int | str]
) -> NDArray[Any]: ...
def _element_type(array_or_name: _Operand) -> int: ...
def _load(
    path_or_bytes: _Path | Buffer | _Proto,
    allow_deprecated: bool,
    external_data_dir: _Path | None,
    links_within: _Path | None,
) -> Model: ...
def _infer_shapes(model: Model | _Path | Buffer | _Proto) -> dict[str, ValueInfo]: ...

def _cuda_unavailable_reason() -> str | None: ...

class CheckedIndices:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def device(self) -> str: ...
    @property
    def axis_sizes(self) -> tuple[int, ...]: ...
    @property
    def device_bytes(self) -> int: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> Literal[True]: ...

class Plan:
    @property
    def output_shape(self) -> tuple[int, ...]: ...
    def run(self, *operands: Any, out: Any = None) -> Any: ...

class _Edges:
    @property
    def count(self) -> int: ...
    @property
    def given_count(self) -> int: ...
    @property
    def source_size(self) -> int: ...
    @property
    def target_size(self) -> int: ...
    @property
    def sorted(self) -> bool: ...
    @property
    def nbytes(self) -> int: ...
    def sources(self) -> NDArray[np.int64]: ...
    def targets(self) -> NDArray[np.int64]: ...
    def numbers(self) -> NDArray[np.int64]: ...
    def reversed(self) -> _Edges: ...
    def move(self, values: _Operand, back: bool) -> Any: ...

def _edges(
    gather_index: _Indices,
    scatter_index: _Indices,
    source_size: int,
    target_size: int,
    out_of_bounds: str,
    negative_indices: str,
) -> _Edges: ...
def _edges_of_csr(row_start: _Indices, column: _Indices, source_size: int) -> _Edges: ...
def _edges_of_segments(row_start: _Indices) -> _Edges: ...
def _are_equal(kept: _Indices, index: _Indices) -> bool: ...
def _gather_scatter(
    data: _Operand,
    edges: _Edges,
    weight: _Operand | None,
    addend: _Operand | None,
    base: _Operand | None,
    out: _Array | None,
    relu: bool,
    reduction: str,
    acc_dtype: str,
    argmax: bool,
    sorted: bool,
) -> Any: ...
def _gather_scatter_once(
    data: _Operand,
    gather_index: _Indices,
    scatter_index: _Indices,
    size: int,
    out_of_bounds: str,
    negative_indices: str,
    weight: _Operand | None,
    addend: _Operand | None,
    base: _Operand | None,
    out: _Array | None,
    relu: bool,
    reduction: str,
    acc_dtype: str,
    argmax: bool,
    sorted: bool,
) -> Any: ...
def _gather_scatter_gradients(
    gradient: _Operand,
    data: _Operand,
    edges: _Edges,
    weight: _Operand | None,
    addend: _Operand | None,
    result: _Operand | None,
    relu: bool,
    reduction: str,
    acc_dtype: str,
    ties: str,
    wanted: list[bool],
) -> tuple[Any, Any, Any]: ...
def _edge_dot(one: _Operand, other: _Operand, edges: _Edges, heads: int) -> Any: ...

class DeferredErrors:
    def __init__(self) -> None: ...
    def ready(self) -> bool: ...
    def check(self) -> None: ...
    def wait(self) -> None: ...

class Model:
    @property
    def inputs(self) -> list[ValueInfo]: ...
    @property
    def outputs(self) -> list[ValueInfo]: ...
    @property
    def nodes(self) -> list[NodeInfo]: ...
    @property
    def opset(self) -> int: ...
    @property
    def ir_version(self) -> int: ...
    @property
    def unchecked(self) -> dict[str, int]: ...
    @property
    def sparse(self) -> tuple[str, ...]: ...
    def check(self) -> list[Violation]: ...
    def run(self, inputs: Mapping[str, _Operand]) -> dict[str, NDArray[Any]]: ...
    def _require_legal(self) -> None: ...
