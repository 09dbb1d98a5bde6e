// strew tune: measures the machine and writes the machine numbers that the library reads.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "console.h"
#include "format.h"
#include "measure_machine.h"
#include "session.h"
#include "tensor_argument.h"

namespace strew::app {
namespace {

constexpr int kRounds = 7;
// Time for which the load of other programs is observed before a measurement.
constexpr auto kWatched = std::chrono::milliseconds(500);
constexpr double kMostOfOthers = 0.1;  // share of the usable processors that other programs may keep busy

bool are_busy(const std::optional<double>& others) {
  return others && *others > kMostOfOthers * usable_processors();
}

// Returns an error if the load of other programs would spoil the measurement.
std::optional<Error> refusal(const TuneOptions& options, const std::optional<double>& others) {
  if (options.force || !are_busy(others)) return std::nullopt;
  const int processors = usable_processors();
  return Error{ErrorCode::kUnsupported,
               fmt::format("tune: other programs keep {:.1f} of {} processors busy, and more than {:.1f} would "
                           "spoil the numbers; --force measures anyway",
                           *others, processors, kMostOfOthers * processors)};
}

std::string value_text(std::string_view unit, std::int64_t value) {
  if (unit == "bytes") return size_text(value);
  if (unit == "ps") return fmt::format("{:.2f} ns", static_cast<double>(value) * 1e-3);
  return fmt::format("{}", value);
}

void print_table(const MeasuredMachine& machine) {
  std::vector<std::vector<std::string>> rows = {{"number", "measured", "default", "what it is"}};
  for (const MeasuredNumber& one : machine.numbers) {
    const auto& number = one.number;
    rows.push_back({std::string(number.name),
                    value_text(number.unit, one.value) + (one.measured ? "" : " (not measured)"),
                    value_text(number.unit, number.usual), std::string(number.meaning)});
  }
  fmt::print("{}", columns_text(rows));
}

Json account(const MeasuredMachine& machine, int threads, const std::optional<double>& others,
             const std::string& file) {
  Json numbers = Json::array();
  for (const MeasuredNumber& one : machine.numbers) {
    numbers.push_back({{"name", one.number.name},
                       {"unit", one.number.unit},
                       {"value", one.value},
                       {"default", one.number.usual},
                       {"measured", one.measured}});
  }
  return {{"processor", processor_name()},
          {"threads", threads},
          {"calls", machine.calls},
          {"misfit", machine.misfit},
          {"others", others ? Json(*others) : Json(nullptr)},
          {"file", file},
          {"numbers", std::move(numbers)}};
}

std::string file_text(const MeasuredMachine& machine) {
  std::string text =
      fmt::format("# Measured by strew tune, in picoseconds; memory_tasks is a number of tasks.\nprocessor = {}\n",
                  processor_name());
  for (const MeasuredNumber& one : machine.numbers) {
    const bool kept = one.number.unit != "bytes" && one.value != one.number.usual;  // from the existing file
    if (one.measured || kept) text += fmt::format("{} = {}\n", one.number.name, one.value);
  }
  return text;
}

constexpr std::array<std::string_view, 3> kOfAllTasks = {"shared_line", "wake", "memory_tasks"};

// Replaces measurements on all processors, which other programs spoil, with the previous machine numbers.
void leave_what_others_spoil(MeasuredMachine& machine) {
  for (MeasuredNumber& one : machine.numbers) {
    if (std::ranges::count(kOfAllTasks, one.number.name) == 0) continue;
    one = {one.number, one.number.value, false};
  }
}

// Writes `text` to a file; without it, only checks that the file can be written. Writes a temporary file
// first, so that no program reads an incomplete file. Preserves links and the permissions of an existing file.
Status write_whole(const std::string& name, const std::optional<std::string>& text) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path path = fs::is_symlink(name, failed) ? fs::weakly_canonical(name, failed) : fs::path(name);
  const fs::file_status before = fs::status(path, failed);
  if (fs::exists(before) && !fs::is_regular_file(before))
    return fail(ErrorCode::kIo, "tune: cannot write {}: it is not a regular file", one_line(name));
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
  fs::path beside = path;
  beside += fmt::format(".{}.part", ::getpid());
  errno = 0;
  std::ofstream file(beside, std::ios::binary);
  file << text.value_or("");
  file.close();
  const bool written = file.good();
  const int reason = errno;
  failed.clear();
  if (written && text && fs::exists(before)) fs::permissions(beside, before.permissions(), failed);
  if (written && text && !failed) fs::rename(beside, path, failed);
  std::error_code gone;
  fs::remove(beside, gone);
  if (written && !failed) return {};
  return fail(ErrorCode::kIo, "tune: cannot write {}: {}", one_line(name),
              written ? failed.message() : std::strerror(reason));
}

}  // namespace

Result<int> tune(const TuneOptions& options, int rounds, const Others& others) {
  const std::string file = options.output.empty() ? machine_file() : options.output;
  if (file.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "tune: --output is needed, because STREW_MACHINE is empty or there is no configuration folder");
  }
  const bool prints = file == kStream;
  if (prints && options.json)
    return fail(ErrorCode::kInvalidArgument, "tune: --output - and --json both write to standard output");
  STREW_TRY(prints ? Status() : write_whole(file, std::nullopt));
  if (const auto busy = refusal(options, others())) return report_error(*busy, options.json, kFault);
  STREW_ASSIGN(const auto& threads, make_threads(options.threads));

  std::optional<Progress> progress;
  const auto begin = [&](std::size_t steps) { progress.emplace(static_cast<std::int64_t>(steps)); };
  STREW_ASSIGN(auto&& machine, measure_machine(*threads.executor, rounds, begin, [&] { progress->advance(); }));
  progress.reset();

  const std::optional<double> load = others();
  if (const auto busy = refusal(options, load)) return report_error(*busy, options.json, kFault);
  if (are_busy(load)) leave_what_others_spoil(machine);
  if (prints) {
    fmt::print("{}", file_text(machine));
    return kSuccess;
  }
  if (Status written = write_whole(file, file_text(machine)); !written)
    return report_error(written.error(), options.json, kFault);
  if (options.json) {
    print_json(account(machine, threads.executor->thread_count(), load, file));
    return kSuccess;
  }
  fmt::print("{}, {}\n", processor_name(), count_text(threads.executor->thread_count(), "thread"));
  print_table(machine);
  fmt::print("For half of the {} calls, the estimate is within {:.0f} % of the measured time.\nWritten to {}\n",
             machine.calls, machine.misfit * 100, file);
  return kSuccess;
}

Result<int> run_command(const TuneOptions& options) {
  const OtherLoad load;
  std::this_thread::sleep_for(kWatched);
  return tune(options, kRounds, [&] { return load.processors(); });
}

}  // namespace strew::app
