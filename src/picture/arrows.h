// Arrows between grids, with their ends spread so that they do not cross needlessly.
#pragma once

#include <cstddef>
#include <vector>

#include "picture/scene.h"

namespace strew::picture {

/// A line from one grid to another. An arrow has one line for each block that shows its slice.
struct Line {
  std::size_t arrow;  ///< number of the arrow in the trace
  Point from;
  Point to;
  bool loses = false;  ///< a later plain assignment has the same destination
  bool stub = false;   ///< a short line at one grid, for an omitted arrow
};

struct Lines {
  std::vector<Line> lines;
  std::size_t arrows = 0;  ///< number of arrows of the trace that are drawn
};

/// Returns the lines of the first arrows whose ends are both shown, at most as many as the eye can follow.
Lines draw_lines(const Plan& plan, const Trace& trace, const Scene& scene);

}  // namespace strew::picture
