// Tests memory of a build without a cache of large blocks.
#include "strew/memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace strew {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(PlainMemory, KeepsNothingForLaterCalls) {
  set_memory_cache_limit(1 << 20);
  free_memory(allocate_memory(4 << 20));
  EXPECT_EQ(memory_cache_bytes(), 0);
  EXPECT_EQ(memory_cache_limit(), 0);
}

TEST(PlainMemory, ChangesItsSizeAndKeepsItsContents) {
  auto* memory = static_cast<char*>(allocate_memory(1));
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
  *memory = 'x';
  memory = static_cast<char*>(reallocate_memory(memory, 5000));
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
  EXPECT_EQ(*memory, 'x');
  EXPECT_EQ(reallocate_memory(memory, kMost), nullptr);
  EXPECT_EQ(*memory, 'x');
  memory[1] = 'y';
  memory[2] = 'z';
  memory = static_cast<char*>(reallocate_memory(memory, 2));
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory[0], 'x');
  EXPECT_EQ(memory[1], 'y');
  free_memory(memory);
  EXPECT_EQ(allocate_memory(kMost), nullptr);
  free_memory(reallocate_memory(nullptr, 10));
  free_memory(nullptr);
}

}  // namespace
}  // namespace strew
