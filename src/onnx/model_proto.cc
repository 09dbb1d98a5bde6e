// Reads a ModelProto. Field numbers are from onnx.proto.
#include "onnx/model_proto.h"

#include <utility>

#include "core/error.h"
#include "onnx/tensor_message.h"
#include "onnx/wire.h"

namespace strew {
namespace {

using Bytes = std::span<const std::byte>;

Result<Dim> read_dim(Bytes message, MemoryBudget&) {
  Dim dim;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) {  // value and symbol are alternatives; the last one counts
      dim.symbol.clear();
      return field.read(dim.value.emplace());
    }
    if (field.number != 2) return {};
    dim.value.reset();
    return field.read(dim.symbol);
  }));
  return dim;
}

Status read_tensor_type(Bytes message, ValueInfoProto& value, MemoryBudget& budget) {
  return for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(value.elem_type);
    if (field.number != 2) return {};
    Bytes shape;
    STREW_TRY(field.read(shape));
    auto& dims = value.shape.emplace();
    return for_each_field(shape, [&](const WireField& part) -> Status {
      return part.number == 1 ? append(part, dims, budget, read_dim) : Status();
    });
  });
}

Status read_type(const WireField& type, ValueInfoProto& value, MemoryBudget& budget) {
  Bytes message;
  STREW_TRY(type.read(message));
  return for_each_field(message, [&](const WireField& field) -> Status {
    // sequence, map, opaque, sparse tensor, optional
    const bool is_other = field.number == 4 || field.number == 5 || (field.number >= 7 && field.number <= 9);
    if (is_other) value.type = ValueInfoProto::Type::kOther;
    if (field.number != 1) return {};
    Bytes tensor;
    STREW_TRY(field.read(tensor));
    value.type = ValueInfoProto::Type::kTensor;
    return read_tensor_type(tensor, value, budget);
  });
}

Result<ValueInfoProto> read_value_info(Bytes message, MemoryBudget& budget) {
  ValueInfoProto value;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(value.name);
    return field.number == 2 ? read_type(field, value, budget) : Status();
  }));
  return value;
}

// Reads the dims of a SparseTensorProto, and the name and type of its values.
Result<ValueInfoProto> read_sparse_tensor(Bytes message, MemoryBudget& budget) {
  ValueInfoProto tensor;
  tensor.type = ValueInfoProto::Type::kTensor;
  auto& dims = tensor.shape.emplace();
  const Status read = for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 3) {
      std::vector<std::int64_t> values;
      STREW_TRY(append_values(field, values, budget));
      STREW_TRY(budget.take(values.size() * sizeof(Dim)));
      for (const std::int64_t value : values) dims.emplace_back().value = value;
      return {};
    }
    Bytes values;
    if (field.number == 1) STREW_TRY(field.read(values));
    return for_each_field(values, [&](const WireField& part) -> Status {
      if (part.number == kDataType) return part.read(tensor.elem_type);
      return part.number == kTensorName ? part.read(tensor.name) : Status();
    });
  });
  if (!read) return fail(read.error());
  return tensor;
}

Result<OpsetImport> read_opset_import(Bytes message, MemoryBudget&) {
  OpsetImport entry;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(entry.domain);
    if (field.number == 2) return field.read(entry.version);
    return {};
  }));
  return entry;
}

Result<GraphProto> read_graph(Bytes message, MemoryBudget& budget) {
  GraphProto graph;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return append(field, graph.nodes, budget, read_node);
    if (field.number == 5) return append(field, graph.initializers, budget);
    if (field.number == 11) return append(field, graph.inputs, budget, read_value_info);
    if (field.number == 12) return append(field, graph.outputs, budget, read_value_info);
    if (field.number == 13) return append(field, graph.value_infos, budget, read_value_info);
    if (field.number == 15) return append(field, graph.sparse_initializers, budget, read_sparse_tensor);
    return {};
  }));
  return graph;
}

