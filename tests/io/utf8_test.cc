// UTF-8, one code point at a time.
#include "core/utf8.h"

#include <gtest/gtest.h>

namespace strew {
namespace {

TEST(Utf8, GoesThereAndBackForEveryCodePoint) {
  for (std::uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    std::string text;
    const bool valid = code_point < 0xD800 || code_point > 0xDFFF;
    ASSERT_EQ(append_utf8(text, code_point), valid) << code_point;
    if (!valid) continue;
    std::size_t at = 0;
    ASSERT_TRUE(is_utf8(text));
    ASSERT_EQ(next_utf8(text, at), code_point);
    ASSERT_EQ(at, text.size());
  }
}

TEST(Utf8, WritesTheShortestForm) {
  std::string text;
  for (const std::uint32_t code_point : {0x24u, 0xA3u, 0x20ACu, 0x10348u}) append_utf8(text, code_point);
  EXPECT_EQ(text, "$\xC2\xA3\xE2\x82\xAC\xF0\x90\x8D\x88");
}

TEST(Utf8, RefusesWhatIsTooLarge) {
  std::string text;
  EXPECT_FALSE(append_utf8(text, 0x110000));
  EXPECT_FALSE(append_utf8(text, 0xFFFFFFFF));
  EXPECT_EQ(text, "");
}

TEST(Utf8, RefusesMalformedBytes) {
  for (const std::string text :
       {"\x80", "\xC3", "\xC3(", "\xC0\x80", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\xF8\x88\x80\x80\x80", "\xFF", "\xE2\x82", "\xF0\x8F\xBF\xBF"}) {
    std::size_t at = 0;
    EXPECT_FALSE(next_utf8(text, at)) << testing::PrintToString(text);
    EXPECT_EQ(at, 0u);
    EXPECT_FALSE(is_utf8("a" + text));
  }
}

}  // namespace
}  // namespace strew
