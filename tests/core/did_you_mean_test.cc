// Which name a caller may have meant.
#include <gtest/gtest.h>

#include <array>

#include "core/error.h"

namespace strew {
namespace {

constexpr std::array<std::string_view, 6> kOperators = {"Gather",          "GatherElements", "GatherND",
                                                        "ScatterElements", "ScatterND",      "TensorScatter"};
constexpr std::array<std::string_view, 5> kReductions = {"none", "add", "mul", "max", "min"};

std::string operator_meant(std::string_view name) { return did_you_mean(name, kOperators); }
std::string reduction_meant(std::string_view name) { return did_you_mean(name, kReductions); }

TEST(DidYouMean, KnowsANameInOtherLettersCaseAndUnderscores) {
  EXPECT_EQ(operator_meant("gather"), "; did you mean 'Gather'?");
  EXPECT_EQ(operator_meant("gather_nd"), "; did you mean 'GatherND'?");
  EXPECT_EQ(operator_meant("SCATTER-ELEMENTS"), "; did you mean 'ScatterElements'?");
  EXPECT_EQ(reduction_meant("Max"), "; did you mean 'max'?");
}

TEST(DidYouMean, KnowsANameWithLettersWrongMissingTooManyOrSwapped) {
  for (const char* slip : {"Gahter", "Gathr", "Gatherr", "Gsther", "Gather1"}) {
    EXPECT_EQ(operator_meant(slip), "; did you mean 'Gather'?") << slip;
  }
  EXPECT_EQ(operator_meant("ScatterElemnest"), "; did you mean 'ScatterElements'?") << "slips that lie together";
  EXPECT_EQ(operator_meant("ScaterElemnets"), "") << "slips far from each other";
  EXPECT_EQ(operator_meant("Scather"), "; did you mean 'Gather'?");
  EXPECT_EQ(reduction_meant("ad"), "; did you mean 'add'?") << "one letter may always be wrong";
}

TEST(DidYouMean, KnowsWhatOthersCallReductionsWhereThoseAreWanted) {
  const std::pair<const char*, const char*> words[] = {{"sum", "add"},  {"prod", "mul"},    {"amax", "max"},
                                                       {"amin", "min"}, {"maximum", "max"}, {"Replace", "none"}};
  for (const auto& [other, ours] : words) {
    EXPECT_EQ(reduction_meant(other), concat("; did you mean '", ours, "'?"));
  }
  EXPECT_EQ(operator_meant("sum"), "");
}

TEST(DidYouMean, KnowsWhatOthersCallParameters) {
  constexpr std::array<std::string_view, 4> kOurs = {"axis", "reduction", "out_of_bounds", "fill_value"};
  EXPECT_EQ(did_you_mean("dim", kOurs), "; did you mean 'axis'?");
  EXPECT_EQ(did_you_mean("reduce", kOurs), "; did you mean 'reduction'?");
  EXPECT_EQ(did_you_mean("mode", kOurs), "; did you mean 'out_of_bounds'?");
}

TEST(DidYouMean, IsSilentWhereNothingIsNear) {
  for (const char* name : {"", "x", "Conv", "Concat", "data.npy", "indices"})
    EXPECT_EQ(operator_meant(name), "") << name;
  for (const char* name : {"", "mean", "xor", "linear"}) EXPECT_EQ(reduction_meant(name), "") << name;
  EXPECT_EQ(did_you_mean("add", {}), "");
  EXPECT_EQ(did_you_mean("z", std::array<std::string_view, 1>{"y"}), "") << "nothing of it is right";
  EXPECT_EQ(operator_meant(std::string(1000000, 'g')), "");
}

}  // namespace
}  // namespace strew
