#include <map>
#include <vector>

#include "reference/element.h"
#include "reference/fold.h"
#include "reference/reference.h"
#include "reference/rules.h"

namespace strew::reference {
namespace {

// Returns the parameters of a call that concern its folds.
template <class Params>
Folding folding_of(const Params& params) {
  Folding folding{params.reduction, params.include_self, params.acc_dtype};
  if (!params.alpha) return folding;
  Shape first = params.alpha->shape();
  for (std::int64_t axis = 0; axis < first.rank(); ++axis) first[axis] = 0;
  folding.alpha = read(*params.alpha, first);
  return folding;
}

bool types_fit(const TensorView& data, const TensorView& updates, const Folding& folding) {
  return data.dtype() == updates.dtype() && folding_defined(data.dtype(), folding);
}

// Copies element by element, because a broadcast view may repeat one element.
Tensor copy_of(const TensorView& data) {
  Tensor copy = Tensor::zeros(data.dtype(), data.shape()).value();
  const MutableTensorView to = copy.mutable_view();
  for_each_coordinate(data.shape(), [&](const Shape& at) { write(to, at, read(data, at)); });
  return copy;
}

// The updates of each element, by the element's offset in a dense tensor.
using UpdatesOf = std::map<std::int64_t, std::vector<Element>>;

Tensor folded(const TensorView& data, const Folding& folding, const UpdatesOf& updates) {
  Tensor output = copy_of(data);
  const TensorView view = output.view();
  for_each_coordinate(output.shape(), [&](const Shape& at) {
    const auto found = updates.find(offset_of(view, at));
    if (found == updates.end()) return;
    write(output.mutable_view(), at, fold(data.dtype(), folding, read(view, at), found->second));
  });
  return output;
}

}  // namespace

Outcome scatter_elements(const TensorView& data, const TensorView& indices, const TensorView& updates,
                         CallParams params) {
  const Folding folding = folding_of(params);
  const TensorView dense(nullptr, data.dtype(), data.shape());
  if (!is_index_type(indices.dtype()) || !types_fit(data, updates, folding)) {
    return refuse(ErrorCode::kInvalidType);
  }
  const auto axis = normal_axis(params.axis.value_or(0), data.rank());
  if (!axis || indices.rank() != data.rank() || updates.shape() != indices.shape()) {
    return refuse(ErrorCode::kInvalidArgument);
  }
  const std::int64_t size = data.shape()[*axis];
  for (std::int64_t d = 0; d < data.rank() && element_count(indices.shape()) > 0; ++d) {
    if (d != *axis && indices.shape()[d] > data.shape()[d]) return refuse(ErrorCode::kInvalidArgument);
  }
  if (auto bad = find_bad_index(indices, size, params.rules)) return std::move(*bad);

  UpdatesOf updates_of;
  for_each_coordinate(indices.shape(), [&](const Shape& at) {
    const auto chosen = position(indices, at, size, params.rules);
    if (!chosen) return;
    Shape to = at;
    to[*axis] = *chosen;
    updates_of[offset_of(dense, to)].push_back(read(updates, at));
  });
  Outcome outcome;
  outcome.value = folded(data, folding, updates_of);
  return outcome;
}

Outcome scatter_nd(const TensorView& data, const TensorView& indices, const TensorView& updates,
                   CallParams params) {
  const Folding folding = folding_of(params);
  const TensorView dense(nullptr, data.dtype(), data.shape());
  if (!is_index_type(indices.dtype()) || !types_fit(data, updates, folding)) {
    return refuse(ErrorCode::kInvalidType);
  }
  const std::int64_t q = indices.rank();
  if (data.rank() < 1 || q < 1) return refuse(ErrorCode::kInvalidArgument);
  const std::int64_t k = indices.shape()[q - 1];
  if (k > data.rank()) return refuse(ErrorCode::kInvalidArgument);
  const Shape tuples = slice(indices.shape(), 0, q - 1);
  const Shape row = slice(data.shape(), k, data.rank());
  if (updates.shape() != join(tuples, row)) return refuse(ErrorCode::kInvalidArgument);
  const auto size_at = [&](const Shape& at) { return data.shape()[at[q - 1]]; };
  if (auto bad = find_bad_index(indices, size_at, params.rules)) return std::move(*bad);

  UpdatesOf updates_of;
  for_each_coordinate(updates.shape(), [&](const Shape& from) {
    Shape to;
    for (std::int64_t component = 0; component < k; ++component) {
      const Shape at = join(slice(from, 0, q - 1), {component});
      const auto chosen = position(indices, at, size_at(at), params.rules);
      if (!chosen) return;
      to.push_back(*chosen);
    }
    to = join(to, slice(from, q - 1, from.rank()));
    updates_of[offset_of(dense, to)].push_back(read(updates, from));
  });
  Outcome outcome;
  outcome.value = folded(data, folding, updates_of);
  return outcome;
}

Outcome tensor_scatter(const TensorView& past_cache, const TensorView& update,
                       const std::optional<TensorView>& write_indices, CallParams params) {
  if (write_indices && !is_index_type(write_indices->dtype())) return refuse(ErrorCode::kInvalidType);
  if (past_cache.dtype() != update.dtype()) return refuse(ErrorCode::kInvalidType);
  const auto axis = normal_axis(params.axis.value_or(-2), past_cache.rank());
  if (!axis || *axis == 0 || update.rank() != past_cache.rank()) return refuse(ErrorCode::kInvalidArgument);
  const std::int64_t size = past_cache.shape()[*axis];
  const std::int64_t length = update.shape()[*axis];
  for (std::int64_t d = 0; d < update.rank(); ++d) {
    const bool fits = d == *axis ? length <= size : update.shape()[d] == past_cache.shape()[d];
    if (!fits) return refuse(ErrorCode::kInvalidArgument);
  }
  const bool circular = params.mode == WriteMode::kCircular;
  if (write_indices) {
    if (write_indices->shape() != Shape{past_cache.shape()[0]}) return refuse(ErrorCode::kInvalidArgument);
    auto bad = find_bad_index(
        *write_indices, [](const Shape&) { return Integer{0}; },
        [&](const Shape&) { return Integer{circular ? INT64_MAX : size - length}; });
    if (bad) return std::move(*bad);
  }

  Outcome outcome;
  outcome.value = copy_of(past_cache);
  for_each_coordinate(update.shape(), [&](const Shape& from) {
    const Integer start = write_indices ? read_integer(*write_indices, {from[0]}) : 0;
    Shape to = from;
    to[*axis] = static_cast<std::int64_t>((start + from[*axis]) % size);
    write(outcome.value->mutable_view(), to, read(update, from));
  });
  return outcome;
}

}  // namespace strew::reference
