// Sizes and costs of the machine, from which calls estimate times, and the tuning constants of paths and
// strategies. docs/tuning.md has the measurements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/arithmetic.h"

namespace strew {

/// Times are per task, in picoseconds; the defaults, measured on a server of 2023, apply unless the user's file
/// has others. A line has 64 bytes.
struct Machine {
  std::int64_t l1d_bytes = 32 << 10;                                         ///< of one core
  std::int64_t l2_bytes = 1 << 20;                                           ///< of one core
  std::int64_t l3_bytes = 16 << 20;                                          ///< of all cores that share it
  std::int64_t memory_bytes = std::int64_t{2} << 30;                         ///< that the process may use
  std::int64_t max_memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< with swap; no call can hold more
  std::int64_t step_ps = 900;                  ///< a position: its offset, and an element in L1
  std::int64_t row_ps = 1000;                  ///< added for a row of several elements
  std::int64_t row_fragment_ps = 6000;         ///< a separately processed part of a row
  std::int64_t l2_random_line_ps = 1000;       ///< a random line in L2, with other loads in flight
  std::int64_t l3_random_line_ps = 6000;       ///< in L3
  std::int64_t memory_random_line_ps = 12000;  ///< in memory
  std::int64_t near_line_ps = 770;             ///< the next line in order, read or written, in L1 or L2
  std::int64_t far_line_ps = 3840;             ///< in L3 or memory
  std::int64_t bucket_sort_ps = 4300;          ///< writing an update to its bucket and reading it
  std::int64_t shared_line_ps = 60'000;        ///< a line that another task has written last
  std::int64_t thread_start_ps = 3'000'000;    ///< starting another thread
  std::int64_t memory_tasks = 4;               ///< number of tasks that saturate memory
};

inline constexpr std::int64_t kCacheLineBytes = 64;

/// Reads the system's values; the defaults for unknown ones.
Machine ask_machine() noexcept;

/// Returns the values for this machine, read once.
const Machine& machine() noexcept;

/// Break-even size of a copy by two tasks instead of one: half its time is the start of a thread. A copy moves two
/// lines (read and written) for each line copied.
inline std::int64_t min_parallel_copy_bytes(const Machine& m = machine()) noexcept {
  return m.thread_start_ps / std::max<std::int64_t>(m.near_line_ps, 1) * kCacheLineBytes;
}

/// Replaces machine() during its lifetime, for tests: with tiny caches every strategy gets chosen at small sizes.
/// Instances must nest.
class ScopedMachine {
 public:
  explicit ScopedMachine(const Machine& other) noexcept;
  ~ScopedMachine();
  ScopedMachine(const ScopedMachine&) = delete;
  ScopedMachine& operator=(const ScopedMachine&) = delete;

