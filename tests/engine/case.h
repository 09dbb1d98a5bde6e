// Checking one hand-made case in every way it can be called.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "strew/ops.h"
#include "support/call.h"

namespace strew::support {

template <class T>
Tensor tensor(const Shape& shape, std::initializer_list<T> values) {
  return Tensor::of<T>(values, shape).value();
}
/// Of int64, as indices are; and of float.
Tensor ints(const Shape& shape, std::initializer_list<std::int64_t> values);
Tensor floats(const Shape& shape, std::initializer_list<float> values);

/// Expects these bits from the library with 1, 2 and 7 threads, in both forms and in place, with `indices` in
/// every integer type that holds its values; and from the oracle. `indices` must be int64.
void expect_result(const Call& call, const CallOperands& operands, const TensorView& expected);

/// Expects the code, a message that starts with the operator and contains `text`, and an untouched output, with 1,
/// 2 and 7 threads; and a refusal of the oracle.
void expect_refused(const Call& call, const CallOperands& operands, ErrorCode code, std::string_view text);

}  // namespace strew::support
