#include "calls.h"

#include <map>
#include <mutex>
#include <utility>

namespace strew::aten {
namespace {

std::vector<Tally*>& tallies() {
  static std::vector<Tally*> all;
  return all;
}

struct Reason {
  const char* text;
  const char* remedy;
};

constexpr std::array<Reason, kOutcomeCount> kReasons{{
    {"", ""},
#define STREW_OUTCOME(kind, reason, call, help) {reason, help},
#include "outcomes.inc"
#undef STREW_OUTCOME
}};

std::mutex mutex;  // guards `lines`
std::map<std::pair<std::string_view, std::string>, std::int64_t> lines;

}  // namespace

Tally::Tally(const char* kernel) : kernel_(kernel) { tallies().push_back(this); }

void count_line(std::string_view name, std::string_view line) {
  const std::lock_guard lock(mutex);
  ++lines[{name, std::string(line)}];
}

Counts all_counts() {
  Counts counts;
  auto& [kernels, reasons, remedies, numbers] = counts;
  for (const Tally* tally : tallies()) {
    for (std::size_t i = 0; i < kOutcomeCount; ++i) {
      const std::int64_t calls = tally->outcomes_[i].load(std::memory_order_relaxed);
      if (calls == 0) continue;
      kernels.emplace_back(tally->kernel_);
      reasons.emplace_back(kReasons[i].text);
      remedies.emplace_back(kReasons[i].remedy);
      numbers.push_back(calls);
    }
  }
  const std::lock_guard lock(mutex);
  for (const auto& [line, calls] : lines) {
    kernels.push_back("strew::" + std::string(line.first) + " " + line.second);
    reasons.emplace_back();
    remedies.emplace_back();
    numbers.push_back(calls);
  }
  return counts;
}

void reset_counts() {
  for (Tally* tally : tallies()) {
    for (auto& calls : tally->outcomes_) calls.store(0, std::memory_order_relaxed);
  }
  const std::lock_guard lock(mutex);
  lines.clear();
}

}  // namespace strew::aten
