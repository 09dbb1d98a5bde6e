// strew test: runs folders of ONNX backend tests.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "compare.h"
#include "console.h"
#include "format.h"
#include "strew/model.h"
#include "strew/tensor_file.h"

namespace strew::app {
namespace {

namespace fs = std::filesystem;

// Text that the message of a failure must contain; nullopt if no failure is expected.
using Expectation = std::optional<std::string>;

// Returns the text of a small file, or nullopt if there is none. Opens regular files only.
Result<std::optional<std::string>> read_text(const fs::path& path) {
  constexpr std::uintmax_t kMaxBytes = 1 << 20;
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMaxBytes) {
    return fail(ErrorCode::kIo, "{} is not a regular file of up to 1 MiB", path.filename().string());
  }
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return fail(ErrorCode::kIo, "{} cannot be read", path.filename().string());
  return text;
}

Result<Expectation> read_expectation(const fs::path& folder) {
  auto text = read_text(folder / "expect_error.txt");
  if (!text || !*text) return text;
  (*text)->erase((*text)->find_last_not_of(" \t\r\n") + 1);
  if ((*text)->empty()) return fail(ErrorCode::kIo, "expect_error.txt contains no text");
  return text;
}

// Returns nullopt if the failure is the expected one, else a message about the difference.
std::optional<std::string> judge_failure(const Error& error, const std::string& expected) {
  if (error.message().find(expected) != std::string::npos) return std::nullopt;
  return fmt::format("failed with \"{}\", expected a message with \"{}\"", error.message(), expected);
}

Result<Tolerance> read_tolerance(const fs::path& folder, bool exact) {
  Tolerance tolerance{.exact = exact};
  STREW_ASSIGN(const auto& text, read_text(folder / "data.json"));
  if (!text) return tolerance;
  const auto json = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (!json.is_object()) return fail(ErrorCode::kInvalidArgument, "data.json is not a JSON object");
  for (const auto& [key, value] :
       {std::pair<const char*, double*>{"rtol", &tolerance.rtol}, {"atol", &tolerance.atol}}) {
    if (!json.contains(key)) continue;
    if (!json[key].is_number() || !(json[key].get<double>() >= 0)) {
      return fail(ErrorCode::kInvalidArgument, "data.json: \"{}\" is not a number >= 0", key);
    }
    *value = json[key].get<double>();
  }
  return tolerance;
}

// Returns the number between a prefix and a suffix, such as J in "input_J.pb"; nullopt for any other name.
std::optional<std::size_t> number_in(const std::string& name, std::string_view prefix, std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  const char* first = name.data() + prefix.size();
  const char* last = name.data() + name.size() - suffix.size();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

struct Numbered {
  std::size_t number;
  fs::path path;
};

// Returns the entries of a folder whose names consist of prefix, number and suffix, sorted by number.
std::vector<Numbered> numbered_entries(const fs::path& folder, std::string_view prefix, std::string_view suffix) {
  std::vector<Numbered> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (auto number = number_in(it->path().filename().string(), prefix, suffix)) {
      entries.push_back({*number, it->path()});
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
  return entries;
}

struct Inputs {
  std::vector<NamedTensor> tensors;
  std::vector<std::pair<std::string, TensorView>> views;
};

Result<Inputs> load_inputs(const Model& model, const fs::path& data_set) {
  Inputs inputs;
  for (const auto& [j, path] : numbered_entries(data_set, "input_", ".pb")) {
    if (j >= model.inputs().size()) {
      return fail(ErrorCode::kInvalidArgument, "{}: the model has only {}", path.filename().string(),
                  count_text(static_cast<std::int64_t>(model.inputs().size()), "input"));
    }
    auto tensor = load_tensor_pb(path);
    if (!tensor) return fail_in(path.filename().string(), std::move(tensor).error());
    inputs.tensors.push_back(std::move(*tensor));
    inputs.tensors.back().name = model.inputs()[j].name;
  }
  for (const NamedTensor& input : inputs.tensors) inputs.views.emplace_back(input.name, input.tensor.view());
  return inputs;
}

std::optional<std::string> judge_outputs(const std::vector<NamedTensor>& results, const fs::path& data_set,
                                         const Tolerance& tolerance) {
  const auto files = numbered_entries(data_set, "output_", ".pb");
  if (files.size() != results.size() || files.back().number + 1 != files.size()) {
    return fmt::format("{} for {}", count_text(static_cast<std::int64_t>(files.size()), "output file"),
                       count_text(static_cast<std::int64_t>(results.size()), "output"));
  }
  for (std::size_t j = 0; j < files.size(); ++j) {
    const auto expected = load_tensor_pb(files[j].path);
    if (!expected) return expected.error().message();
    const auto wrong = difference(results[j].tensor, expected->tensor, tolerance);
    if (wrong) return fmt::format("output {} '{}': {}", j, results[j].name, *wrong);
  }
  return std::nullopt;
}

std::optional<std::string> run_data_set(const Model& model, const fs::path& data_set, const Expectation& of_folder,
                                        const Tolerance& tolerance, const Options& options) {
  auto own = read_expectation(data_set);
  if (!own) return own.error().message();
  const Expectation& expected = *own ? *own : of_folder;
  if (!expected && numbered_entries(data_set, "output_", ".pb").empty()) {
    return "neither output_J.pb nor expect_error.txt";
  }
  const auto inputs = load_inputs(model, data_set);
  const auto results = inputs ? model.run(inputs->views, options) : fail(inputs.error());
  if (expected && !results) return judge_failure(results.error(), *expected);
  if (expected) return fmt::format("ran, expected an error with \"{}\"", *expected);
  if (!results) return results.error().message();
  return judge_outputs(*results, data_set, tolerance);
}

// Returns `root` if it contains a model.onnx; otherwise all folders below it that contain one, sorted. Does not
// follow links to folders. Fails with kIo if a folder cannot be read.
Result<std::vector<fs::path>> find_tests(const fs::path& root) {
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    return fail_in(root.string(), {ErrorCode::kIo, error ? error.message() : "not a folder"});
  }
  if (fs::exists(root / "model.onnx", error)) return std::vector{root};
  std::vector<fs::path> tests;
  fs::recursive_directory_iterator it(root, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    std::error_code ignored;  // such as the error for a dangling link
    if (!it->is_directory(ignored) || it->is_symlink(ignored)) continue;
    if (!fs::exists(it->path() / "model.onnx", ignored)) continue;
    tests.push_back(it->path());
    it.disable_recursion_pending();
  }
  if (error) return fail_in(root.string(), {ErrorCode::kIo, error.message()});
  std::sort(tests.begin(), tests.end());
  return tests;
}

// Runs one folder: model.onnx on each test_data_set_N, where input_J.pb is input J of the model and output_J.pb
// the expected output J. A file expect_error.txt contains text that must appear in the error message. Beside the
// model, the file means that the model or all runs must fail. In a data set, it replaces the outputs and means
// that the run must fail. A data.json beside the model may set "rtol" and "atol". Returns the failure, or nullopt
// if the test passes.
std::optional<std::string> run_test(const fs::path& folder, const TestOptions& options, const Options& how) {
  const auto expected = read_expectation(folder);
  if (!expected) return expected.error().message();
  const auto tolerance = read_tolerance(folder, options.exact);
  if (!tolerance) return tolerance.error().message();
  const auto model = Model::load(folder / "model.onnx", {.allow_deprecated = options.allow_deprecated});
  if (!model) return *expected ? judge_failure(model.error(), **expected) : model.error().message();
  const CheckReport report = model->check();
  if (!report.ok()) {
    const Error& first = report.violations.front().error;
    if (!*expected) return first.message();
    const auto as_expected = [&](const Violation& violation) {
      return !judge_failure(violation.error, **expected);
    };
    if (std::any_of(report.violations.begin(), report.violations.end(), as_expected)) return std::nullopt;
    return judge_failure(first, **expected);
  }
  const auto data_sets = numbered_entries(folder, "test_data_set_", "");
  if (data_sets.empty()) {
    if (*expected) return fmt::format("has no violations, expected an error with \"{}\"", **expected);
    return "no test_data_set_N folder";
  }
  for (const Numbered& data_set : data_sets) {
    const auto wrong = run_data_set(*model, data_set.path, *expected, *tolerance, how);
    if (wrong) return fmt::format("{}: {}", data_set.path.filename().string(), *wrong);
  }
  return std::nullopt;
}

struct Outcome {
  std::string path;
  std::optional<std::string> failure;
  double seconds;
};

Result<std::vector<fs::path>> find_all(const std::vector<std::string>& folders) {
  std::vector<fs::path> tests;
  for (const std::string& folder : folders) {
    STREW_ASSIGN(const auto& found, find_tests(folder));
    if (found.empty()) {
      return fail_in(folder, {ErrorCode::kInvalidArgument, "no model.onnx here or in any folder below"});
    }
    tests.insert(tests.end(), found.begin(), found.end());
  }
  return tests;
}

void print_outcome(const Outcome& outcome) {
  if (outcome.failure) {
    fmt::print("{}  {}: {}\n", coloured("FAIL", Colour::kRed, stdout), outcome.path,
               one_line(*outcome.failure, kLongestLine));
  } else {
    fmt::print("{}  {}  {}\n", coloured("pass", Colour::kGreen, stdout), outcome.path, time_text(outcome.seconds));
  }
}

void print_json_outcomes(const std::vector<Outcome>& outcomes, std::int64_t failed) {
  Json object = {{"passed", static_cast<std::int64_t>(outcomes.size()) - failed},
                 {"failed", failed},
                 {"tests", Json::array()}};
  for (const Outcome& outcome : outcomes) {
    object["tests"].push_back({{"path", outcome.path},
                               {"passed", !outcome.failure},
                               {"message", outcome.failure ? Json(*outcome.failure) : Json(nullptr)},
                               {"seconds", outcome.seconds}});
  }
  print_json(object);
}

}  // namespace

Result<int> run_command(const TestOptions& options) {
  STREW_ASSIGN(auto&& threads, make_threads(options.threads));
  STREW_ASSIGN(const auto& tests, find_all(options.folders));

  Progress progress(static_cast<std::int64_t>(tests.size()));
  std::vector<Outcome> outcomes;
  for (const fs::path& test : tests) {
    const auto start = std::chrono::steady_clock::now();
    auto failure = run_test(test, options, {.executor = threads.executor});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    outcomes.push_back({test.string(), std::move(failure), seconds.count()});
    if (!options.json) {
      progress.clear();
      print_outcome(outcomes.back());
    }
    progress.advance();
  }
  progress.clear();
  const auto failed = std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.failure; });
  if (options.json) {
    print_json_outcomes(outcomes, failed);
  } else {
    fmt::print("{} passed, {} failed\n", static_cast<std::int64_t>(outcomes.size()) - failed, failed);
  }
  return failed == 0 ? kSuccess : kFault;
}

}  // namespace strew::app
