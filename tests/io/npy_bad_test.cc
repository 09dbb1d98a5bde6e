// Tests damaged .npy files, and the dictionary in the header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "io/files.h"
#include "io/npy_header.h"
#include "strew/tensor_file.h"
#include "support/refusal.h"

namespace strew {
namespace {

using testing::HasSubstr;
using std::string_literals::operator""s;

Error refusal(const std::string& file) {
  const auto tensor = parse_npy(bytes_of(file));
  return tensor ? Error{ErrorCode::kIo, "accepted"} : tensor.error();
}

TEST(NpyRefusals, SayHowManyBytesAreMissing) {
  const TempDir dir;
  write_file(dir / "x.npy", npy_of("<f4", "(2, 3)", std::string(20, '\0')));
  expect_refused(load_npy(dir / "x.npy"), ErrorCode::kInvalidModel,
                 (dir / "x.npy").string() + ": header declares [2, 3] float32, 24 bytes, but 20 follow");
}

TEST(NpyRefusals, NameTheItemThatHasNoType) {
  EXPECT_EQ(refusal(npy_of("<V2", "(3,)", "")).message(), "npy: header declares [3] V2, 6 bytes, but 0 follow");
  EXPECT_EQ(refusal(npy_of("<U2", "(3,)", "")).message(), "npy: header declares [3] U2, 24 bytes, but 0 follow");
  EXPECT_EQ(refusal(npy_of("|S2", "(3,)", "")).message(), "npy: header declares [3] S2, 6 bytes, but 0 follow");
}

TEST(NpyRefusals, CoverSizesThatOverflow) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"<f4", "(9223372036854775807,)", "more than 2^63 - 1 bytes"},
      {"|i1", "(4294967296, 4294967296)", "more than 2^63 - 1 bytes"},
      {"|i1", "(0, 4294967296, 4294967296)", "more than 2^63 - 1"},
      {"<U4611686018427387904", "(1,)", "is not supported"},
      {"|S1000", "(92233720368547758,)", "more than 2^63 - 1 bytes"},
      {"<f4", "(1000000000000,)", "4000000000000 bytes, but 0 follow"}};
  for (const auto& [descr, shape, reason] : cases) {
    EXPECT_THAT(refusal(npy_of(descr, shape, "")).message(), HasSubstr(reason));
  }
  EXPECT_EQ(refusal(npy_of("|S0", "(1000000000000,)", "")).message(),
            "npy: elements of width 0 (S0) are not supported");
}

TEST(NpyRefusals, CoverRanksAboveTheLimit) {
  std::string shape = "(";
  for (int i = 0; i < 65; ++i) shape += "1, ";
  EXPECT_EQ(refusal(npy_of("|i1", shape + ")", "a")).message(), "npy: the array has rank 65; the highest is 64");
}

TEST(NpyRefusals, NameTypesThatAreNotRead) {
  const auto object = refusal(npy_of("|O", "(1,)", "12345678"));
  EXPECT_EQ(object.code, ErrorCode::kUnsupported);
  EXPECT_EQ(object.message(), "npy: holds pickled Python objects (descr '|O'), which are not supported");
  for (const std::string descr :
       {"<M8[s]", "<m8", "<f16", "<c32", "<i3", "", "<", "f", "<S", "<S-1", "<S1x", "\xFF", "string"}) {
    const auto error = refusal(npy_of(descr, "(1,)", std::string(64, '\0')));
    EXPECT_EQ(error.code, ErrorCode::kUnsupported) << descr;
    EXPECT_THAT(error.message(), HasSubstr("npy: element type '")) << descr;
  }
}

