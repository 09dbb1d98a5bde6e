// For tests and measurements: forces a strategy, or changes the numbers that the choice depends on.
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

/// Overrides for a call. `Options::overrides` points to them, and they must outlive the call.
struct Overrides {
  /// The call fails with kUnsupported if the strategy does not apply or would exceed `Limits::scratch_bytes`.
  StrategyKind strategy = StrategyKind::kSerial;
};

/// Returns overrides that force a strategy; nullptr for nullopt.
const Overrides* force_strategy(std::optional<StrategyKind> strategy) noexcept;

/// A machine number: a property of the machine that the cost model uses.
struct MachineNumber {
  std::string_view name;
  std::string_view unit;     ///< "bytes", "ps" or "tasks"
  std::string_view meaning;  ///< a few words
  std::int64_t usual = 0;    ///< default
  std::int64_t value = 0;    ///< current value
};
std::vector<MachineNumber> machine_numbers();

/// Replaces the machine numbers with `values`, in the order of `machine_numbers()`, while the object exists. Only
/// one such object may exist at a time.
class ScopedMachineNumbers {
 public:
  explicit ScopedMachineNumbers(std::span<const std::int64_t> values);
  ~ScopedMachineNumbers();
  ScopedMachineNumbers(const ScopedMachineNumbers&) = delete;
  ScopedMachineNumbers& operator=(const ScopedMachineNumbers&) = delete;

 private:
  std::unique_ptr<ScopedMachine> scope_;
};

/// Return the processor's name, and the path of the file with its machine numbers: the value of STREW_MACHINE, or
/// `strew/machine.txt` in the user's configuration folder, or "". The file must name the processor.
std::string processor_name();
std::string machine_file();

}  // namespace strew
STREW_API_END
