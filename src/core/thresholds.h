// Tuning parameters: what chooses a path, a strategy or its pace, but for the numbers of core/machine.h. First the
// numbers, of which docs/tuning.md has the measurements; then what follows from them and from the machine; last
// how much memory there is for something.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/arithmetic.h"
#include "core/machine.h"
#include "core/scratch.h"

namespace strew {

// Numbers that choose.

/// A processor that is saved is worth so much of the time that is.
inline constexpr double kWorthOfProcessor = 0.1;
/// A line that is written around the caches takes so many times as long as one in order, but is not read first.
inline constexpr double kStreamOfLine = 1.5;
/// The positions of a task are split into at most so many chunks, each of which takes as long as a thread needs to
/// begin: one that begins late takes those that are left.
inline constexpr std::int64_t kMaxChunksPerTask = 8;
/// Bytes of the output that a task owns at least: less means false sharing of cache lines.
inline constexpr std::int64_t kOwnedBytesFrom = 1024;
/// What stays in L2 beside what streams through it is so much of it; and a process has no more of L3 than so many
/// times L2, as one of more is that of many cores, of which others use theirs.
inline constexpr std::int64_t kSharesOfL2 = 4;
inline constexpr std::int64_t kMostL3OfL2 = 32;
/// So many times L2 must index values reach before prefetching pays: below, out-of-order execution hides what L2
/// lacks.
inline constexpr std::int64_t kPrefetchFromL2s = 6;
/// Bytes that are on their way at once, and so the prefetch distance of rows; of a long row only the front, as the
/// hardware prefetcher fetches the rest; and rows of a line that are prefetched together.
inline constexpr std::int64_t kPrefetchedBytes = 8192;
inline constexpr std::int64_t kMaxPrefetchBytes = 2048;
inline constexpr std::int64_t kPrefetchedRows = 16;
/// Index values of a sample: from all over them, or at the front to see whether their rows may be constant.
inline constexpr std::int64_t kSampledIndices = 64;
/// Rows up to which a plain loop is done before the one for the instruction set at hand begins.
inline constexpr std::int64_t kPlainLoopRows = 16;
/// Elements narrower than this do not bypass the caches, as a line of them takes too many stores.
inline constexpr std::int64_t kNarrowestStreamed = 8;
/// Non-contiguous rows are copied first where an element is moved for every so many that are copied. An estimate.
inline constexpr std::int64_t kCopiedForEachMoved = 4;
/// To load an element that was stored just before, and to change and store it, takes so many steps, which wait for
/// each other.
inline constexpr double kReloadSteps = 3;
/// partition: chunks that a task sorts and buckets that it applies; buckets at least; mean updates of a bucket in
/// a chunk; the prefetch distance in such lists; and sampled positions for each bucket. Nothing is partitioned
/// where all but one of so many are of one block.
inline constexpr std::int64_t kPartsOfTask = 2;
inline constexpr std::int64_t kMinBuckets = 16;
inline constexpr std::int64_t kListLength = 16;
inline constexpr std::int64_t kListsAhead = 2;
inline constexpr std::int64_t kSamplesPerBucket = 32;

// What follows.

/// The copies that a task updates in turn: offsets of as many positions fill a cache line.
inline constexpr std::int64_t kTurns = kCacheLineBytes / static_cast<std::int64_t>(sizeof(std::int64_t));
/// Positions that take as long as a thread needs to begin; from enough for two tasks on a sample says in which
/// order index values are.
inline std::int64_t chunk_positions() noexcept {
  return machine().wake / std::max<std::int64_t>(machine().step, 1) + 1;
}
inline std::int64_t sampled_from() noexcept { return 2 * chunk_positions(); }
inline std::int64_t share_of_l2() noexcept { return std::max<std::int64_t>(machine().l2_bytes / kSharesOfL2, 1); }
inline std::int64_t share_of_l3() noexcept {
  return std::min(machine().l3_bytes, kMostL3OfL2 * machine().l2_bytes);
}
inline std::int64_t prefetch_from_bytes(const Machine& m = machine()) noexcept {
  return kPrefetchFromL2s * m.l2_bytes;
}
inline constexpr std::int64_t prefetch_distance(std::int64_t row_bytes) noexcept {
  return kPrefetchedBytes / std::clamp(row_bytes, kCacheLineBytes, kMaxPrefetchBytes);
}
/// Bytes of rows that are asked for together.
inline constexpr std::int64_t kPrefetchBurst = kPrefetchedBytes / 2;
/// copy_blocks: small blocks are processed together, as many as fit in L1 beside what is on its way.
inline std::int64_t usual_blocks_bytes() noexcept {
  return std::max(machine().l1d_bytes - kPrefetchedBytes, kCacheLineBytes);
}
/// Index values that are still in L2 when they are read a second time; more are read once where that is possible.
inline std::int64_t read_once_from() noexcept { return div_up(share_of_l2(), std::int64_t{8}); }
/// Updates of a chunk of kPartition, of whose offsets each takes 4 bytes.
inline std::int64_t partition_chunk() noexcept { return div_up(share_of_l2(), std::int64_t{4}); }
/// Bytes that are copied in the time of an update.
inline std::int64_t copied_in_a_step() noexcept {
  return std::max<std::int64_t>(
      kCacheLineBytes * machine().step / std::max<std::int64_t>(2 * machine().near_line, 1), 1);
}
/// An output with more rows, or elements of so many bytes, for each update is sparse: counts, or blocks, of all of
/// it would take longer than the updates.
inline std::int64_t sparse_from(std::int64_t width) noexcept {
  return std::max<std::int64_t>(copied_in_a_step() / std::max<std::int64_t>(width, 1), 1);
}

// Memory.

/// Rows of small calls: those whose offsets fit the scratch memory of a thread, and those whose offsets fit the
/// stack. Of strided operands, whose offsets take divisions, no more.
inline constexpr std::int64_t kSmallRows = kThreadScratch / 8;
inline constexpr std::int64_t kFewSmallRows = 256;
/// Segments of index values between which a check looks for split points.
inline constexpr std::int64_t kMaxSegments = 256;
/// Bytes of an update that is moved with its offset (the payload). Longer ones stay where they are.
inline constexpr std::int64_t kMaxPayload = 8;
/// Blocks of updates that are moved; and of those that stay, in buckets of which the data of each fit L2.
inline constexpr std::int64_t kPartitionBlocks = 4096;
inline constexpr std::int64_t kOwnedBlocks = 1024;

}  // namespace strew