Status read_own_graph(const WireField& field, ModelProto& model, MemoryBudget& budget) {
  if (model.graph) return fail(ErrorCode::kInvalidModel, "there are two graphs");
  Bytes message;
  STREW_TRY(field.read(message));
  STREW_ASSIGN(model.graph, read_graph(message, budget));
  return {};
}

// Inputs and outputs of a function are only names.
Status append_name(const WireField& field, std::vector<ValueInfoProto>& to, MemoryBudget& budget) {
  STREW_TRY(budget.take(sizeof(ValueInfoProto)));
  return field.read(to.emplace_back().name);
}

Result<InnerGraphProto> read_function(Bytes message, MemoryBudget& budget) {
  InnerGraphProto function;
  function.is_function = true;
  std::string domain;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(function.name);
    if (field.number == 4) return append_name(field, function.graph.inputs, budget);
    if (field.number == 5) return append_name(field, function.graph.outputs, budget);
    if (field.number == 7) return append(field, function.graph.nodes, budget, read_node);
    if (field.number == 9) return append(field, function.opset_imports, budget, read_opset_import);
    if (field.number == 10) return field.read(domain);
    if (field.number == 12) return append(field, function.graph.value_infos, budget, read_value_info);
    return {};
  }));
  if (!domain.empty()) function.name = concat(domain, '.', function.name);
  return function;
}

// Reads nested graphs into one list without recursion.
class InnerGraphs {
 public:
  InnerGraphs(ModelProto& model, MemoryBudget& budget)
      : model_(model), budget_(budget), depths_(model.inner.size(), 1) {}

  Status read() {
    if (model_.graph) STREW_TRY(read_attributes(std::nullopt));
    for (std::size_t i = 0; i < model_.inner.size(); ++i) STREW_TRY(read_attributes(i));
    return {};
  }

 private:
  static constexpr int kDeepest = 64;

  const GraphProto& graph(std::optional<std::size_t> at) const {
    return at ? model_.inner[*at].graph : *model_.graph;
  }

  // Uses indices, not references, since the list grows during the loop.
  Status read_attributes(std::optional<std::size_t> outer) {
    for (std::size_t n = 0; n < graph(outer).nodes.size(); ++n) {
      for (std::size_t a = 0; a < graph(outer).nodes[n].attributes.size(); ++a) {
        STREW_TRY(read_attribute(outer, n, a));
      }
    }
    return {};
  }

  Status read_attribute(std::optional<std::size_t> outer, std::size_t node, std::size_t at) {
    const int depth = outer ? depths_[*outer] + 1 : 1;
    const AttributeProto& attribute = graph(outer).nodes[node].attributes[at];
    const std::vector<Bytes> messages = attribute.graphs;
    const std::string name = attribute.name;
    for (const Bytes message : messages) {
      if (depth > kDeepest) {
        return fail(ErrorCode::kUnsupported, "graphs are nested more than ", kDeepest, " levels deep");
      }
      STREW_TRY(budget_.take(sizeof(InnerGraphProto)));
      STREW_ASSIGN(auto&& inner, read_graph(message, budget_));
      model_.inner.push_back({std::move(inner), name, outer, node, false, {}});
      depths_.push_back(depth);
    }
    return {};
  }

  ModelProto& model_;
  MemoryBudget& budget_;
  std::vector<int> depths_;  // depth of each graph of `inner`
};

}  // namespace

Result<ModelProto> read_model_proto(Bytes message) {
  ModelProto model;
  MemoryBudget budget;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(model.ir_version);
    if (field.number == 7) return read_own_graph(field, model, budget);
    if (field.number == 8) return append(field, model.opset_imports, budget, read_opset_import);
    if (field.number == 25) return append(field, model.inner, budget, read_function);
    return {};
  }));
  STREW_TRY(InnerGraphs(model, budget).read());
  return model;
}

}  // namespace strew
