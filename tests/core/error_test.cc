// Tests codes and texts of errors, and suggestions for misspelt names.
#include "core/error.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

namespace strew {
namespace {

Result<int> half(int number) {
  if (number % 2 == 0) return number / 2;
  return fail(ErrorCode::kInvalidArgument, {.op = "half", .value = std::int64_t{number}}, number, " is odd");
}

TEST(Result, HoldsAValueOrAnError) {
  Result<int> result = half(6);
  EXPECT_EQ(*result, 3);
  *result = 4;
  EXPECT_EQ(*std::as_const(result), 4);
  const Result<std::int64_t> quarter = half(12).and_then(half).map([](int each) { return std::int64_t{each}; });
  EXPECT_EQ(*quarter, 3);
  EXPECT_EQ(half(6).and_then(half).error().message(), "half: 3 is odd");
  EXPECT_EQ(Result<std::string>("text")->size(), 4u);
  Result<bool> no(false);
  EXPECT_FALSE(*Result<bool>(no)) << "the copy has the same value";
}

TEST(Result, ThrowsTheMessageOfItsErrorFromValue) {
  try {
    (void)half(7).value();
    FAIL() << "an error had a value";
  } catch (const tl::bad_expected_access<Error>& refusal) {
    EXPECT_STREQ(refusal.what(), "half: 7 is odd");
    EXPECT_EQ(std::get<std::int64_t>(refusal.error().value()), 7);
  }
}

TEST(ResultDeathTest, EndsTheProgramIfItsValueIsUsedAfterAnError) {
  EXPECT_DEATH((void)*half(7), "^strew: a result without a value was used: half: 7 is odd\n$");
  const Result<int> result = half(7);
  EXPECT_DEATH((void)*result, "half: 7 is odd");
  EXPECT_DEATH((void)Result<std::string>(fail(result.error()))->size(), "half: 7 is odd");
}

TEST(Messages, QuoteTheStartOfTextsWithoutControlCharacters) {
  const std::tuple<const char*, std::string, std::size_t, std::string> cases[] = {
      {"control characters", std::string("a\x1b[2J\nb\0c\x7f", 10), 1000, "a [2J b c "},
      {"other bytes", "\xC3\xA9 ~\xFF", 1000, "\xC3\xA9 ~\xFF"},
      {"as long as allowed", "abcd", 4, "abcd"},
      {"too long", "abcde", 4, "abcd\u2026 (5 bytes)"},
      {"inside a character", "ab\u2026c", 3, "ab\u2026 (6 bytes)"},
      {"before its last byte", "ab\u2026c", 4, "ab\u2026 (6 bytes)"},
      {"behind a character", "ab\u2026c", 5, "ab\u2026\u2026 (6 bytes)"},
      {"no start of a character", "\x80\x80\x80", 2, "\u2026 (3 bytes)"}};
  for (const auto& [what, text, most, expected] : cases) EXPECT_EQ(one_line(text, most), expected) << what;
  EXPECT_EQ(one_line(std::string(1001, 'x')), std::string(1000, 'x') + "\u2026 (1001 bytes)");
  EXPECT_EQ(fail(ErrorCode::kIo, "x\ty", std::string("\r"), '!').value().message(), "x y !");
  EXPECT_EQ(fail(ErrorCode::kIo, std::string(5000000, 'x')).value().message(),
            std::string(1000, 'x') + "\u2026 (5000000 bytes)");
}

TEST(Messages, ContainMessagesOfOtherErrorsUncut) {
  const Error inner = fail(ErrorCode::kIo, std::string(2000, 'x'), " is missing").value();
  EXPECT_EQ(fail(ErrorCode::kIo, "file: ", inner).value().message(), "file: " + inner.message());
}

TEST(Messages, BeginWithTheOperatorOrItsPlace) {
  Error error =
      fail(ErrorCode::kInvalidArgument, {"gather", "axis", -1, std::int64_t{3}}, "axis 3 is outside").value();
  EXPECT_EQ(error.message(), "gather: axis 3 is outside");
  error = found_in("node 'n' (Gather-13)", error);
  EXPECT_EQ(error.message(), "node 'n' (Gather-13): axis 3 is outside");
  error = found_in("m.onnx", error);
  EXPECT_EQ(error.message(), "m.onnx: node 'n' (Gather-13): axis 3 is outside");
  EXPECT_EQ(error.where(), "m.onnx: node 'n' (Gather-13)");
  EXPECT_EQ(error.subject().op, "gather");
  EXPECT_EQ(error.subject().operand, "axis");
  EXPECT_EQ(error.subject().axis, std::nullopt);
  EXPECT_EQ(error.value(), ErrorValue(std::int64_t{3}));
}

TEST(Messages, NameFilesWithoutControlCharacters) {
  EXPECT_EQ(fail(ErrorCode::kIo, {.where = "a\nb"}, "not a regular file").value().message(),
            "a b: not a regular file");
}

TEST(Errors, HoldThePositionAndTheValueOfAnIndex) {
  const Error error = fail_at({1, 0}, {"gather", "indices", 2, std::uint64_t{1} << 63}, "is outside").value();
  EXPECT_EQ(error.code, ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(*error.position(), Shape({1, 0}));
  EXPECT_EQ(error.subject().axis, 2);
  EXPECT_EQ(error.value(), ErrorValue(std::uint64_t{1} << 63));
  EXPECT_EQ(value_text(std::uint64_t{1} << 63), "9223372036854775808");
  EXPECT_EQ(value_text({}), "");
}

constexpr std::array<std::string_view, 6> kOperators = {"Gather",          "GatherElements", "GatherND",
                                                        "ScatterElements", "ScatterND",      "TensorScatter"};
constexpr std::array<std::string_view, 5> kReductions = {"none", "add", "mul", "max", "min"};

std::string operator_meant(std::string_view name) { return did_you_mean(name, kOperators); }
std::string reduction_meant(std::string_view name) { return did_you_mean(name, kReductions); }

TEST(DidYouMean, IgnoresCaseAndUnderscores) {
  EXPECT_EQ(operator_meant("gather"), "; did you mean 'Gather'?");
  EXPECT_EQ(operator_meant("gather_nd"), "; did you mean 'GatherND'?");
  EXPECT_EQ(operator_meant("SCATTER-ELEMENTS"), "; did you mean 'ScatterElements'?");
  EXPECT_EQ(reduction_meant("Max"), "; did you mean 'max'?");
}

TEST(DidYouMean, RecognizesSpellingMistakes) {
  for (const char* slip : {"Gahter", "Gathr", "Gatherr", "Gsther", "Gather1"}) {
    EXPECT_EQ(operator_meant(slip), "; did you mean 'Gather'?") << slip;
  }
  EXPECT_EQ(operator_meant("ScatterElemnest"), "; did you mean 'ScatterElements'?") << "adjacent mistakes";
  EXPECT_EQ(operator_meant("ScaterElemnets"), "") << "distant mistakes";
  EXPECT_EQ(operator_meant("Scather"), "; did you mean 'Gather'?");
  EXPECT_EQ(reduction_meant("ad"), "; did you mean 'add'?") << "one wrong letter is always allowed";
}

TEST(DidYouMean, RecognizesReductionNamesOfOtherLibraries) {
  const std::pair<const char*, const char*> words[] = {{"sum", "add"},  {"prod", "mul"},    {"amax", "max"},
                                                       {"amin", "min"}, {"maximum", "max"}, {"Replace", "none"}};
  for (const auto& [other, ours] : words) {
    EXPECT_EQ(reduction_meant(other), concat("; did you mean '", ours, "'?"));
  }
  EXPECT_EQ(operator_meant("sum"), "");
}

TEST(DidYouMean, RecognizesParameterNamesOfOtherLibraries) {
  constexpr std::array<std::string_view, 4> kOurs = {"axis", "reduction", "out_of_bounds", "fill_value"};
  EXPECT_EQ(did_you_mean("dim", kOurs), "; did you mean 'axis'?");
  EXPECT_EQ(did_you_mean("reduce", kOurs), "; did you mean 'reduction'?");
  EXPECT_EQ(did_you_mean("mode", kOurs), "; did you mean 'out_of_bounds'?");
}

TEST(DidYouMean, SuggestsNothingIfNoNameIsSimilar) {
  for (const char* name : {"", "x", "Conv", "Concat", "data.npy", "indices"})
    EXPECT_EQ(operator_meant(name), "") << name;
  for (const char* name : {"", "mean", "xor", "linear"}) EXPECT_EQ(reduction_meant(name), "") << name;
  EXPECT_EQ(did_you_mean("add", {}), "");
  EXPECT_EQ(did_you_mean("z", std::array<std::string_view, 1>{"y"}), "") << "no letter is right";
  EXPECT_EQ(operator_meant(std::string(1000000, 'g')), "");
}

}  // namespace
}  // namespace strew
