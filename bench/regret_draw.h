// Calls drawn by chance, for strew_regret.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "placed.h"
#include "random.h"
#include "strew/strew.h"

namespace strew::bench {

/// What sort of call it is: all but its values.
struct Draw {
  OpKind op = OpKind::kGather;
  DType dtype = DType::kFloat32;
  DType index_dtype = DType::kInt64;
  Reduction reduction = Reduction::kNone;
  std::int64_t rows = 1;    ///< of the table, over all its axes but the last
  std::int64_t row = 1;     ///< elements of each
  std::int64_t picked = 1;  ///< rows that are read or updated; of the last axis, elements of each row
  std::int64_t outer = 1;   ///< batches, or the length of the first of two index components
  bool last_axis = false;   ///< GatherElements, ScatterElements: along the last axis
  std::int64_t offset = 0;  ///< bytes that operands begin behind a cache line
  std::string_view pattern;
  std::string_view mode;  ///< "kept": into memory that exists, "new": the same, promised to be new, or "in_place"
};

/// The draw with a number: the same on every machine. No operand has more than `largest` bytes, which is at least
/// 4096, but for its indices.
Draw draw_call(std::uint64_t seed, std::int64_t number, std::int64_t largest);

/// Its operands, filled with elements that are never zero.
class DrawnCall {
 public:
  explicit DrawnCall(const Draw& draw, std::uint64_t seed);
  const Plan& plan() const { return plan_; }
  const Operands& operands() const { return operands_; }
  MutableTensorView output() const { return output_; }
  bool output_is_new() const { return is_new_; }

 private:
  Plan plan_;
  std::array<std::optional<Placed>, 4> memory_;
  Operands operands_;
  MutableTensorView output_;
  bool is_new_;
};

}  // namespace strew::bench
