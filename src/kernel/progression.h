// Arithmetic progressions: the offsets that a loop adds to those of its indices.
#pragma once

#include <cstdint>

namespace strew {

/// Processes `runs` consecutive runs of `run` numbers. The first run has first, first + step, first + 2 step, ...;
/// each later run starts `between` higher.
struct Progression {
  std::int64_t first;
  std::int64_t step;
  std::int64_t between;
};
using ProgressionLoop = void (*)(std::int64_t* numbers, std::int64_t runs, std::int64_t run,
                                 const Progression& progression);
struct ProgressionLoops {
  ProgressionLoop add;    ///< adds to the existing numbers
  ProgressionLoop write;  ///< overwrites them
};
ProgressionLoops progression_loops() noexcept;

}  // namespace strew
