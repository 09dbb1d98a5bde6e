// Fills the positions of out-of-range index values.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/parallel.h"
#include "engine/steps.h"
#include "engine/traversal/pattern.h"
#include "index/rules.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

constexpr std::int64_t kFillBlock = 128;

}  // namespace

void fill_out_of_bounds(const Geometry& geometry, const IndexResolver& resolver, DType dtype,
                        const std::optional<TensorView>& value, void* output, Executor& executor) {
  // Each byte of a pattern repeats the value, so that packed elements may move as bytes.
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

}  // namespace strew
