// The scene of a call: the operands as grids, a gutter for arrows between two grids, and the lines of the arrows.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "picture/grid.h"
#include "strew/picture.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::picture {

/// The names of the operands in ONNX.
struct Names {
  std::string_view data;
  std::string_view indices;
  std::string_view updates;
  std::string_view output;
};
Names names_of(OpKind op) noexcept;

/// Returns the element type and the shape: "float32 [4, 2]".
std::string type_text(const TensorView& view);

/// Returns the labels of the shown rows, block by block: "3" or "0,3"; "" for a gap.
std::vector<std::string> row_labels(const Grid& grid);

struct Scene {
  std::vector<Grid> grids;  ///< in reading order
  /// Positions in `grids`; -1 if absent.
  int data = -1;
  int indices = -1;
  int updates = -1;
  int output = -1;
  bool downwards = false;  ///< true if arrows run down; else they run to the right
  bool aligned = false;    ///< true if each index lies beside its slice of the output or (scatter) of the updates
  Units width = 0;
  Units height = 0;

  const Grid& grid(int at) const { return grids[static_cast<std::size_t>(at)]; }
  /// The grid of the output (gather) or of the updates (scatter).
  const Grid& positions(bool scatter) const { return grid(scatter ? updates : output); }
};

/// Returns the scene of a call that ran; `output` is its result.
Scene lay_out(const Plan& plan, const Operands& operands, const TensorView& output, const Trace& trace,
              Point origin);

/// Returns the scene of the inputs of a rejected call. `bad`: position of the rejected index value, or nullptr.
Scene lay_out_rejected(OpKind op, const Operands& operands, const Shape* bad, Point origin);

/// Returns the slice of `indices` that an arrow stands for: one index value, or all components of a tuple.
Shape index_slice(const Plan& plan, const Arrow& arrow);

/// Sets sizes of cells and blocks. `first` and `second`, unless null, get equal sizes, so that their slices align.
void lay_out_grids(Scene& scene, Grid* first, Grid* second);

/// Places grids one below the other, with names to the left. Leaves space for arrows before grid `gutter_before`.
void place_downwards(Scene& scene, Point origin, int gutter_before);

/// Places grids side by side, with names above.
void place_rightwards(Scene& scene, Point origin, int gutter_before);

/// A line from one grid to another. An arrow has one line for each block that shows its slice.
struct Line {
  std::size_t arrow;  ///< number of the arrow in the trace
  Point from;
  Point to;
  bool loses = false;  ///< true if a later update overwrites the destination
  bool stub = false;   ///< true for a short line at one grid that marks a dropped update or a filled output slice
};

struct Lines {
  std::vector<Line> lines;
  std::size_t arrows = 0;  ///< number of arrows of the trace that are drawn
};

/// Returns the lines of the first arrows whose ends are shown. Limits the numbers of arrows and lines, so that the
/// eye can follow them.
Lines draw_lines(const Plan& plan, const Trace& trace, const Scene& scene);

}  // namespace strew::picture
