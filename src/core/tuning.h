// Tuning constants of paths and strategies. docs/tuning.md has the measurements.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/machine.h"
#include "core/size.h"

namespace strew {

/// Weight of processor time in the cost of a strategy: wall time + kCpuTimeWeight * processor time.
inline constexpr double kCpuTimeWeight = 0.1;
/// Time to write a cache line with non-temporal stores, in multiples of far_line_ps. The line is not read first.
inline constexpr double kStreamedLineCost = 1.5;
/// Maximum number of chunks into which the positions of a task are split, so that other threads do the work of a
/// thread that starts late. A chunk takes at least as long as starting a thread.
inline constexpr std::int64_t kMaxChunksPerTask = 8;
/// Minimum size of the output range of a task. Smaller ranges would share cache lines.
inline constexpr std::int64_t kMinOwnedBytes = 1024;
/// Data of up to 1 / kUsableL2Divisor of L2 stay in L2 while other data stream through it.
inline constexpr std::int64_t kUsableL2Divisor = 4;
/// Maximum size of L3 in the cost model, in multiples of L2: other cores of a large processor use the rest.
inline constexpr std::int64_t kMaxL3PerL2 = 32;
/// Maximum number of bytes being prefetched at once, which determines the prefetch distance of rows.
inline constexpr std::int64_t kPrefetchedBytes = 8192;
/// Maximum number of bytes prefetched at the front of a row; the hardware prefetcher fetches the rest.
inline constexpr std::int64_t kMaxPrefetchedRowBytes = 2048;
/// Maximum number of rows that are prefetched in one burst.
inline constexpr std::int64_t kPrefetchedRows = 16;
/// Number of index values in a sample: evenly spaced values, or the first values of the first row of indices.
inline constexpr std::int64_t kSampleIndices = 64;
/// Maximum number of rows for a plain loop. Up to this number, finding the loop for the instruction set takes
/// longer than that loop saves.
inline constexpr std::int64_t kPlainLoopRows = 16;
/// Minimum size of a row for non-temporal stores. Shorter rows need too many stores per cache line.
inline constexpr std::int64_t kMinStreamedRowBytes = 8;
/// Non-contiguous data (of a scatter, updates) are made contiguous first only if that copies at most this many
/// elements for each element that the call moves.
inline constexpr std::int64_t kMaxCopiedPerMoved = 4;
/// Latency, in multiples of step_ps, of loading an element that was just stored, changing it and storing it.
inline constexpr double kReloadSteps = 3;
/// partition: number of chunks that each task sorts, and of buckets that it applies.
inline constexpr std::int64_t kPartsPerTask = 2;
/// partition: minimum number of buckets.
inline constexpr std::int64_t kMinBuckets = 16;
/// partition: minimum mean length of a list, in updates. A list contains the updates of one bucket in one chunk.
inline constexpr std::int64_t kMeanListUpdates = 16;
/// partition: prefetch distance in lists.
inline constexpr std::int64_t kListPrefetchDistance = 2;
/// partition: samples per bucket. If fewer than one sample in kSamplesPerBucket is outside a certain block, one
/// task would apply almost all updates, so it applies them unsorted. If data are copied, updates are always
/// sorted.
inline constexpr std::int64_t kSamplesPerBucket = 32;

/// Number of positions that take as long as starting a thread.
inline std::int64_t min_chunk_positions() noexcept {
  return machine().thread_start_ps / std::max<std::int64_t>(machine().step_ps, 1) + 1;
}
/// Minimum number of positions, enough for two tasks, for which the order of index values is sampled.
inline std::int64_t min_sampled_positions() noexcept { return 2 * min_chunk_positions(); }
inline std::int64_t usable_l2_bytes() noexcept {
  return std::max<std::int64_t>(machine().l2_bytes / kUsableL2Divisor, 1);
}
inline std::int64_t usable_l3_bytes() noexcept {
  return std::min(machine().l3_bytes, kMaxL3PerL2 * machine().l2_bytes);
}
/// Prefetch distance in rows.
inline constexpr std::int64_t prefetch_distance(std::int64_t row_bytes) noexcept {
  return kPrefetchedBytes / std::clamp(row_bytes, kCacheLineBytes, kMaxPrefetchedRowBytes);
}
/// Bytes of rows that are prefetched in one burst.
inline constexpr std::int64_t kPrefetchBurstBytes = kPrefetchedBytes / 2;
/// copy_blocks: bytes of the small blocks that are processed together. They fill L1 except for kPrefetchedBytes.
inline std::int64_t block_group_bytes() noexcept {
  return std::max(machine().l1d_bytes - kPrefetchedBytes, kCacheLineBytes);
}
/// From this number on, index values are read once if possible: they would not stay in L2 for a second pass.
inline std::int64_t read_once_min_indices() noexcept { return div_up(usable_l2_bytes(), std::int64_t{8}); }
/// partition: maximum number of updates in a chunk. Their offsets, of 4 bytes each, fit in the usable part of L2.
inline std::int64_t partition_chunk_updates() noexcept { return div_up(usable_l2_bytes(), std::int64_t{4}); }
/// Bytes copied in the time that updating one element takes.
inline std::int64_t bytes_copied_per_step() noexcept {
  return std::max<std::int64_t>(
      kCacheLineBytes * machine().step_ps / std::max<std::int64_t>(2 * machine().near_line_ps, 1), 1);
}
/// Output elements per update above which an output is sparse: copying it takes longer than applying its updates.
inline std::int64_t min_sparse_rows_per_update(std::int64_t element_bytes) noexcept {
  return std::max<std::int64_t>(bytes_copied_per_step() / std::max<std::int64_t>(element_bytes, 1), 1);
}

/// Bytes of thread_scratch() (core/scratch.h).
inline constexpr std::int64_t kThreadScratch = 32 << 10;
/// Maximum number of rows of a small call: their offsets fit in the scratch memory of a thread.
inline constexpr std::int64_t kMaxSmallRows = kThreadScratch / 8;
/// Maximum rank of data of a small call.
inline constexpr std::int64_t kMaxSmallRank = 8;
/// Maximum number of rows whose offsets are on the stack, and of rows of a small call with strided operands.
inline constexpr std::int64_t kMaxStackRows = 256;
/// Maximum number of segments into which the check divides index values to look for cuts (IndexStatistics::cuts).
inline constexpr std::int64_t kMaxSegments = 256;
/// Maximum size of an update that is moved with its offset. Longer updates stay in place.
inline constexpr std::int64_t kMaxPayloadBytes = 8;
/// partition: maximum number of blocks if updates are moved.
inline constexpr std::int64_t kMaxPartitionBlocks = 4096;
/// partition: maximum number of blocks if updates stay in place. The blocks are small, and several share a bucket.
inline constexpr std::int64_t kMaxOwnedBlocks = 1024;

/// Edges: bytes per task below which waking a thread costs more than it saves.
inline constexpr std::int64_t kEdgeTaskBytes = 64 << 10;
/// Edges: tasks per thread, so that threads finish at about the same time.
inline constexpr std::int64_t kEdgeTasksPerThread = 8;
/// Edges: prefetch distance in bytes of rows. Any L2 is much larger.
inline constexpr std::int64_t kEdgePrefetchBytes = 32 << 10;
/// Edges: minimum prefetch distance in edges.
inline constexpr std::int64_t kMinEdgesAhead = 4;
/// Edges: minimum bytes of a task's columns if the row of a target with many edges is divided among tasks.
inline constexpr std::int64_t kHubColumnBytes = 256;
/// Edges: maximum bytes per edge of values that are sorted before the loop over edges. Values that together fit in
/// L2 are not sorted either: weighted sums of 2 to 16 float32 columns take 15 to 25 % less time if they read
/// values by edge number. Exception: loops over rows of one element need sorted values.
inline constexpr std::int64_t kSortedValueBytes = 64;
/// Maximum size of an accumulator row for unsorted edges. With longer rows, random accesses to accumulators cost
/// more than a sort, which moves about a cache line per edge.
inline constexpr std::int64_t kUnsortedRowBytes = kCacheLineBytes;
/// Maximum number of tasks over unsorted edges. Each task reads all edges, so more tasks are slower than a sort.
inline constexpr std::int64_t kMaxUnsortedTasks = 16;
/// Minimum number of unsorted edges per task.
inline constexpr std::int64_t kUnsortedTaskEdges = 1 << 14;

}  // namespace strew
