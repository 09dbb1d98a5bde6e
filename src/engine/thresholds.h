// Tuning parameters: from which size on a path or strategy is chosen. Sizes are multiples of the caches of
// core/machine.h. docs/tuning.md has the measurements behind each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/arithmetic.h"
#include "core/machine.h"
#include "core/scratch.h"

namespace strew {

// Parallelism.

/// The positions of a task are split into at most so many chunks, each of which takes as long as a thread needs to
/// begin: one that begins late takes those that are left.
inline constexpr std::int64_t kMaxChunksPerTask = 8;
inline std::int64_t chunk_positions() noexcept { return machine().wake / machine().step + 1; }
/// Bytes of the output that a task owns at least: less means false sharing of cache lines.
inline constexpr std::int64_t kOwnedBytesFrom = 1024;
/// Bytes from which a copy is split between threads.
inline constexpr std::int64_t kParallelCopyFrom = 1 << 18;

// The fast path of small calls.

/// Rows whose offsets fit the scratch memory of a thread, and those whose offsets fit the stack. Of strided
/// operands, whose offsets take divisions, no more.
inline constexpr std::int64_t kSmallRows = kThreadScratch / 8;
inline constexpr std::int64_t kFewSmallRows = 256;
/// Bytes of the output; from data beyond L2 prefetching pays earlier.
inline constexpr std::int64_t kSmallBytes = kParallelCopyFrom;
inline constexpr std::int64_t kSmallBytesFromAfar = kSmallBytes / 4;
/// Updates of a reduction.
inline constexpr std::int64_t kSmallFolds = 1 << 14;

// Prefetching.

/// Bytes that index values reach from which prefetching pays: below, out-of-order execution hides what L2 lacks.
inline std::int64_t prefetch_from_bytes() noexcept { return 6 * machine().l2_bytes; }
/// Bytes that are on their way at once, and so the prefetch distance of rows; of a long row only the front, as the
/// hardware prefetcher fetches the rest.
inline constexpr std::int64_t kPrefetchedBytes = 8192;
inline constexpr std::int64_t kMaxPrefetchBytes = kPrefetchedBytes / 4;
inline constexpr std::int64_t prefetch_distance(std::int64_t row_bytes) noexcept {
  return kPrefetchedBytes / std::clamp(row_bytes, kCacheLineBytes, kMaxPrefetchBytes);
}
/// Index values are prefetched where they exceed L2; those narrower than this only where data exceed L1.
inline constexpr std::int64_t kWideIndexBytes = 8;

// Caches.

/// What stays in L2 beside what streams through it: a block of the output whose updates are applied, a chunk of
/// updates that is sorted, a tile, a part of data that is prefetched whole, index values that are read twice.
inline std::int64_t share_of_l2() noexcept { return std::max<std::int64_t>(machine().l2_bytes / 4, 1); }
/// What a process has of L3: one of more than 32 times L2 is that of many cores, of which others use theirs.
inline std::int64_t share_of_l3() noexcept { return std::min(machine().l3_bytes, 32 * machine().l2_bytes); }
/// An output that has no room in that share with all that is read for it bypasses the caches, but for elements
/// narrower than this, of which a line takes too many stores.
inline constexpr std::int64_t kNarrowestStreamed = 8;

// copy_blocks: small blocks are processed together, as many as fit in L1.

inline std::int64_t usual_blocks_bytes() noexcept { return machine().l1d_bytes / 4 * 3; }

// Copies that make operands contiguous.

/// An output with more rows or elements than this for each update is sparse: counts, or blocks, of all of it would
/// take longer than the updates. An estimate.
inline constexpr std::int64_t kSpreadForEachUpdate = 16;
/// Non-contiguous rows are copied first where an element is moved for every so many that are copied. An estimate.
inline constexpr std::int64_t kCopiedForEachMoved = 4;

// Index values.

/// From this many on a sample says in which order they are, and the check looks for split points of monotonic
/// ones, in segments: so many at most, and so many for the index values that fit share_of_l2().
inline constexpr std::int64_t kSampledFrom = 1 << 13;
inline constexpr std::int64_t kMaxSegments = 256;
inline constexpr std::int64_t kSegmentsOfShare = 16;
/// Index values that are still in L2 when they are read a second time; more are read once where that is possible.
inline std::int64_t read_once_from() noexcept { return div_up(share_of_l2(), std::int64_t{8}); }
/// Elements gathered from a table in registers.
inline constexpr std::int64_t kLookedUpFrom = 64;

// partition: a radix partition of updates into blocks of the output, in chunks that fit L2.

/// Bytes of an update that is moved with its offset (the payload). Longer ones stay where they are.
inline constexpr std::int64_t kMaxPayload = 8;
inline constexpr std::int64_t kPartitionBlocks = 4096;
inline constexpr std::int64_t kPartsOfTask = 2;  ///< chunks that a task sorts, and buckets that it applies
/// Updates of a chunk, of whose offsets each takes 4 bytes.
inline std::int64_t partition_chunk() noexcept { return div_up(share_of_l2(), std::int64_t{4}); }
inline constexpr std::int64_t kListLength = 16;  ///< mean entries of a bucket in a chunk
/// Bytes that are copied in the time of an update.
inline std::int64_t copied_in_a_step() noexcept {
  return std::max<std::int64_t>(kCacheLineBytes * machine().step / (2 * machine().near_line), 1);
}
/// Buckets of updates that stay where they are: a few for each task, balanced by a sample of positions, and at
/// least so many that the data of each fit L2. Fewer larger ones read nearly in order, which the hardware
/// prefetcher follows.
inline constexpr std::int64_t kMinBuckets = 16;
inline constexpr std::int64_t kMaxNearBuckets = 256;
inline constexpr std::int64_t kOwnedBlocks = 1024;
inline constexpr std::int64_t kSamplesPerBucket = 32;
inline constexpr std::int64_t kPositionsOfSampled = 64;
/// Nothing is partitioned where all but one of so many sampled positions address one block.
inline constexpr std::int64_t kHotOf = 16;

}  // namespace strew
