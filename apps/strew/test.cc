// strew test: runs folders of ONNX backend tests.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "console.h"
#include "format.h"
#include "test_folder.h"

namespace strew::app {
namespace {

struct Outcome {
  std::string path;
  std::optional<std::string> failure;
  double seconds;
};

Result<std::vector<std::filesystem::path>> find_all(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> tests;
  for (const std::string& folder : folders) {
    auto found = find_tests(folder);
    if (!found) return fail_in("test", std::move(found).error());
    if (found->empty()) {
      return fail(ErrorCode::kInvalidArgument, "test: no model.onnx in {} or in any folder below it", folder);
    }
    tests.insert(tests.end(), found->begin(), found->end());
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

  const TestSettings settings{options.exact, options.allow_deprecated, {.executor = threads.executor}};
  Progress progress(static_cast<std::int64_t>(tests.size()));
  std::vector<Outcome> outcomes;
  for (const std::filesystem::path& test : tests) {
    const auto start = std::chrono::steady_clock::now();
    auto failure = run_test(test, settings);
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
