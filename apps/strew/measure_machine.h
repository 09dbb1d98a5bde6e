// Measures the parameters of the machine for the choice of strategies.
#pragma once

#include <functional>
#include <vector>

#include "machine_calls.h"

namespace strew::app {

/// A parameter with its measured value; sizes of caches are not measured.
struct MeasuredNumber {
  MachineNumber number;
  std::int64_t value = 0;
  bool measured = false;
};

struct MeasuredMachine {
  std::vector<MeasuredNumber> numbers;  ///< in the order of machine_numbers()
  std::size_t calls = 0;                ///< number of timed calls
  double misfit = 0;                    ///< median relative error of the model on the calls
};

/// Times all calls `rounds` times, and calls `advance` after each.
Result<MeasuredMachine> measure_machine(Executor& all, int rounds,
                                        const std::function<void(std::size_t steps)>& begin,
                                        const std::function<void()>& advance);

}  // namespace strew::app
