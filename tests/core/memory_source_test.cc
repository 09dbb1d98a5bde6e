// Sizes that an address cannot reach.
#include "core/memory_source.h"

#include <gtest/gtest.h>

#include "core/machine.h"

namespace strew {
namespace {

constexpr std::int64_t kMax32 = 0x7FFFFFFF;
constexpr std::int64_t kWraps32 = (std::int64_t{1} << 32) + 16;  // 16 where a size has 32 bits

TEST(ArraySize, RefusesWhatAnAddressOf32BitsCannotReach) {
  EXPECT_EQ(array_size(kMax32, 1, kMax32), 0x7FFFFFFFu);
  EXPECT_THROW(array_size(kMax32 + 1, 1, kMax32), std::bad_alloc);
  EXPECT_THROW(array_size(kWraps32, 1, kMax32), std::bad_alloc);
}

TEST(ArraySize, CountsTheBytesOfElements) {
  EXPECT_EQ(array_size(kMax32 / 8, 8, kMax32), 0xFFFFFFFu);
  EXPECT_THROW(array_size(kMax32 / 8 + 1, 8, kMax32), std::bad_alloc);
  EXPECT_THROW(array_size(std::int64_t{1} << 61, 8), std::bad_alloc);
}

TEST(Machine, HasNoMoreMemoryThanAddresses) {
  EXPECT_LE(machine().most_memory, std::numeric_limits<std::ptrdiff_t>::max());
}

}  // namespace
}  // namespace strew
