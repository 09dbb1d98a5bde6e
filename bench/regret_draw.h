// Random calls, for strew_regret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_operands.h"
#include "strew/strew.h"

namespace strew::bench {

/// The shape, types and pattern of a call: everything except its values.
struct Draw {
  OpKind op = OpKind::kGather;
  DType dtype = DType::kFloat32;
  DType index_dtype = DType::kInt64;
  Reduction reduction = Reduction::kNone;
  std::int64_t rows = 1;    ///< rows of the table: the product of all its axes but the last
  std::int64_t row = 1;     ///< elements of a row
  std::int64_t picked = 1;  ///< rows that are read or updated; with last_axis, elements of each row
  std::int64_t outer = 1;   ///< length of the leading axis of the data, if the data have three axes
  bool last_axis = false;   ///< whether GatherElements or ScatterElements runs along the last axis
  std::int64_t offset = 0;  ///< bytes from the start of a cache line to an operand
  std::string_view pattern;
  std::string_view mode;  ///< output: "kept" (preallocated), "new" (kept, promised as new), or "in_place"
};

template <class T>
void shuffle(std::vector<T>& values, app::Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  }
}

/// Returns call `number`, which is the same on every machine. Data and updates have at most `largest` bytes each,
/// which must be at least 4096.
Draw draw_call(std::uint64_t seed, std::int64_t number, std::int64_t largest);

/// Memory that begins `offset` bytes after the start of a cache line.
class Placed {
 public:
  Placed(std::int64_t bytes, std::int64_t offset) : offset_(static_cast<std::size_t>(offset)) {
    memory_.reset(static_cast<std::byte*>(
        std::aligned_alloc(64, (static_cast<std::size_t>(bytes) + offset_ + 64) / 64 * 64)));
  }
  std::byte* data() const { return memory_.get() + offset_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::size_t offset_;
  std::unique_ptr<std::byte, Free> memory_;
};

/// The operands of a call, filled with elements that are never zero.
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
