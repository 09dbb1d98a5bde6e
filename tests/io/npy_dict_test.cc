// The dictionary of a .npy header.
#include "io/npy_dict.h"

#include <gtest/gtest.h>

namespace strew {
namespace {

std::string message(std::string_view text) {
  const auto dict = parse_npy_dict(text, 10);
  return dict ? "accepted" : dict.error().message();
}

TEST(NpyDict, ReadsWhatNumPyWrites) {
  const auto dict = parse_npy_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }      \n", 10);
  ASSERT_TRUE(dict) << dict.error().message();
  EXPECT_EQ(dict->descr, "<f4");
  EXPECT_FALSE(dict->fortran_order);
  EXPECT_EQ(dict->shape, (Shape{2, 3}));
}

TEST(NpyDict, AcceptsAnyOrderAndSpacing) {
  const auto dict = parse_npy_dict(" {\"shape\":( 7 , ),\t'fortran_order' :True,'descr':\"|b1\"}", 10);
  ASSERT_TRUE(dict) << dict.error().message();
  EXPECT_EQ(dict->descr, "|b1");
  EXPECT_TRUE(dict->fortran_order);
  EXPECT_EQ(dict->shape, Shape{7});
}

TEST(NpyDict, ReadsEveryKindOfShape) {
  const auto shape = [](const std::string& text) {
    const auto dict = parse_npy_dict("{'descr': 'x', 'fortran_order': False, 'shape': " + text + "}", 10);
    return dict ? to_string(dict->shape) : dict.error().message();
  };
  EXPECT_EQ(shape("()"), "[]");
  EXPECT_EQ(shape("(0,)"), "[0]");
  EXPECT_EQ(shape("(3L, 4 L)"), "[3, 4]");
  EXPECT_EQ(shape("(2, 3,)"), "[2, 3]");
  EXPECT_EQ(shape("(9223372036854775807,)"), "[9223372036854775807]");
}

TEST(NpyDict, RefusesOtherShapesAndSaysWhere) {
  const auto shape = [](const std::string& text) { return message("{'shape': " + text); };
  EXPECT_EQ(shape("(3)"), "header, byte 22: expected ',' (a tuple of one is written (3,)), found ')'");
  EXPECT_EQ(shape("[3]"), "header, byte 20: expected '(', found '['");
  EXPECT_EQ(shape("(-1,)"), "header, byte 21: expected a dimension (0 or more), found '-'");
  EXPECT_EQ(shape("(,)"), "header, byte 21: expected a dimension (0 or more), found ','");
  EXPECT_EQ(shape("(2,,)"), "header, byte 23: expected a dimension (0 or more), found ','");
  EXPECT_EQ(shape("(02,)"), "header, byte 21: expected a number without leading zeros, found '0'");
  EXPECT_EQ(shape("(2 3)"), "header, byte 23: expected ',' or ')', found '3'");
  EXPECT_EQ(shape("(9223372036854775808,)"),
            "header, byte 21: expected a dimension below 2^63, found '9223372036854775808'");
  EXPECT_EQ(shape("(2,"), "header, byte 23: expected a dimension (0 or more), found the end");
}

TEST(NpyDict, RefusesMissingDoubledAndUnknownKeys) {
  EXPECT_EQ(message("{}"), "the header lacks the key 'descr'");
  EXPECT_EQ(message("{'descr': 'x'}"), "the header lacks the key 'fortran_order'");
  EXPECT_EQ(message("{'descr': 'x', 'fortran_order': True}"), "the header lacks the key 'shape'");
  EXPECT_EQ(message("{'descr': 'x', 'descr': 'y'}"), "header, byte 25: expected each key only once, found '''");
  EXPECT_EQ(message("{'size': 1}"), "header, byte 11: expected 'descr', 'fortran_order' or 'shape', found '''");
}

TEST(NpyDict, RefusesWhatIsNoSuchDictionary) {
  EXPECT_EQ(message(""), "header, byte 10: expected '{', found the end");
  EXPECT_EQ(message("{'descr': f4}"), "header, byte 20: expected a string, found 'f'");
  EXPECT_EQ(message("{'descr': 'a\\n'}"),
            "header, byte 22: expected the end of a string without escapes, found '\\'");
  EXPECT_EQ(message("{'descr': 'a"),
            "header, byte 22: expected the end of a string without escapes, found the end");
  EXPECT_EQ(message("{'fortran_order': 1}"), "header, byte 28: expected True or False, found '1'");
  EXPECT_EQ(message("{'descr': 'x' 'shape': ()}"), "header, byte 24: expected '}', found '''");
  EXPECT_EQ(message("{'descr': 'x', 'fortran_order': True, 'shape': ()} x"),
            "header, byte 61: expected the end of the header, found 'x'");
  EXPECT_EQ(message(std::string_view("{\0", 2)), "header, byte 11: expected a string, found '?'");
}

TEST(NpyDict, KnowsStructuredTypesAndRefusesThem) {
  const auto dict = parse_npy_dict("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 10);
  ASSERT_FALSE(dict);
  EXPECT_EQ(dict.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(dict.error().message(), "structured element types (records) are not read");
}

}  // namespace
}  // namespace strew
