"""Strew as an ONNX backend. It runs gathers, scatters, Constant and Identity on the CPU.

>>> import numpy as np, onnx.helper, strew
>>> node = onnx.helper.make_node("Gather", ["data", "indices"], ["rows"], axis=0)
>>> strew.onnx_backend.run_node(node, [np.array([5.0, 6.0, 7.0]), np.array([2, 0])]).rows
array([7., 5.])
"""

import onnx
from onnx import helper
from onnx.backend import base
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

from . import _errors, _strew
from ._models import infer_shapes, load_model

_IR_VERSION = 10


class UnsupportedModel(NotImplementedError, BackendIsNotSupposedToImplementIt):
    """The model has operators or versions that Strew does not support. ONNX's test runner skips such a model's test."""


class StrewBackendRep(base.BackendRep):
    """A model that is ready to run.

    Attributes
    ----------
    model : strew.Model
    """

    def __init__(self, model):
        self.model = model

    def run(self, inputs, **kwargs):
        """Run the model and return its outputs.

        Parameters
        ----------
        inputs : list, tuple or dict
            Arrays in the order of the graph inputs, or by name. A list has all inputs, or only the required ones.
        **kwargs
            Ignored.

        Returns
        -------
        named tuple of numpy.ndarray
            The graph outputs in order.
        """
        outputs = self.model.run(_by_name(self.model, inputs))
        names = [output.name for output in self.model.outputs]
        return base.namedtupledict("Outputs", names)(*(outputs[name] for name in names))


class StrewBackend(base.Backend):
    """ONNX's backend interface."""

    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        """Return whether Strew can run the model on the device."""
        try:
            cls.prepare(model, device, **kwargs)
        except (NotImplementedError, TypeError, ValueError, OSError):
            return False
        return True

    @classmethod
    def prepare(cls, model, device="CPU", *, allow_deprecated=False, **kwargs):
        """Load and check a model, and return it ready to run.

        Parameters
        ----------
        model : onnx.ModelProto, or anything that `strew.load_model` accepts
        device : str, default "CPU"
        allow_deprecated : bool, default False
            As for `strew.load_model`.
        **kwargs
            Ignored.

        Returns
        -------
        StrewBackendRep

        Raises
        ------
        UnsupportedModel
            If the model has operators that Strew does not support, or the device is not the CPU.
        TypeError, ValueError
            If the model is not legal.
        """
        if not cls.supports_device(device):
            raise UnsupportedModel(f"device {device} is not supported; strew runs on the CPU")
        try:
            loaded = load_model(model, allow_deprecated=allow_deprecated)
            loaded._compiled._require_legal()
        except NotImplementedError as error:
            raise _errors.as_type(UnsupportedModel, error) from None
        return StrewBackendRep(loaded)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, *, opset_version=None, **kwargs):
        """Run one node and return its outputs.

        Parameters
        ----------
        node : onnx.NodeProto
        inputs : list of array
            One array per named input of the node; or one per input, with None for omitted inputs.
        device : str, default "CPU"
        outputs_info : optional
            Ignored: types and shapes are inferred.
        opset_version : int, optional
            The default is the newest opset that both Strew and the package onnx know.
        **kwargs
            As for `prepare`.

        Returns
        -------
        named tuple of numpy.ndarray
        """
        if opset_version is None:
            opset_version = min(onnx.defs.onnx_opset_version(), _strew._NEWEST_OPSET)
        given = _inputs_of_node(node, inputs)
        model = _model_of(node, {name: _strew._element_type(array) for name, array in given.items()}, opset_version)
        return cls.prepare(model, device, **kwargs).run(given)

    @classmethod
    def supports_device(cls, device):
        """Return True for "CPU", with or without a device number."""
        return device.split(":")[0] == "CPU"


def _given(inputs):
    return "1 input is given" if len(inputs) == 1 else f"{len(inputs)} inputs are given"


def _by_name(model, inputs):
    if hasattr(inputs, "keys"):
        return inputs
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list, a tuple or a dict of arrays, not {type(inputs).__name__}")
    names = [value.name for value in model.inputs]
    required = [value.name for value in model.inputs if not value.optional]
    if len(inputs) not in (len(names), len(required)):
        raise ValueError(f"{_given(inputs)}; the model takes {len(names)}: {', '.join(names)}")
    return dict(zip(names if len(inputs) == len(names) else required, inputs, strict=True))


def _inputs_of_node(node, inputs):
    names = list(node.input)
    if len(inputs) != len(names):
        names = [name for name in names if name]
    if len(inputs) != len(names):
        raise ValueError(f"{_given(inputs)}; {node.op_type} has {len(names)}: {', '.join(names)}")
    return {name: array for name, array in zip(names, inputs, strict=True) if name}


def _model_of(node, element_types, opset_version):
    def model(outputs):
        graph = helper.make_graph([node], "node", inputs, outputs)
        opset = helper.make_operatorsetid("", opset_version)
        return helper.make_model(graph, ir_version=_IR_VERSION, opset_imports=[opset])

    inputs = [helper.make_tensor_value_info(name, type_, None) for name, type_ in element_types.items()]
    known = infer_shapes(model([]))
    return model(
        [
            helper.make_tensor_value_info(name, _strew._element_type(known[name].dtype or "float32"), None)
            for name in node.output
            if name
        ]
    )


is_compatible = StrewBackend.is_compatible
prepare = StrewBackend.prepare
run_model = StrewBackend.run_model
run_node = StrewBackend.run_node
supports_device = StrewBackend.supports_device
