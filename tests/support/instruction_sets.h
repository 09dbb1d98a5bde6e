// Forces the instruction set that the library chooses at run time.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace strew::support {

/// Returns the instruction sets of this machine for which the library is compiled.
inline std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> sets;
#if HWY_ARCH_X86
  for (const std::int64_t set : {HWY_EMU128, HWY_SSE4, HWY_AVX2, HWY_AVX3}) {
#elif HWY_ARCH_ARM_A64 && HWY_HAVE_RUNTIME_DISPATCH
  for (const std::int64_t set : {HWY_EMU128, HWY_NEON, HWY_SVE, HWY_SVE_256, HWY_SVE2, HWY_SVE2_128}) {
#else
  for (const std::int64_t set : {static_cast<std::int64_t>(HWY_STATIC_TARGET)}) {
#endif
    if (set == HWY_EMU128 || (hwy::SupportedTargets() & HWY_TARGETS & set) != 0) sets.push_back(set);
  }
  return sets;
}

/// During the object's lifetime, the library uses this instruction set, or the next older one for which a loop is
/// compiled. Only one such object may exist at a time:
/// `for (const ForcedInstructionSet forced : instruction_sets())`.
class ForcedInstructionSet {
 public:
  ForcedInstructionSet(std::int64_t set) : set_(set) {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets() & ~(set - 1));
  }
  ~ForcedInstructionSet() { hwy::GetChosenTarget().Update(hwy::SupportedTargets()); }
  ForcedInstructionSet(const ForcedInstructionSet&) = delete;
  ForcedInstructionSet& operator=(const ForcedInstructionSet&) = delete;
  std::int64_t set() const noexcept { return set_; }

 private:
  std::int64_t set_;
};

}  // namespace strew::support
