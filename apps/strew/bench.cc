// strew bench: times one operator on random operands of a wanted shape.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "bench_operands.h"
#include "format.h"
#include "progress.h"
#include "strew/explain.h"

namespace strew::app {
namespace {

using Clock = std::chrono::steady_clock;

// Calls in a row take at least this long, so that the clock's own time does not count.
constexpr double kLeastSeconds = 2e-4;

double seconds_of(const std::function<Status()>& call, int calls, Status& status) {
  const auto start = Clock::now();
  for (int i = 0; i < calls && status; ++i) status = call();
  return std::chrono::duration<double>(Clock::now() - start).count() / calls;
}

int calls_in_a_row(double seconds) {
  return static_cast<int>(std::clamp(kLeastSeconds / std::max(seconds, 1e-9), 1.0, 1e5));
}

// memcpy in as many parts as there are threads.
struct Copy {
  Tensor from;
  Tensor to;
  std::int64_t parts;

  void run(Executor& executor) {
    const auto part = [](void* context, std::int64_t i) {
      const Copy& copy = *static_cast<const Copy*>(context);
      const std::int64_t begin = copy.from.size_bytes() * i / copy.parts;
      const std::int64_t end = copy.from.size_bytes() * (i + 1) / copy.parts;
      std::memcpy(static_cast<char*>(const_cast<Tensor&>(copy.to).mutable_data()) + begin,
                  static_cast<const char*>(copy.from.data()) + begin, static_cast<std::size_t>(end - begin));
    };
    executor.run(part, this, parts);
  }
};

constexpr std::int64_t kWorthASecondThread = 1 << 16;

Result<Copy> make_copy(std::int64_t bytes, const Executor& executor) {
  auto from = Tensor::uninitialized(DType::kUInt8, {bytes});
  auto to = Tensor::zeros(DType::kUInt8, {bytes});
  if (!from) return fail(std::move(from).error());
  if (!to) return fail(std::move(to).error());
  std::memset(from->mutable_data(), 1, static_cast<std::size_t>(bytes));
  const std::int64_t parts = bytes < kWorthASecondThread ? 1 : executor.thread_count();
  return Copy{std::move(*from), std::move(*to), parts};
}

// Bytes of the operands and the output; a gather reads no more of its data than it writes, a scatter in place no
// more than it updates.
std::int64_t bytes_moved(const BenchOperands& operands, bool in_place) {
  const std::int64_t indices = operands.indices ? operands.indices->size_bytes() : 0;
  if (!operands.updates) {
    const Plan& plan = operands.plan;
    return indices + 2 * (plan.position_count() * bit_width(plan.dtype()) / 8);
  }
  const std::int64_t updates = operands.updates->size_bytes();
  return indices + (in_place ? 3 * updates : updates + 2 * operands.data.size_bytes());
}

struct Times {
  std::vector<double> strew;
  std::vector<double> copy;
};

Result<Times> take_turns(const BenchOptions& options, const std::function<Status()>& call, Copy& copy,
                         Executor& executor) {
  Times times;
  Progress progress(options.repeat);
  const std::function<Status()> copy_call = [&] {
    copy.run(executor);
    return Status();
  };
  Status status;
  seconds_of(call, 1, status);  // warms memory and caches
  copy.run(executor);
  const int calls = calls_in_a_row(seconds_of(call, 1, status));
  const int copies = calls_in_a_row(seconds_of(copy_call, 1, status));
  for (int round = 0; round < options.repeat && status; ++round) {
    times.strew.push_back(seconds_of(call, calls, status));
    times.copy.push_back(seconds_of(copy_call, copies, status));
    progress.advance();
  }
  if (!status) return fail(std::move(status).error());
  return times;
}

std::string shape_text(const TensorSpec& spec) {
  return fmt::format("{} {}", dtype_name(spec.dtype), to_string(spec.shape));
}

// "1.85 G elements/s".
std::string element_rate_text(double rate) {
  if (rate >= 1e9) return fmt::format("{:.3g} G elements/s", rate * 1e-9);
  if (rate >= 1e6) return fmt::format("{:.3g} M elements/s", rate * 1e-6);
  return fmt::format("{:.3g} k elements/s", rate * 1e-3);
}

std::string title(const BenchOptions& options, const BenchOperands& operands, int threads) {
  const Plan& plan = operands.plan;
  const std::string node = operands.node.empty() ? "" : fmt::format(" '{}'", one_line(operands.node));
  std::string text = fmt::format("{}{}  data {}", operands.op_type, node, shape_text(operands.data));
  if (const auto& indices = operands.views().indices)
    text += fmt::format("  indices {} {}", shape_text(*indices), operands.pattern);
  if (operands.updates) text += fmt::format("  updates {}", shape_text(*operands.updates));
  if (plan.reduction() != Reduction::kNone) text += fmt::format("  {}", reduction_name(plan.reduction()));
  return fmt::format("{}{}  {}", text, options.in_place ? "  in place" : "", count_text(threads, "thread"));
}

void print_text(const BenchOptions& options, const BenchOperands& operands, const Strategy& strategy,
                const Times& times, std::int64_t bytes, int threads) {
  const double seconds = median(times.strew);
  const double copy_seconds = median(times.copy);
  const auto positions = static_cast<double>(operands.plan.position_count());
  fmt::print("{}\n", title(options, operands, threads));
  fmt::print("strategy {}, {}: {}\n", strategy_name(strategy.kind), count_text(strategy.task_count, "task"),
             strategy.reason);
  fmt::print("{}", columns_text({{"strew", median_text(seconds, options.repeat), rate_text(bytes, seconds),
                                  element_rate_text(positions / seconds)},
                                 {"memcpy", median_text(copy_seconds, options.repeat),
                                  rate_text(bytes, copy_seconds), "of as many bytes, read and written"}}));
}

Json speed_json(const std::vector<double>& seconds, std::int64_t bytes) {
  return {{"seconds", median(seconds)},
          {"fastest_seconds", *std::min_element(seconds.begin(), seconds.end())},
          {"gigabytes_per_second", static_cast<double>(bytes) / median(seconds) * 1e-9}};
}

void print_account(const BenchOptions& options, const BenchOperands& operands, const Strategy& strategy,
                   const Times& times, std::int64_t bytes, int threads) {
  const auto spec_json = [](const TensorSpec& spec) {
    return Json{{"dtype", dtype_name(spec.dtype)},
                {"shape", std::vector<std::int64_t>(spec.shape.begin(), spec.shape.end())}};
  };
  Json object = {{"operator", operands.op_type},
                 {"node", operands.node.empty() ? Json(nullptr) : Json(operands.node)},
                 {"data", spec_json(operands.data)}};
  if (const auto& indices = operands.views().indices) object["indices"] = spec_json(*indices);
  if (operands.updates) object["updates"] = spec_json(*operands.updates);
  object["reduction"] = reduction_name(operands.plan.reduction());
  object["pattern"] = operands.pattern;
  object["in_place"] = options.in_place;
  object["threads"] = threads;
  object["repeat"] = options.repeat;
  object["strategy"] = {
      {"name", strategy_name(strategy.kind)}, {"tasks", strategy.task_count}, {"reason", strategy.reason}};
  object["elements"] = operands.plan.position_count();
  object["bytes"] = bytes;
  object["strew"] = speed_json(times.strew, bytes);
  object["memcpy"] = speed_json(times.copy, bytes);
  print_json(object);
}

Result<int> measure(const BenchOptions& options, BenchOperands& operands, Executor& executor) {
  if (options.in_place && !operands.updates) {
    return fail(ErrorCode::kInvalidArgument, "--in-place: {} has no output of the shape of its data",
                operands.op_type);
  }
  auto output = Tensor::zeros(operands.plan.dtype(), options.in_place ? Shape{0} : operands.plan.output_shape());
  if (!output) return fail(std::move(output).error());
  const MutableTensorView target = options.in_place ? operands.data.mutable_view() : output->mutable_view();
  const Operands views = operands.views();
  const Options run_options{.executor = &executor};

  const auto explanation = explain(operands.plan, views, target, run_options);
  if (!explanation) return fail(explanation.error());
  const std::int64_t bytes = bytes_moved(operands, options.in_place);
  auto copy = make_copy(bytes / 2, executor);
  if (!copy) return fail(std::move(copy).error());
  const auto times = take_turns(
      options, [&] { return run(operands.plan, views, target, run_options); }, *copy, executor);
  if (!times) return fail(times.error());
  const auto print = options.json ? print_account : print_text;
  print(options, operands, explanation->strategy, *times, bytes, executor.thread_count());
  return kSuccess;
}

}  // namespace

Result<int> run_command(const BenchOptions& options) {
  auto threads = make_threads(options.threads);
  if (!threads) return fail(std::move(threads).error());
  Executor& executor = *threads->executor;
  auto operands = make_bench_operands(options);
  if (!operands) return fail(std::move(operands).error());
  auto measured = measure(options, *operands, executor);
  if (!measured) return fail_in(operands->where, std::move(measured).error());
  return measured;
}

}  // namespace strew::app
