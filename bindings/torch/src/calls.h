// Counts the calls that Strew handled and, for each reason, the calls that it left to torch.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
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

/// All non-zero counts: kernel, reason ("" if handled), remedy, number of calls.
using Counts = std::tuple<std::vector<std::string>, std::vector<std::string>, std::vector<std::string>,
                          std::vector<std::int64_t>>;

class Tally {
 public:
  /// `kernel`: a string literal such as "index_add_" or "index_add.out".
  explicit Tally(const char* kernel);
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  /// Counts a call and returns whether Strew handled it.
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

/// Counts a call of the operator `name`, which replaces `line` of a compiled program.
void count_line(std::string_view name, std::string_view line);

Counts all_counts();
void reset_counts();

}  // namespace strew::aten
