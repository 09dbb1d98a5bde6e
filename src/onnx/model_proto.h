// Unchecked structs with the fields of a ModelProto that Strew needs, and their readers. Tensors stay encoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "onnx/wire.h"
#include "strew/error.h"
#include "strew/model.h"

namespace strew {

/// Limits the memory of a model's structs: 2 bytes of a file can produce a node struct of several hundred bytes.
class MemoryBudget {
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

/// Reads the sub-message of a field with `read` and appends the result to `to`.
template <class T>
Status append(const WireField& field, std::vector<T>& to, MemoryBudget& budget,
              Result<T> (*read)(std::span<const std::byte>, MemoryBudget&)) {
  std::span<const std::byte> message;
  STREW_TRY(budget.take(sizeof(T)));
  STREW_TRY(field.read(message));
  STREW_ASSIGN(auto&& value, read(message, budget));
  to.push_back(std::move(value));
  return {};
}

/// Appends a string or the bytes of a message.
template <class T>
Status append(const WireField& field, std::vector<T>& to, MemoryBudget& budget) {
  STREW_TRY(budget.take(sizeof(T) + field.bytes.size() * std::is_same_v<T, std::string>));
  return field.read(to.emplace_back());
}

template <class T>
Status append_values(const WireField& field, std::vector<T>& to, MemoryBudget& budget) {
  STREW_ASSIGN(const auto& count, field.value_count<T>());
  STREW_TRY(budget.take(static_cast<std::size_t>(count) * sizeof(T)));
  return field.for_each_value<T>([&](T value) { to.push_back(value); });
}

/// AttributeProto.AttributeType in onnx.proto.
enum class AttributeKind : std::uint8_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kType = 13,
  kTypes = 14,
};

/// Returns "INT", "STRING", ...
std::string_view attribute_kind_name(AttributeKind kind) noexcept;

struct AttributeProto {
  std::string name;
  std::int64_t type = 0;  ///< as in the file; 0 if absent
  std::string ref_attr_name;
  std::vector<AttributeKind> fields;  ///< kinds of the value fields that are set, without repetition
  float f = 0;
  std::int64_t i = 0;
  std::string s;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string> strings;
  std::span<const std::byte> t;
  std::vector<std::span<const std::byte>> graphs;
};

/// `attributes` has all attributes of operators that Strew runs or for which `has_shape_attributes` returns true.
/// For other operators, it has only the attributes with graphs, because the rest may be large.
struct NodeProto {
  std::string name;
  std::string op_type;
  std::string domain;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<AttributeProto> attributes;
};

/// A graph input, output or inner value with its declared type.
struct ValueInfoProto {
  enum class Type : std::uint8_t { kMissing, kTensor, kOther };
  std::string name;
  Type type = Type::kMissing;
  std::int64_t elem_type = 0;  ///< as in the file
  std::optional<std::vector<Dim>> shape;
};

struct OpsetImport {
  std::string domain;
  std::int64_t version = 0;
};

struct GraphProto {
  std::vector<NodeProto> nodes;
  std::vector<ValueInfoProto> inputs;
  std::vector<ValueInfoProto> outputs;
  std::vector<ValueInfoProto> value_infos;
  std::vector<std::span<const std::byte>> initializers;
  std::vector<ValueInfoProto> sparse_initializers;  ///< their elements are not read
};

/// A graph in an attribute of a node, or the body of a function.
struct InnerGraphProto {
  GraphProto graph;
  std::string name;  ///< name of the attribute, or "domain.name" of the function
  /// Position of the surrounding graph in ModelProto::inner. Unset if that is the main graph, and for a function.
  std::optional<std::size_t> outer;
  std::size_t node = 0;  ///< position, in the surrounding graph, of the node that has the attribute
  bool is_function = false;
  std::vector<OpsetImport> opset_imports;  ///< imports of a function; the graph of an attribute has none
};

struct ModelProto {
  std::int64_t ir_version = 0;  ///< 0 if absent
  std::vector<OpsetImport> opset_imports;
  std::optional<GraphProto> graph;
  std::vector<InnerGraphProto> inner;  ///< each graph comes after its outer graph
};

/// Reads a ModelProto without its training information. Spans in the result point into `message`. Nested graphs
/// become one list, so the structs have a fixed depth.
Result<ModelProto> read_model_proto(std::span<const std::byte> message);

/// True for "" and "ai.onnx".
bool is_default_domain(std::string_view domain) noexcept;

/// True for gathers, scatters, Constant and Identity.
bool is_known_operator(std::string_view op_type, std::string_view domain) noexcept;

Result<NodeProto> read_node(std::span<const std::byte> message, MemoryBudget& budget);

}  // namespace strew
