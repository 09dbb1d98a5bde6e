// Docstrings of models, in NumPy's layout. Their examples are run by tests/python/test_models.py.
#pragma once

namespace strew::python {

inline constexpr char kLoadDoc[] = R"(Load an ONNX model of gathers, scatters, Constant and Identity.

A model that is well-formed but not legal loads; `Model.check` says what is wrong with it, and `Model.run` refuses it.

Parameters
----------
path_or_bytes : str, os.PathLike, bytes-like or onnx.ModelProto
    A str is a path. Large initializers of a file are mapped, not read.
allow_deprecated : bool, default False
    Run the deprecated Scatter of opset 11 and later as ScatterElements instead of refusing it.
external_data_dir : str or os.PathLike, optional
    Where external data of a model from memory lie. Those of a file lie beside it.
max_dense_bytes : int, default 2**30
    Sparse initializers are made dense up to this size.
links_within : str or os.PathLike, optional
    Follow symbolic links to external data that stay beneath this folder, which must hold the model's. For caches that
    link models to their blobs. By default every link is refused.

Returns
-------
Model

Raises
------
ValueError
    If it is not a readable ONNX model.
OSError
    If a file cannot be read; FileNotFoundError if there is none.

Examples
--------
>>> import onnx.parser, strew
>>> proto = onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
...     rows (float[N, 2] data, int64[K] indices) => (float[K, 2] picked) { picked = Gather(data, indices) }''')
>>> model = strew.load(proto)
>>> model
strew.Model(opset 18, 1 node: (data: float32 [N, 2], indices: int64 [K]) -> (picked: float32 [K, 2]))
>>> model.run({"data": [[1, 2], [3, 4]], "indices": [1, 0, 1]})["picked"]
array([[3., 4.],
       [1., 2.],
       [3., 4.]], dtype=float32)
)";

inline constexpr char kModelDoc[] =
    R"(A loaded ONNX model, made by `strew.load`. It never changes; many threads may run it at once.

Examples
--------
>>> import onnx.parser, strew
>>> model = strew.load(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
...     rows (float[N, 2] data, int64[K] indices) => (float[K, 2] picked) { picked = Gather(data, indices) }'''))
>>> model.inputs[0]
ValueInfo(name='data', dtype='float32', shape=('N', 2), optional=False)
>>> model.nodes[0].op_type, model.nodes[0].since_version, model.opset
('Gather', 13, 18)
)";

inline constexpr char kCheckDoc[] = R"(Say what is wrong with the model.

Types and shapes are inferred through all nodes, and every rule that can be decided without running is held against
them.

Returns
-------
list of Violation
    Named tuples of the node's name and a message; empty where the model is legal.

Examples
--------
>>> import onnx.parser, strew
>>> model = strew.load(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 16]>
...     largest (float[N] data, int64[K, 1] slots, float[K] updates) => (float[N] result)
...     { result = ScatterND <reduction = "max"> (data, slots, updates) }'''))
>>> print(model.check()[0].message)
node #0 (ScatterND-16): reduction 'max' needs opset 18 or newer
)";

inline constexpr char kRunDoc[] = R"(Run the model.

Parameters
----------
inputs : dict of str to array
    By the names of the inputs; all that are not optional, and no others. NumPy, PyTorch and JAX arrays are read where
    they lie, but strings and types of 2 and 4 bits are copied. Sequences and scalars take the declared type.

Returns
-------
dict of str to numpy.ndarray
    The graph outputs in order. Strings are object arrays of str; one that is not UTF-8 is bytes.

Raises
------
IndexError
    If an index is out of range.
TypeError, ValueError, NotImplementedError
    If an input is not what the model declares, or the model is not legal (`check` says all that is wrong with it).

Examples
--------
>>> import numpy as np, onnx.parser, strew
>>> model = strew.load(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
...     sums (float[N] data, int64[K, 1] slots, float[K] updates) => (float[N] total)
...     { total = ScatterND <reduction = "add"> (data, slots, updates) }'''))
>>> model.run({"data": np.zeros(3, np.float32), "slots": [[0], [2], [2]], "updates": [1, 2, 3]})
{'total': array([1., 0., 5.], dtype=float32)}
)";

inline constexpr char kInferShapesDoc[] = R"(Infer the type and shape of every value of a model.

Parameters
----------
model : Model, str, os.PathLike, bytes-like or onnx.ModelProto

Returns
-------
dict of str to ValueInfo
    By name: inputs, what the nodes read and make, outputs. Symbols are kept. Of a model that is not legal what is known;
    `Model.check` says what is wrong with it.

Raises
------
ValueError, OSError
    As `load` does.

Examples
--------
>>> import onnx.parser, strew
>>> known = strew.infer_shapes(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
...     twice (float[N, M] data, int64[K] indices) => (float[A, B] out)
...     { rows = Gather(data, indices)
...       out = Gather <axis = 1> (rows, indices) }'''))
>>> known["rows"]
ValueInfo(name='rows', dtype='float32', shape=('K', 'M'), optional=False)
)";

}  // namespace strew::python
