// strew bench: times one operator on random operands of given shapes.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "bench_operands.h"
#include "console.h"
#include "format.h"
#include "strew/explain.h"

namespace strew::app {
namespace {

using Clock = std::chrono::steady_clock;

// Minimum duration of a batch of calls. It makes the resolution of the clock negligible.
constexpr double kLeastSeconds = 2e-4;

double measure_seconds(const std::function<Status()>& call, int calls, Status& status) {
  const auto start = Clock::now();
  for (int i = 0; i < calls && status; ++i) status = call();
  return std::chrono::duration<double>(Clock::now() - start).count() / calls;
}

int calls_in_a_row(double seconds) {
  return static_cast<int>(std::clamp(kLeastSeconds / std::max(seconds, 1e-9), 1.0, 1e5));
}

// Returns the number of bytes that a call reads and writes. A gather reads as many bytes of data as it writes. An
// in-place scatter reads and writes only the elements of data that it updates.
std::int64_t bytes_moved(const BenchOperands& operands, bool in_place) {
  const std::int64_t indices = operands.indices ? operands.indices->size_bytes() : 0;
  if (!operands.updates) {
    const Plan& plan = operands.plan;
    return indices + 2 * (plan.position_count() * bit_width(plan.dtype()) / 8);
  }
  const std::int64_t updates = operands.updates->size_bytes();
  return indices + (in_place ? 3 * updates : updates + 2 * operands.data.size_bytes());
}

Result<std::vector<double>> time_rounds(const BenchOptions& options, const std::function<Status()>& call) {
  std::vector<double> seconds;
  Progress progress(options.repeat);
  Status status;
  measure_seconds(call, 1, status);  // warms up memory and caches
  const int calls = calls_in_a_row(measure_seconds(call, 1, status));
  for (int round = 0; round < options.repeat && status; ++round) {
    seconds.push_back(measure_seconds(call, calls, status));
    progress.advance();
  }
  STREW_TRY(std::move(status));
  return seconds;
}

std::string shape_text(const Tensor& tensor) {
  return fmt::format("{} {}", dtype_name(tensor.dtype()), to_string(tensor.shape()));
}

// Returns "1.85 G elements/s".
std::string element_rate_text(double rate) {
  if (rate >= 1e9) return fmt::format("{:.3g} G elements/s", rate * 1e-9);
  if (rate >= 1e6) return fmt::format("{:.3g} M elements/s", rate * 1e-6);
  return fmt::format("{:.3g} k elements/s", rate * 1e-3);
}

void print_text(const BenchOptions& options, const BenchOperands& operands, const Strategy& strategy,
                const std::vector<double>& times, std::int64_t bytes, int threads) {
  const Plan& plan = operands.plan;
  const double seconds = median(times);
  std::string title = fmt::format("{}  data {}", options.op_type, shape_text(operands.data));
  if (operands.indices) title += fmt::format("  indices {} {}", shape_text(*operands.indices), options.pattern);
  if (operands.updates) title += fmt::format("  updates {}", shape_text(*operands.updates));
  if (plan.reduction() != Reduction::kNone) title += fmt::format("  {}", reduction_name(plan.reduction()));
  fmt::print("{}{}  {}\n", title, options.in_place ? "  in place" : "", count_text(threads, "thread"));
  fmt::print("strategy {}, {}: {}\n", strategy_name(strategy.kind), count_text(strategy.task_count, "task"),
             strategy.reason);
  fmt::print("{}  {}  {}\n", median_text(seconds, options.repeat), rate_text(bytes, seconds),
             element_rate_text(static_cast<double>(plan.position_count()) / seconds));
}

void print_account(const BenchOptions& options, const BenchOperands& operands, const Strategy& strategy,
                   const std::vector<double>& times, std::int64_t bytes, int threads) {
  const auto spec_json = [](const Tensor& tensor) {
    const Shape& shape = tensor.shape();
    return Json{{"dtype", dtype_name(tensor.dtype())},
                {"shape", std::vector<std::int64_t>(shape.begin(), shape.end())}};
  };
  Json object = {{"operator", options.op_type}, {"data", spec_json(operands.data)}};
  if (operands.indices) object["indices"] = spec_json(*operands.indices);
  if (operands.updates) object["updates"] = spec_json(*operands.updates);
  object["reduction"] = reduction_name(operands.plan.reduction());
  object["pattern"] = options.pattern;
  object["in_place"] = options.in_place;
  object["threads"] = threads;
  object["repeat"] = options.repeat;
  object["strategy"] = {
      {"name", strategy_name(strategy.kind)}, {"tasks", strategy.task_count}, {"reason", strategy.reason}};
  object["elements"] = operands.plan.position_count();
  object["bytes"] = bytes;
  object["seconds"] = median(times);
  object["fastest_seconds"] = *std::min_element(times.begin(), times.end());
  object["gigabytes_per_second"] = static_cast<double>(bytes) / median(times) * 1e-9;
  print_json(object);
}

Result<int> measure(const BenchOptions& options, BenchOperands& operands, Executor& executor) {
  if (options.in_place && !operands.updates) {
    return fail(ErrorCode::kInvalidArgument, "--in-place: {} has no output with the shape of its data",
                options.op_type);
  }
  STREW_ASSIGN(Tensor output,
               Tensor::zeros(operands.plan.dtype(), options.in_place ? Shape{0} : operands.plan.output_shape()));
  const MutableTensorView target = options.in_place ? operands.data.mutable_view() : output.mutable_view();
  const Operands views = operands.views();
  const Options run_options{.executor = &executor};

  STREW_ASSIGN(const auto& explanation, explain(operands.plan, views, target, run_options));
  const std::int64_t bytes = bytes_moved(operands, options.in_place);
  STREW_ASSIGN(const auto& times,
               time_rounds(options, [&] { return run(operands.plan, views, target, run_options); }));
  const auto print = options.json ? print_account : print_text;
  print(options, operands, explanation.strategy, times, bytes, executor.thread_count());
  return kSuccess;
}

}  // namespace

Result<int> run_command(const BenchOptions& options) {
  STREW_ASSIGN(auto&& threads, make_threads(options.threads));
  STREW_ASSIGN(auto&& operands, make_bench_operands(options));
  return measure(options, operands, *threads.executor);
}

}  // namespace strew::app
