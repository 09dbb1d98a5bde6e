// Reading a ModelProto. Field numbers are those of onnx.proto.
#include "onnx/model_proto.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "onnx/wire.h"

namespace strew {
namespace {

using Bytes = std::span<const std::byte>;

// What the structs may still take. Two bytes of a file can stand for a node of some hundred.
class Room {
 public:
  Status take(std::size_t bytes) {
    if (bytes > left_) {
      return fail(ErrorCode::kUnsupported, "its nodes, names and types take more than ", kLargestGraph, " bytes");
    }
    left_ -= bytes;
    return {};
  }

 private:
  static constexpr std::size_t kLargestGraph = std::size_t{64} << 20;
  std::size_t left_ = kLargestGraph;
};

// Reads the sub-message of a field with `read` and puts the result at the end of `to`.
template <class T>
Status append(const WireField& field, std::vector<T>& to, Room& room, Result<T> (*read)(Bytes, Room&)) {
  Bytes message;
  STREW_TRY(room.take(sizeof(T)));
  STREW_TRY(field.read(message));
  auto value = read(message, room);
  if (!value) return fail(std::move(value).error());
  to.push_back(std::move(*value));
  return {};
}

// A string or the bytes of a message.
template <class T>
Status append(const WireField& field, std::vector<T>& to, Room& room) {
  STREW_TRY(room.take(sizeof(T) + field.bytes.size() * std::is_same_v<T, std::string>));
  return field.read(to.emplace_back());
}

template <class T>
Status append_values(const WireField& field, std::vector<T>& to, Room& room) {
  const auto count = field.value_count<T>();
  if (!count) return fail(count.error());
  STREW_TRY(room.take(static_cast<std::size_t>(*count) * sizeof(T)));
  return field.for_each_value<T>([&](T value) { to.push_back(value); });
}

AttributeKind kind_of_field(std::uint32_t number) noexcept {
  switch (number) {
    case 2:
      return AttributeKind::kFloat;
    case 3:
      return AttributeKind::kInt;
    case 4:
      return AttributeKind::kString;
    case 5:
      return AttributeKind::kTensor;
    case 6:
      return AttributeKind::kGraph;
    case 7:
      return AttributeKind::kFloats;
    case 8:
      return AttributeKind::kInts;
    case 9:
      return AttributeKind::kStrings;
    case 10:
      return AttributeKind::kTensors;
    case 11:
      return AttributeKind::kGraphs;
    case 14:
      return AttributeKind::kType;
    case 15:
      return AttributeKind::kTypes;
    case 22:
      return AttributeKind::kSparseTensor;
    case 23:
      return AttributeKind::kSparseTensors;
    default:
      return AttributeKind::kUndefined;
  }
}

Result<AttributeProto> read_attribute(Bytes message, Room& room) {
  AttributeProto attribute;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    const AttributeKind kind = kind_of_field(field.number);
    if (kind != AttributeKind::kUndefined && std::ranges::find(attribute.fields, kind) == attribute.fields.end()) {
      attribute.fields.push_back(kind);
    }
    switch (field.number) {
      case 1:
        return field.read(attribute.name);
      case 2:
        return field.read(attribute.f);
      case 3:
        return field.read(attribute.i);
      case 4:
        return field.read(attribute.s);
      case 5:
        return field.read(attribute.t);
      case 7:
        return append_values(field, attribute.floats, room);
      case 8:
        return append_values(field, attribute.ints, room);
      case 9:
        return append(field, attribute.strings, room);
      case 20:
        return field.read(attribute.type);
      case 21:
        return field.read(attribute.ref_attr_name);
      case 22:
        return field.read(attribute.sparse_tensor);
      default:
        return {};
    }
  }));
  return attribute;
}

Result<NodeProto> read_node(Bytes message, Room& room) {
  NodeProto node;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    switch (field.number) {
      case 1:
        return append(field, node.inputs, room);
      case 2:
        return append(field, node.outputs, room);
      case 3:
        return field.read(node.name);
      case 4:
        return field.read(node.op_type);
      case 5:
        return append(field, node.attributes, room, read_attribute);
      case 7:
        return field.read(node.domain);
      default:
        return {};
    }
  }));
  return node;
}

Result<Dim> read_dim(Bytes message, Room&) {
  Dim dim;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    switch (field.number) {
      case 1:  // value and symbol are alternatives: the last one counts
        dim.symbol.clear();
        return field.read(dim.value.emplace());
      case 2:
        dim.value.reset();
        return field.read(dim.symbol);
      default:
        return {};
    }
  }));
  return dim;
}

Status read_tensor_type(Bytes message, ValueInfoProto& value, Room& room) {
  return for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(value.elem_type);
    if (field.number != 2) return {};
    Bytes shape;
    STREW_TRY(field.read(shape));
    auto& dims = value.shape.emplace();
    return for_each_field(shape, [&](const WireField& part) -> Status {
      return part.number == 1 ? append(part, dims, room, read_dim) : Status();
    });
  });
}

Status read_type(const WireField& type, ValueInfoProto& value, Room& room) {
  Bytes message;
  STREW_TRY(type.read(message));
  return for_each_field(message, [&](const WireField& field) -> Status {
    switch (field.number) {
      case 1: {
        Bytes tensor;
        STREW_TRY(field.read(tensor));
        value.type = ValueInfoProto::Type::kTensor;
        return read_tensor_type(tensor, value, room);
      }
      case 4:  // sequence, map, opaque, sparse tensor, optional
      case 5:
      case 7:
      case 8:
      case 9:
        value.type = ValueInfoProto::Type::kOther;
        return {};
      default:
        return {};
    }
  });
}

Result<ValueInfoProto> read_value_info(Bytes message, Room& room) {
  ValueInfoProto value;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(value.name);
    return field.number == 2 ? read_type(field, value, room) : Status();
  }));
  return value;
}

Result<OpsetImport> read_opset_import(Bytes message, Room&) {
  OpsetImport entry;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    switch (field.number) {
      case 1:
        return field.read(entry.domain);
      case 2:
        return field.read(entry.version);
      default:
        return {};
    }
  }));
  return entry;
}

Status read_graph(const WireField& parent, std::optional<GraphProto>& to, Room& room) {
  if (to) return fail(ErrorCode::kInvalidModel, "there are two graphs");
  Bytes message;
  STREW_TRY(parent.read(message));
  GraphProto& graph = to.emplace();
  return for_each_field(message, [&](const WireField& field) -> Status {
    switch (field.number) {
      case 1:
        return append(field, graph.nodes, room, read_node);
      case 5:
        return append(field, graph.initializers, room);
      case 11:
        return append(field, graph.inputs, room, read_value_info);
      case 12:
        return append(field, graph.outputs, room, read_value_info);
      case 13:
        return append(field, graph.value_infos, room, read_value_info);
      case 15:
        return append(field, graph.sparse_initializers, room);
      default:
        return {};
    }
  });
}

}  // namespace

std::string_view attribute_kind_name(AttributeKind kind) noexcept {
  static constexpr std::array<std::string_view, 15> kNames = {
      "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
      "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  const auto number = static_cast<std::size_t>(kind);
  return number < kNames.size() ? kNames[number] : "unknown";
}

Result<ModelProto> read_model_proto(Bytes message) {
  ModelProto model;
  Room room;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    switch (field.number) {
      case 1:
        return field.read(model.ir_version);
      case 7:
        return read_graph(field, model.graph, room);
      case 8:
        return append(field, model.opset_imports, room, read_opset_import);
      default:
        return {};
    }
  }));
  return model;
}

}  // namespace strew
