// Measures the machine numbers, from which the library estimates the costs of strategies. Meanwhile, measures the
// CPU load of other programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "commands.h"
#include "console.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"
#include "strew/testing.h"

namespace strew::app {

/// Returns the number of processors that this process may use, ignoring quotas; at least 1.
int usable_processors();

/// Measures the load from other programs on the usable processors since the construction of the object.
class OtherLoad {
 public:
  OtherLoad();
  /// Returns the average number of processors that other programs kept busy; nullopt if it is unknown.
  std::optional<double> processors() const;

 private:
  struct Seen {
    std::chrono::steady_clock::time_point at;
    double busy;  // CPU seconds of all processes on the usable processors
    double own;   // CPU seconds of this process
  };
  static std::optional<Seen> look();
  std::optional<Seen> begin_;
};

/// A machine number with its measured value; sizes of caches are not measured.
struct MeasuredNumber {
  MachineNumber number;
  std::int64_t value = 0;
  bool measured = false;
};

struct MeasuredMachine {
  std::vector<MeasuredNumber> numbers;  ///< in the order of machine_numbers()
  std::size_t calls = 0;                ///< number of timed calls
  double misfit = 0;                    ///< median relative error of the estimated times
};

/// Times each MachineCall `rounds` times. Passes the number of measurements to `begin`, and calls
/// `advance` after each measurement.
Result<MeasuredMachine> measure_machine(Executor& all, int rounds,
                                        const std::function<void(std::size_t steps)>& begin,
                                        const std::function<void()>& advance);

/// A measured value above 0, and the coefficient of each parameter in the sum that estimates it.
struct Observation {
  std::vector<double> of_each;
  double total = 0;
};

/// Returns nonnegative parameters that minimise the squared relative errors of the observations. The values of
/// `usual`, which must be above 0, count as observations of weight 1/100, so that a parameter without
/// observations keeps its usual value.
std::vector<double> fit(const std::vector<Observation>& observations, const std::vector<double>& usual);

/// Returns the value that the parameters `numbers` predict for an observation.
double predicted(const Observation& observation, const std::vector<double>& numbers);

/// How the tasks of a call run: one task, several tasks in turn, or several at once on all threads.
enum class Tasks : std::uint8_t { kOne, kInTurn, kAtOnce };

/// A call with a fixed strategy, and its measurement: CPU time, or for `Tasks::kAtOnce` wall time.
class MachineCall {
 public:
  MachineCall(Plan plan, Operands operands, const MutableTensorView& output, StrategyKind strategy, Tasks tasks,
              Executor& all);

  Tasks tasks() const noexcept { return tasks_; }
  /// Returns the time of one call in nanoseconds, after a warm-up call.
  Result<double> time() const;
  /// Returns the time in nanoseconds that the cost model estimates with the machine numbers in use.
  Result<double> cost() const;

 private:
  Options options() const;
  Plan plan_;
  Operands operands_;
  MutableTensorView output_;
  StrategyKind strategy_;
  Tasks tasks_;
  Executor* all_;
};

/// Calls that gather and scatter few or many, short or long rows in each cache and in memory. Some calls sort
/// updates, divide rows or columns among tasks, or are so short that the time to start threads matters.
class MachineCalls {
 public:
  /// Makes calls for the cache sizes in use. `all` must outlive the calls.
  static Result<MachineCalls> make(Executor& all);

  const std::vector<MachineCall>& calls() const noexcept { return calls_; }
  /// Returns the gather of long rows from memory, with one task or on all threads.
  const MachineCall& from_memory(Tasks tasks) const noexcept {
    return calls_[tasks == Tasks::kOne ? by_one_ : by_all_];
  }

 private:
  struct Place;
  explicit MachineCalls(Executor& all) : all_(&all) {}
  Status add_rows(bool gathers, Reduction reduction, std::int64_t bytes, std::int64_t row, std::int64_t count,
                  StrategyKind strategy, Tasks tasks);
  Status add_columns(std::int64_t bytes, std::int64_t rows, StrategyKind strategy, Tasks tasks);
  Status add_all(const Place& place);
  Status add(const CallParams& params, const TensorView& data, Shape index_shape, std::int64_t places,
             std::optional<TensorView> updates, StrategyKind strategy, Tasks tasks);

  Executor* all_;
  std::deque<Tensor> tensors_;  // operands of the calls
  std::vector<MachineCall> calls_;
  std::size_t by_one_ = 0;
  std::size_t by_all_ = 0;
};

/// Returns the number of processors that other programs have kept busy so far, or nullopt if it is unknown.
using Others = std::function<std::optional<double>()>;

/// Measures, prints and writes the machine numbers. Unless forced, fails if other programs are busy meanwhile.
Result<int> tune(const TuneOptions& options, int rounds, const Others& others);

}  // namespace strew::app
