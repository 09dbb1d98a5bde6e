#include "reference/element.h"
#include "reference/reference.h"
#include "reference/rules.h"

namespace strew::reference {
namespace {

// Writes the fill value. Without one, the output keeps its initial zero or empty string.
void fill(const MutableTensorView& output, const Shape& to, const std::optional<TensorView>& value) {
  Shape first = value ? value->shape() : Shape{};
  for (std::int64_t axis = 0; axis < first.rank(); ++axis) first[axis] = 0;
  if (value) write(output, to, read(*value, first));
}

}  // namespace

Outcome gather(const TensorView& data, const TensorView& indices, CallParams params) {
  if (!is_index_type(indices.dtype())) return refuse(ErrorCode::kInvalidType);
  const auto axis = normal_axis(params.axis.value_or(0), data.rank());
  if (!axis) return refuse(ErrorCode::kInvalidArgument);
  const std::int64_t size = data.shape()[*axis];
  if (auto bad = find_bad_index(indices, size, params.rules)) return std::move(*bad);

  const Shape before = slice(data.shape(), 0, *axis);
  const Shape after = slice(data.shape(), *axis + 1, data.rank());
  Outcome outcome;
  outcome.value = Tensor::zeros(data.dtype(), join(join(before, indices.shape()), after)).value();
  const MutableTensorView output = outcome.value->mutable_view();
  for_each_coordinate(output.shape(), [&](const Shape& to) {
    const Shape at = slice(to, *axis, *axis + indices.rank());
    const auto chosen = position(indices, at, size, params.rules);
    if (!chosen) return fill(output, to, params.fill_value);
    const Shape from =
        join(join(slice(to, 0, *axis), {*chosen}), slice(to, *axis + indices.rank(), output.rank()));
    write(output, to, read(data, from));
  });
  return outcome;
}

Outcome gather_elements(const TensorView& data, const TensorView& indices, CallParams params) {
  if (!is_index_type(indices.dtype())) return refuse(ErrorCode::kInvalidType);
  const auto axis = normal_axis(params.axis.value_or(0), data.rank());
  if (!axis || indices.rank() != data.rank()) return refuse(ErrorCode::kInvalidArgument);
  const std::int64_t size = data.shape()[*axis];
  for (std::int64_t d = 0; d < data.rank() && element_count(indices.shape()) > 0; ++d) {
    if (d != *axis && indices.shape()[d] > data.shape()[d]) return refuse(ErrorCode::kInvalidArgument);
  }
  if (auto bad = find_bad_index(indices, size, params.rules)) return std::move(*bad);

  Outcome outcome;
  outcome.value = Tensor::zeros(data.dtype(), indices.shape()).value();
  for_each_coordinate(indices.shape(), [&](const Shape& to) {
    const auto chosen = position(indices, to, size, params.rules);
    if (!chosen) return fill(outcome.value->mutable_view(), to, params.fill_value);
    Shape from = to;
    from[*axis] = *chosen;
    write(outcome.value->mutable_view(), to, read(data, from));
  });
  return outcome;
}

Outcome gather_nd(const TensorView& data, const TensorView& indices, CallParams params) {
  if (!is_index_type(indices.dtype())) return refuse(ErrorCode::kInvalidType);
  const std::int64_t b = params.batch_dims;
  const std::int64_t q = indices.rank();
  if (b < 0 || b >= std::min(q, data.rank())) return refuse(ErrorCode::kInvalidArgument);
  const std::int64_t k = indices.shape()[q - 1];
  if (k < 1 || k > data.rank() - b) return refuse(ErrorCode::kInvalidArgument);
  if (slice(data.shape(), 0, b) != slice(indices.shape(), 0, b)) return refuse(ErrorCode::kInvalidArgument);
  const auto size_at = [&](const Shape& at) { return data.shape()[b + at[q - 1]]; };
  if (auto bad = find_bad_index(indices, size_at, params.rules)) return std::move(*bad);

  Outcome outcome;
  outcome.value =
      Tensor::zeros(data.dtype(), join(slice(indices.shape(), 0, q - 1), slice(data.shape(), b + k, data.rank())))
          .value();
  const MutableTensorView output = outcome.value->mutable_view();
  for_each_coordinate(output.shape(), [&](const Shape& to) {
    Shape from = slice(to, 0, b);
    for (std::int64_t component = 0; component < k; ++component) {
      const Shape at = join(slice(to, 0, q - 1), {component});
      const auto chosen = position(indices, at, size_at(at), params.rules);
      if (!chosen) return fill(output, to, params.fill_value);
      from.push_back(*chosen);
    }
    write(output, to, read(data, join(from, slice(to, q - 1, output.rank()))));
  });
  return outcome;
}

}  // namespace strew::reference
