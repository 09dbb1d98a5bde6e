// Counts the calls that reached Strew: handled, or left to torch and why.
#include "calls.h"

namespace strew::aten {
namespace {

std::vector<Tally*>& tallies() {
  static std::vector<Tally*> all;
  return all;
}

constexpr std::array<const char*, kOutcomeCount> kReasons{
    "",
#define STREW_OUTCOME(kind, reason, call, help) reason,
#include "outcomes.inc"
#undef STREW_OUTCOME
};

}  // namespace

Tally::Tally(const char* kernel) : kernel_(kernel) { tallies().push_back(this); }

Counts all_counts() {
  Counts counts;
  auto& [kernels, reasons, numbers] = counts;
  for (const Tally* tally : tallies()) {
    for (std::size_t i = 0; i < kOutcomeCount; ++i) {
      const std::int64_t calls = tally->outcomes_[i].load(std::memory_order_relaxed);
      if (calls == 0) continue;
      kernels.emplace_back(tally->kernel_);
      reasons.emplace_back(kReasons[i]);
      numbers.push_back(calls);
    }
  }
  return counts;
}

void reset_counts() {
  for (Tally* tally : tallies()) {
    for (auto& calls : tally->outcomes_) calls.store(0, std::memory_order_relaxed);
  }
}

}  // namespace strew::aten
