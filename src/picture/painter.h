// Paints the parts of a scene into an SVG.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "picture/grid.h"
#include "picture/scene.h"
#include "picture/svg.h"

namespace strew::picture {

/// The block, row and column of a cell.
using Slots = std::tuple<std::size_t, std::size_t, std::size_t>;

struct Mark {
  std::vector<std::size_t> arrows = {};  ///< arrows of the cell, in order
  bool first = false;                    ///< true for the first cell of an arrow's slice
  bool faded = false;
  bool bad = false;
  std::optional<std::string> value = {};  ///< shown instead of the element
  std::string note = {};                  ///< small text below the value

  void add(std::size_t arrow, bool begins) {
    arrows.push_back(arrow);
    first = first || begins;
  }
};
using Marks = std::map<Slots, Mark>;

bool is_gap(const Grid& grid, const Slots& at);

class Painter {
 public:
  void title(std::string_view words, std::string_view attributes);
  /// Draws a grid. `beside`: the name is to the left, else above. `plain`: updates overwrite each other, so only
  /// the last arrow of a cell counts.
  void grid(const Grid& grid, const Marks& marks, bool beside, bool plain);
  void outline(const Rect& rect, std::size_t arrow, bool loses);
  void line(const Line& line, bool downwards);
  /// Draws a short line. `leaves`: the line starts at a grid; else it ends at a grid.
  void stub(const Line& stub, bool leaves);
  /// Writes lines of text from `y` on, and advances `y`.
  void paragraph(Units& y, const std::string& text, const TextStyle& style, Units width);
  std::string finish(Units width, Units height, std::string_view title, std::string_view description) const;

 private:
  void header(const Grid& grid, bool beside);
  void type(Point at, const Grid& grid);
  void labels(const Grid& grid);
  void cell(const Grid& grid, const Slots& at, const Marks& marks, bool plain);
  void gap(const Grid& grid, const Slots& at);
  void tint(const Rect& rect, const Mark& mark, bool plain);
  void badges(const Rect& rect, const Mark& mark, bool plain);

  Svg svg_;
  Units width_ = 0;  // width of the widest text
};

inline constexpr Units kMargin = pixels(20);

}  // namespace strew::picture
