// The axes that index values address, and the errors of rejected values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "strew/error.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

/// The axes that index values address.
struct IndexTarget {
  std::string_view op;                 ///< for messages
  Shape data_shape;                    ///< for messages
  std::span<const std::int64_t> axes;  ///< axes of data, one for each tuple component
  bool tuples = false;                 ///< the last axis of indices runs over the components
  bool rows = false;                   ///< whether to find out if rows of indices are constant
  IndexRules rules = {};
  std::int64_t segments = 1;     ///< parts of all tuples between which the check looks for cuts
  const Plan* starts = nullptr;  ///< the plan of a TensorScatter whose updates start at the values, for messages
};

/// A rejected index value.
struct InvalidIndex {
  std::int64_t position = 0;   ///< of the tuple, in row-major order of `tuple_shape`
  std::int64_t component = 0;  ///< within the tuple
  std::int64_t value = 0;      ///< the bits of an unsigned value
};

/// The shape of the tuples: the shape of indices without the axis of components. An axis with stride 0 has extent
/// 1, since its first values are enough.
Shape tuple_shape(const TensorView& indices, const IndexTarget& target);

/// Returns the error that rejects a value, without reading the memory of indices.
tl::unexpected<Error> index_error(const TensorView& indices, const IndexTarget& target, const InvalidIndex& bad);

/// True if updates of a TensorScatter may wrap to position 0, so that the index of each of their steps is
/// expanded.
bool writes_out(const Plan& plan) noexcept;

/// Number of positions of an axis of data that index values choose from; for a TensorScatter without expansion,
/// the positions from which the whole update fits.
std::int64_t chosen_extent(const Plan& plan, std::int64_t axis) noexcept;

/// Returns the target of a plan, which must outlive it and not expand its indices.
IndexTarget make_target(const Plan& plan);

}  // namespace strew
