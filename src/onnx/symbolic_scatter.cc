// Rules of scatters where some dimensions are symbols or unknown. The output has the shape of data.
#include "core/error.h"
#include "onnx/symbolic.h"
#include "plan/attributes.h"

namespace strew {
namespace {

tl::unexpected<Error> wrong_updates(const Dims& updates, const std::string& rule,
                                    const SymbolicOperands& operands) {
  return fail(ErrorCode::kInvalidArgument, {"", "updates"}, "updates have shape ", to_string(updates),
              "; they must have ", rule,
              operands.data == nullptr ? std::string() : concat(" for data of shape ", to_string(*operands.data)),
              operands.indices == nullptr ? std::string()
                                          : concat(operands.data == nullptr ? " for" : " and",
                                                   " indices of shape ", to_string(*operands.indices)));
}

// `rule` says where the expected shape comes from.
Status check_updates(const SymbolicOperands& operands, const Dims& expected, const char* rule) {
  const Dims& updates = *operands.updates;
  bool agree = updates.size() == expected.size();
  for (std::size_t d = 0; agree && d < expected.size(); ++d) agree = !contradict(updates[d], expected[d]);
  if (agree) return {};
  return wrong_updates(updates, concat(to_string(expected), " (", rule, ")"), operands);
}

Status check_scatter_elements(const SymbolicOperands& operands, const CallParams& params) {
  STREW_TRY(check_symbolic_elements(operands, axis_of(params)));
  if (operands.updates == nullptr) return {};
  if (operands.indices != nullptr) return check_updates(operands, *operands.indices, "the shape of indices");
  // Whatever the indices are, they have the rank of data.
  if (operands.data != nullptr && operands.updates->size() != operands.data->size()) {
    return wrong_updates(*operands.updates, concat("rank ", operands.data->size()), operands);
  }
  return {};
}

Status check_scatter_nd(const SymbolicOperands& operands) {
  const auto length = symbolic_tuple_length(operands, 0, 0);
  if (!length) return fail(length.error());
  const bool decidable = operands.data != nullptr && operands.updates != nullptr && *length;
  if (!decidable) return {};
  Dims expected(operands.indices->begin(), operands.indices->end() - 1);
  expected.insert(expected.end(), operands.data->begin() + static_cast<std::ptrdiff_t>(**length),
                  operands.data->end());
  return check_updates(operands, expected, "indices.shape[:-1] ++ data.shape[indices.shape[-1]:]");
}

Status check_write_indices(const Dims& write_indices, const Dims* cache) {
  const bool agree = write_indices.size() == 1 && (cache == nullptr || !contradict(write_indices[0], (*cache)[0]));
  if (agree) return {};
  return fail(ErrorCode::kInvalidArgument, {"", "write_indices"}, "write_indices have shape ",
              to_string(write_indices), "; they must have rank 1, with one for each batch entry of past_cache",
              cache == nullptr ? std::string() : concat(" with shape ", to_string(*cache)));
}

// The axis of TensorScatter, which is any but the first of a shape that is known.
Result<std::int64_t> sequence_axis(std::int64_t axis, const char* operand, const Dims& shape) {
  if (shape.size() < 2) {
    return fail(ErrorCode::kInvalidArgument, {"", operand}, operand, " has shape ", to_string(shape), " of rank ",
                shape.size(), "; it needs rank 2 or more");
  }
  auto found = symbolic_axis(axis, operand, shape);
  if (found && *found == 0) {
    return fail(ErrorCode::kInvalidArgument, {"", "axis", -1, axis}, "axis ", axis, " is the batch dimension of ",
                operand, " with shape ", to_string(shape), "; it must be one of 1 to ", shape.size() - 1,
                " (or negative for these)");
  }
  return found;
}

Status check_update(const Dims& cache, const Dims& update, std::size_t axis) {
  for (std::size_t d = 0; d < cache.size(); ++d) {
    const bool too_long = d == axis && update[d].value && cache[d].value && *update[d].value > *cache[d].value;
    if (too_long || (d != axis && contradict(cache[d], update[d]))) {
      return fail(ErrorCode::kInvalidArgument, {"", "update", static_cast<std::int64_t>(d)}, "update has shape ",
                  to_string(update), ": dimension ", d, " is ", *update[d].value, " but past_cache of shape ",
                  to_string(cache), " has ", *cache[d].value, "; only axis ", axis,
                  " may differ, and only be shorter");
    }
  }
  return {};
}

Status check_tensor_scatter(const SymbolicOperands& operands, const CallParams& params) {
  const Dims* cache = operands.data;
  const Dims* update = operands.updates;
  Result<std::int64_t> axis = 0;
  if (update != nullptr) axis = sequence_axis(axis_of(params), "update", *update);
  if (axis && cache != nullptr) axis = sequence_axis(axis_of(params), "past_cache", *cache);
  if (!axis) return fail(axis.error());
  if (cache != nullptr && update != nullptr) {
    if (update->size() != cache->size()) {
      return fail(ErrorCode::kInvalidArgument, {"", "update"}, "update has shape ", to_string(*update),
                  " of rank ", update->size(), " but past_cache has shape ", to_string(*cache), " of rank ",
                  cache->size(), "; the ranks must be equal");
    }
    STREW_TRY(check_update(*cache, *update, static_cast<std::size_t>(*axis)));
  }
  return operands.indices == nullptr ? Status() : check_write_indices(*operands.indices, cache);
}

}  // namespace

Result<std::optional<Dims>> infer_symbolic_scatter(OpKind op, const SymbolicOperands& operands,
                                                   const CallParams& params) {
  if (op == OpKind::kScatterElements) {
    STREW_TRY(check_scatter_elements(operands, params));
  } else if (op == OpKind::kScatterND) {
    STREW_TRY(check_scatter_nd(operands));
  } else {
    STREW_TRY(check_tensor_scatter(operands, params));
  }
  if (operands.data == nullptr) return std::nullopt;
  return *operands.data;
}

}  // namespace strew
