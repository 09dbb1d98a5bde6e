// Copies non-contiguous rows so that each moves as one.
#pragma once

#include <cstdint>

#include "engine/operands.h"

namespace strew {

/// The operand whose rows move: data of a gather, updates of a scatter.
const TensorView& rows_of(const Call& call) noexcept;

/// True if a dense copy of `rows_of(call)`, of at most Limits::scratch_bytes bytes, makes the call faster.
/// Operands must have been checked. `index_strides`: Indices::strides (0: one value for a whole row).
bool copies_rows(const Call& call, const Shape& index_strides);

/// A call whose rows are dense at a given address. The copy counts against its limit of scratch memory.
class DenseRows {
 public:
  DenseRows(const Call& call, const void* rows);
  DenseRows(const DenseRows&) = delete;
  DenseRows& operator=(const DenseRows&) = delete;

  Call call() const noexcept { return {plan_, operands_, output_, options_}; }

  /// Size of a dense copy of `rows_of(call)`.
  static std::int64_t bytes(const Call& call);

 private:
  const Plan& plan_;
  const MutableTensorView& output_;
  Operands operands_;
  Options options_;
};

}  // namespace strew
