// Costs out of the numbers of a machine. docs/tuning.md says how well they tell strategies apart.
#include "engine/strategy/cost.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/machine.h"
#include "core/thresholds.h"
#include "engine/geometry/reach.h"

namespace strew {
namespace {

constexpr double kLine = kCacheLineBytes;

double nanoseconds(std::int64_t picoseconds) noexcept { return static_cast<double>(picoseconds) * 1e-3; }

// The share of so many bytes that a cache of this size has no room for.
double missing(double bytes, std::int64_t cache) noexcept {
  return bytes <= static_cast<double>(cache) ? 0 : 1 - static_cast<double>(cache) / bytes;
}

// From one position on the axes that index values do not choose, the elements that they may.
double chosen_from(const ChooseInput& input) noexcept {
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

// How many of so many values would differ if they were drawn from `all` by chance.
double expected_distinct(double all, double drawn) noexcept {
  return all <= 1 ? 1 : all * (1 - std::pow(1 - 1 / all, drawn));
}

// How many positions of many find a line that those before them left no room for in L2. The number of values that
// differ grows as a power of the number of values (Heaps' law); a sample tells which, compared with as many by
// chance. So the lines of L2 are those of so many positions before, and what is new since then is the slope there.
double cold_share(const IndexOrder& order, double values, double row_bytes) noexcept {
  if (order.sampled == 0 || order.one_way) return 1;
  const double expected = expected_distinct(values, static_cast<double>(order.sampled));
  if (expected < 2 || order.distinct < 2) return order.distinct < 2 ? 0 : 1;
  const double power = std::min(std::log(static_cast<double>(order.distinct)) / std::log(expected), 1.0);
  const double room = std::max(static_cast<double>(machine().l2_bytes) / std::max(row_bytes, kLine), 1.0);
  return power * std::pow(room, 1 - 1 / power);
}

}  // namespace

CallCost::CallCost(const ChooseInput& input) noexcept
    : tasks(static_cast<double>(input.task_count)),
      positions(static_cast<double>(input.geometry.loop.count())),
      width(std::max(1.0, static_cast<double>(element_bytes(input.geometry)))),
      row(static_cast<double>(input.geometry.row) * width),
      hottest(0),
      copied_bytes_(static_cast<double>(input.copied) * width),
      index_bytes_(static_cast<double>(index_values_read(input.geometry) * input.index_bytes)),
      near_(input.order.near),
      one_way_(input.order.one_way) {
  const Range range = reached_offsets(input.geometry, input.likely ? *input.likely : input.facts);
  reached = std::max(1.0, static_cast<double>(range.end - range.begin)) * width;
  used = std::min(reached, positions * std::ceil(row / kLine) * kLine);
  chosen_ = chosen_from(input) * width;
  touched = std::min(used, chosen_);
  all_bytes_ = index_bytes_ + positions * row + used + 2 * copied_bytes_;
  // A sample is of the first component, which says where a position lies only if there is no other.
  const IndexStatistics& facts = input.likely ? *input.likely : input.facts;
  cold_ = cold_share(input.order, static_cast<double>(facts.highest - facts.lowest + 1), row);
  if (input.geometry.components.size() > 1) near_ = 0;
  if (cold_ < 1) hottest = input.order.hottest;
  // Of eight that repeat at once the kernel keeps the result in a register.
  const double chain =
      input.any_order && input.geometry.row == 1 ? input.order.hottest * (1 - std::pow(near_, 8)) : 0;
  waiting_ = std::max(kReloadSteps * chain - 1, 0.0);
}

double CallCost::next_line(double memory) const noexcept {
  const Machine& m = machine();
  return nanoseconds(m.near_line) + nanoseconds(m.far_line - m.near_line) * missing(memory, m.l2_bytes);
}

double CallCost::in_order(double bytes) const noexcept {
  return bytes / kLine * next_line(std::max(bytes, all_bytes_));
}

CallCost CallCost::of_one_of(double among) const noexcept {
  CallCost task = *this;
  task.all_bytes_ /= among;
  return task;
}

double CallCost::streamed_copy() const noexcept {
  return in_order(copied_bytes_) + kStreamOfLine * copied_bytes_ / kLine * nanoseconds(machine().far_line);
}

double CallCost::run() const noexcept { return nanoseconds(machine().run); }

double CallCost::line(double bytes) const noexcept {
  const Machine& m = machine();
  return nanoseconds(m.l2_line) * missing(bytes, m.l1d_bytes) +
         nanoseconds(m.l3_line - m.l2_line) * missing(bytes, m.l2_bytes) +
         nanoseconds(m.memory_line - m.l3_line) * missing(bytes, share_of_l3());
}

double CallCost::move(double row_bytes) const noexcept {
  const Machine& m = machine();
  return nanoseconds(m.step + (row_bytes > width ? m.row : 0)) + row_bytes / kLine * nanoseconds(m.near_line);
}

// A row beside the one before begins in the same line, or in the next in order. From where prefetching pays on, a
// page that the TLB lacks takes as long as a line of L3, however few lines are used of it.
double CallCost::find(double row_bytes, double memory, double span) const noexcept {
  const double next = next_line(memory);
  const double page = nanoseconds(machine().l3_line) * missing(span, prefetch_from_bytes());
  double first =
      cold_ * ((1 - near_) * std::max(line(memory), page) + near_ * std::min(row_bytes / kLine, 1.0) * next);
  if (one_way_) first = std::min(first, in_order(reached) / std::max(positions, 1.0));
  return first + std::max(row_bytes / kLine - 1, 0.0) * next;
}

double CallCost::waits() const noexcept { return positions * waiting_ * nanoseconds(machine().step); }

double CallCost::walk() const noexcept {
  const double swept = used > touched ? in_order(used) * (used - touched) / used : 0;
  return positions * (move(row) + find(row, touched, chosen_)) + waits() + indices() + updates() + swept;
}

double CallCost::sort(double carried) const noexcept {
  const Machine& m = machine();
  const double each = nanoseconds(m.sort + (carried > 4 ? 2 * m.step : 0));  // another word is put and taken
  return positions * each + indices() + in_order(positions * (carried + 4));
}

Cost CallCost::wakes(double count) const noexcept {
  if (tasks <= 1) return {};
  const double wake = nanoseconds(machine().wake);
  return {count * wake, count * wake * (tasks - 1)};
}

double CallCost::sharing() const noexcept { return std::min(tasks, static_cast<double>(machine().memory_tasks)); }

double CallCost::shared(double lines) const noexcept {
  return lines * nanoseconds(machine().shared_line) * (1 - missing(touched, machine().l2_bytes));
}

Cost CallCost::copy() const noexcept {
  if (copied_bytes_ < static_cast<double>(divided_bytes())) return divided(copied(), 1);
  return divided(of_one_of(tasks).copied(), sharing()) + wakes(1);
}

// Lines in the caches of other processors are no nearer than L3; they are fetched, and taken back when they are
// written anew.
double CallCost::taken_over(double bytes) const noexcept {
  return std::min(bytes, static_cast<double>(machine().l2_bytes)) / kLine * 2 * nanoseconds(machine().l3_line);
}

Cost CallCost::fetch(double task_count, bool by_parts) const noexcept {
  if (copied_bytes_ == 0 || tasks <= 1) return {};
  const bool by_one = copied_bytes_ < static_cast<double>(divided_bytes());
  if (by_one ? task_count == 1 : by_parts) return {};
  const double wall = (by_one ? 1 : 1 - 1 / tasks) * taken_over(used / task_count);
  return {wall, wall * task_count};
}

// A step for each line of index values, which are compared in vectors.
Cost CallCost::check() const noexcept {
  return divided(index_bytes_ / kLine * nanoseconds(machine().step) + indices(), sharing());
}

bool worth_splitting(const Geometry& geometry) noexcept {
  const Machine& m = machine();
  // Operands of broadcast views can have more positions than memory has bytes: nothing may overflow.
  const double row = static_cast<double>(geometry.row) * static_cast<double>(element_bytes(geometry)) / kLine;
  const double each = nanoseconds(m.step) + row * nanoseconds(m.near_line);
  return static_cast<double>(geometry.loop.count()) * each > nanoseconds(m.wake);
}

std::string_view reason_to_stay_serial(const ChooseInput& input) noexcept {
  if (is_packed(input.geometry.dtype)) return "elements share bytes";
  if (!worth_splitting(input.geometry)) return "less work than waking a thread";
  return input.task_count == 1 ? "one thread" : "";
}

}  // namespace strew
