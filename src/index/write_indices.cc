// Expands the write_indices of TensorScatter, or resolves them to offsets.
#include <cstddef>

#include "core/error.h"
#include "core/machine.h"
#include "core/scratch.h"
#include "core/view_check.h"
#include "index/check.h"
#include "index/index_value.h"

namespace strew {

static constexpr auto kPositionBytes = static_cast<std::int64_t>(sizeof(std::int64_t));

tl::unexpected<Error> write_index_error(const Plan& plan, const InvalidIndex& bad) {
  const std::int64_t axis = plan.indexed_axes().front();
  const ValueView value = index_value_view(plan.has_indices() ? plan.indices().dtype : DType::kInt64, bad.value);
  const About about{op_name(plan.op()), "write_indices", axis, value};
  const std::string name = concat("write_indices[", bad.position, "] = ", value_text(value));
  if (bad.value < 0 && std::holds_alternative<std::int64_t>(value)) {
    return fail_at({bad.position}, about, name, " is negative; positions start at 0");
  }
  const std::int64_t length = plan.position_shape()[axis];
  return fail_at({bad.position}, about, name, " leaves no room for an update of length ", length, " on axis ",
                 axis, " of past_cache with shape ", plan.data().shape, "; the highest valid value is ",
                 plan.data().shape[axis] - length);
}

Result<std::vector<std::int64_t>> expand_write_indices(const Plan& plan,
                                                       const std::optional<TensorView>& write_indices) {
  const std::int64_t axis = plan.indexed_axes().front();
  const std::int64_t batch = plan.data().shape[0];
  const std::int64_t length = plan.position_shape()[axis];
  const std::int64_t capacity = plan.data().shape[axis];
  const bool circular = plan.mode() == WriteMode::kCircular;
  const bool nothing_to_write = element_count(plan.position_shape()) == 0;
  if (nothing_to_write && !write_indices) return std::vector<std::int64_t>{};
  std::vector<std::int64_t> starts(nothing_to_write ? 0 : array_size(batch, kPositionBytes), 0);
  for (std::int64_t b = 0; write_indices && b < batch; ++b) {
    const std::int64_t stride = strides_of(*write_indices)[0];
    const DType dtype = write_indices->dtype();
    const auto* base = static_cast<const std::byte*>(write_indices->data());
    const AnyIndex index = load_any_index(dtype, base + b * stride * (bit_width(dtype) / 8));
    if (is_invalid_start(index.value, capacity - length, circular)) {
      return write_index_error(plan, {b, 0, index.bits});
    }
    const auto position = static_cast<std::uint64_t>(index.bits);
    // Takes the remainder, because the loop below needs starts less than the capacity.
    if (!nothing_to_write) {  // the capacity is then not 0
      starts[static_cast<std::size_t>(b)] =
          static_cast<std::int64_t>(position % static_cast<std::uint64_t>(capacity));
    }
  }

  std::vector<std::int64_t> positions;
  if (nothing_to_write) return positions;
  if (batch * length > machine().max_memory_bytes / kPositionBytes) {
    return fail(ErrorCode::kOutOfMemory, {op_name(plan.op())}, "the positions of ", batch * length,
                " rows need more memory than the ", machine().max_memory_bytes, " bytes available");
  }
  positions.reserve(array_size(batch * length, kPositionBytes));
  for (std::int64_t start : starts) {
    for (std::int64_t j = 0; j < length; ++j) {
      // Equals (start + j) % capacity, because start and j are below the capacity; start + j could overflow.
      positions.push_back(j < capacity - start ? start + j : j - (capacity - start));
    }
  }
  return positions;
}

bool resolve_write_indices(const Plan& plan, const std::byte* write_indices, std::int64_t* offsets) noexcept {
  const std::int64_t axis = plan.indexed_axes().front();
  const std::int64_t capacity = plan.data().shape[axis];
  const std::int64_t last_start = capacity - plan.position_shape()[axis];
  std::int64_t step = 1;
  for (std::int64_t d = axis + 1; d < plan.data().shape.rank(); ++d) step *= plan.data().shape[d];
  const bool circular = plan.mode() == WriteMode::kCircular;
  const std::int64_t steps = circular ? plan.position_shape()[axis] : 1;  // in linear mode, all steps form one row
  const std::int64_t batches = plan.data().shape[0];
  const std::int64_t sequences = rows_of(plan).count / steps / batches;
  const DType dtype = plan.indices().dtype;
  for (std::int64_t b = 0; b < batches; ++b) {
    const AnyIndex index = load_any_index(dtype, write_indices + b * (bit_width(dtype) / 8));
    if (is_invalid_start(index.value, last_start, circular)) return false;
    const std::uint64_t start = static_cast<std::uint64_t>(index.bits) % static_cast<std::uint64_t>(capacity);
    for (std::int64_t i = 0; i < sequences; ++i) {
      const std::int64_t sequence = (b * sequences + i) * capacity;
      auto coordinate = static_cast<std::int64_t>(start);
      for (std::int64_t s = 0; s < steps; ++s) {
        *offsets++ = (sequence + coordinate) * step;
        if (++coordinate == capacity) coordinate = 0;
      }
    }
  }
  return true;
}

}  // namespace strew
