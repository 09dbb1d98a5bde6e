// What the operating system says of the machine.
#include "core/machine.h"

#include <gtest/gtest.h>

#include "strew/memory.h"

namespace strew {
namespace {

TEST(Machine, HasMemory) {
  EXPECT_GT(machine().memory, 1 << 20);
  EXPECT_GE(machine().most_memory, machine().memory);
  EXPECT_LT(machine().most_memory, std::int64_t{1} << 50);
  EXPECT_EQ(usable_memory(), machine().memory);
}

}  // namespace
}  // namespace strew
