// Random tensors of every type with special values, and index values in patterns.
#pragma once

#include <cstdint>
#include <vector>

#include "strew/dtype.h"
#include "strew/tensor.h"
#include "support/random.h"

namespace strew::support {

/// Returns a tensor of small numbers, so that wrong sums are detected. About a third of the elements are special:
/// NaN with payloads, infinities, zeros of both signs, subnormals, extremes, strings with NUL bytes.
Tensor random_tensor(Random& random, DType dtype, const Shape& shape);

enum class IndexPattern { kSorted, kRandom, kAllEqual, kNegative, kPermutation, kRuns };
inline constexpr int kIndexPatternCount = 6;

/// Returns `count` values in [-size, size-1] that fit the type; `size` must be positive.
std::vector<std::int64_t> index_values(Random& random, IndexPattern pattern, std::int64_t count, std::int64_t size,
                                       DType dtype);

/// Return the lowest and the highest value of an integer type, clamped to int64.
std::int64_t lowest_of(DType dtype);
std::int64_t highest_of(DType dtype);

/// Returns a tensor of an integer type with these values, which must fit the type.
Tensor index_tensor(DType dtype, const std::vector<std::int64_t>& values, const Shape& shape);

}  // namespace strew::support
