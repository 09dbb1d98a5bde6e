// The oracle's scatters.
#include "reference/combine.h"
#include "reference/element.h"
#include "reference/reference.h"
#include "reference/rules.h"

namespace strew::reference {
namespace {

void update_element(const MutableTensorView& output, const Shape& to, Reduction reduction, const Element& update) {
  write(output, to, combine(output.dtype(), reduction, read(output, to), update));
}

bool types_fit(const TensorView& data, const TensorView& updates, Reduction reduction) {
  return data.dtype() == updates.dtype() && reduction_defined(data.dtype(), reduction);
}

}  // namespace

Outcome scatter_elements(const TensorView& data, const TensorView& indices, const TensorView& updates,
                         ScatterElementsParams params) {
  if (!is_index_type(indices.dtype()) || !types_fit(data, updates, params.reduction)) {
    return refuse(ErrorCode::kInvalidType);
  }
  const auto axis = normal_axis(params.axis, data.rank());
  if (!axis || indices.rank() != data.rank() || updates.shape() != indices.shape()) {
    return refuse(ErrorCode::kInvalidArgument);
  }
  const std::int64_t size = data.shape()[*axis];
  for (std::int64_t d = 0; d < data.rank() && element_count(indices.shape()) > 0; ++d) {
    if (d != *axis && indices.shape()[d] > data.shape()[d]) return refuse(ErrorCode::kInvalidArgument);
  }
  if (auto bad = find_bad_index(
          indices, [&](const Shape&) { return size; }, params.rules))
    return std::move(*bad);

  Outcome outcome;
  outcome.value = Tensor::copy_of(data).value();
  for_each_coordinate(indices.shape(), [&](const Shape& at) {
    const auto chosen = position(indices, at, size, params.rules);
    if (!chosen) return;
    Shape to = at;
    to[*axis] = *chosen;
    update_element(outcome.value->mutable_view(), to, params.reduction, read(updates, at));
  });
  return outcome;
}

Outcome scatter_nd(const TensorView& data, const TensorView& indices, const TensorView& updates,
                   ScatterNDParams params) {
  if (!is_index_type(indices.dtype()) || !types_fit(data, updates, params.reduction)) {
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

  Outcome outcome;
  outcome.value = Tensor::copy_of(data).value();
  for_each_coordinate(updates.shape(), [&](const Shape& from) {
    Shape to;
    for (std::int64_t component = 0; component < k; ++component) {
      const Shape at = join(slice(from, 0, q - 1), {component});
      const auto chosen = position(indices, at, size_at(at), params.rules);
      if (!chosen) return;
      to.push_back(*chosen);
    }
    to = join(to, slice(from, q - 1, from.rank()));
    update_element(outcome.value->mutable_view(), to, params.reduction, read(updates, from));
  });
  return outcome;
}

Outcome tensor_scatter(const TensorView& past_cache, const TensorView& update,
                       const std::optional<TensorView>& write_indices, TensorScatterParams params) {
  if (write_indices && !is_index_type(write_indices->dtype())) return refuse(ErrorCode::kInvalidType);
  if (past_cache.dtype() != update.dtype()) return refuse(ErrorCode::kInvalidType);
  const auto axis = normal_axis(params.axis, past_cache.rank());
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
  outcome.value = Tensor::copy_of(past_cache).value();
  for_each_coordinate(update.shape(), [&](const Shape& from) {
    const Integer start = write_indices ? read_integer(*write_indices, {from[0]}) : 0;
    Shape to = from;
    to[*axis] = static_cast<std::int64_t>((start + from[*axis]) % size);
    write(outcome.value->mutable_view(), to, read(update, from));
  });
  return outcome;
}

}  // namespace strew::reference
