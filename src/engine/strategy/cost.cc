// Computes the estimates from the machine parameters. docs/tuning.md compares the strategies chosen by
// these estimates with the fastest ones.
#include "engine/strategy/cost.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/machine.h"

namespace strew {
namespace {

constexpr double kLine = kCacheLineBytes;

double nanoseconds(std::int64_t picoseconds) noexcept { return static_cast<double>(picoseconds) * 1e-3; }

// The share of `bytes` that does not fit in a cache of `cache_bytes`.
double miss_share(double bytes, std::int64_t cache_bytes) noexcept {
  return bytes <= static_cast<double>(cache_bytes) ? 0 : 1 - static_cast<double>(cache_bytes) / bytes;
}

// Length, in elements, of the span of data in which the row of one position can lie.
double span_of_choice(const ChooseInput& input) noexcept {
  const IndexStatistics& facts = input.likely ? *input.likely : input.facts;
  double elements = static_cast<double>(input.geometry.row);
  bool first = true;
  for (const auto& component : input.geometry.components) {
    const std::int64_t far = first ? facts.highest - facts.lowest : component.extent - 1;
    elements += static_cast<double>(far) * std::abs(static_cast<double>(component.stride));
    first = false;
  }
  return elements;
}

// Expected number of distinct values among `drawn` random draws from `all` values.
double expected_distinct(double all, double drawn) noexcept {
  return all <= 1 ? 1 : all * (1 - std::pow(1 - 1 / all, drawn));
}

// Share of positions whose line is not in L2, in a long call. Of n values, about n^p are distinct (Heaps' law).
// p follows from the number of distinct values in the sample and the number expected in random draws. L2 holds
// `room` distinct rows: the rows of the last m positions, if m^p = room. A position misses L2 if its row is not
// among them. The share of such positions is the derivative of n^p at n = m.
double l2_miss_share(const IndexOrder& order, double values, double row_bytes) noexcept {
  if (order.sampled == 0 || order.is_monotonic) return 1;
  const double expected = expected_distinct(values, static_cast<double>(order.sampled));
  if (expected < 2 || order.distinct < 2) return order.distinct < 2 ? 0 : 1;
  const double power = std::min(std::log(static_cast<double>(order.distinct)) / std::log(expected), 1.0);
  const double room = std::max(static_cast<double>(machine().l2_bytes) / std::max(row_bytes, kLine), 1.0);
  return power * std::pow(room, 1 - 1 / power);
}

}  // namespace

CallCost::CallCost(const ChooseInput& input) noexcept
    : max_tasks(static_cast<double>(input.task_count)),
      positions(static_cast<double>(input.geometry.loop.count())),
      element_bytes(std::max(1.0, static_cast<double>(strew::element_bytes(input.geometry)))),
      row_bytes(static_cast<double>(input.geometry.row) * element_bytes),
      hottest_share(0),
      copied_bytes_(static_cast<double>(input.copied) * element_bytes),
      index_bytes_(static_cast<double>(index_values_read(input.geometry) * input.index_bytes)),
      adjacent_share_(input.order.near),
      is_monotonic_(input.order.is_monotonic) {
  const Range range = reached_offsets(input.geometry, input.likely ? *input.likely : input.facts);
  reached_bytes = std::max(1.0, static_cast<double>(range.end - range.begin)) * element_bytes;
  touched_bytes = std::min(reached_bytes, positions * std::ceil(row_bytes / kLine) * kLine);
  choice_bytes_ = span_of_choice(input) * element_bytes;
  next_access_bytes = std::min(touched_bytes, choice_bytes_);
  task_bytes_ = index_bytes_ + positions * row_bytes + touched_bytes + 2 * copied_bytes_;
  const IndexStatistics& facts = input.likely ? *input.likely : input.facts;
  l2_miss_share_ = l2_miss_share(input.order, static_cast<double>(facts.highest - facts.lowest + 1), row_bytes);
  // The sample has only the first components of tuples, so it shows adjacency only if tuples have one component.
  if (input.geometry.components.size() > 1) adjacent_share_ = 0;
  if (l2_miss_share_ < 1) hottest_share = input.order.hottest;
  // If eight successive destinations are equal, the kernel keeps the result in a register and need not reload it.
  const double chain =
      input.any_order && input.geometry.row == 1 ? input.order.hottest * (1 - std::pow(adjacent_share_, 8)) : 0;
  stall_steps_ = std::max(kReloadSteps * chain - 1, 0.0);
}

double CallCost::adjacent_line_ns(double working_set_bytes) const noexcept {
  const Machine& m = machine();
  return nanoseconds(m.near_line_ps) +
         nanoseconds(m.far_line_ps - m.near_line_ps) * miss_share(working_set_bytes, m.l2_bytes);
}

double CallCost::sequential_ns(double bytes) const noexcept {
  return bytes / kLine * adjacent_line_ns(std::max(bytes, task_bytes_));
}

CallCost CallCost::per_task(double among) const noexcept {
  CallCost task = *this;
  task.task_bytes_ /= among;
  return task;
}

double CallCost::streamed_data_copy_ns() const noexcept {
  return sequential_ns(copied_bytes_) +
         kStreamedLineCost * copied_bytes_ / kLine * nanoseconds(machine().far_line_ps);
}

double CallCost::row_fragment_ns() const noexcept { return nanoseconds(machine().row_fragment_ps); }

double CallCost::random_line_ns(double working_set_bytes) const noexcept {
  const Machine& m = machine();
  return nanoseconds(m.l2_random_line_ps) * miss_share(working_set_bytes, m.l1d_bytes) +
         nanoseconds(m.l3_random_line_ps - m.l2_random_line_ps) * miss_share(working_set_bytes, m.l2_bytes) +
         nanoseconds(m.memory_random_line_ps - m.l3_random_line_ps) *
             miss_share(working_set_bytes, usable_l3_bytes());
}

double CallCost::move_row_ns(double bytes) const noexcept {
  const Machine& m = machine();
  return nanoseconds(m.step_ps + (bytes > element_bytes ? m.row_ps : 0)) +
         bytes / kLine * nanoseconds(m.near_line_ps);
}

// A row beside the previous one begins in the same cache line or in the next. In a span above
// prefetch_min_bytes(), a random row costs at least a TLB miss, which takes as long as fetching a line from L3.
double CallCost::fetch_row_ns(double bytes, double working_set_bytes, double span_bytes) const noexcept {
  const double next = adjacent_line_ns(working_set_bytes);
  const double page = nanoseconds(machine().l3_random_line_ps) * miss_share(span_bytes, prefetch_min_bytes());
  double first = l2_miss_share_ * ((1 - adjacent_share_) * std::max(random_line_ns(working_set_bytes), page) +
                                   adjacent_share_ * std::min(bytes / kLine, 1.0) * next);
  if (is_monotonic_) first = std::min(first, sequential_ns(reached_bytes) / std::max(positions, 1.0));
  return first + std::max(bytes / kLine - 1, 0.0) * next;
}

double CallCost::serial_walk_ns() const noexcept {
  const double swept = touched_bytes > next_access_bytes
                           ? sequential_ns(touched_bytes) * (touched_bytes - next_access_bytes) / touched_bytes
                           : 0;
  return positions * (move_row_ns(row_bytes) + fetch_row_ns(row_bytes, next_access_bytes, choice_bytes_)) +
         positions * stall_steps_ * nanoseconds(machine().step_ps) + read_indices_ns() + read_updates_ns() + swept;
}

double CallCost::bucket_sort_ns(double payload_bytes) const noexcept {
  const Machine& m = machine();
  const double each = nanoseconds(m.bucket_sort_ps +
                                  (payload_bytes > 4 ? 2 * m.step_ps : 0));  // a second word is stored and loaded
  return positions * each + read_indices_ns() + sequential_ns(positions * (payload_bytes + 4));
}

Cost CallCost::start_threads(double count) const noexcept {
  if (max_tasks <= 1) return {};
  const double wake = nanoseconds(machine().thread_start_ps);
  return {count * wake, count * wake * (max_tasks - 1)};
}

double CallCost::bandwidth_limited_tasks() const noexcept {
  return std::min(max_tasks, static_cast<double>(machine().memory_tasks));
}

double CallCost::false_sharing_ns(double lines) const noexcept {
  return lines * nanoseconds(machine().shared_line_ps) * (1 - miss_share(next_access_bytes, machine().l2_bytes));
}

Cost CallCost::copy_data() const noexcept {
  if (copied_bytes_ < static_cast<double>(min_parallel_copy_bytes())) return divide(data_copy_ns(), 1);
  return divide(per_task(max_tasks).data_copy_ns(), bandwidth_limited_tasks()) + start_threads(1);
}

// A line in the cache of another core is as far away as L3. The reader fetches the line, and the writer
// fetches it back for its next write.
double CallCost::cache_transfer_ns(double bytes) const noexcept {
  return std::min(bytes, static_cast<double>(machine().l2_bytes)) / kLine * 2 *
         nanoseconds(machine().l3_random_line_ps);
}

Cost CallCost::fetch_copy(double task_count, bool own_part_only) const noexcept {
  if (copied_bytes_ == 0 || max_tasks <= 1) return {};
  const bool by_one = copied_bytes_ < static_cast<double>(min_parallel_copy_bytes());
  if (by_one ? task_count == 1 : own_part_only) return {};
  const double wall = (by_one ? 1 : 1 - 1 / max_tasks) * cache_transfer_ns(touched_bytes / task_count);
  return {wall, wall * task_count};
}

// Comparing the index values of one cache line takes step_ps, since the loop is vectorised.
Cost CallCost::check_indices() const noexcept {
  return divide(index_bytes_ / kLine * nanoseconds(machine().step_ps) + read_indices_ns(),
                bandwidth_limited_tasks());
}

bool worth_splitting(const Geometry& geometry) noexcept {
  const Machine& m = machine();
  // Computes in double, since an integer product may overflow if operands are broadcast views.
  const double row = static_cast<double>(geometry.row) * static_cast<double>(element_bytes(geometry)) / kLine;
  const double each = nanoseconds(m.step_ps) + row * nanoseconds(m.near_line_ps);
  return static_cast<double>(geometry.loop.count()) * each > nanoseconds(m.thread_start_ps);
}

std::string_view reason_to_stay_serial(const ChooseInput& input) noexcept {
  if (is_packed(input.geometry.dtype)) return "elements share bytes";
  if (!worth_splitting(input.geometry)) return "less work than waking a thread";
  return input.task_count == 1 ? "one thread" : "";
}

}  // namespace strew
