// Shape rules with symbols that gathers and scatters share.
#include "onnx/symbolic.h"

#include <algorithm>

#include "core/error.h"

namespace strew {
namespace {

std::int64_t rank(const Dims& dims) noexcept { return static_cast<std::int64_t>(dims.size()); }

// Empty indices may be longer than data, so only indices that surely have elements are compared.
bool surely_not_empty(const Dims& dims) {
  return std::ranges::all_of(dims, [](const Dim& dim) { return dim.value && *dim.value != 0; });
}

}  // namespace

Result<std::int64_t> symbolic_axis(std::int64_t axis, const char* operand, const Dims& shape) {
  if (axis < -rank(shape) || axis >= rank(shape)) {
    return fail(ErrorCode::kInvalidArgument, {"", "axis", -1, axis}, "axis ", axis, " is outside [", -rank(shape),
                ", ", rank(shape) - 1, "] for ", operand, " of shape ", to_string(shape));
  }
  return axis < 0 ? axis + rank(shape) : axis;
}

Status check_symbolic_elements(const SymbolicOperands& operands, std::int64_t axis) {
  const Dims* data = operands.data;
  const Dims* indices = operands.indices;
  if (data != nullptr) {
    if (const auto found = symbolic_axis(axis, "data", *data); !found) return fail(found.error());
  }
  if (indices != nullptr) {
    if (const auto found = symbolic_axis(axis, "indices", *indices); !found) return fail(found.error());
  }
  if (data == nullptr || indices == nullptr) return {};
  if (data->size() != indices->size()) {
    return fail(ErrorCode::kInvalidArgument, {"", "indices"}, "indices have shape ", to_string(*indices),
                " of rank ", rank(*indices), " but data has shape ", to_string(*data), " of rank ", rank(*data),
                "; the ranks must be equal");
  }
  const auto along = static_cast<std::size_t>(axis < 0 ? axis + rank(*data) : axis);
  for (std::size_t d = 0; d < data->size() && surely_not_empty(*indices); ++d) {
    const auto& longest = (*data)[d].value;
    if (d == along || !longest || *(*indices)[d].value <= *longest) continue;
    return fail(ErrorCode::kInvalidArgument, {"", "indices", static_cast<std::int64_t>(d)}, "indices have shape ",
                to_string(*indices), ": dimension ", d, " is ", *(*indices)[d].value, ", more than the ", *longest,
                " of data with shape ", to_string(*data), "; only axis ", along, " may be longer");
  }
  return {};
}

Result<std::optional<std::int64_t>> symbolic_tuple_length(const SymbolicOperands& operands,
                                                          std::int64_t batch_dims, std::int64_t shortest) {
  for (const Dims* dims : {operands.data, operands.indices}) {
    if (dims != nullptr && dims->empty()) {
      const bool is_data = dims == operands.data;
      return fail(ErrorCode::kInvalidArgument, {"", is_data ? "data" : "indices"},
                  is_data ? "data has" : "indices have", " shape [] of rank 0; it needs rank 1 or more");
    }
  }
  if (operands.indices == nullptr) return std::nullopt;
  const std::optional<std::int64_t> length = operands.indices->back().value;
  const bool too_short = length && *length < shortest;
  const bool too_long = length && operands.data != nullptr && *length > rank(*operands.data) - batch_dims;
  if (too_short || too_long) {
    return fail(
        ErrorCode::kInvalidArgument, {"", "indices", rank(*operands.indices) - 1}, "indices have shape ",
        to_string(*operands.indices), ": tuples of length ", *length, "; ", shortest, " to ",
        operands.data == nullptr ? std::string("the rank of data") : concat(rank(*operands.data) - batch_dims),
        " are possible",
        operands.data == nullptr ? std::string() : concat(" for data of shape ", to_string(*operands.data)),
        batch_dims > 0 ? concat(" with batch_dims ", batch_dims) : std::string());
  }
  return length;
}

}  // namespace strew
