// Copies tensors, fills the positions of out-of-range index values, and finds duplicate destinations by sorting.
#include "engine/steps.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/machine.h"
#include "core/strided_copy.h"
#include "core/view_check.h"
#include "index/scan.h"
#include "kernel/kernel.h"
#include "kernel/stream.h"

namespace strew {
namespace {

constexpr std::int64_t kFillBlock = 128;

// Fills a dense output with one element, without changing the unused bits of the last byte of packed elements.
void fill_output(const void* element, const MutableTensorView& output, LazyExecutor executor) {
  const Pattern pattern(element, output.dtype());
  auto* to = static_cast<std::byte*>(output.data());
  const std::int64_t count = element_count(output.shape());
  if (is_packed(output.dtype())) {
    const std::int64_t per_byte = 8 / bit_width(output.dtype());
    const auto used = static_cast<unsigned>(count % per_byte * bit_width(output.dtype()));
    pattern.write(to, count / per_byte, false);
    if (used == 0) return;
    std::byte value;
    pattern.write(&value, 1, false);
    const auto mask = static_cast<std::byte>((1u << used) - 1u);
    to[count / per_byte] = (to[count / per_byte] & ~mask) | (value & mask);
    return;
  }
  const std::int64_t width = bit_width(output.dtype()) / 8;
  const std::int64_t bytes = count * width;
  if (bytes < min_parallel_copy_bytes()) return pattern.write(to, bytes, false);
  const std::int64_t tasks = usual_task_count(executor.get());
  const bool non_temporal = bytes >= machine().l3_bytes;  // smaller outputs stay in L3 for the updates
  parallel_for(executor.get(), tasks, [&](std::int64_t i) {
    const Range part = part_of(count, tasks, i);
    pattern.write(to + part.begin * width, (part.end - part.begin) * width, non_temporal);
  });
}

// The coordinates, in updates, of the first element of the row at a position. Positions are in row-major order.
Shape update_at(const Plan& plan, const Geometry& geometry, std::int64_t position) {
  const std::int64_t row_bits = geometry.row * bit_width(geometry.dtype);
  std::int64_t element = position * (row_bits / bit_width(plan.dtype()));
  Shape coordinate = plan.position_shape();
  for (std::int64_t axis = coordinate.rank() - 1; axis >= 0; --axis) {
    const std::int64_t extent = coordinate[axis];
    coordinate[axis] = element % extent;
    element /= extent;
  }
  return coordinate;
}

// The coordinates, in indices, of the value or tuple that addresses the destination of an update.
Shape index_at(const Plan& plan, const Shape& update) {
  if (!plan.tuples()) return update;
  const auto rank = static_cast<std::size_t>(plan.indices().shape.rank() - 1);
  return Shape(std::span(update.begin(), rank));
}

}  // namespace

void copy_data(const TensorView& data, const MutableTensorView& output, LazyExecutor executor) {
  if (is_single_value(data) && output.dense() && data.dtype() != DType::kString) {
    return fill_output(data.data(), output, executor);
  }
  const StridedCopy copy(data, output.data(), output);
  const std::int64_t bytes = copy.size_bytes();
  if (bytes < min_parallel_copy_bytes()) return copy.run(0, copy.part_count());
  const std::int64_t tasks = usual_task_count(executor.get());
  const bool non_temporal = data.dense() && output.dense() && data.dtype() != DType::kString &&
                            !is_packed(data.dtype()) && bytes >= machine().l3_bytes;
  parallel_for(executor.get(), tasks, [&](std::int64_t i) {
    if (non_temporal) {
      const Range part = part_of(bytes, tasks, i);
      stream_copy()(static_cast<std::byte*>(output.data()) + part.begin,
                    static_cast<const std::byte*>(data.data()) + part.begin, part.end - part.begin);
      stream_fence();
    } else {
      const Range part = part_of(copy.part_count(), tasks, i);
      copy.run(part.begin, part.end);
    }
  });
}

void fill_out_of_bounds(const Geometry& geometry, const IndexResolver& resolver, DType dtype,
                        const std::optional<TensorView>& value, void* output, Executor& executor) {
  // A Pattern repeats a packed value in every byte, so that packed elements may move as bytes.
  static constexpr std::array<std::byte, 16> kZero{};
  const std::string empty;
  const void* source = value ? value->data() : kZero.data();
  std::optional<Pattern> pattern;
  if (dtype != DType::kString) {
    source = pattern.emplace(source, dtype).data();
  } else if (!value) {
    source = &empty;
  }
  const Kernel copy = copy_kernel(geometry.dtype);
  static constexpr std::array<std::int64_t, kFillBlock> kFirst{};  // offset 0 for every element
  const auto fill_row = [&](std::int64_t begin) {
    std::array<std::int64_t, kFillBlock> targets;
    for (std::int64_t done = 0; done < geometry.row; done += kFillBlock) {
      const std::int64_t count = std::min(geometry.row - done, kFillBlock);
      for (std::int64_t i = 0; i < count; ++i) targets[static_cast<std::size_t>(i)] = begin + done + i;
      copy(output, source, targets.data(), kFirst.data(), count, 1);
    }
  };
  const std::int64_t positions = geometry.loop.count();
  const std::int64_t tasks = is_packed(geometry.dtype) ? 1 : usual_task_count(executor);
  parallel_for(executor, tasks, [&](std::int64_t task) {
    const Range part = part_of(positions, tasks, task);
    if (part.begin >= part.end) return;
    LoopWalk<3> walk(geometry.loop, part.begin);
    std::array<std::int64_t, kFillBlock> offsets;
    for (std::int64_t left = part.end - part.begin; left > 0;) {
      const std::int64_t count = std::min({walk.run(), left, kFillBlock});
      resolver.resolve(walk.offset()[kIndex], geometry.loop.inner_stride(kIndex), count, offsets.data());
      for (std::int64_t i = 0; i < count; ++i) {
        if (offsets[static_cast<std::size_t>(i)] != kDroppedOffset) continue;
        fill_row(walk.offset()[kPosition] + i * geometry.loop.inner_stride(kPosition));
      }
      walk.advance(count);
      left -= count;
    }
  });
}

tl::unexpected<Error> duplicate_error(const Plan& plan, const Geometry& geometry, std::int64_t position,
                                      std::int64_t before) {
  const Shape updates[] = {update_at(plan, geometry, position), update_at(plan, geometry, before)};
  return fail(ErrorCode::kInvalidArgument, {op_name(plan.op()), "updates"}, "updates", updates[0],
              " has the same destination as updates", updates[1], " (indices", index_at(plan, updates[0]),
              " and indices", index_at(plan, updates[1]), "), and duplicates are rejected");
}

Status check_duplicates(const Plan& plan, const Geometry& geometry, const IndexResolver& resolver) {
  std::vector<std::pair<std::int64_t, std::int64_t>> destinations;  // data offset, position
  visit_offsets(geometry, resolver,
                [&](std::int64_t offset, std::int64_t position) { destinations.emplace_back(offset, position); });
  std::sort(destinations.begin(), destinations.end());
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t before = 0;
  for (std::size_t i = 1; i < destinations.size(); ++i) {
    if (destinations[i].first == destinations[i - 1].first && destinations[i].second < first) {
      first = destinations[i].second;
      before = destinations[i - 1].second;
    }
  }
  if (first == std::numeric_limits<std::int64_t>::max()) return {};
  return duplicate_error(plan, geometry, first, before);
}

}  // namespace strew
