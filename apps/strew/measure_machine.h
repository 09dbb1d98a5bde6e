// Measuring the numbers from which strategies are chosen.
#pragma once

#include <functional>
#include <vector>

#include "machine_calls.h"

namespace strew::app {

/// A number beside what it is in use; sizes of caches are not measured.
struct MeasuredNumber {
  MachineNumber number;
  std::int64_t value = 0;
  bool measured = false;
};

struct MeasuredMachine {
  std::vector<MeasuredNumber> numbers;  ///< in the order of machine_numbers()
  std::size_t calls = 0;                ///< that were timed
  double misfit = 0;  ///< by how much half of the calls take longer or shorter than the numbers say
};

/// Times all calls `rounds` times and calls `advance` after each.
Result<MeasuredMachine> measure_machine(Executor& all, int rounds,
                                        const std::function<void(std::size_t steps)>& begin,
                                        const std::function<void()>& advance);

}  // namespace strew::app
