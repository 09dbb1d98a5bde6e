// Checking index values: the one place that reads all of them before anything is written.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "strew/error.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

/// What was seen while checking.
struct IndexFacts {
  /// No value on the first indexed axis, counted from the front, is below or above these; 0 and -1 if there is
  /// none.
  std::int64_t lowest = 0;
  std::int64_t highest = -1;
  /// Along the last axis of indices all values are equal, everywhere; only where the target asks for it.
  bool constant_rows = false;
  /// Some value is outside its axis, and the rules say what it stands for. Then the bounds are those of the axis.
  bool outside = false;
  /// Tuples, ascending: the values on the first indexed axis before each are all below, or all above, those from
  /// it on. They count rows where these are constant. Only where the target asks for it.
  std::vector<std::int64_t> cuts = {};
};

/// The order of index values.
enum class IndexOrder : std::uint8_t {
  kUnknown,
  kOneWay,  ///< they rise, or fall, all the way
  kJumps,   ///< few repeat others or those before them, and they go both ways
};

/// What index values address.
struct IndexTarget {
  std::string_view op;                 ///< for messages
  Shape data_shape;                    ///< for messages
  std::span<const std::int64_t> axes;  ///< of data, one for each tuple component
  bool tuples = false;                 ///< the last axis of indices runs over the components
  bool rows = false;                   ///< find out whether rows of indices are constant
  IndexRules rules = {};
  std::int64_t segments = 1;  ///< of all tuples, between which cuts are looked for
};

/// An index value that is refused.
struct RefusedIndex {
  std::int64_t position = 0;   ///< of its tuple, in row-major order of `tuple_shape`
  std::int64_t component = 0;  ///< within the tuple
  std::int64_t value = 0;      ///< the bits of an unsigned one
};

/// The shape over which tuples count: that of indices without the components of a tuple. An axis along which they
/// repeat (stride 0) has extent 1, as its first values are enough.
Shape tuple_shape(const TensorView& indices, const IndexTarget& target);

/// The error that refuses a value; the memory of indices is not read.
Error refused_index(const TensorView& indices, const IndexTarget& target, const RefusedIndex& bad);

/// `plan` is of an operator whose indices choose positions one by one, or as tuples; it must outlive the target.
IndexTarget target_of(const Plan& plan);

/// Checks that every value is in [-s, s-1] for the axis it addresses, or in [0, s-1] where negative values are
/// outside. Where the rules refuse what is not, kIndexOutOfRange names the first bad position in row-major order,
/// for any number of threads; else it is a fact. The view must have been checked and not be empty
/// of components (a tuple length of 0 has nothing to check and passes).
Result<IndexFacts> check_indices(const TensorView& indices, const IndexTarget& target, LazyExecutor executor);

}  // namespace strew
