// Calls whose times determine the parameters of the machine.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "console.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"
#include "strew/testing.h"

namespace strew::app {

/// How tasks of a call run: one task, several one after the other, or several at once on all threads.
enum class Tasks : std::uint8_t { kOne, kInTurn, kAtOnce };

/// A call with a fixed strategy, and its measurement: CPU time, or for `Tasks::kAtOnce` wall time.
class MachineCall {
 public:
  MachineCall(Plan plan, Operands operands, const MutableTensorView& output, StrategyKind strategy, Tasks tasks,
              Executor& all);

  Tasks tasks() const noexcept { return tasks_; }
  /// Nanoseconds of one call, after one for warm-up.
  Result<double> time() const;
  /// Nanoseconds that the cost model estimates with the parameters in use.
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

/// Gathers and scatters of short and long rows, few and many, in each cache and in memory; sorted updates; rows
/// and columns that tasks share; and calls so short that the start of threads counts.
class MachineCalls {
 public:
  /// For the cache sizes in use. `all` must outlive the calls.
  static Result<MachineCalls> make(Executor& all);

  const std::vector<MachineCall>& calls() const noexcept { return calls_; }
  /// Long rows from memory, with one task or with all.
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

}  // namespace strew::app
