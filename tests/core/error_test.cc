// What messages quote, and how much of it.
#include "core/error.h"

#include <gtest/gtest.h>

namespace strew {
namespace {

TEST(Messages, QuoteControlCharactersAsSpaces) {
  EXPECT_EQ(one_line(std::string("a\x1b[2J\nb\0c\x7f", 10)), "a [2J b c ");
  EXPECT_EQ(fail(ErrorCode::kIo, "x\ty", std::string("\r"), '!').value().message, "x y !");
}

TEST(Messages, KeepOtherBytes) { EXPECT_EQ(one_line("\xC3\xA9 ~\xFF"), "\xC3\xA9 ~\xFF"); }

TEST(Messages, QuoteTheStartOfLongTexts) {
  EXPECT_EQ(one_line("abcd", 4), "abcd");
  EXPECT_EQ(one_line("abcde", 4), "abcd\u2026 (5 bytes)");
  EXPECT_EQ(one_line(std::string(1001, 'x')), std::string(1000, 'x') + "\u2026 (1001 bytes)");
  EXPECT_EQ(fail(ErrorCode::kIo, std::string(5000000, 'x')).value().message,
            std::string(1000, 'x') + "\u2026 (5000000 bytes)");
}

TEST(Messages, HoldThoseOfOtherErrorsWhole) {
  const Error inner = fail(ErrorCode::kIo, std::string(2000, 'x'), " is missing").value();
  EXPECT_EQ(fail(ErrorCode::kIo, "file: ", inner).value().message, "file: " + inner.message);
}

TEST(Messages, DoNotCutCharactersInTwo) {
  EXPECT_EQ(one_line("ab\u2026c", 3), "ab\u2026 (6 bytes)");
  EXPECT_EQ(one_line("ab\u2026c", 4), "ab\u2026 (6 bytes)");
  EXPECT_EQ(one_line("ab\u2026c", 5), "ab\u2026\u2026 (6 bytes)");
  EXPECT_EQ(one_line("\x80\x80\x80", 2), "\u2026 (3 bytes)");
}

}  // namespace
}  // namespace strew
