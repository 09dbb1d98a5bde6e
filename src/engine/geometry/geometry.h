// Geometry: a plan combined with the strides of its operands, in a few integers. No data is read.
#pragma once

#include <cstdint>

#include "core/loop_nest.h"
#include "index/resolve.h"
#include "strew/plan.h"

namespace strew {

/// The operands of a Geometry's loop. Index values address `data`: the data of a gather, the output of a scatter.
/// `position` moves along with the indices: the output of a gather, the updates of a scatter.
enum LoopOperand : std::size_t { kData = 0, kPosition = 1, kIndex = 2 };

/// For every position of `loop`, `row` contiguous elements at the position are copied to or combined with `row`
/// contiguous elements of data, at the loop's data offset plus the offset of the index tuple.
struct Geometry {
  LoopNest<3> loop;
  std::int64_t row = 1;
  IndexResolver::Components components;
  std::int64_t component_stride = 0;  ///< in elements of indices
  DType dtype;                        ///< uint8 for a packed type whose rows are whole bytes
  bool repeats = false;               ///< the source has one value for each row, and not `row` elements

  bool empty() const noexcept { return row == 0 || loop.count() == 0; }
};

/// Special axes: parts of all positions in row-major order, or parts of every row.
inline constexpr std::int64_t kAllPositions = -1;
inline constexpr std::int64_t kRowAxis = -2;

/// Strides of the operands, in elements; for TensorScatter `indices` has the strides of the expanded positions.
struct OperandStrides {
  Shape data;
  Shape position;
  Shape indices;
};

/// True if the rows of positions are contiguous in memory, in the order of positions.
bool in_order(const Geometry& geometry) noexcept;

/// The order of positions.
enum class LoopOrder : std::uint8_t {
  kOfPlan,    ///< row-major
  kOfMemory,  ///< by strides, if operands agree; updates of one element keep their order
};

Geometry make_geometry(const Plan& plan, const OperandStrides& strides, LoopOrder order = LoopOrder::kOfPlan);

}  // namespace strew
