// Calls whose times determine the machine numbers.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "bench_operands.h"
#include "measure_machine.h"
#include "strew/memory.h"

namespace strew::app {
namespace {

// An executor that reports eight threads but runs their tasks one after another.
class InTurn final : public Executor {
 public:
  int thread_count() const noexcept override { return 8; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    for (std::int64_t i = 0; i < task_count; ++i) task(context, i);
  }
};

// Minimum duration of a batch of calls. It makes the resolution of the clock negligible.
constexpr double kLeastNanoseconds = 3e5;
constexpr std::int64_t kMostMemory = std::int64_t{256} << 20;
constexpr std::int64_t kColumns = 64;
constexpr std::int64_t kWidth = 4;  // bytes of a float32
constexpr std::int64_t kLine = 64;  // bytes

double now(Tasks tasks) noexcept {
  std::timespec time{};
  clock_gettime(tasks == Tasks::kAtOnce ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

std::int64_t number_in_use(std::string_view name) {
  const std::vector<MachineNumber> numbers = machine_numbers();
  return std::ranges::find(numbers, name, &MachineNumber::name)->value;
}

}  // namespace

MachineCall::MachineCall(Plan plan, Operands operands, const MutableTensorView& output, StrategyKind strategy,
                         Tasks tasks, Executor& all)
    : plan_(std::move(plan)),
      operands_(std::move(operands)),
      output_(output),
      strategy_(strategy),
      tasks_(tasks),
      all_(&all) {}

Options MachineCall::options() const {
  static InTurn in_turn;
  Executor* const executor = tasks_ == Tasks::kAtOnce ? all_ : tasks_ == Tasks::kInTurn ? &in_turn : nullptr;
  return {.executor = executor != nullptr ? executor : &serial_executor(), .overrides = force_strategy(strategy_)};
}

Result<double> MachineCall::time() const {
  const Options how = options();
  Status status = run(plan_, operands_, output_, how);
  const double begin = now(tasks_);
  double end = begin;
  std::int64_t calls = 0;
  for (std::int64_t next = 1; status && end - begin < kLeastNanoseconds; next *= 2) {
    for (std::int64_t i = 0; i < next && status; ++i) status = run(plan_, operands_, output_, how);
    calls += next;
    end = now(tasks_);
  }
  STREW_TRY(std::move(status));
  return (end - begin) / static_cast<double>(calls);
}

Result<double> MachineCall::cost() const {
  STREW_ASSIGN(const auto& explanation, explain(plan_, operands_, output_, options()));
  const auto own = std::ranges::find(explanation.considered, strategy_, &Considered::kind);
  return tasks_ == Tasks::kAtOnce ? own->nanoseconds : own->processor_nanoseconds;
}

Status MachineCalls::add(const CallParams& params, const TensorView& data, Shape index_shape, std::int64_t places,
                         std::optional<TensorView> updates, StrategyKind strategy, Tasks tasks) {
  STREW_ASSIGN(auto&& indices, Tensor::uninitialized(DType::kInt64, std::move(index_shape)));
  Random random(calls_.size() + 1);
  auto* values = static_cast<std::int64_t*>(indices.mutable_data());
  for (std::int64_t i = 0; i < indices.element_count(); ++i) values[i] = random.below(places);
  STREW_ASSIGN(auto&& plan, make_plan(params, data, TensorSpec(indices),
                                      updates ? std::optional<TensorSpec>(*updates) : std::nullopt));
  Tensor& written = updates ? tensors_[0] : tensors_[1];
  const MutableTensorView output(written.mutable_data(), DType::kFloat32, plan.output_shape());
  tensors_.push_back(std::move(indices));
  calls_.emplace_back(std::move(plan), Operands{data, tensors_.back().view(), std::move(updates)}, output,
                      strategy, tasks, *all_);
  return {};
}

// Adds a call on random rows of a table of `bytes` bytes.
Status MachineCalls::add_rows(bool gathers, Reduction reduction, std::int64_t bytes, std::int64_t row,
                              std::int64_t count, StrategyKind strategy, Tasks tasks) {
  const std::int64_t places = std::max<std::int64_t>(bytes / kWidth / row, 1);
  const TensorView data(tensors_[0].data(), DType::kFloat32, {places, row});
  if (gathers) return add({.op = OpKind::kGather}, data, {count}, places, std::nullopt, strategy, tasks);
  const TensorView updates(tensors_[1].data(), DType::kFloat32, {count, row});
  return add({.op = OpKind::kScatterND, .reduction = reduction}, data, {count, 1}, places, updates, strategy,
             tasks);
}

// Adds a call of ScatterElements on axis 0 with the reduction add.
Status MachineCalls::add_columns(std::int64_t bytes, std::int64_t rows, StrategyKind strategy, Tasks tasks) {
  const std::int64_t places = std::max<std::int64_t>(bytes / kWidth / kColumns, 1);
  const TensorView data(tensors_[0].data(), DType::kFloat32, {places, kColumns});
  const TensorView updates(tensors_[1].data(), DType::kFloat32, {rows, kColumns});
  return add({.op = OpKind::kScatterElements, .reduction = Reduction::kAdd}, data, {rows, kColumns}, places,
             updates, strategy, tasks);
}

// Sizes in bytes of tables that fit in L1, L2 and L3, and of a table that fits in no cache.
struct MachineCalls::Place {
  std::int64_t near, second, third, memory;
};

Status MachineCalls::add_all(const Place& place) {
  constexpr auto kSerial = StrategyKind::kSerial;
  constexpr auto kSplit = StrategyKind::kSplitPositions;
  constexpr auto kSorted = StrategyKind::kPartition;
  Status added;
  const auto rows = [&](Reduction reduction, std::int64_t bytes, std::int64_t row, std::int64_t count,
                        StrategyKind strategy, Tasks tasks, bool gathers = false) {
    if (added) added = add_rows(gathers, reduction, bytes, row, count, strategy, tasks);
  };
  const auto columns = [&](std::int64_t bytes, std::int64_t count, StrategyKind strategy, Tasks tasks) {
    if (added) added = add_columns(bytes, count, strategy, tasks);
  };
  struct Rows {
    std::int64_t elements, few, many;
  };
  for (const Rows& row : {Rows{1, 8 << 10, 256 << 10}, Rows{16, 4 << 10, 64 << 10}, Rows{256, 512, 16 << 10}}) {
    for (const std::int64_t bytes : {place.near, place.second, place.third, place.memory}) {
      // Calls read from memory only if the cache lines that they touch do not fit in L3.
      const std::int64_t lines = row.elements == 1 && bytes == place.memory ? bytes / 2 / kLine : 0;
      for (const std::int64_t count : {row.few, std::max(row.many, lines)}) {
        rows(Reduction::kNone, bytes, row.elements, count, kSerial, Tasks::kOne, true);
        rows(Reduction::kNone, bytes, row.elements, count, kSerial, Tasks::kOne);
        rows(Reduction::kAdd, bytes, row.elements, count, kSerial, Tasks::kOne);
      }
    }
  }
  for (const std::int64_t bytes : {place.third, place.memory}) {
    for (const Tasks tasks : {Tasks::kOne, Tasks::kInTurn}) {
      rows(Reduction::kAdd, bytes, 1, 256 << 10, kSorted, tasks);
      rows(Reduction::kAdd, bytes, 16, 64 << 10, kSorted, tasks);
    }
  }
  for (const std::int64_t bytes : {place.second, place.third}) {
    columns(bytes, 1 << 10, kSerial, Tasks::kOne);
    columns(bytes, 1 << 10, kSplit, Tasks::kInTurn);
    rows(Reduction::kAdd, bytes, 64, 8 << 10, kSplit, Tasks::kInTurn);
  }
  if (all_->thread_count() == 1) return added;
  for (const std::int64_t count : {4 << 10, 8 << 10, 16 << 10}) {
    rows(Reduction::kNone, place.second, 1, count, kSplit, Tasks::kAtOnce, true);
    rows(Reduction::kNone, place.second, 16, count / 4, kSplit, Tasks::kAtOnce, true);
    if (all_->thread_count() <= kColumns) columns(place.second, count / kColumns, kSplit, Tasks::kAtOnce);
    // These rows end within a cache line, so that two tasks share the line between their rows.
    rows(Reduction::kAdd, place.second, 250, count / 4, kSplit, Tasks::kAtOnce);
  }
  const std::int64_t half = std::max<std::int64_t>(place.memory / 2 / kWidth / 256, 1);
  by_one_ = calls_.size();
  rows(Reduction::kNone, place.memory, 256, half, kSplit, Tasks::kOne, true);
  by_all_ = calls_.size();
  rows(Reduction::kNone, place.memory, 256, half, kSplit, Tasks::kAtOnce, true);
  return added;
}

Result<MachineCalls> MachineCalls::make(Executor& all) {
  const std::int64_t l2 = number_in_use("l2_bytes");
  const std::int64_t l3 = std::max(number_in_use("l3_bytes"), 2 * l2);
  Place place{number_in_use("l1d_bytes") / 2, l2 / 2, 0, std::min({4 * l3, kMostMemory, usable_memory() / 8})};
  place.third = static_cast<std::int64_t>(std::sqrt(static_cast<double>(l2) * static_cast<double>(l3)));
  MachineCalls calls(all);
  const std::int64_t most = std::max({place.memory, place.third, place.second, std::int64_t{1} << 20});
  for (const std::int64_t bytes : {most, std::max(place.memory / 2, std::int64_t{16} << 20)}) {
    STREW_ASSIGN(Tensor tensor, Tensor::uninitialized(DType::kFloat32, {bytes / kWidth}));
    std::fill_n(static_cast<float*>(tensor.mutable_data()), tensor.element_count(), 1.0f);
    calls.tensors_.push_back(std::move(tensor));
  }
  STREW_TRY(calls.add_all(place));
  return calls;
}

}  // namespace strew::app
