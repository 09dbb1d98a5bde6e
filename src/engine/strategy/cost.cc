// Costs out of the numbers of a machine. docs/tuning.md says how well they tell strategies apart.
#include "engine/strategy/cost.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/machine.h"
#include "engine/geometry/reach.h"
#include "engine/thresholds.h"

namespace strew {
namespace {

constexpr double kLine = kCacheLineBytes;
// Bytes of an index value that a check takes in a third of a step, as it has no element to move.
constexpr double kIndexBytes = 8;
constexpr double kCheckOfStep = 1.0 / 3;
// A line that is written around the caches takes longer than one in order, but is not read first.
constexpr double kStreamOfLine = 1.5;
// An update of more than 4 bytes, beside its offset, is sorted with two words: more of a sort than one.
constexpr double kWideSort = 1.6;
// A row beside the one before lies in a line that is there already, but where it begins another.
constexpr double kNearSaved = 0.9;

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

}  // namespace

CallCost::CallCost(const ChooseInput& input) noexcept
    : tasks(static_cast<double>(input.task_count)),
      positions(static_cast<double>(input.geometry.loop.count())),
      width(std::max(1.0, static_cast<double>(element_bytes(input.geometry)))),
      row(static_cast<double>(input.geometry.row) * width),
      repeated(0),
      hottest(input.order.hottest),
      copied_bytes_(static_cast<double>(input.copied) * width),
      index_bytes_(static_cast<double>(index_values_read(input.geometry) * input.index_bytes)),
      near_(input.order.near),
      one_way_(input.order.one_way) {
  const Range range = reached_offsets(input.geometry, input.likely ? *input.likely : input.facts);
  reached = std::max(1.0, static_cast<double>(range.end - range.begin)) * width;
  touched = std::min({reached, chosen_from(input) * width, positions * std::ceil(row / kLine) * kLine});
  const IndexOrder& order = input.order;
  if (order.sampled > 0 && !one_way_) {
    const double expected = expected_distinct(std::max(reached / row, 1.0), static_cast<double>(order.sampled));
    repeated = std::max(0.0, 1 - static_cast<double>(order.distinct) / expected);
  }
}

double CallCost::in_order(double bytes) const noexcept {
  const Machine& m = machine();
  const double near = nanoseconds(m.near_line);
  return bytes / kLine * (near + (nanoseconds(m.far_line) - near) * missing(bytes, m.l2_bytes));
}

double CallCost::streamed(double bytes) const noexcept {
  return kStreamOfLine * bytes / kLine * nanoseconds(machine().far_line);
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

double CallCost::find(double row_bytes, double memory) const noexcept {
  // The more values repeat, the more of the lines that are asked for are those of few, which are in the cache.
  const double cold = (1 - repeated) * (1 - repeated) * (1 - repeated);
  double first = line(memory) * (1 - kNearSaved * near_) * cold;
  if (one_way_) first = std::min(first, in_order(reached) / std::max(positions, 1.0));
  return first + std::max(row_bytes - kLine, 0.0) * in_order(memory) / memory;
}

double CallCost::walk() const noexcept {
  const double used = std::min(reached, positions * std::ceil(row / kLine) * kLine);
  const double swept = used > touched ? in_order(used) * (used - touched) / used : 0;
  return positions * (move(row) + find(row, touched)) + indices() + updates() + swept;
}

double CallCost::sort(double carried) const noexcept {
  const double each = nanoseconds(machine().sort) * (carried > 4 ? kWideSort : 1);
  return positions * each + indices() + in_order(positions * (carried + 4));
}

Cost CallCost::wakes(double count) const noexcept {
  if (tasks <= 1) return {};
  const double wake = nanoseconds(machine().wake);
  return {count * wake, count * wake * (tasks - 1)};
}

double CallCost::sharing() const noexcept { return std::min(tasks, static_cast<double>(machine().memory_tasks)); }

Cost CallCost::copy() const noexcept { return divided(copied(), sharing()); }

Cost CallCost::check() const noexcept {
  return divided(index_bytes_ / kIndexBytes * nanoseconds(machine().step) * kCheckOfStep + indices(), sharing());
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
