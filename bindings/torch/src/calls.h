// What became of the calls that reached Strew: taken, or left to torch and why.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace strew::aten {

enum class Outcome : std::uint8_t {
  kTaken,
#define STREW_OUTCOME(kind, reason, call, help) kind,
#include "outcomes.inc"
#undef STREW_OUTCOME
  kCount,
};
inline constexpr std::size_t kOutcomeCount = static_cast<std::size_t>(Outcome::kCount);

/// Kernels, reasons ("" for taken) and numbers of calls, of all that are not zero.
using Counts = std::tuple<std::vector<std::string>, std::vector<std::string>, std::vector<std::int64_t>>;

/// The calls of one kernel so far.
class Tally {
 public:
  /// `kernel` as in "index_add_" or "index_add.out", a text that stays.
  explicit Tally(const char* kernel);
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  /// Counts one, and says whether it was taken.
  bool count(Outcome outcome) noexcept {
    outcomes_[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed);
    return outcome == Outcome::kTaken;
  }

 private:
  friend Counts all_counts();
  friend void reset_counts();

  const char* kernel_;
  std::array<std::atomic<std::int64_t>, kOutcomeCount> outcomes_{};
};

Counts all_counts();
void reset_counts();

}  // namespace strew::aten
