// Sampling index values.
#include "index/sample.h"

#include <algorithm>
#include <array>

#include "core/parallel.h"
#include "core/view_check.h"
#include "index/index_value.h"
#include "index/scan.h"

namespace strew {
namespace {

// So many values at the front of indices tell whether their rows may be constant, which only a check finds out.
constexpr std::int64_t kSampledRow = 64;
// So many values from all over them tell whether the memory that they reach is worth prefetching.
constexpr std::int64_t kSampledIndices = 64;
// They jump where no more than one of so many repeats another or the value before it.
constexpr std::int64_t kRepeatedOfSampled = 16;

}  // namespace

IndexOrder sample_order(const TensorView& indices, bool tuples) {
  const std::int64_t step = tuples ? indices.shape()[indices.rank() - 1] : 1;
  const std::int64_t count = element_count(indices.shape()) / step;
  const std::int64_t sampled = std::min(count, kSampledIndices);
  const std::int64_t width = bit_width(indices.dtype()) / 8;
  const auto value = [&](std::int64_t i) {
    return load_any_index(indices.dtype(), static_cast<const std::byte*>(indices.data()) + i * step * width).value;
  };
  std::array<std::int64_t, static_cast<std::size_t>(kSampledIndices)> some;
  bool rises = true;
  bool falls = true;
  std::int64_t repeated = 0;
  for (std::int64_t i = 0; i < sampled; ++i) {
    const std::int64_t at = part_of(count, sampled, i).begin;
    some[static_cast<std::size_t>(i)] = value(at);
    if (at + 1 < count && value(at) == value(at + 1)) ++repeated;
    if (i == 0) continue;
    const std::int64_t before = some[static_cast<std::size_t>(i - 1)];
    rises &= before <= value(at);
    falls &= before >= value(at);
  }
  if (rises != falls) return IndexOrder::kOneWay;
  const auto end = some.begin() + sampled;
  std::sort(some.begin(), end);
  repeated += sampled - (std::unique(some.begin(), end) - some.begin());
  return repeated <= sampled / kRepeatedOfSampled ? IndexOrder::kJumps : IndexOrder::kUnknown;
}

std::optional<IndexStatistics> sample_facts(const TensorView& indices, const IndexTarget& target) {
  Shape shape = indices.shape();
  Shape strides = strides_of(indices);
  std::int64_t left = kSampledIndices;
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
  const std::int64_t count = std::min(indices.shape()[last], kSampledRow);
  return index_loops(indices.dtype()).constant_rows(static_cast<const std::byte*>(indices.data()), count, count);
}

}  // namespace strew
