// Numbers at equal distances: what a loop adds to the offsets that its indices choose.
#pragma once

#include <cstdint>

namespace strew {

/// For each of `runs` runs of `run` numbers that follow each other: adds first, first + step, first + 2 step, ...
/// to the numbers of the first run, and the same with `first` moved by `between` to those of each run after it.
struct Progression {
  std::int64_t first;
  std::int64_t step;
  std::int64_t between;
};
using AddProgression = void (*)(std::int64_t* numbers, std::int64_t runs, std::int64_t run,
                                const Progression& progression);
AddProgression add_progression() noexcept;

}  // namespace strew
