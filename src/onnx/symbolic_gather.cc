// Output shapes of gathers where some dimensions are symbols or unknown.
#include <algorithm>

#include "core/error.h"
#include "onnx/symbolic.h"
#include "plan/attributes.h"

namespace strew {
namespace {

using Inferred = Result<std::optional<Dims>>;

Inferred infer_gather(const SymbolicOperands& operands, const CallParams& params) {
  const Dims* data = operands.data;
  if (data == nullptr) return std::nullopt;
  const auto axis = symbolic_axis(axis_of(params), "data", *data);
  if (!axis) return fail(axis.error());
  if (operands.indices == nullptr) return std::nullopt;
  const auto chosen = data->begin() + static_cast<std::ptrdiff_t>(*axis);
  Dims output(data->begin(), chosen);
  output.insert(output.end(), operands.indices->begin(), operands.indices->end());
  output.insert(output.end(), chosen + 1, data->end());
  return output;
}

Inferred infer_gather_elements(const SymbolicOperands& operands, const CallParams& params) {
  STREW_TRY(check_symbolic_elements(operands, axis_of(params)));
  if (operands.indices == nullptr) return std::nullopt;
  return *operands.indices;
}

Status check_batch_dims(const SymbolicOperands& operands, std::int64_t batch_dims) {
  std::int64_t limit = kMaxRank;
  for (const Dims* dims : {operands.data, operands.indices}) {
    if (dims != nullptr) limit = std::min(limit, static_cast<std::int64_t>(dims->size()));
  }
  if (batch_dims < 0 || batch_dims >= limit) {
    return fail(
        ErrorCode::kInvalidArgument, {"", "batch_dims", -1, batch_dims}, "batch_dims ", batch_dims,
        " is outside [0, ", limit - 1, "]",
        operands.data == nullptr ? std::string() : concat(" for data of shape ", to_string(*operands.data)),
        operands.indices == nullptr ? std::string()
                                    : concat(operands.data == nullptr ? " for" : " and", " indices of shape ",
                                             to_string(*operands.indices)));
  }
  return {};
}

Inferred infer_gather_nd(const SymbolicOperands& operands, const CallParams& params) {
  const std::int64_t batch_dims = params.batch_dims;
  const Dims* data = operands.data;
  const Dims* indices = operands.indices;
  STREW_TRY(check_batch_dims(operands, batch_dims));
  const auto length = symbolic_tuple_length(operands, batch_dims, 1);
  if (!length) return fail(length.error());
  if (data == nullptr || indices == nullptr) return std::nullopt;
  Dims output(indices->begin(), indices->end() - 1);
  for (std::size_t d = 0; d < static_cast<std::size_t>(batch_dims); ++d) {
    if (contradict((*data)[d], (*indices)[d])) {
      return fail(ErrorCode::kInvalidArgument, {"", "indices", static_cast<std::int64_t>(d)}, "batch dimension ",
                  d, " is ", *(*data)[d].value, " in data of shape ", to_string(*data), " but ",
                  *(*indices)[d].value, " in indices of shape ", to_string(*indices), "; they must be equal");
    }
    output[d] = more_known((*indices)[d], (*data)[d]);
  }
  if (!*length) return std::nullopt;  // the rank depends on the tuple length
  output.insert(output.end(), data->begin() + static_cast<std::ptrdiff_t>(batch_dims + **length), data->end());
  return output;
}

}  // namespace

Result<std::optional<Dims>> infer_symbolic_gather(OpKind op, const SymbolicOperands& operands,
                                                  const CallParams& params) {
  if (op == OpKind::kGather) return infer_gather(operands, params);
  return op == OpKind::kGatherElements ? infer_gather_elements(operands, params)
                                       : infer_gather_nd(operands, params);
}

}  // namespace strew
