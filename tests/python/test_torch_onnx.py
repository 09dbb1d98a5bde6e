"""`torch.onnx.export` writes the operators of `strew.torch` as ONNX operators, and `strew.load_model` runs them."""

import pytest
import strew
import strew.torch as st
from support import refuses
import torch
from torch_support import ELEMENTS

pytestmark = pytest.mark.filterwarnings("ignore")

ROWS = torch.tensor([[0], [0], [2]])
DATA, UPDATES = torch.arange(12.0).view(3, 4), -torch.ones(3, 4)
CACHE = DATA[None], UPDATES[None, :2], torch.tensor([2])

MODULES = {
    "Gather": (lambda x, i: st.gather(x, i, 1), (DATA, ELEMENTS)),
    "GatherElements": (lambda x, i: st.gather_elements(x, i, 1), (DATA, ELEMENTS.int())),
    "GatherND": (lambda x, i: st.gather_nd(x, i, 1), (DATA, ROWS)),
    "ScatterElements": (lambda x, i, u: st.scatter_elements(x, i, u, 1, "add"), (DATA, ELEMENTS, -torch.ones(3, 3))),
    "ScatterND": (lambda x, i, u: st.scatter_nd(x, i, u, "max"), (DATA, ROWS, UPDATES)),
    "TensorScatter": (lambda x, u, i: st.tensor_scatter(x, u, i, 1, "circular"), CACHE),
}


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *operands):
        return self.function(*operands)


def exported(function, operands):
    return torch.onnx.export(
        Module(function).eval(), operands, custom_translation_table=st.onnx_translation, opset_version=24, verbose=False
    ).model_proto


@pytest.mark.parametrize("operator", MODULES)
def test_an_exported_module_gives_the_same_where_it_is_loaded(operator):
    function, operands = MODULES[operator]
    proto = exported(function, operands)
    assert [node.op_type for node in proto.graph.node] == [operator]
    model = strew.load_model(proto)
    given = {info.name: operand for info, operand in zip(model.inputs, operands, strict=True)}
    (result,) = model.run(given).values()
    assert torch.equal(torch.as_tensor(result), function(*operands))


def test_indices_of_types_that_onnx_lacks_are_converted():
    proto = exported(lambda x, i: st.gather(x, i), (DATA, torch.tensor([2, 0], dtype=torch.uint8)))
    assert [node.op_type for node in proto.graph.node] == ["Cast", "Gather"]


@pytest.mark.parametrize(
    "attribute, call",
    [
        ("out_of_bounds='fill'", lambda x, i: st.gather(x, i, out_of_bounds="fill")),
        ("alpha=2", lambda x, i: st.scatter_elements(x, i[:, None], 1.0, 0, "add", alpha=2)),
        ("out_of_bounds='drop'", lambda x, i: st.scatter_nd(x, i[:, None], 1.0, out_of_bounds="drop")),
        ("reject_duplicates=True", lambda x, i: st.scatter_nd(x, i[:, None], 1.0, reject_duplicates=True)),
    ],
)
def test_what_onnx_lacks_is_not_exported(attribute, call):
    causes = [refuses(Exception, "Failed to", exported, call, (DATA, torch.tensor([2, 0])))]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    assert any(f"ONNX has no equivalent of {attribute}" in str(cause) for cause in causes)


def test_there_is_an_entry_for_each_operator_that_returns_its_result():
    names = {str(operator).split(".")[1] for operator in st.onnx_translation}
    assert names == {operator.function for operator in strew.operators.values()}
