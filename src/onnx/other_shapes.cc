// Infers types and shapes for common operators that Strew does not run. Infers nothing for a node that breaks its
// operator's rules, and reports no errors.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.h"
#include "onnx/dims.h"
#include "onnx/graph.h"
#include "onnx/model_proto.h"

namespace strew {
namespace {

using Inputs = std::span<const ValueInfo>;
using MaybeDims = std::optional<Dims>;

// First opset in which shapes alone decide how operators broadcast; in earlier opsets, attributes do too.
constexpr std::int64_t kFirstOpset = 7;

// Operators that keep the type and shape of their first input.
constexpr std::string_view kUnary =
    " Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Celu Clip Cos Cosh CumSum Dropout Elu Erf Exp Floor "
    "Gelu HardSigmoid HardSwish Hardmax LeakyRelu Log LogSoftmax Mish Neg Not PRelu Reciprocal Relu Round Selu "
    "Shrink Sigmoid Sign Sin Sinh Softmax Softplus Softsign Sqrt Tan Tanh ThresholdedRelu ";
// Operators that broadcast their inputs and keep the type of the first.
constexpr std::string_view kBroadcast =
    " Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Max Mean Min Mod Mul Or Pow Sub Sum Xor ";
constexpr std::string_view kCompare = " Equal Greater GreaterOrEqual Less LessOrEqual ";
constexpr std::string_view kWithAttributes = " Cast Concat Reshape Shape Transpose ";

bool is_one_of(std::string_view names, std::string_view name) {
  return names.find(concat(' ', name, ' ')) != std::string_view::npos;
}

std::optional<std::int64_t> number(const GraphNode& node, std::string_view name) {
  for (const auto& [own, values] : node.numbers) {
    if (own == name && values.size() == 1) return values[0];
  }
  return std::nullopt;
}

// Returns the length that two lengths broadcast to, or nullopt if they do not match.
std::optional<Dim> broadcast(const Dim& a, const Dim& b) {
  if (a.value == 1) return b;
  if (b.value == 1 || a == b) return a;
  if (a.value && b.value) return std::nullopt;
  if (a.value) return a;
  return b.value ? b : Dim{};
}

MaybeDims broadcast(Inputs inputs) {
  Dims dims;
  for (const ValueInfo& input : inputs) {
    if (!input.shape) return std::nullopt;
    Dims other = *input.shape;
    const std::size_t rank = std::max(dims.size(), other.size());
    for (Dims* each : {&dims, &other}) each->insert(each->begin(), rank - each->size(), Dim{1, {}});
    for (std::size_t axis = 0; axis < rank; ++axis) {
      auto dim = broadcast(dims[axis], other[axis]);
      if (!dim) return std::nullopt;
      dims[axis] = std::move(*dim);
    }
  }
  return dims;
}

MaybeDims transpose(const GraphNode& node, const Dims& dims) {
  const auto perm = std::ranges::find(node.numbers, "perm", &GraphNode::Numbers::first);
  if (perm == node.numbers.end()) return Dims(dims.rbegin(), dims.rend());
  Dims moved;
  for (std::int64_t axis = 0; axis < rank_of(dims); ++axis) {
    if (perm->second.size() != dims.size() || std::ranges::count(perm->second, axis) != 1) return std::nullopt;
    moved.push_back(dims[static_cast<std::size_t>(perm->second[static_cast<std::size_t>(axis)])]);
  }
  return moved;
}

MaybeDims concat_dims(const GraphNode& node, Inputs inputs) {
  const auto given = number(node, "axis");
  if (!given || !inputs[0].shape) return std::nullopt;
  Dims dims = *inputs[0].shape;
  const std::int64_t axis = *given < 0 ? *given + rank_of(dims) : *given;
  if (axis < 0 || axis >= rank_of(dims)) return std::nullopt;
  for (const ValueInfo& input : inputs.subspan(1)) {
    if (!input.shape || input.shape->size() != dims.size()) return std::nullopt;
    for (std::size_t at = 0; at < dims.size(); ++at) {
      const Dim& other = (*input.shape)[at];
      if (static_cast<std::int64_t>(at) != axis) {
        dims[at] = Dim(more_known(dims[at], other));
      } else if (std::int64_t sum = 0;
                 dims[at].value && other.value && !__builtin_add_overflow(*dims[at].value, *other.value, &sum)) {
        dims[at] = {sum, {}};
      } else {
        dims[at] = {};
      }
    }
  }
  return dims;
}

// In `shape`, 0 keeps the length of an axis unless allowzero is set, and -1 preserves the element count.
MaybeDims reshape(const GraphNode& node, const MaybeDims& before, const Tensor* shape) {
  if (shape == nullptr || shape->dtype() != DType::kInt64 || shape->element_count() > kMaxRank)
    return std::nullopt;
  Dims dims;
  std::optional<std::size_t> open;
  for (const std::int64_t length : shape->values<std::int64_t>()) {
    const std::size_t axis = dims.size();
    if (length < -1 || (length == -1 && open)) return std::nullopt;
    if (length == -1) open = axis;
    if (length > 0 || (length == 0 && number(node, "allowzero").value_or(0) != 0)) {
      dims.push_back({length, {}});
    } else {
      dims.push_back(length == 0 && before && axis < before->size() ? (*before)[axis] : Dim{});
    }
  }
  if (!open || !before) return dims;
  const auto all = known_shape(*before);
  Dims rest = dims;
  rest[*open] = {1, {}};
  const auto others = known_shape(rest);
  const std::int64_t divisor = others ? element_count(*others) : 0;
  const std::int64_t elements = all ? element_count(*all) : -1;
  if (divisor > 0 && elements >= 0 && elements % divisor == 0) dims[*open] = {elements / divisor, {}};
  return dims;
}

ValueInfo infer_first(const GraphNode& node, Inputs inputs, const Tensor* shape) {
  ValueInfo output;
  const std::string_view op = node.info.op_type;
  const MaybeDims& first = inputs[0].shape;
  output.dtype = inputs[0].dtype;
  if (is_one_of(kUnary, op)) {
    output.shape = first;
  } else if (is_one_of(kBroadcast, op)) {
    output.shape = broadcast(inputs);
  } else if (is_one_of(kCompare, op)) {
    output.dtype = DType::kBool;
    output.shape = broadcast(inputs);
  } else if (op == "Where" && inputs.size() == 3) {
    output.dtype = inputs[1].dtype;
    output.shape = broadcast(inputs);
  } else if (op == "Cast") {
    output.dtype = dtype_from_onnx(number(node, "to").value_or(0));
    output.shape = first;
  } else if (op == "Concat") {
    output.shape = concat_dims(node, inputs);
  } else if (op == "Reshape") {
    output.shape = reshape(node, first, shape);
  } else if (op == "Transpose" && first) {
    output.shape = transpose(node, *first);
  } else if (op == "Shape") {
    output.dtype = DType::kInt64;
    if (first && node.numbers.empty()) output.shape = Dims{{rank_of(*first), {}}};  // without start and end
  } else {
    output.dtype.reset();
  }
  return output;
}

}  // namespace

bool has_shape_attributes(std::string_view op_type, std::string_view domain) {
  return is_default_domain(domain) && is_one_of(kWithAttributes, op_type);
}

void infer_other(const GraphNode& node, std::int64_t opset, Inputs inputs, const Tensor* shape,
                 ValueInfo& output) {
  const bool is_standard = opset >= kFirstOpset && is_default_domain(node.info.domain) && !node.has_parameters;
  if (!is_standard || inputs.empty() || output.name.empty()) return;
  const ValueInfo inferred = infer_first(node, inputs, shape);
  if (!contradiction(output, inferred)) merge(output, inferred);
}

}  // namespace strew
