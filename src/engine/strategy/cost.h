// What a call takes: sums of terms that are each a count of this call times a number of the machine, so that a
// cost has no steps. Terms that strategies have in common are here.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/thresholds.h"
#include "engine/geometry/choose_input.h"

namespace strew {

/// Nanoseconds.
struct Cost {
  double wall = 0;       ///< until the last task ends
  double processor = 0;  ///< of all tasks together

  /// What the cheapest has least of. Others may use a processor that is saved, and where two ways take as long
  /// the one with fewer tasks is less at the mercy of late threads.
  double total() const noexcept { return wall + kWorthOfProcessor * processor; }
  Cost operator+(const Cost& other) const noexcept { return {wall + other.wall, processor + other.processor}; }
};

/// Sizes of a call in bytes and counts, and what moving them takes in nanoseconds of one task.
class CallCost {
 public:
  explicit CallCost(const ChooseInput& input) noexcept;

  double tasks;  ///< the most
  double positions;
  double width;    ///< bytes of an element
  double row;      ///< bytes of a row
  double reached;  ///< bytes of data that index values reach
  double used;     ///< ... of the lines that the call may use
  double touched;  ///< ... among which the next position is
  double hottest;  ///< share of the most frequent position, where others repeat as well

  /// The same where so many tasks divide what the call reads and writes between their caches.
  CallCost of_one_of(double among) const noexcept;

  /// Lines of so many bytes that are used once, one after the other; another line of so much memory, beside the
  /// one before; and one of them at random while others are under way.
  double in_order(double bytes) const noexcept;
  double next_line(double memory) const noexcept;
  double line(double bytes) const noexcept;
  /// A part of a row that is walked by itself.
  double run() const noexcept;
  /// Lines that another task writes in turn with this one; and so many bytes that another has written.
  double shared(double lines) const noexcept;
  double taken_over(double bytes) const noexcept;
  /// To move a row in L1; to find one of so many bytes anywhere in so much memory, which lies in `span` bytes.
  double move(double row_bytes) const noexcept;
  double find(double row_bytes, double memory, double span) const noexcept;
  double find(double row_bytes, double memory) const noexcept { return find(row_bytes, memory, memory); }
  /// Index values, and what moves along with them.
  double indices() const noexcept { return in_order(index_bytes_); }
  double updates() const noexcept { return in_order(positions * row); }
  /// What single elements wait for those before them with the same destination, where order does not matter.
  double waits() const noexcept;
  /// All positions, in their order.
  double walk() const noexcept;
  /// To sort positions into buckets that hold so many bytes of each beside its offset.
  double sort(double carried) const noexcept;
  /// Until `count` times another thread has begun; of all threads.
  Cost wakes(double count) const noexcept;
  /// Tasks that share what memory gives.
  double sharing() const noexcept;
  /// Work that so many tasks divide evenly.
  static Cost divided(double work, double among) noexcept { return {work / among, work}; }

  /// What a strategy that does not do so itself waits for: data to be copied, index values to be checked.
  Cost copy() const noexcept;
  Cost check() const noexcept;
  /// What so many tasks then have to fetch of the copy, as others made it; `by_parts`: each that of its own part.
  Cost fetch(double task_count, bool by_parts) const noexcept;
  /// To copy data, by one task; the same with non-temporal stores.
  double copied() const noexcept { return 2 * in_order(copied_bytes_); }
  double streamed_copy() const noexcept;

 private:
  double copied_bytes_;
  double index_bytes_;
  double all_bytes_ = 0;  // read and written by a task
  double chosen_ = 0;     // bytes from one position, among which the next is
  double near_;           // share of positions beside the one before
  double cold_;           // share of positions that find their lines not in L2, where those are many
  double waiting_;        // steps that a position waits for one before
  bool one_way_;
};

/// Work below which no other thread is woken, nor asked for.
bool worth_splitting(const Geometry& geometry) noexcept;

/// Why one task is all that there is; empty where there may be more.
std::string_view reason_to_stay_serial(const ChooseInput& input) noexcept;

/// Positions of broadcast views can be more than memory has bytes; of so many the bytes can still be counted.
inline constexpr std::int64_t kMaxInScratch = std::int64_t{1} << 48;

}  // namespace strew
