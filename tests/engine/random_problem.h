// A random legal call with its operands, and the same call with one index broken.
#pragma once

#include <optional>
#include <string>

#include "support/call.h"
#include "support/random.h"
#include "support/strided_tensor.h"

namespace strew::support {

struct Problem {
  Call call;
  StridedTensor data;
  std::optional<StridedTensor> indices = std::nullopt;
  std::optional<StridedTensor> updates = std::nullopt;
  std::optional<StridedTensor> fill_value = std::nullopt;
  std::optional<StridedTensor> alpha = std::nullopt;
  /// No two elements of `data` share memory, so that it can be an output.
  bool data_distinct = true;

  CallOperands operands() const;
};

/// Returns a problem for this operator, in which data, indices and updates have at most about `most_elements`
/// elements. One problem in twelve has an index out of bounds.
Problem random_problem(Random& random, OpKind op, std::int64_t most_elements);

/// Returns types, shapes and attributes as text for a failure message.
std::string describe(const Problem& problem);

}  // namespace strew::support
