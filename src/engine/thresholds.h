// Tuning parameters: from which size on a path or strategy is chosen. Sizes are multiples of the caches of
// core/machine.h. docs/tuning.md has the measurements behind each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/machine.h"
#include "core/scratch.h"

namespace strew {

// Parallelism.

/// The positions of a task are split into at most so many chunks, of at least so many positions: a thread that was
/// asleep starts late.
inline constexpr std::int64_t kMaxChunksPerTask = 8;
inline constexpr std::int64_t kChunkPositions = 1 << 14;
/// Bytes of the output that a task owns at least: less means false sharing of cache lines.
inline constexpr std::int64_t kOwnedBytesFrom = 1024;
/// Bytes from which a copy is split between threads.
inline constexpr std::int64_t kParallelCopyFrom = 1 << 18;

// The fast path of small calls.

/// Rows whose offsets fit the scratch memory of a thread, and those whose offsets fit the stack.
inline constexpr std::int64_t kSmallRows = kThreadScratch / 8;
inline constexpr std::int64_t kFewSmallRows = 512;
/// Bytes of the output; from data beyond L2 prefetching pays earlier.
inline constexpr std::int64_t kSmallBytes = kParallelCopyFrom;
inline constexpr std::int64_t kSmallBytesFromAfar = 1 << 16;
/// Updates of a reduction.
inline constexpr std::int64_t kSmallFolds = 1 << 14;
/// Rows of strided operands, whose offsets take divisions.
inline constexpr std::int64_t kSmallStridedRows = 256;

// Prefetching.

/// Bytes that index values reach from which prefetching pays: below, out-of-order execution hides the latency.
/// Rows span cache lines and reductions have longer loops, so theirs is lower than that of moved elements.
inline std::int64_t prefetch_rows_from_bytes() noexcept { return 6 * machine().l2_bytes; }
inline std::int64_t prefetch_elements_from_bytes() noexcept { return 12 * machine().l2_bytes; }
/// The same for whole parts of data; smaller calls take the fast path.
inline std::int64_t prefetch_blocks_from_bytes() noexcept { return 4 * machine().l2_bytes; }
/// Prefetch distance, in bytes and in positions.
inline constexpr std::int64_t kPrefetchDistanceBytes = 8192;
inline constexpr std::int64_t kMinPrefetchDistance = 4;
inline constexpr std::int64_t kMaxPrefetchDistance = 128;
/// Bytes prefetched of a row; the hardware prefetcher fetches the rest.
inline constexpr std::int64_t kMaxPrefetchBytes = 64 * kCacheLineBytes;
/// Index values are prefetched where they exceed L2; those narrower than 8 bytes only where data exceed L1.
inline std::int64_t prefetch_indices_from_bytes() noexcept { return machine().l2_bytes; }
inline constexpr std::int64_t kWideIndexBytes = 8;
/// Parts of data along the last axis that are prefetched whole while the one before is in use.
inline std::int64_t largest_swept_bytes() noexcept { return machine().l2_bytes / 4; }

// Tiling.

/// Elements along an axis of few coordinates are processed in tiles of so many columns, so that what a tile reads
/// stays in L2, where the matrix exceeds L3.
inline constexpr std::int64_t kTileColumns = 512;
inline std::int64_t tile_from_bytes() noexcept { return machine().l3_bytes; }
inline std::int64_t largest_tile_bytes() noexcept { return machine().l2_bytes / 4; }

// Non-temporal stores.

/// Outputs of at least half of L3 bypass the caches where they and what is read for them exceed three quarters of
/// it. Single elements never do.
inline std::int64_t stream_from_bytes() noexcept { return machine().l3_bytes / 2; }
inline std::int64_t stream_all_from_bytes() noexcept { return machine().l3_bytes / 4 * 3; }
inline constexpr std::int64_t kNarrowestStreamed = 8;
/// So does a copy of data that is not read soon.
inline std::int64_t stream_copy_from_bytes() noexcept { return machine().l3_bytes; }

// copy_blocks: small blocks are processed together, as many as fit in L1.

inline std::int64_t usual_blocks_bytes() noexcept { return machine().l1d_bytes / 4 * 3; }

// Copies that make operands contiguous.

/// Rows of the output for each position, up to which mean and include_self = false count per row of the output. An
/// estimate.
inline constexpr std::int64_t kUnitsForEachPosition = 16;
/// Non-contiguous rows are copied first where an element is moved for every so many that are copied. An estimate.
inline constexpr std::int64_t kCopiedForEachMoved = 4;

// Index values.

/// From this many on a sample says in which order they are.
inline constexpr std::int64_t kSampledFrom = 1 << 13;
/// From this many on they are read once where that is possible; fewer are still in the cache.
inline std::int64_t read_once_from() noexcept { return std::max<std::int64_t>(machine().l2_bytes / 32, 1); }
/// From this many on the check looks for split points of monotonic index values, in segments: how many at most,
/// and values of each at least.
inline constexpr std::int64_t kSegmentsFrom = 1 << 14;
inline constexpr std::int64_t kMaxSegments = 256;
inline std::int64_t segment_from() noexcept { return std::max<std::int64_t>(machine().l2_bytes / 512, 1); }
/// Elements gathered from a table in registers.
inline constexpr std::int64_t kLookedUpFrom = 64;

// partition: a radix partition of updates into blocks of the output, in chunks that fit L2.

/// Bytes of an update that is moved with its offset (the payload). Longer ones stay where they are.
inline constexpr std::int64_t kMaxPayload = 8;
/// Elements of the output for each update at most.
inline constexpr std::int64_t kSpreadForEachUpdate = 16;
inline constexpr std::int64_t kPartitionBlocks = 4096;
inline constexpr std::int64_t kCopiedPerUpdate = 48;  ///< bytes, in the time of one update
inline std::int64_t partition_block_bytes() noexcept { return machine().l2_bytes / 4; }
inline std::int64_t partition_chunk() noexcept { return std::max<std::int64_t>(machine().l2_bytes / 16, 1); }
inline constexpr std::int64_t kChunksOfTask = 2;
inline constexpr std::int64_t kListLength = 16;  ///< mean entries of a bucket in a chunk
/// Buckets of updates that stay where they are: a few for each task, balanced by a sample of positions, and at
/// least so many that the data of each fit L2. Fewer larger ones read nearly in order, which the hardware
/// prefetcher follows.
inline constexpr std::int64_t kBucketsPerTask = 2;
inline constexpr std::int64_t kMinBuckets = 16;
inline constexpr std::int64_t kMaxNearBuckets = 256;
inline constexpr std::int64_t kOwnedBlocks = 1024;
inline constexpr std::int64_t kSamplesPerBucket = 32;
inline constexpr std::int64_t kPositionsOfSampled = 64;
/// Nothing is partitioned where all but one of so many sampled positions address one block.
inline constexpr std::int64_t kHotOf = 16;

}  // namespace strew
