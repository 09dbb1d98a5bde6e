// Geometry: a plan combined with the strides of the operands, in a few integers. The functions below compute, for
// example, the data offsets that positions can reach. They do not read data.
#pragma once

#include <cstdint>

#include "core/loop_nest.h"
#include "core/parallel.h"
#include "index/check.h"
#include "index/resolve.h"
#include "strew/plan.h"

namespace strew {

/// The operands of a Geometry's loop. Index values address kData: the data of a gather, the output of a scatter.
/// kPosition has one row for each position: the output of a gather, the updates of a scatter.
enum LoopOperand : std::size_t { kData = 0, kPosition = 1, kIndex = 2 };

/// Pairs `row` contiguous elements at each position of `loop` with `row` contiguous elements of data. The data
/// offset is that of the loop plus the offset of the index tuple. Kernels copy or combine each pair.
struct Geometry {
  LoopNest<3> loop;
  std::int64_t row = 1;
  IndexResolver::Components components;
  std::int64_t component_stride_values = 0;  ///< stride of the components of a tuple
  DType dtype;                               ///< uint8 for a packed type whose rows are whole bytes
  bool repeats = false;                      ///< the source has one value for each row instead of `row` elements

  bool empty() const noexcept { return row == 0 || loop.count() == 0; }
};

/// Special values for the axis that tasks divide: all positions in row-major order, or every row.
inline constexpr std::int64_t kAllPositions = -1;
inline constexpr std::int64_t kRowAxis = -2;

/// Strides of the operands, in elements. For a circular TensorScatter, `indices` refers to expanded index values.
struct OperandStrides {
  Shape data;
  Shape position;
  Shape indices;
};

/// True if the rows of the operand kPosition follow one another in memory, in the order of positions.
bool in_order(const Geometry& geometry) noexcept;

enum class LoopOrder : std::uint8_t {
  kOfPlan,    ///< row-major
  kOfMemory,  ///< longest strides first, if operands agree; updates of one element keep their order
};

Geometry make_geometry(const Plan& plan, const OperandStrides& strides, LoopOrder order = LoopOrder::kOfPlan);

/// Number of index values read. A value that a broadcast view of indices repeats is counted once.
std::int64_t index_values_read(const Geometry& geometry) noexcept;

/// False for strings and for elements that share bytes.
bool moves_bytes(const Geometry& geometry) noexcept;

/// Size of an element in bytes; not for packed elements.
inline std::int64_t element_bytes(const Geometry& geometry) noexcept { return bit_width(geometry.dtype) / 8; }

/// The outermost loop axis of at least this extent whose data stride is not 0; kAllPositions if there is none.
/// Positions with different coordinates on this axis never share a destination.
std::int64_t free_axis(const Geometry& geometry, std::int64_t extent_from) noexcept;

/// The range of the data offsets of all positions. The geometry must not be empty.
Range reached_offsets(const Geometry& geometry, const IndexStatistics& facts) noexcept;

/// The largest `unit`, at most 30, such that 1 << unit divides all data offsets, counted from the lowest.
int offset_unit(const Geometry& geometry) noexcept;

/// Calls `visit(data_offset, position)` for all positions in row-major order, except dropped ones.
template <class Visit>
void visit_offsets(const Geometry& geometry, const IndexResolver& resolver, const Visit& visit) {
  if (geometry.empty()) return;
  const std::int64_t count = geometry.loop.count();
  LoopWalk<3> walk(geometry.loop, 0);
  for (std::int64_t position = 0; position < count; ++position, walk.advance(1)) {
    std::int64_t offset = 0;
    resolver.resolve(walk.offset()[kIndex], 0, 1, &offset);
    if (offset != kDroppedOffset) visit(offset + walk.offset()[kData], position);
  }
}

}  // namespace strew
