// Tables in registers, for every instruction set.
#include "kernel/lookup.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstring>
#include <vector>

#include "support/instruction_sets.h"

namespace strew {
namespace {

template <class T>
bool expect_found(std::int64_t entries, std::int64_t count) {
  std::vector<T> table(static_cast<std::size_t>(entries));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<T>(0x9E3779B1u * (i + 1) >> 7);
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) offsets.push_back((i * i + entries - 1) % entries);
  const Kernel kernel = lookup_kernel(sizeof(T), entries);
  if (kernel == nullptr) return false;
  const LookupTable words(table.data(), entries, sizeof(T));
  std::vector<std::byte> target(static_cast<std::size_t>(count) * sizeof(T) + 2, std::byte{7});
  kernel(target.data() + 1, words.data(), nullptr, offsets.data(), count, 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    T found;
    std::memcpy(&found, target.data() + 1 + i * sizeof(T), sizeof(T));
    EXPECT_EQ(found, table[static_cast<std::size_t>(offsets[i])]) << i;
  }
  EXPECT_EQ(target.front(), std::byte{7});
  EXPECT_EQ(target.back(), std::byte{7});
  return true;
}

// lookup.cc is the one file that has this one too.
std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> sets = support::instruction_sets();
#if HWY_ARCH_X86
  if ((hwy::SupportedTargets() & HWY_AVX3_DL) != 0) sets.push_back(HWY_AVX3_DL);
#endif
  return sets;
}

TEST(LookupKernel, FindsElementsOfEveryWidth) {
  for (const std::int64_t set : instruction_sets()) {
    SCOPED_TRACE(set);
    const support::ForcedInstructionSet forced(set);
    for (const std::int64_t entries : {1, 7, 31, 32, 33, 64, 65, 127, 128, 129, 200, 255, 256}) {
      for (const std::int64_t count : {0, 1, 15, 16, 33, 63, 64, 100, 511, 1000}) {
        const bool bytes = expect_found<std::uint8_t>(entries, count);
        const bool halves = expect_found<std::uint16_t>(entries, count);
        EXPECT_EQ(expect_found<std::uint32_t>(entries, count), halves);
#if HWY_ARCH_X86
        EXPECT_EQ(halves, set <= HWY_AVX2 && entries <= LookupTable::kMostWords) << entries;
        const std::int64_t most = set <= HWY_AVX3 ? 256 : set == HWY_AVX2 ? 128 : set == HWY_SSE4 ? 64 : 0;
        EXPECT_EQ(bytes, entries <= most) << entries;
#else
        EXPECT_TRUE(bytes || !halves);
#endif
      }
    }
  }
}

TEST(LookupKernel, LeavesOtherTablesToOthers) {
  EXPECT_EQ(lookup_kernel(8, 4), nullptr);
  EXPECT_EQ(lookup_kernel(1, LookupTable::kMostBytes + 1), nullptr);
  EXPECT_EQ(lookup_kernel(2, LookupTable::kMostWords + 1), nullptr);
}

}  // namespace
}  // namespace strew
