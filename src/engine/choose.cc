// The table of regimes.
#include "engine/choose.h"

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "engine/thresholds.h"

namespace strew {
namespace {

bool moves_bytes(const Geometry& geometry) {
  return geometry.dtype != DType::kString && !is_packed(geometry.dtype);
}

bool element_wise_packed(const Geometry& geometry) { return is_packed(geometry.dtype); }

// The outermost loop axis along which data moves: different coordinates there never meet in one destination.
std::int64_t free_axis(const Geometry& geometry, std::int64_t extent_from) {
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    const std::size_t a = geometry.loop.at(axis);
    if (geometry.loop.stride[a][kData] != 0 && geometry.loop.extent[a] >= extent_from) return axis;
  }
  return Choice::kPositions;
}

Choice serial(std::string_view reason) { return {{StrategyKind::kSerial, 1, reason}}; }

std::optional<Choice> split_positions(const ChooseInput& input, std::int64_t tasks) {
  const Geometry& geometry = input.geometry;
  if (element_wise_packed(geometry)) return std::nullopt;
  if (!input.is_scatter && geometry.loop.count() >= tasks) {
    return Choice{{StrategyKind::kSplitPositions, tasks, "a gather writes every position once"},
                  Choice::kPositions};
  }
  if (input.is_scatter) {
    const std::int64_t axis = free_axis(geometry, tasks);
    if (axis != Choice::kPositions) {
      return Choice{{StrategyKind::kSplitPositions, tasks, "an axis that no index moves keeps tasks apart"}, axis};
    }
  }
  if (geometry.row >= tasks) {
    return Choice{{StrategyKind::kSplitPositions, tasks, "parts of rows never meet"}, Choice::kRow};
  }
  return std::nullopt;
}

// The lowest and highest data offset that a position may have.
Range reached_offsets(const Geometry& geometry, const IndexFacts& facts) {
  Range range{0, 0};
  const auto reach = [&range](std::int64_t from, std::int64_t to) {
    range.begin += std::min(from, to);
    range.end += std::max(from, to);
  };
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    const std::size_t a = geometry.loop.at(axis);
    reach(0, (geometry.loop.extent[a] - 1) * geometry.loop.stride[a][kData]);
  }
  bool first = true;
  for (const auto& component : geometry.components) {
    const std::int64_t low = first ? facts.lowest : 0;
    const std::int64_t high = first ? facts.highest : component.extent - 1;
    reach(low * component.stride, high * component.stride);
    first = false;
  }
  ++range.end;
  return range;
}

std::optional<Choice> own_ranges(const ChooseInput& input, std::int64_t tasks) {
  if (!input.is_scatter || element_wise_packed(input.geometry)) return std::nullopt;
  const Range range = reached_offsets(input.geometry, input.facts);
  if (range.end - range.begin < tasks) return std::nullopt;
  return Choice{{StrategyKind::kOwnRanges, tasks, "each task applies the updates of its own part of the output"},
                Choice::kPositions,
                range};
}

// Of the positions; they were written out, so this does not overflow.
std::int64_t output_bytes(const Geometry& geometry) {
  return geometry.loop.count() * geometry.row * bit_width(geometry.dtype) / 8;
}

// Prefetch::sweep, where a part fits the cache and most of its lines will be used.
std::int64_t choose_sweep(const Geometry& geometry) {
  if (geometry.loop.rank < 2 || geometry.components.size() != 1) return 0;
  const std::size_t inner = geometry.loop.at(geometry.loop.rank - 1);
  const std::int64_t part_stride = geometry.loop.stride[inner - 1][kData];
  const auto& [extent, stride] = geometry.components.front();
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  if (geometry.loop.stride[inner][kData] != 0 || stride <= 0 || extent > largest_swept_bytes() / width / stride) {
    return 0;
  }
  const std::int64_t part = (extent - 1) * stride + geometry.row;
  const bool apart = part <= std::abs(part_stride) && part <= largest_swept_bytes() / width;
  return apart && geometry.loop.extent[inner] >= part * width / kLineBytes ? part : 0;
}

Prefetch choose_prefetch(const ChooseInput& input) {
  const Geometry& geometry = input.geometry;
  if (!moves_bytes(geometry)) return {};
  const Range reached = reached_offsets(geometry, input.facts);
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  if (reached.end - reached.begin < prefetch_from_bytes() / width) return {};
  if (const std::int64_t part = choose_sweep(geometry); part > 0) return {0, 1, part};
  const std::int64_t row_bytes = std::min(geometry.row, kMostLines * kLineBytes) * width;
  return {std::clamp(kAheadBytes / row_bytes, kNearest, kFarthest),
          std::min((row_bytes + kLineBytes - 1) / kLineBytes, kMostLines)};
}

