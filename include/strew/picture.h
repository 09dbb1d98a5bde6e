// Pictures of calls: the mapping from indices to slices, as plain data and as an SVG.
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

/// A coordinate in Arrow::data or Arrow::position that stands for the whole axis.
inline constexpr std::int64_t kWholeAxis = -1;

/// Maximum number of arrows in a Trace.
inline constexpr std::int64_t kMaxArrows = 4096;

/// The effect of one index or tuple. It connects a slice of `data` with a slice of the positions, which are the
/// updates of a scatter or the output of a gather. A gather moves data[arrow.data] to output[arrow.position]; a
/// scatter combines updates[arrow.position] into output[arrow.data].
struct Arrow {
  /// The position of the index: a coordinate for each axis of `indices` except the axis of tuple components. For
  /// TensorScatter: the batch, and the position along `axis` in the update.
  Shape index;
  /// A coordinate or kWholeAxis for each axis of `data`; empty if `dropped`.
  Shape data;
  /// A coordinate or kWholeAxis for each axis of the positions.
  Shape position;
  /// True if an index value was outside its axis and the plan's IndexRules accepted it.
  bool out_of_bounds = false;
  /// True if the update is dropped, or the gathered element is filled.
  bool dropped = false;
};

/// The arrows of a call in the order of application, the row-major order of `indices`. If several arrows of a
/// scatter have the same `data`, the last one wins, or the reduction combines them in this order.
struct Trace {
  std::vector<Arrow> arrows;  ///< all arrows, or the first `most` of them
  std::int64_t count = 0;     ///< number of all arrows
};

/// Traces a call. Checks indices as a run does, but does not read the elements of data and updates.
[[nodiscard]] Result<Trace> trace(const Plan& plan, const Operands& operands, std::int64_t most = kMaxArrows);

struct PictureOptions {
  /// The title, such as "ScatterND-18"; by default the operator's name, as messages print it.
  std::string_view title = {};
  /// Number of arrows to apply, from 0 to `Trace::count`; the picture shows the output after them.
  std::int64_t applied = INT64_MAX;
};

/// Runs a call and draws it as an SVG: operands as grids, an arrow for each index, the output, and a formula. A
/// rejected call, whose `plan` may be an error, is drawn with the rejected value in red and the message.
///
/// The output is reproducible byte for byte. The SVG is self-contained, without scripts, fonts or links, and works
/// on light and dark pages and beside other pictures. Large operands are drawn only in part. For scripts, cells
/// have the attribute `data-at` ("3,0"), operands `data-operand` ("updates"), and arrows and their cells
/// `data-arrows` ("1 3"; the first arrow is 1).
std::string draw(OpKind op, const Result<Plan>& plan, const Operands& operands,
                 const PictureOptions& options = {});

}  // namespace strew
STREW_API_END
