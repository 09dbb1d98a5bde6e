#include <charconv>
#include <string_view>
#include <thread>
#include <vector>

#include "provider.h"
#include "strew/error.h"
#include "strew/operators.h"

namespace strew::ort {
namespace {

constexpr std::string_view kPrefix = "ep.strewexecutionprovider.";
constexpr std::string_view kOptions[] = {"operators", "threads", "fuse", "placement"};
constexpr int kMaxThreads = 1024;

std::set<std::string> known_operators() {
  std::set<std::string> names;
  for (const OperatorVersion& version : operator_versions()) names.emplace(version.op_type);
  return names;
}

std::string without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

std::set<std::string> parse_operators(std::string_view text) {
  const std::set<std::string> known = known_operators();
  std::set<std::string> chosen;
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    const std::string name = without_spaces(text.substr(0, end));
    if (!known.contains(name)) {
      throw Refusal{ORT_INVALID_ARGUMENT,
                    "strew: option operators: '" + one_line(name, 60) +
                        "' is not one of the operators that Strew has; the option must be a list such as "
                        "'ScatterND,ScatterElements'" +
                        did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end()))};
    }
    chosen.insert(name);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return chosen;
}

int parse_threads(std::string_view text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0 || count > kMaxThreads) {
    throw Refusal{ORT_INVALID_ARGUMENT,
                  "strew: option threads is '" + std::string(text) + "'; it must be a number from 0 to 1024"};
  }
  return count;
}

bool parse_fuse(std::string_view text) {
  if (text == "0" || text == "1") return text == "1";
  throw Refusal{ORT_INVALID_ARGUMENT, "strew: option fuse is '" + one_line(text, 60) + "'; it must be 0 or 1"};
}

void set_option(ProviderOptions& options, std::string_view name, std::string_view value) {
  if (name == "operators") {
    options.operators = parse_operators(value);
    options.operators_named = true;
  } else if (name == "threads") {
    options.threads = parse_threads(value);
  } else if (name == "fuse") {
    options.fuse = parse_fuse(value);
  } else if (name == "placement") {
    options.placement = value;
  } else {
    throw Refusal{ORT_INVALID_ARGUMENT, "strew: there is no option '" + one_line(name, 60) +
                                            "'; the options are operators, threads, fuse and placement" +
                                            did_you_mean(name, kOptions)};
  }
}

}  // namespace

ProviderOptions read_options(const Api& api, const OrtSessionOptions* session_options) {
  auto* const entries = fetch<OrtKeyValuePairs*>(api.ort.GetSessionOptionsConfigEntries, session_options);
  const Owned<OrtKeyValuePairs> owner(entries, api.ort.ReleaseKeyValuePairs);
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  std::size_t count = 0;
  api.ort.GetKeyValuePairs(entries, &keys, &values, &count);

  ProviderOptions options;
  options.operators = known_operators();
  options.threads = 0;
  bool saves_compiled = false;  // a fused node cannot be saved
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view key = keys[i];
    if (key == "ep.context_enable" && std::string_view(values[i]) == "1") saves_compiled = true;
    if (key.starts_with(kPrefix)) set_option(options, key.substr(kPrefix.size()), values[i]);
  }
  if (saves_compiled) options.fuse = false;
  if (options.threads == 0) options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return options;
}

}  // namespace strew::ort
