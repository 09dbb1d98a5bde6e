// Tests machine files: a file is read as a whole or rejected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/machine.h"

namespace strew {
namespace {

Result<Machine> read(std::string_view text) { return read_machine(text, "Zen 9", Machine{.step_ps = 7}); }

TEST(MachineFile, ReplacesTheNumbersThatItHas) {
  const auto read_one = read("# by hand\n\nprocessor = Zen 9\n l3_line=42 \r\nwake = 1\n").value();
  EXPECT_EQ(read_one.l3_random_line_ps, 42);
  EXPECT_EQ(read_one.thread_start_ps, 1);
  EXPECT_EQ(read_one.step_ps, 7);
}

TEST(MachineFile, ReadsEveryNumber) {
  for (const MachineField& number : kMachineFields) {
    const auto one = read("processor = Zen 9\n" + std::string(number.name) + " = 4321");
    ASSERT_TRUE(one) << number.name;
    EXPECT_EQ((*one).*number.member, 4321) << number.name;
  }
}

TEST(MachineFile, MayBeginWithAByteOrderMark) {
  const auto read_one = read("\xEF\xBB\xBFprocessor = Zen 9\nwake = 3\n").value();
  EXPECT_EQ(read_one.thread_start_ps, 3);
}

TEST(MachineFile, IsRejectedIfItIsDamagedOrOfAnotherProcessor) {
  const auto why = [](std::string_view text) { return read(text).error().message(); };
  EXPECT_EQ(why(""), "it lacks the line processor = Zen 9");
  EXPECT_EQ(why("processor = Zen 8"), "it is for the processor 'Zen 8', not for 'Zen 9'");
  EXPECT_EQ(why("processor = Zen 9\n\x7f"
                "ELF"),
            "' ELF' is not a line of the form name = number");
  EXPECT_EQ(why("speed = 3"), "'speed' is not a machine number");
  for (const char* const bad :
       {"step = 0", "step = -1", "step = 1.5", "step = ", "step = 12 ps", "step = 9999999999999999999"}) {
    EXPECT_THAT(why(bad), testing::HasSubstr("a whole number from 1 to 1099511627776 is wanted"));
  }
  EXPECT_EQ(why("l2_bytes = 4095"), "l2_bytes is '4095'; a whole number from 4096 to 1099511627776 is wanted");
}

}  // namespace
}  // namespace strew
