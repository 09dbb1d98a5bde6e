// Numbers at equal distances: what a loop adds to the offsets that its indices choose.
#pragma once

#include <cstdint>

namespace strew {

/// For each of `runs` runs of `run` numbers that follow each other: first, first + step, first + 2 step, ... for
/// the first run, and the same with `first` moved by `between` for each run after it.
struct Progression {
  std::int64_t first;
  std::int64_t step;
  std::int64_t between;
};
using ProgressionLoop = void (*)(std::int64_t* numbers, std::int64_t runs, std::int64_t run,
                                 const Progression& progression);
struct ProgressionLoops {
  ProgressionLoop add;    ///< to the numbers that are there
  ProgressionLoop write;  ///< in their place
};
ProgressionLoops progression_loops() noexcept;

}  // namespace strew
