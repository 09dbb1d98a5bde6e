// Samples index values.
#include <algorithm>
#include <array>

#include "core/parallel.h"
#include "core/tuning.h"
#include "core/view_check.h"
#include "index/check.h"
#include "index/index_value.h"
#include "index/scan.h"

namespace strew {

IndexOrder sample_order(const TensorView& indices, bool tuples) {
  const std::int64_t step = tuples ? indices.shape()[indices.rank() - 1] : 1;
  const std::int64_t count = element_count(indices.shape()) / step;
  const std::int64_t sampled = std::min(count, kSampleIndices);
  const std::int64_t width = bit_width(indices.dtype()) / 8;
  const auto value = [&](std::int64_t i) {
    return load_any_index(indices.dtype(), static_cast<const std::byte*>(indices.data()) + i * step * width).value;
  };
  std::array<std::int64_t, static_cast<std::size_t>(kSampleIndices)> some;
  bool rises = true;
  bool falls = true;
  std::int64_t near = 0;
  for (std::int64_t i = 0; i < sampled; ++i) {
    const std::int64_t at = part_of(count, sampled, i).begin;
    some[static_cast<std::size_t>(i)] = value(at);
    if (at + 1 < count && static_cast<std::uint64_t>(value(at + 1)) - static_cast<std::uint64_t>(value(at)) <= 1) {
      ++near;
    }
    if (i == 0) continue;
    const std::int64_t before = some[static_cast<std::size_t>(i - 1)];
    rises &= before <= value(at);
    falls &= before >= value(at);
  }
  const auto end = some.begin() + sampled;
  std::sort(some.begin(), end);
  std::int64_t distinct = 0;
  std::int64_t most = 0;
  for (auto at = some.begin(); at != end; ++distinct) {
    const auto next = std::upper_bound(at, end, *at);
    most = std::max<std::int64_t>(most, next - at);
    at = next;
  }
  const auto share = [&](std::int64_t some_of) {
    return static_cast<double>(some_of) / static_cast<double>(std::max<std::int64_t>(sampled, 1));
  };
  return {sampled, distinct, share(most), share(near), rises != falls};
}

std::optional<IndexStatistics> sample_facts(const TensorView& indices, const IndexTarget& target) {
  Shape shape = indices.shape();
  Shape strides = strides_of(indices);
  std::int64_t left = kSampleIndices;
  for (std::int64_t axis = 0; axis < shape.rank() - (target.tuples ? 1 : 0); ++axis) {
    const std::int64_t taken = std::min(shape[axis], left);
    strides[axis] *= shape[axis] / taken;
    shape[axis] = taken;
    left /= taken;
  }
  const auto seen =
      check_indices(TensorView(indices.data(), indices.dtype(), shape, strides), target, serial_executor());
  return seen && !seen->any_out_of_bounds ? std::optional(*seen) : std::nullopt;
}

bool may_have_constant_rows(const TensorView& indices) {
  const Shape strides = strides_of(indices);
  const std::int64_t last = indices.rank() - 1;
  if (strides[last] != 1) return true;
  const std::int64_t count = std::min(indices.shape()[last], kSampleIndices);
  return index_loops(indices.dtype()).constant_rows(static_cast<const std::byte*>(indices.data()), count, count);
}

}  // namespace strew
