"""Load, check and run ONNX models, and infer their shapes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _strew
from ._arguments import as_flag, taking_one_dict
from ._errors import MadeByInit, wrong_type, wrong_value
from ._model_info import NodeInfo, ValueInfo, Violation

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Buffer

    from ._strew import _Operand, _Path, _Proto


class Model(MadeByInit):
    """A loaded ONNX model, made by `strew.load_model`. It never changes; many threads may run it at once.

    Models can be pickled, to send them to worker processes. The pickle of a model from a file contains the file's path:
    unpickling reads the file and its external data again. The pickle of a model from memory contains the model's bytes,
    which stay in memory for this purpose; unpickling reads external data from `external_data_dir` again. `copy.copy`
    returns the model itself.

    Examples
    --------
    >>> import onnx.parser, strew
    >>> model = strew.load_model(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
    ...     rows (float[N, 2] data, int64[K] indices) => (float[K, 2] picked) { picked = Gather(data, indices) }'''))
    >>> model.inputs[0]
    ValueInfo(name='data', dtype='float32', shape=('N', 2), optional=False)
    >>> model.nodes[0].op_type, model.nodes[0].since_version, model.opset
    ('Gather', 13, 18)
    """

    __slots__ = ("__weakref__", "_compiled", "_options", "_source")

    def __init__(self, source: _Path | Buffer | _Proto, options: dict[str, Any] | None = None) -> None:
        if options is None:
            raise wrong_type("Model", "options", "only strew.load_model creates a Model")
        image: Any = source
        if not _is_path(image) and hasattr(image, "SerializeToString"):
            image = image.SerializeToString()
        self._compiled = _strew._load(image, **options)
        self._source = _absolute(image) if _is_path(image) else bytes(image)
        self._options = {name: _absolute(value) for name, value in options.items()}

    @property
    def inputs(self) -> list[ValueInfo]:
        """Inputs that a caller can provide, as a list of ValueInfo."""
        return self._compiled.inputs

    @property
    def outputs(self) -> list[ValueInfo]:
        """Graph outputs as declared, as a list of ValueInfo."""
        return self._compiled.outputs

    @property
    def nodes(self) -> list[NodeInfo]:
        """Nodes in graph order, as a list of NodeInfo."""
        return self._compiled.nodes

    @property
    def ir_version(self) -> int:
        """IR version of the model."""
        return self._compiled.ir_version

    @property
    def opset(self) -> int:
        """Opset of the default domain."""
        return self._compiled.opset

    @property
    def unchecked(self) -> dict[str, int]:
        """Number of nodes that Strew can neither check nor run, by operator, most frequent first.

        `check` ignores these nodes, and `run` rejects a model that has any.

        Examples
        --------
        >>> import onnx.parser, strew
        >>> model = strew.load_model(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
        ...     rows (float[N, 2] table, int64[K] ids) => (float[K, 2] y)
        ...     { picked = Gather(table, ids)
        ...       y = Relu(picked) }'''))
        >>> model.check(), model.unchecked
        ([], {'Relu': 1})
        """
        return self._compiled.unchecked

    @property
    def sparse(self) -> tuple[str, ...]:
        """Names of sparse tensors: initializers, and outputs of Constants with a sparse_value.

        `check` uses only the types and shapes of these tensors, and `run` rejects a model that has any.
        """
        return self._compiled.sparse

    def check(self, *, infer: bool = False) -> list[Violation]:
        """Return the errors in the model's gathers and scatters.

        The check tests every rule that can be decided without running the model. It infers types and shapes of the
        results of element-wise operators, Cast, Concat, Reshape to a constant shape, Shape, Transpose, Where and the
        operators that Strew runs. For results of other operators, it uses the type and shape that value_info declares.
        Subgraphs (the bodies of If, Loop and Scan) and functions are checked as well.

        Parameters
        ----------
        infer : bool, default False
            First infer the output shapes of all operators with ``onnx.shape_inference``, without reading external data.

        Returns
        -------
        list of Violation
            Named tuples with the node's name and a message; empty if the model is legal.

        Raises
        ------
        ModuleNotFoundError
            With `infer`, if the package onnx is not installed.
        ValueError
            With `infer`, if the package onnx rejects a node.

        Examples
        --------
        >>> import onnx.parser, strew
        >>> model = strew.load_model(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 16]>
        ...     largest (float[N] data, int64[K, 1] slots, float[K] updates) => (float[N] result)
        ...     { result = ScatterND <reduction = "max"> (data, slots, updates) }'''))
        >>> print(model.check()[0].message)
        node #0 (ScatterND-16): reduction 'max' needs opset 18 or newer
        """
        return (self._inferred() if as_flag("check", "infer", infer) and self.unchecked else self._compiled).check()

    def _inferred(self) -> Any:
        """Return the model with all shapes that the package onnx can infer."""
        try:
            import onnx.shape_inference
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"check: infer needs the package onnx: pip install onnx ({error})") from error
        options = self._options
        if isinstance(self._source, bytes):
            proto = onnx.load_from_string(self._source)
        else:
            proto = onnx.load(self._source, load_external_data=False)
            options = options | {"external_data_dir": os.path.dirname(self._source)}
        try:
            inferred = onnx.shape_inference.infer_shapes(proto, data_prop=True)
        except onnx.shape_inference.InferenceError as error:
            raise wrong_value("check", None, f"onnx.shape_inference rejects the model: {error}") from error
        return _strew._load(inferred.SerializeToString(), **options)

    @taking_one_dict
    def run(self, inputs: Mapping[str, _Operand]) -> dict[str, NDArray[Any]]:
        """Run the model and return its outputs by name.

        Parameters
        ----------
        inputs : dict of str to array
            Inputs by name; optional inputs may be omitted. NumPy, PyTorch and JAX arrays are read in place, except
            strings and 2-bit and 4-bit types, which are copied. Sequences and scalars are converted to the declared
            type.

        Returns
        -------
        dict of str to numpy.ndarray
            The graph outputs in order. String tensors are object arrays of str; a string that is not UTF-8 is bytes.

        Raises
        ------
        IndexError
            If an index is out of range.
        TypeError, ValueError, NotImplementedError
            If an input does not match its declaration, or if the model is not legal (`check` returns all errors), has
            nodes that Strew cannot run (`unchecked` counts them) or has sparse tensors (`sparse` names them).

        Examples
        --------
        >>> import numpy as np, onnx.parser, strew
        >>> model = strew.load_model(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
        ...     sums (float[N] data, int64[K, 1] slots, float[K] updates) => (float[N] total)
        ...     { total = ScatterND <reduction = "add"> (data, slots, updates) }'''))
        >>> model.run({"data": np.zeros(3, np.float32), "slots": [[0], [2], [2]], "updates": [1, 2, 3]})
        {'total': array([1., 0., 5.], dtype=float32)}
        """
        return self._compiled.run(inputs)

    def __repr__(self) -> str:
        return repr(self._compiled)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self._source, self._options)

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


def _absolute(option: Any) -> Any:
    return os.path.abspath(os.fsdecode(option)) if _is_path(option) else option


def load_model(
    path_or_bytes: _Path | Buffer | _Proto,
    *,
    allow_deprecated: bool = False,
    external_data_dir: _Path | None = None,
    links_within: _Path | None = None,
) -> Model:
    """Load an ONNX model, to check it, or to run it if all its nodes are gathers, scatters, Constant or Identity.

    A well-formed but illegal model loads; `Model.check` returns its errors, and `Model.run` rejects it.

    Parameters
    ----------
    path_or_bytes : str, os.PathLike, bytes-like or onnx.ModelProto
        A str is the path of a file. External data files over 1 MiB are memory-mapped: if another process truncates such
        a file while the model is in use, the system kills this process.
    allow_deprecated : bool, default False
        Run the deprecated Scatter of opset 11 and later as ScatterElements instead of rejecting it.
    external_data_dir : str or os.PathLike, optional
        Folder with the external data of a model from memory. A model from a file uses the file's folder.
    links_within : str or os.PathLike, optional
        Follow symbolic links to external data if they stay within this folder, which must contain the model's folder.
        Download caches that store models as links need this. By default every link is rejected.

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        If the model is malformed.
    OSError
        If a file cannot be read; FileNotFoundError if it does not exist.

    Examples
    --------
    >>> import onnx.parser, strew
    >>> proto = onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
    ...     rows (float[N, 2] data, int64[K] indices) => (float[K, 2] picked) { picked = Gather(data, indices) }''')
    >>> model = strew.load_model(proto)
    >>> model
    strew.Model(opset 18, 1 node: (data: float32 [N, 2], indices: int64 [K]) -> (picked: float32 [K, 2]))
    >>> model.run({"data": [[1, 2], [3, 4]], "indices": [1, 0, 1]})["picked"]
    array([[3., 4.],
           [1., 2.],
           [3., 4.]], dtype=float32)
    """
    options = {
        "allow_deprecated": as_flag("load_model", "allow_deprecated", allow_deprecated),
        "external_data_dir": external_data_dir,
        "links_within": links_within,
    }
    return Model(path_or_bytes, options)


def infer_shapes(model: Model | _Path | Buffer | _Proto) -> dict[str, ValueInfo]:
    """Return the type and shape of every value of a model, as far as they can be inferred.

    Parameters
    ----------
    model : Model, str, os.PathLike, bytes-like or onnx.ModelProto

    Returns
    -------
    dict of str to ValueInfo
        Inputs, outputs, and the values between nodes, by name. Symbolic dimensions keep their names; unknown types
        and shapes are None. The model may be illegal; `Model.check` returns its errors.

    Raises
    ------
    ValueError, OSError
        As for `load_model`.

    Examples
    --------
    >>> import onnx.parser, strew
    >>> known = strew.infer_shapes(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
    ...     twice (float[N, M] data, int64[K] indices) => (float[A, B] out)
    ...     { rows = Gather(data, indices)
    ...       out = Gather <axis = 1> (rows, indices) }'''))
    >>> known["rows"]
    ValueInfo(name='rows', dtype='float32', shape=('K', 'M'), optional=False)
    """
    return _strew._infer_shapes(model._compiled if isinstance(model, Model) else model)
