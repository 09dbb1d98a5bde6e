"""Strew's operators for the reference evaluator of the package onnx.

>>> import numpy as np, onnx.parser, onnx.reference, strew
>>> model = onnx.parser.parse_model('''<ir_version: 8, opset_import: ["" : 18]>
...     g (float[N] x, int64[K] i) => (float[K] y) { z = Gather(x, i)
...                                                  y = Neg(z) }''')
>>> evaluator = onnx.reference.ReferenceEvaluator(model, new_ops=strew.reference_ops)
>>> evaluator.run(None, {"x": np.array([5, 6], np.float32), "i": np.array([1, -2])})
[array([-6., -5.], dtype=float32)]
"""

from onnx.reference.op_run import OpRun

from . import _strew


class _StrewOp(OpRun):
    """A node that Strew runs by the rules of the operator's version in the model's opset."""

    def _run(self, *inputs, **attributes):
        # The evaluator adds defaults of all attributes of the newest version, some of which an older version may lack.
        present = {attribute.name: attributes[attribute.name] for attribute in self.onnx_node.attribute}
        opset = self.run_params["opsets"][self.onnx_node.domain]
        return (_strew._run_node(self.onnx_node.op_type, opset, inputs, present),)


# The evaluator finds operators by their classes' names.
reference_ops = [
    type(op_type, (_StrewOp,), {"__doc__": f"ONNX {op_type}, every version, run by Strew."})
    for op_type in ("Scatter", *(operator["op_type"] for operator in _strew._operators()))
]
