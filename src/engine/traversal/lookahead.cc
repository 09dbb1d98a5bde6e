// The pace of looking ahead.
#include "engine/traversal/lookahead.h"

#include <algorithm>

#include "core/arithmetic.h"
#include "core/machine.h"
#include "core/prefetch.h"
#include "engine/traversal/offset_block.h"

namespace strew {
namespace {

// Asked for between two calls of a kernel: few enough that prefetches go out evenly, enough to make a call cheap.
// Rows on several lines, to 16 lines in 5 rows: 1 Mi of 128 bytes that begin behind a line, added on one
// thread, 28.3 to 21.0 ms; 512 Ki of 256 bytes, gathered, 18.7 to 15.4.
constexpr std::int64_t kStep = 16;
constexpr std::int64_t kStepRows = 24;
constexpr std::int64_t kStepLines = 64;
// Of small parts that are asked for at once, and positions in them: more would be asked for in too large a burst
// (16 Mi of 32 Mi floats along the last axis 33 to 22 ms on one thread, 18 to 14 on two).
constexpr std::int64_t kSweptBytes = 4096;
constexpr std::int64_t kSweptPositions = OffsetBlock::kRun / 2;

}  // namespace

LookaheadSteps::LookaheadSteps(const Lookahead& lookahead, const std::byte* data, std::int64_t width) noexcept
    // Elements that no line parts are on one line each; a row that begins behind a line is on one more.
    : one_line(kLineBytes % lookahead.bytes == 0 && behind_line(data) % lookahead.bytes == 0),
      step(OffsetBlock::kRun),
      most(OffsetBlock::kRun),
      runs(OffsetBlock::kRun) {
  if (lookahead.positions > 0) {
    const std::int64_t lines = one_line ? 1 : div_up(lookahead.bytes + behind_line(data), kLineBytes);
    step = lines == 1 ? kStep : std::clamp<std::int64_t>(kStepLines / lines, 1, kStepRows);
  }
  if (lookahead.part > 0) {
    most = kSweptPositions;
    runs = std::max<std::int64_t>(kSweptBytes / (lookahead.part * width), 1);
  }
}

void ask_for_next_parts(const Geometry& geometry, std::int64_t width, const std::byte* part,
                        std::int64_t part_bytes, std::int64_t run, std::int64_t walked) noexcept {
  const std::size_t inner = geometry.loop.at(geometry.loop.rank - 1);
  const std::int64_t extent = geometry.loop.extent[inner];
  const std::int64_t between = geometry.loop.stride[inner - 1][kData] * width;
  const std::int64_t parts = walked / extent;
  if (parts > 1) {
    for (std::int64_t i = parts; i < 2 * parts; ++i) {
      prefetch_bytes(part + i * between, part_bytes);
    }
    return;
  }
  const std::int64_t begin = (extent - run) * part_bytes / extent;
  const std::int64_t end = (extent - run + walked) * part_bytes / extent;
  if (end > begin) prefetch_bytes(part + between + begin, end - begin);
}

}  // namespace strew
