// What a call is before it is put into a stream: positions, the check of its indices, and what its kernels may
// take.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/kernels.h"
#include "engine/geometry/geometry.h"
#include "engine/operands.h"

namespace strew::cuda {

struct Layout {
  Geometry geometry;  ///< strides of indices count tuples
  Positions at;       ///< counted in elements of geometry.dtype
  std::optional<TupleCheck> tuples;
  std::optional<StartCheck> starts;
  std::int64_t chosen = 0;  ///< numbers that the check writes
  bool wide = false;        ///< numbers need 64 bits
  bool moves = false;       ///< there are elements to move or combine
  int unit_bytes = 1;       ///< the widest move that rows, distances and addresses allow
};

/// Of a call whose operands were checked. With `wide` numbers have 64 bits where 32 would do.
Layout lay_out(const Call& call, bool wide);

/// Positions that may have the same destination brought together, in their order, by walking over the axes along
/// which no destination moves innermost; they are so many at a time.
struct Columns {
  Positions at;
  std::int64_t steps = 1;
};
Columns in_columns(const Positions& at);

/// Whether two calls make the same numbers of the same indices, in the same order of positions.
bool same_numbers(const Layout& a, const Layout& b);

/// Data of a scatter on their way to the output, in elements of the plan's type, which is not packed.
Move copy_of_data(const Call& call, int& unit_bytes);

/// Counted in units of so many bytes instead of elements.
Positions in_units(Positions at, std::int64_t element_bytes, std::int64_t unit_bytes);

}  // namespace strew::cuda
