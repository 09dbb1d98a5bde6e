// The cost model. The estimated time of a call is a sum of counts, each multiplied by a machine number
// (core/machine.h). This file contains the terms that several strategies share.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/tuning.h"
#include "engine/geometry/geometry.h"
#include "index/check.h"
#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {

/// The facts about a call that the choice of a strategy depends on.
struct ChooseInput {
  const Geometry& geometry;
  bool is_scatter;
  std::int64_t copied;  ///< number of elements that a scatter copies from data to a dense output first; else 0
  IndexStatistics facts;
  std::int64_t task_count;  ///< maximum number of tasks, at least 1
  std::optional<StrategyKind> force;
  std::int64_t scratch_limit_bytes = std::numeric_limits<std::int64_t>::max();
  bool output_is_new = false;                            ///< Promises::output_is_new
  std::optional<IndexStatistics> likely = std::nullopt;  ///< the facts of a sample, if `facts` are only bounds
  std::int64_t index_bytes = 8;                          ///< size of one index value
  bool folds = false;                                    ///< a scatter with a reduction
  bool any_order = false;    ///< a scatter of integers whose reduction gives the same bits in any order
  bool idempotent = false;   ///< for any_order: combining a value with itself gives that value
  bool drops = false;        ///< some updates are dropped
  IndexOrder order = {};     ///< order of index values in a sample
  bool checked = true;       ///< index values were checked, or need no check
  bool counts_rows = false;  ///< a Fold counts the updates of each row, so tasks must not divide rows
};

/// An estimated time in nanoseconds.
struct Cost {
  double wall = 0;       ///< until the last task ends
  double processor = 0;  ///< summed over all tasks

  /// The quantity that the choice of a strategy minimises. Processor time is included to leave processors to
  /// other programs, and to favour fewer tasks, which depend less on threads that start late.
  double objective() const noexcept { return wall + kCpuTimeWeight * processor; }
  Cost operator+(const Cost& other) const noexcept { return {wall + other.wall, processor + other.processor}; }
};

/// Sizes and counts of one call, and estimated times. Each function returns the time of the work that its comment
/// describes: the nanoseconds of one task, or the Cost of all tasks.
class CallCost {
 public:
  explicit CallCost(const ChooseInput& input) noexcept;

  double max_tasks;
  double positions;
  double element_bytes;
  double row_bytes;
  double reached_bytes;      ///< span of data that index values reach
  double touched_bytes;      ///< upper bound on the size of the cache lines of data that the call accesses
  double next_access_bytes;  ///< span of data within which the next access can lie
  double hottest_share;      ///< share of the most frequent index value; 0 if values repeat only by chance

  /// Returns the estimates for one of `among` tasks: its caches have to hold only its share of the memory
  /// accessed.
  CallCost per_task(double among) const noexcept;

  /// Reads or writes `bytes` once, in order.
  double sequential_ns(double bytes) const noexcept;
  /// Accesses the cache line after the previous one, in a working set of `working_set_bytes`.
  double adjacent_line_ns(double working_set_bytes) const noexcept;
  /// Accesses a random cache line in a working set of `working_set_bytes` while other accesses are under way.
  double random_line_ns(double working_set_bytes) const noexcept;
  /// Overhead of a part of a row that is processed separately.
  double row_fragment_ns() const noexcept;
  /// Writes to `lines` cache lines that another task writes at about the same time.
  double false_sharing_ns(double lines) const noexcept;
  /// Reads `bytes` that another core wrote last.
  double cache_transfer_ns(double bytes) const noexcept;
  /// Moves a row of `bytes` that is in L1.
  double move_row_ns(double bytes) const noexcept;
  /// Fetches a random row of `bytes` from `working_set_bytes` that are spread over `span_bytes` of addresses.
  double fetch_row_ns(double bytes, double working_set_bytes, double span_bytes) const noexcept;
  double fetch_row_ns(double bytes, double working_set_bytes) const noexcept {
    return fetch_row_ns(bytes, working_set_bytes, working_set_bytes);
  }
  double read_indices_ns() const noexcept { return sequential_ns(index_bytes_); }
  double read_updates_ns() const noexcept { return sequential_ns(positions * row_bytes); }
  /// Runs the whole call, position by position, in one task.
  double serial_walk_ns() const noexcept;
  /// Sorts positions into buckets, which hold an offset and `payload_bytes` for each position.
  double bucket_sort_ns(double payload_bytes) const noexcept;
  /// Starts all threads `count` times. The wall time includes one start each time, the processor time all starts.
  Cost start_threads(double count) const noexcept;
  /// Number of tasks that can run at full speed within the bandwidth of memory.
  double bandwidth_limited_tasks() const noexcept;
  /// Does work that `among` tasks divide evenly.
  static Cost divide(double work_ns, double among) noexcept { return {work_ns / among, work_ns}; }

  /// Copies data before a strategy that does not copy data itself.
  Cost copy_data() const noexcept;
  /// Checks all index values before a strategy that does not check them itself.
  Cost check_indices() const noexcept;
  /// Moves a fresh copy of data to the cores that use it. `own_part_only`: each task uses the part that it copied.
  Cost fetch_copy(double task_count, bool own_part_only) const noexcept;
  /// Copies data in one task.
  double data_copy_ns() const noexcept { return 2 * sequential_ns(copied_bytes_); }
  /// Copies data in one task with non-temporal stores.
  double streamed_data_copy_ns() const noexcept;

 private:
  double copied_bytes_;
  double index_bytes_;
  double task_bytes_ = 0;    // bytes that one task reads and writes
  double choice_bytes_ = 0;  // span of the data from which an index value can choose
  double adjacent_share_;    // share of positions whose row lies beside the previous row
  double l2_miss_share_;     // share of positions whose lines are not in L2, in a long call
  double stall_steps_;       // time, in steps, that a position waits for an earlier one
  bool is_monotonic_;
};

/// True if the call is long enough to pay for starting a second thread.
bool worth_splitting(const Geometry& geometry) noexcept;

/// The reason why only one task is possible; empty if several are.
std::string_view reason_to_stay_serial(const ChooseInput& input) noexcept;

/// Maximum number of positions of a call that needs scratch memory for each position: 16 bytes per position must
/// not overflow. Broadcast views can have more positions than memory has bytes.
inline constexpr std::int64_t kMaxInScratch = std::int64_t{1} << 48;

}  // namespace strew
