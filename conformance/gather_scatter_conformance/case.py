"""One case: a model of one node, its inputs, and the expected output or rejection."""

import dataclasses
import json

import numpy as np
from onnx import TensorProto, helper

from . import arrays, rules
from .standard import INDICES


def path_of(kind, operator, since, rule, name):
    """Return the folder of a case: "legal" or "illegal", operator and version, rule, name."""
    return f"{kind}/{operator}-{since}/{rule}/{name}"


@dataclasses.dataclass(frozen=True)
class Case:
    """A case. `inputs` are arrays by name, None for an omitted optional input. An illegal case has no `output`: it must
    be rejected when the model is checked (`refused` is "check"; a later rejection counts too) or when it runs ("run").
    `compare` is "bits", "values" or a relative tolerance. If `symbolic`, the model declares no sizes. `constants` are
    inputs stored in the model, in the encoding of their TensorProto if there is one. `declared` is a wrong
    (type, shape) declared for the output. `recipe` is code that creates inputs that are too large to print.
    """

    operator: str
    since: int
    opset: int
    rule: str
    name: str
    inputs: dict
    attributes: dict
    output: np.ndarray | None = None
    refused: str | None = None
    compare: str | float = "bits"
    symbolic: bool = False
    constants: dict = dataclasses.field(default_factory=dict)
    empty_name: bool = False
    also_data: bool = False
    declared: tuple | None = None
    why: str = ""
    recipe: str = ""

    @property
    def path(self):
        """The folder of the case. Legal cases, which are plain backend tests, are in a folder without illegal cases."""
        return path_of("illegal" if self.refused else "legal", self.operator, self.since, self.rule, self.name)

    @property
    def feeds(self):
        """The inputs that are not in the model."""
        return {name: array for name, array in self.inputs.items() if array is not None and name not in self.constants}

    @property
    def outputs(self):
        """The outputs in the order of the graph."""
        if self.output is None:
            return []
        first = next(iter(self.inputs.values()))
        return [self.output, first] if self.also_data else [self.output]

    def facts(self):
        """Return the entry of the case in cases.json."""
        said_by, sentence = rules.decided(self.rule, self.operator, self.since)
        facts = {
            "operator": self.operator,
            "since_version": self.since,
            "opset": self.opset,
            "rule": self.rule,
            "policies": list(rules.RULES[self.rule].policies),
            "said_by": said_by,
            "sentence": sentence,
            "expect": f"refused at {self.refused}" if self.refused else "output",
        }
        if not self.refused:
            facts["compare"] = self.compare if isinstance(self.compare, str) else {"rtol": self.compare}
        if self.why:
            facts["note"] = self.why
        return facts

    def model(self):
        """Return the model, with the same bytes every time."""
        names = [name if array is not None else "" for name, array in self.inputs.items()]
        while names and not names[-1] and not self.empty_name:
            names.pop()
        node = helper.make_node(self.operator, names, ["output"], **self.attributes)
        values = [
            helper.make_tensor_value_info(name, arrays.element_type(array), self._dims(name, array))
            for name, array in self.feeds.items()
        ]
        first = next(iter(self.inputs.values()))
        nodes, outputs = [node], [self._output_info(first)]
        if self.also_data:
            nodes.append(helper.make_node("Identity", [names[0]], ["data_again"]))
            outputs.append(helper.make_tensor_value_info("data_again", arrays.element_type(first), first.shape))
        initializers = [
            proto if isinstance(proto, TensorProto) else arrays.to_tensor(self.inputs[name], name)
            for name, proto in self.constants.items()
        ]
        graph = helper.make_graph(nodes, f"{self.operator}-{self.since}", values, outputs, initializers)
        opsets = [helper.make_opsetid("", self.opset)]
        # An initializer that is not a graph input needs IR version 4.
        ir_version = max(helper.find_min_ir_version_for(opsets, ignore_unknown=True), 4 if initializers else 3)
        model = helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)
        model.producer_name = "onnx-gather-scatter-conformance"
        return model

    def _dims(self, name, array):
        return [f"{name}_{axis}" for axis in range(array.ndim)] if self.symbolic else array.shape

    def _output_info(self, first):
        if self.declared:
            return helper.make_tensor_value_info("output", *self.declared)
        if self.output is not None and not self.symbolic:
            return helper.make_tensor_value_info("output", arrays.element_type(self.output), self.output.shape)
        known = self.output is not None
        shape = self.output.shape if known else output_shape(self.operator, self.inputs, self.attributes)
        return helper.make_tensor_value_info("output", arrays.element_type(first), [None] * len(shape))

    def write(self, root):
        folder = root / self.path
        data = folder / "test_data_set_0"
        data.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(self.model().SerializeToString(deterministic=True))
        for position, (name, array) in enumerate(self.feeds.items()):
            write_tensor(data / f"input_{position}.pb", arrays.to_tensor(array, name))
        for position, array in enumerate(self.outputs):
            write_tensor(data / f"output_{position}.pb", arrays.to_tensor(array, ["output", "data_again"][position]))
        if self.refused:
            (folder / "expect_error.txt").write_text(self.operator + "\n")
        elif not isinstance(self.compare, str):
            (folder / "data.json").write_text(json.dumps({"rtol": self.compare, "atol": 0.0}) + "\n")


def output_shape(operator, inputs, attributes):
    """Return the shape of the output; for illegal input a plausible shape, for which memory is allocated."""
    first, indices = next(iter(inputs.values())), inputs.get(INDICES[operator])
    if operator == "GatherElements":
        return indices.shape
    if operator == "Gather":
        axis = attributes.get("axis", 0)
        axis = axis % max(first.ndim, 1) if isinstance(axis, int) else 0
        return first.shape[:axis] + indices.shape + first.shape[axis + 1 :]
    if operator == "GatherND":
        k = indices.shape[-1] if indices.ndim else 1
        return indices.shape[:-1] + first.shape[max(int(attributes.get("batch_dims", 0)), 0) + k :]
    return first.shape


def write_tensor(path, tensor):
    path.write_bytes(tensor.SerializeToString(deterministic=True))
