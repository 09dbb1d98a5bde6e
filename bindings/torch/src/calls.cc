// What became of the calls that reached Strew: taken, or left to torch and why.
#include "calls.h"

namespace strew::aten {
namespace {

std::vector<Tally*>& tallies() {
  static std::vector<Tally*> all;
  return all;
}

constexpr std::array<const char*, kOutcomeCount> kReasons{
    "",
    "too few elements to gain",
    "single elements, which torch moves as fast",
    "a tensor of rank 0",
    "layout",
    "element type",
    "type of the indices",
    "reduction",
    "alpha",
    "a sum or mean with include_self=False",
    "scale_grad_by_freq",
    "shapes that torch refuses or treats otherwise",
    "form of the index",
    "shape or type of out",
    "index out of range",
    "refused",
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