TEST(NpyRefusals, CoverTheStartOfTheFile) {
  EXPECT_THAT(refusal("").message(), HasSubstr("not a .npy file"));
  EXPECT_THAT(refusal("PK\3\4 and more").message(), HasSubstr("not a .npy file"));
  EXPECT_EQ(refusal("\x93NUMPY\1\0\1"s).message(), "npy: ends inside the .npy header");
  EXPECT_THAT(refusal("\x93NUMPY\4\0\1\0\0\0"s).message(), HasSubstr(".npy version 4.0 is not supported"));
  EXPECT_THAT(refusal("\x93NUMPY\1\1\1\0\0\0"s).message(), HasSubstr(".npy version 1.1 is not supported"));
  EXPECT_EQ(refusal("\x93NUMPY\1\0\x76\0{"s).message(),
            "npy: ends inside the header: it has 128 bytes, but the file has 11");
  EXPECT_THAT(refusal("\x93NUMPY\2\0\1\0\x10\0"s).message(), HasSubstr("the header has 1048577 bytes"));
}

TEST(NpyRefusals, HoldForEveryTruncation) {
  for (const char* descr : {"<f4", "<U1", "|S4", ">i4"}) {
    const std::string file = npy_of(descr, "(2, 1)", "a\0\0\0b\0\0\0"s, true);
    ASSERT_EQ(refusal(file).message(), "accepted");
    for (std::size_t size = 0; size < file.size(); ++size) {
      EXPECT_NE(refusal(file.substr(0, size)).message(), "accepted") << size;
    }
  }
}

// All elements of an accepted tensor must be readable. AddressSanitizer detects invalid reads.
TEST(NpyRefusals, OrReadableTensorsFollowEveryChangeOfOneByte) {
  int accepted = 0;
  for (const char* descr : {"<f4", "<U1", "|b1", "<V2", "int4"}) {
    const std::string file = npy_of(descr, "(2, 1)", "a\0\0\0b\0\0\0"s, true);
    for (std::size_t at = 0; at < file.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        std::string changed = file;
        changed[at] = static_cast<char>(value);
        const auto tensor = parse_npy(bytes_of(changed));
        if (!tensor) continue;
        ++accepted;
        ASSERT_LE(tensor->element_count(), 8) << changed;
        ASSERT_TRUE(tensor->clone());
      }
    }
  }
  EXPECT_GT(accepted, 5);
}

std::string message(std::string_view text) {
  const auto dict = parse_npy_dict(text, 10);
  return dict ? "accepted" : dict.error().message();
}

TEST(NpyDict, ReadsWhatNumPyWrites) {
  const auto dict =
      parse_npy_dict("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }      \n", 10).value();
  EXPECT_EQ(dict.descr, "<f4");
  EXPECT_FALSE(dict.fortran_order);
  EXPECT_EQ(dict.shape, (Shape{2, 3}));
}

TEST(NpyDict, AcceptsAnyOrderAndSpacing) {
  const auto dict = parse_npy_dict(" {\"shape\":( 7 , ),\t'fortran_order' :True,'descr':\"|b1\"}", 10).value();
  EXPECT_EQ(dict.descr, "|b1");
  EXPECT_TRUE(dict.fortran_order);
  EXPECT_EQ(dict.shape, Shape{7});
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

TEST(NpyDict, RejectsOtherShapesAndNamesThePlace) {
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

TEST(NpyDict, RejectsMissingDoubledAndUnknownKeys) {
  EXPECT_EQ(message("{}"), "the header lacks the key 'descr'");
  EXPECT_EQ(message("{'descr': 'x'}"), "the header lacks the key 'fortran_order'");
  EXPECT_EQ(message("{'descr': 'x', 'fortran_order': True}"), "the header lacks the key 'shape'");
  EXPECT_EQ(message("{'descr': 'x', 'descr': 'y'}"), "header, byte 25: expected each key only once, found '''");
  EXPECT_EQ(message("{'size': 1}"), "header, byte 11: expected 'descr', 'fortran_order' or 'shape', found '''");
}

TEST(NpyDict, RejectsOtherText) {
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

TEST(NpyDict, RejectsStructuredTypes) {
  expect_refused(parse_npy_dict("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 10),
                 ErrorCode::kUnsupported, "structured element types (records) are not supported");
}

}  // namespace
}  // namespace strew