// The blocks are those of the outermost loop axis along which data move, by more than all that lies within.
std::optional<Choice> copy_blocks(const ChooseInput& input, std::int64_t tasks) {
  const Geometry& geometry = input.geometry;
  const std::int64_t axis = free_axis(geometry, 1);
  if (input.copied == 0 || !moves_bytes(geometry) || axis == Choice::kPositions) return std::nullopt;
  const std::int64_t block = geometry.loop.stride[geometry.loop.at(axis)][kData];
  std::int64_t within = geometry.row;  // elements of data that one coordinate of the axis reaches
  for (const auto& component : geometry.components) within += (component.extent - 1) * component.stride;
  for (std::int64_t inner = axis + 1; inner < geometry.loop.rank; ++inner) {
    const std::size_t a = geometry.loop.at(inner);
    within += (geometry.loop.extent[a] - 1) * geometry.loop.stride[a][kData];
  }
  if (block < within || input.copied % block != 0) return std::nullopt;
  Choice choice{{StrategyKind::kCopyBlocks, tasks, "blocks of data are updated in the cache on their way"}, axis};
  choice.group = std::max<std::int64_t>(usual_blocks_bytes() * 8 / bit_width(geometry.dtype) / block, 1);
  return choice;
}

// Blocks must stay in the second-level cache, data be too large for the caches, and updates touch most blocks: a
// plain copy is as fast and always shared between threads.
bool copy_blocks_pay(const ChooseInput& input, const Choice& choice) {
  const Geometry& geometry = input.geometry;
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  const std::int64_t block = geometry.loop.stride[geometry.loop.at(choice.axis)][kData];
  return block <= largest_block_bytes() / width && input.copied >= copy_blocks_from_bytes() / width &&
         geometry.loop.count() >= input.copied / kCopiedForEachUpdate / geometry.row;
}

Result<Choice> forced(const ChooseInput& input, StrategyKind kind, std::int64_t tasks) {
  std::optional<Choice> choice;
  switch (kind) {
    case StrategyKind::kSerial:
      return serial("forced");
    case StrategyKind::kSplitPositions:
      choice = split_positions(input, tasks);
      break;
    case StrategyKind::kOwnRanges:
      choice = own_ranges(input, tasks);
      break;
    case StrategyKind::kCopyBlocks:
      choice = copy_blocks(input, tasks);
      break;
  }
  if (choice) return *choice;
  return fail(ErrorCode::kUnsupported, "strategy ", strategy_name(kind), " does not apply: there is nothing that ",
              tasks, " tasks could divide and give the same bits");
}

Result<Choice> choose_tasks(const ChooseInput& input) {
  const std::int64_t tasks = input.task_count;
  if (input.geometry.empty()) return serial("nothing to do");
  if (input.force) return forced(input, *input.force, tasks);
  if (const auto blocks = copy_blocks(input, tasks); blocks && copy_blocks_pay(input, *blocks)) return *blocks;
  if (tasks == 1) return serial("one thread");
  if (element_wise_packed(input.geometry)) return serial("elements share bytes");
  if (!worth_sharing(input.geometry)) return serial("less work than waking a thread");
  const auto split = split_positions(input, tasks);
  const bool short_parts = split && split->axis == Choice::kRow && input.geometry.row < tasks * kLineElements;
  if (split && !short_parts) return *split;
  if (const auto owned = own_ranges(input, tasks)) return *owned;
  if (split) return *split;
  return serial("nothing to divide");
}

}  // namespace

bool worth_sharing(const Geometry& geometry) noexcept {
  // Operands of broadcast views can have more positions than memory has bytes: nothing may overflow.
  const std::int64_t positions = geometry.loop.count();
  return positions >= kParallelFrom || positions * (std::min(geometry.row, kParallelFrom) + 16) >= kParallelFrom;
}

Result<Choice> choose(const ChooseInput& input) {
  auto choice = choose_tasks(input);
  if (!choice || input.geometry.empty()) return choice;
  if (choice->strategy.kind == StrategyKind::kCopyBlocks) return choice;  // all in the cache
  choice->prefetch = choose_prefetch(input);
  const bool splits_positions = choice->axis == Choice::kPositions;
  choice->streams = !input.is_scatter && splits_positions && in_order(input.geometry) &&
                    moves_bytes(input.geometry) && output_bytes(input.geometry) >= stream_from_bytes();
  return choice;
}

}  // namespace strew
