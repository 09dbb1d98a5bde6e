// The layout of a call: its positions, the check of its indices, and the widths of numbers and moves.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/kernels.h"
#include "engine/geometry/geometry.h"
#include "engine/operands.h"

namespace strew::cuda {

struct Layout {
  Geometry geometry;  ///< its kIndex strides are in tuples
  Positions at;       ///< counted in elements of geometry.dtype
  std::optional<TupleCheck> tuples;
  std::optional<StartCheck> starts;
  std::int64_t chosen = 0;  ///< length of the list `at.chosen` that the check writes
  bool wide = false;        ///< true if location numbers or positions need 64 bits
  bool moves = false;       ///< true if there are elements to move or combine
  int unit_bytes = 1;       ///< widest unit of moves that rows, strides and addresses allow
};

/// Returns the layout of a call with checked operands. `wide`: use 64-bit numbers even if 32 bits suffice.
Layout lay_out(const Call& call, bool wide);

/// Positions with loop axes reordered: axes with stride 0 in data are innermost. Positions that may share a
/// destination then form groups of `steps` consecutive positions, in order.
struct Columns {
  Positions at;
  std::int64_t steps = 1;
};
Columns in_columns(const Positions& at);

/// True if two calls compute the same location numbers from the same indices, in the same order.
bool same_numbers(const Layout& a, const Layout& b);

/// Returns the move that copies a scatter's unpacked data to the output. Its counts are in units of `unit_bytes`.
Move copy_of_data(const Call& call, int& unit_bytes);

/// Converts counts of elements to counts of units.
Positions in_units(Positions at, std::int64_t element_bytes, std::int64_t unit_bytes);

}  // namespace strew::cuda
