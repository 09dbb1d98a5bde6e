// Loops over lists of offsets: adds and writes arithmetic progressions, and filters by a range.
#pragma once

#include <cstdint>

namespace strew {

/// Processes `runs` consecutive runs of `run` numbers. The first run has first, first + step, first + 2 step, ...;
/// the starts of consecutive runs differ by `between`.
struct Progression {
  std::int64_t first;
  std::int64_t step;
  std::int64_t between;
};
using ProgressionLoop = void (*)(std::int64_t* numbers, std::int64_t runs, std::int64_t run,
                                 const Progression& progression);
struct ProgressionLoops {
  ProgressionLoop add;    ///< adds to the existing numbers
  ProgressionLoop write;  ///< overwrites the existing numbers
};
ProgressionLoops progression_loops() noexcept;

/// Moves the pairs whose offset is in [begin, end) to the front, in order, and returns their number. The contents
/// after them are unspecified.
using CompactInRange = std::int64_t (*)(std::int64_t begin, std::int64_t end, std::int64_t* offset,
                                        std::int64_t* position, std::int64_t count);
CompactInRange compact_in_range() noexcept;

}  // namespace strew