 private:
  Machine other_;
  const Machine* before_;
};

// Constants.

/// Weight of processor time in the choice of a strategy: it minimises wall time + kCpuTimeWeight * processor time.
inline constexpr double kCpuTimeWeight = 0.1;
/// Time of a cache line written with non-temporal stores, in lines written in order. The line is not read first.
inline constexpr double kStreamedLineCost = 1.5;
/// Maximum number of chunks that the positions of a task are split into, each at least as long as a thread needs
/// to start: a thread that starts late then finds less work left.
inline constexpr std::int64_t kMaxChunksPerTask = 8;
/// Minimum size of the output range of a task. Smaller ranges would share cache lines.
inline constexpr std::int64_t kMinOwnedBytes = 1024;
/// 1 / kUsableL2Divisor of L2 survives beside data that stream through it.
inline constexpr std::int64_t kUsableL2Divisor = 4;
/// The model assumes at most kMaxL3PerL2 times L2 of L3: on processors with many cores the other cores use the
/// rest.
inline constexpr std::int64_t kMaxL3PerL2 = 32;
/// Prefetching starts if index values reach more than kPrefetchMinL2s times L2. Below, out-of-order execution
/// hides the misses of L2.
inline constexpr std::int64_t kPrefetchMinL2s = 6;
/// Bytes in flight at once; the prefetch distance of rows follows from them.
inline constexpr std::int64_t kPrefetchedBytes = 8192;
/// Prefetched front of a long row; the hardware prefetcher fetches the rest.
inline constexpr std::int64_t kMaxPrefetchedRowBytes = 2048;
/// Maximum number of one-line rows that are prefetched together.
inline constexpr std::int64_t kPrefetchedRows = 16;
/// Number of index values in a sample, drawn evenly, or from the front to see if rows may be constant.
inline constexpr std::int64_t kSampleIndices = 64;
/// A plain loop serves up to kPlainLoopRows rows; choosing a loop for the instruction set would take longer.
inline constexpr std::int64_t kPlainLoopRows = 16;
/// Narrower elements are never written with non-temporal stores, since a cache line would take too many of them.
inline constexpr std::int64_t kMinStreamedElementBytes = 8;
/// Non-contiguous rows are copied first if at most kMaxCopiedPerMoved elements are copied for each one moved. An
/// estimate.
inline constexpr std::int64_t kMaxCopiedPerMoved = 4;
/// Length in steps of the chain of loading an element that was just stored, changing it and storing it.
inline constexpr double kReloadSteps = 3;
/// partition: number of chunks that a task sorts, and of buckets that it applies.
inline constexpr std::int64_t kPartsPerTask = 2;
/// partition: minimum number of buckets.
inline constexpr std::int64_t kMinBuckets = 16;
/// partition: mean number of updates of a bucket in a chunk.
inline constexpr std::int64_t kMeanListUpdates = 16;
/// partition: prefetch distance in such lists.
inline constexpr std::int64_t kListPrefetchDistance = 2;
/// partition: sampled positions for each bucket. Nothing is partitioned if all samples but one in
/// kSamplesPerBucket fall into one block.
inline constexpr std::int64_t kSamplesPerBucket = 32;

// Values that follow from the constants and the machine.

/// Number of positions that take as long as a thread needs to start.
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
inline std::int64_t prefetch_min_bytes(const Machine& m = machine()) noexcept {
  return kPrefetchMinL2s * m.l2_bytes;
}
/// Bytes moved within L2 in the time of one that is reduced or lies beyond L2.
inline std::int64_t slow_byte_weight(const Machine& m) noexcept {
  return 1 + m.far_line_ps / std::max<std::int64_t>(2 * m.near_line_ps, 1);
}
/// Prefetch distance in rows.
inline constexpr std::int64_t prefetch_distance(std::int64_t row_bytes) noexcept {
  return kPrefetchedBytes / std::clamp(row_bytes, kCacheLineBytes, kMaxPrefetchedRowBytes);
}
/// Bytes of rows that are prefetched in one burst.
inline constexpr std::int64_t kPrefetchBurstBytes = kPrefetchedBytes / 2;
/// copy_blocks: bytes of small blocks that are processed together: L1 less the bytes in flight.
inline std::int64_t block_group_bytes() noexcept {
  return std::max(machine().l1d_bytes - kPrefetchedBytes, kCacheLineBytes);
}
/// Number of index values that no longer stay in L2 for a second reading; from here on they are read once if that
/// is possible.
inline std::int64_t read_once_min_indices() noexcept { return div_up(usable_l2_bytes(), std::int64_t{8}); }
/// partition: number of updates in a chunk, whose offsets take 4 bytes each.
inline std::int64_t partition_chunk_updates() noexcept { return div_up(usable_l2_bytes(), std::int64_t{4}); }
/// Bytes that are copied in the time of one update.
inline std::int64_t bytes_copied_per_step() noexcept {
  return std::max<std::int64_t>(
      kCacheLineBytes * machine().step_ps / std::max<std::int64_t>(2 * machine().near_line_ps, 1), 1);
}
/// Number of rows, of elements of `element_bytes`, for each update from which an output is sparse: counting or
/// copying all of it would take longer than the updates.
inline std::int64_t min_sparse_rows_per_update(std::int64_t element_bytes) noexcept {
  return std::max<std::int64_t>(bytes_copied_per_step() / std::max<std::int64_t>(element_bytes, 1), 1);
}

// Limits of memory.

/// Size of thread_scratch() (core/scratch.h).
inline constexpr std::int64_t kThreadScratch = 32 << 10;
/// Maximum number of rows of a small call: their offsets fit the scratch memory of a thread.
inline constexpr std::int64_t kMaxSmallRows = kThreadScratch / 8;
/// Maximum number of rows whose offsets fit the stack, and of rows of strided operands, whose offsets take
/// divisions.
inline constexpr std::int64_t kMaxStackRows = 256;
/// Maximum number of segments of index values between which the check looks for split points.
inline constexpr std::int64_t kMaxSegments = 256;
/// Maximum size of an update that is moved with its offset. Longer updates stay in place.
inline constexpr std::int64_t kMaxPayloadBytes = 8;
/// partition: maximum number of blocks if updates are moved.
inline constexpr std::int64_t kMaxPartitionBlocks = 4096;
/// partition: maximum number of blocks if updates stay in place, in buckets whose data fit L2.
inline constexpr std::int64_t kMaxOwnedBlocks = 1024;

}  // namespace strew
