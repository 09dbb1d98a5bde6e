// What index values address, and the errors of those that are rejected.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "strew/error.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

/// What index values address.
struct IndexTarget {
  std::string_view op;                 ///< for messages
  Shape data_shape;                    ///< for messages
  std::span<const std::int64_t> axes;  ///< of data, one for each tuple component
  bool tuples = false;                 ///< the last axis of indices runs over the components
  bool rows = false;                   ///< find out whether rows of indices are constant
  IndexRules rules = {};
  std::int64_t segments = 1;     ///< of all tuples, between which cuts are looked for
  const Plan* starts = nullptr;  ///< of a TensorScatter whose updates begin at the values; it finds the words
};

/// An index value that is rejected.
struct InvalidIndex {
  std::int64_t position = 0;   ///< of its tuple, in row-major order of `tuple_shape`
  std::int64_t component = 0;  ///< within the tuple
  std::int64_t value = 0;      ///< the bits of an unsigned one
};

/// The shape over which tuples count: that of indices without the components of a tuple. An axis along which they
/// repeat (stride 0) has extent 1, as its first values are enough.
Shape tuple_shape(const TensorView& indices, const IndexTarget& target);

/// The error that rejects a value; the memory of indices is not read.
tl::unexpected<Error> index_error(const TensorView& indices, const IndexTarget& target, const InvalidIndex& bad);

/// Whether updates of a TensorScatter may go on at position 0, so that each of their steps has an index value that
/// is written out first.
bool writes_out(const Plan& plan) noexcept;

/// How many positions of this axis of data index values choose from: of a TensorScatter that does not write out,
/// those from which the whole update fits.
std::int64_t chosen_extent(const Plan& plan, std::int64_t axis) noexcept;

/// The plan must not write out, and must outlive the target.
IndexTarget target_of(const Plan& plan);

}  // namespace strew
