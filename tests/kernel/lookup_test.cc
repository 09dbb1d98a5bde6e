// Tables in registers, for every instruction set.
#include "kernel/lookup.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "support/instruction_sets.h"

namespace strew {
namespace {

template <class T>
void expect_found(std::int64_t entries, std::int64_t count) {
  std::vector<T> table(static_cast<std::size_t>(entries));
  std::iota(table.begin(), table.end(), static_cast<T>(0xA1B2C3D4u));
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < count; ++i) offsets.push_back(i * i % entries);
  const LookupTable words(table.data(), entries, sizeof(T));
  const Kernel kernel = lookup_kernel(sizeof(T));
  if (kernel == nullptr) return;
  std::vector<std::byte> target(static_cast<std::size_t>(count) * sizeof(T) + 2, std::byte{7});
  kernel(target.data() + 1, words.words.data(), nullptr, offsets.data(), count, 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    T found;
    std::memcpy(&found, target.data() + 1 + i * sizeof(T), sizeof(T));
    EXPECT_EQ(found, table[static_cast<std::size_t>(offsets[i])]) << i;
  }
  EXPECT_EQ(target.front(), std::byte{7});
  EXPECT_EQ(target.back(), std::byte{7});
}

TEST(LookupKernel, FindsElementsOfEveryWidth) {
  for (const std::int64_t set : support::instruction_sets()) {
    const support::ForcedInstructionSet forced(set);
    for (const std::int64_t entries : {1, 7, 31, 32}) {
      for (const std::int64_t count : {0, 1, 15, 16, 33, 100}) {
        expect_found<std::uint8_t>(entries, count);
        expect_found<std::uint16_t>(entries, count);
        expect_found<std::uint32_t>(entries, count);
      }
    }
  }
}

TEST(LookupKernel, LeavesWiderElementsToOthers) { EXPECT_EQ(lookup_kernel(8), nullptr); }

}  // namespace
}  // namespace strew
