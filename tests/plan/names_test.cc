// Names of enumerators and the way back.
#include <gtest/gtest.h>

#include "strew/explain.h"
#include "strew/plan.h"

namespace strew {
namespace {

TEST(Names, GoThereAndBack) {
  for (int number = 0; number <= static_cast<int>(Reduction::kMean); ++number) {
    const auto value = static_cast<Reduction>(number);
    EXPECT_EQ(reduction_from_name(reduction_name(value)), value);
  }
  for (int number = 0; number <= static_cast<int>(OpKind::kTensorScatter); ++number) {
    const auto value = static_cast<OpKind>(number);
    EXPECT_EQ(op_from_name(op_name(value)), value);
  }
  for (int number = 0; number <= static_cast<int>(ErrorCode::kDevice); ++number) {
    const auto value = static_cast<ErrorCode>(number);
    EXPECT_EQ(error_code_from_name(error_code_name(value)), value);
  }
  for (AccDType value : {AccDType::kData, AccDType::kFloat32}) {
    EXPECT_EQ(acc_dtype_from_name(acc_dtype_name(value)), value);
  }
  for (WriteMode value : {WriteMode::kLinear, WriteMode::kCircular}) {
    EXPECT_EQ(write_mode_from_name(write_mode_name(value)), value);
  }
  for (OutOfBounds value :
       {OutOfBounds::kError, OutOfBounds::kClip, OutOfBounds::kWrap, OutOfBounds::kFill, OutOfBounds::kDrop}) {
    EXPECT_EQ(out_of_bounds_from_name(out_of_bounds_name(value)), value);
  }
  for (NegativeIndices value : {NegativeIndices::kFromEnd, NegativeIndices::kOutOfBounds}) {
    EXPECT_EQ(negative_indices_from_name(negative_indices_name(value)), value);
  }
  for (StrategyKind value : {StrategyKind::kSerial, StrategyKind::kSplitPositions, StrategyKind::kPartition}) {
    EXPECT_EQ(strategy_from_name(strategy_name(value)), value);
  }
}

TEST(Names, AreNothingForOtherText) {
  for (const char* text : {"", "ADD", "sum", "add ", "None"}) EXPECT_FALSE(reduction_from_name(text)) << text;
  EXPECT_FALSE(op_from_name("GatherND"));
  EXPECT_FALSE(error_code_from_name("unknown error"));
  EXPECT_FALSE(write_mode_from_name("foo"));
  EXPECT_FALSE(strategy_from_name("fast"));
}

}  // namespace
}  // namespace strew
