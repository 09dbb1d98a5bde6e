// For tests and measurements: calls that are run in a given way, and what strategies are chosen by.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strew/explain.h"
#include "strew/export.h"

namespace strew {
class ScopedMachine;  // not exported
}  // namespace strew

STREW_API_BEGIN
namespace strew {

/// Given as `Options::overrides`, and read during the call.
struct Overrides {
  /// Use this strategy, or fail with kUnsupported where it does not apply or needs more than
  /// `Limits::scratch_bytes`.
  StrategyKind strategy = StrategyKind::kSerial;
};

/// `{.overrides = strew::force_strategy(StrategyKind::kPartition)}`; nothing is overridden without a strategy.
const Overrides* force_strategy(std::optional<StrategyKind> strategy) noexcept;

/// One of the numbers of the machine from which strategies are chosen.
struct MachineNumber {
  std::string_view name;
  std::string_view unit;     ///< "bytes", "ps" or "tasks"
  std::string_view meaning;  ///< a few words
  std::int64_t usual = 0;    ///< where nothing is known of the machine
  std::int64_t value = 0;    ///< in use
};
std::vector<MachineNumber> machine_numbers();

/// While it lives strategies are chosen by these values, one for each of `machine_numbers()`. One at a time.
class ScopedMachineNumbers {
 public:
  explicit ScopedMachineNumbers(std::span<const std::int64_t> values);
  ~ScopedMachineNumbers();
  ScopedMachineNumbers(const ScopedMachineNumbers&) = delete;
  ScopedMachineNumbers& operator=(const ScopedMachineNumbers&) = delete;

 private:
  std::unique_ptr<ScopedMachine> scope_;
};

/// The kind of processor, as the system names it, which a file of such numbers must name as well. Where that file
/// is read from: STREW_MACHINE, or `strew/machine.txt` in the user's configuration folder; empty: nowhere.
std::string processor_name();
std::string machine_file();

}  // namespace strew
STREW_API_END
