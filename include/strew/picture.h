// Pictures: which index sends what where, as plain data and as an SVG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/shape.h"

STREW_API_BEGIN
namespace strew {

/// In the slices of an Arrow: all coordinates of this axis.
inline constexpr std::int64_t kWholeAxis = -1;

/// A trace holds at most so many arrows.
inline constexpr std::int64_t kMaxArrows = 4096;

/// What one index does, or one tuple of them: it joins a slice of `data` with a slice of the positions, which are
/// the updates of a scatter and the output of a gather. A gather moves data[arrow.data] to output[arrow.position];
/// a scatter combines updates[arrow.position] into output[arrow.data].
struct Arrow {
  /// Where the index stands: a coordinate for each axis of `indices` but that of tuple components. Of a
  /// TensorScatter: the batch, and the step along the axis of the update.
  Shape index;
  /// A coordinate or kWholeAxis for each axis of `data`. Of an arrow that is left out there is nothing.
  Shape data;
  /// A coordinate or kWholeAxis for each axis of the positions.
  Shape position;
  /// Some value was outside its axis, and the plan's IndexRules said what it stands for.
  bool out_of_bounds = false;
  /// It stands for nothing: an update is dropped, or what would have been gathered is filled.
  bool dropped = false;
};

/// The arrows of a call in the order in which they are applied: row-major order of `indices`. Where several arrows
/// of a scatter have the same `data`, the last one wins, or the reduction combines them in this order.
struct Trace {
  std::vector<Arrow> arrows;  ///< the first of them, at most `most`
  std::int64_t count = 0;     ///< how many there are in all
};

/// Traces a call. Indices are checked as a run does; the elements of data and updates are not read.
[[nodiscard]] Result<Trace> trace(const Plan& plan, const Operands& operands, std::int64_t most = kMaxArrows);

/// What is shown beside the call itself.
struct PictureOptions {
  /// Above the picture, such as "ScatterND-18"; left out, the operator's name as in messages.
  std::string_view title = {};
  /// Only so many arrows are applied, and the output is as it is after them. For steps from 0 to `Trace::count`.
  std::int64_t applied = INT64_MAX;
};

/// Draws a call as an SVG: its operands as grids, an arrow for each index, the output, and the rule with the
/// numbers put in. The call is run for that. A call that is refused is drawn with its inputs, the value that is
/// the reason in red, and the message; so `plan` may be an error, also one of the caller's own. `op` names the
/// operands.
///
/// Same input, same bytes. It stands alone, without scripts, fonts or links; is legible in light and dark; and may
/// stand in a page beside others. Large operands are drawn in part. Cells, operands and arrows have the attributes
/// `data-at` ("3,0"), `data-operand` ("updates") and `data-arrows` (the numbers, from 1), for pages that want
/// more.
std::string draw(OpKind op, const Result<Plan>& plan, const Operands& operands,
                 const PictureOptions& options = {});

}  // namespace strew
STREW_API_END
