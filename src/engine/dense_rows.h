// Non-contiguous rows, copied so that each moves as one.
#pragma once

#include <cstdint>

#include "engine/operands.h"

namespace strew {

/// The operand that rows are taken from: data of a gather, updates of a scatter.
const TensorView& rows_of(const Call& call) noexcept;

/// Whether a copy of `rows_of(call)` that is dense, of at most Limits::scratch_bytes bytes, makes the call
/// faster. Operands must have been checked.
bool copies_rows(const Call& call);

/// The same where index values were found to lie so: a stride of 0 says that one stands for a whole row.
bool copies_rows(const Call& call, const Shape& index_strides);

/// A call with its rows at an address where they are dense. Their copy takes of the memory that it may work in.
class DenseRows {
 public:
  DenseRows(const Call& call, const void* rows);
  DenseRows(const DenseRows&) = delete;
  DenseRows& operator=(const DenseRows&) = delete;

  Call call() const noexcept { return {plan_, operands_, output_, options_}; }

  /// What a copy of `rows_of(call)` takes.
  static std::int64_t bytes(const Call& call);

 private:
  const Plan& plan_;
  const MutableTensorView& output_;
  Operands operands_;
  Options options_;
};

}  // namespace strew
