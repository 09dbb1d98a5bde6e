// Painting the parts of a scene into an SVG.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "picture/arrows.h"
#include "picture/grid.h"
#include "picture/svg.h"

namespace strew::picture {

/// A cell: its block, row and column.
using Slots = std::tuple<std::size_t, std::size_t, std::size_t>;

/// What is special about a cell.
struct Mark {
  std::vector<std::size_t> arrows = {};  ///< in their order
  bool first = false;                    ///< of the slice of one of them
  bool faded = false;
  bool bad = false;
  std::optional<std::string> value = {};  ///< stands there instead of the element
  std::string note = {};                  ///< small, below it

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
  /// `beside`: its name stands to the left; else above. `plain`: destinations are assigned, so that of the arrows
  /// of a cell the last alone counts.
  void grid(const Grid& grid, const Marks& marks, bool beside, bool plain);
  /// The outline of a slice.
  void outline(const Rect& rect, std::size_t arrow, bool loses);
  void line(const Line& line, bool downwards);
  /// `leaves`: it begins at a grid; else it ends there.
  void stub(const Line& stub, bool leaves);
  /// Text below each other from `y` on, which moves behind it.
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
  Units width_ = 0;  // of the widest text
};

inline constexpr Units kMargin = pixels(20);

}  // namespace strew::picture
