// Paints cells, labels, arrows and sentences.
#include "picture/painter.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "picture/words.h"

namespace strew::picture {
namespace {

constexpr Units kLeastWidth = pixels(420);
constexpr std::size_t kMaxStripes = 4;

constexpr TextStyle kTitle{pixels(17), false, true};
constexpr TextStyle kAttributes{pixels(13), false, false, 's', Paint::kDim};
constexpr TextStyle kName{pixels(13), false, true};
constexpr TextStyle kType{pixels(11), false, false, 's', Paint::kDim};
constexpr TextStyle kValue{pixels(13), true, false, 'm'};
constexpr TextStyle kLabel{pixels(10), true, false, 'e', Paint::kDim};
constexpr TextStyle kBadge{95, true, true};

std::int64_t number_of(std::size_t arrow) { return static_cast<std::int64_t>(arrow); }
std::string point(Point at) { return number(at.x) + ' ' + number(at.y); }

std::string arrows_attribute(const std::vector<std::size_t>& arrows) {
  return " data-arrows=\"" + join(arrows, " ", [](std::size_t arrow) { return arrow + 1; }) + '"';
}

}  // namespace

bool is_gap(const Grid& grid, const Slots& at) {
  const auto& [b, r, c] = at;
  return grid.blocks.shown()[b] == Strip::kGap || grid.rows.shown()[r] == Strip::kGap ||
         grid.columns.shown()[c] == Strip::kGap;
}

void Painter::title(std::string_view words, std::string_view attributes) {
  svg_.text({kMargin, pixels(34)}, words, kTitle, attributes, kAttributes);
  width_ = text_width(words, kTitle) + text_width(attributes, kAttributes) + pixels(12);
}

void Painter::grid(const Grid& grid, const Marks& marks, bool beside, bool plain) {
  svg_.open("g", " data-operand=\"" + grid.name + '"');
  header(grid, beside);
  svg_.open("g", kMono);
  labels(grid);
  const bool empty = grid.bounds().width == 0 || grid.bounds().height == 0;
  const Paint frame = grid.wrong ? Paint::kError : Paint::kLine;
  if (empty) {
    svg_.rect({grid.x, grid.y, pixels(36), pixels(34)}, " fill=\"none\" stroke-dasharray=\"3 3\"" + stroke(frame));
  }
  for (std::size_t b = 0; b < grid.blocks.shown().size(); ++b) {
    for (std::size_t r = 0; r < grid.rows.shown().size(); ++r) {
      for (std::size_t c = 0; c < grid.columns.shown().size(); ++c) cell(grid, {b, r, c}, marks, plain);
    }
  }
  if (grid.wrong && !empty) {
    svg_.rect(grid.bounds().inset(-pixels(2)), " rx=\"2\" fill=\"none\" stroke-width=\"2\"" + stroke(frame));
  }
  svg_.close("g");
  svg_.close("g");
}

void Painter::outline(const Rect& rect, std::size_t arrow, bool loses) {
  svg_.rect(rect, concat(" rx=\"3\" fill=\"none\" stroke-width=\"1.6\"") + stroke(arrow_paint(number_of(arrow))) +
                      arrows_attribute({arrow}) + (loses ? " stroke-dasharray=\"3 3\" opacity=\".7\"" : ""));
}

void Painter::line(const Line& line, bool downwards) {
  const Point head = downwards ? Point{line.to.x, line.to.y - pixels(8)} : Point{line.to.x - pixels(8), line.to.y};
  const Units middle_x = (line.from.x + line.to.x) / 2;
  const Units middle_y = (line.from.y + line.to.y) / 2;
  const Point bend1 = downwards ? Point{line.from.x, middle_y} : Point{middle_x, line.from.y};
  const Point bend2 = downwards ? Point{line.to.x, middle_y} : Point{middle_x, line.to.y};
  const Paint paint = arrow_paint(number_of(line.arrow));
  svg_.open("g", arrows_attribute({line.arrow}) + (line.loses ? " opacity=\".65\"" : ""));
  svg_.path('M' + point(line.from) + 'C' + point(bend1) + ' ' + point(bend2) + ' ' + point(head),
            concat(" fill=\"none\" stroke-width=\"1.7\"") + (line.loses ? " stroke-dasharray=\"5 4\"" : "") +
                stroke(paint));
  svg_.path('M' + point(line.to) + (downwards ? "l-4.5 -9h9z" : "l-9 -4.5v9z"), fill(paint));
  svg_.close("g");
}

void Painter::stub(const Line& stub, bool leaves) {
  const Point end = leaves ? stub.to : stub.from;
  const std::string paint = stroke(arrow_paint(number_of(stub.arrow)));
  svg_.open("g", arrows_attribute({stub.arrow}));
  svg_.path('M' + point(stub.from) + 'L' + point(stub.to),
            " fill=\"none\" stroke-width=\"1.7\" stroke-dasharray=\"4 3\"" + paint);
  svg_.path('M' + point({end.x - pixels(5), end.y - pixels(5)}) + "l10 10m-10 0l10 -10",
            " fill=\"none\" stroke-width=\"2\"" + paint);
  svg_.close("g");
}

void Painter::paragraph(Units& y, const std::string& text, const TextStyle& style, Units width) {
  const auto most = static_cast<std::size_t>(width / std::max<Units>(text_width("n", style), 1));
  for (const std::string& line : wrapped(text, most)) {
    if (style.mono) svg_.open("g", kMono);
    svg_.text({kMargin, y}, line, style);
    if (style.mono) svg_.close("g");
    width_ = std::max(width_, text_width(line, style));
    y += style.size + pixels(7);
  }
}

std::string Painter::finish(Units width, Units height, std::string_view title,
                            std::string_view description) const {
  const Units all = std::max({width, width_, kLeastWidth}) + 2 * kMargin;
  Svg whole;
  whole.rect({5, 5, all - 10, height - 10}, " rx=\"8\"" + fill(Paint::kPaper));
  whole.raw(svg_.body());
  return whole.finish(all, height, title, description);
}

void Painter::header(const Grid& grid, bool beside) {
  const Rect all = grid.bounds();
  if (beside) {
    const Units y = grid.y + std::max(all.height, pixels(34)) / 2;
    svg_.text({kMargin, y - pixels(2)}, grid.name, kName);
    type({kMargin, y + pixels(13)}, grid);
  } else {
    const Units x = grid.x - grid.label_width;
    svg_.text({x, grid.y - pixels(38)}, grid.name, kName);
    type({x, grid.y - pixels(22)}, grid);
  }
}

void Painter::type(Point at, const Grid& grid) {
  if (!grid.wrong) return svg_.text(at, type_text(grid.view), kType);
  constexpr TextStyle kWrong{kType.size, false, true, 's', Paint::kError};
  const Shape& shape = grid.view.shape();
  if (grid.wrong_axis < 0 || grid.wrong_axis >= shape.rank()) return svg_.text(at, type_text(grid.view), kWrong);
  std::array<std::string, 3> words{concat(dtype_name(grid.view.dtype()), " ["), concat(shape[grid.wrong_axis]),
                                   "]"};
  for (std::int64_t axis = 0; axis < grid.wrong_axis; ++axis) words[0] += concat(shape[axis], ", ");
  for (std::int64_t axis = shape.rank() - 1; axis > grid.wrong_axis; --axis)
    words[2].insert(0, concat(", ", shape[axis]));
  svg_.text(at, words, kType, kWrong);
}

void Painter::labels(const Grid& grid) {
  if (grid.row_labels) {
    const std::vector<std::string> all = row_labels(grid);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].empty()) continue;
      const Rect cell = grid.cell(i / grid.rows.shown().size(), i % grid.rows.shown().size(), 0);
      svg_.text({cell.x - pixels(5), cell.y + pixels(21)}, all[i], kLabel);
    }
  }
  const bool columns = std::find(grid.roles.begin(), grid.roles.end(), Role::kColumn) != grid.roles.end();
  if (!grid.column_labels || !columns || grid.rows.shown().empty() || grid.blocks.shown().empty()) return;
  const std::size_t blocks = grid.stacked ? 1 : grid.blocks.shown().size();
  TextStyle style = kLabel;
  style.anchor = 'm';
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t c = 0; c < grid.columns.shown().size(); ++c) {
      const std::int64_t column = grid.columns.shown()[c];
      if (column == Strip::kGap || grid.blocks.shown()[b] == Strip::kGap) continue;
      const Rect cell = grid.cell(b, 0, c);
      const bool tuple = !grid.tuple_axes.empty();
      svg_.text({cell.x + cell.width / 2, cell.y - pixels(5)},
                tuple ? concat("axis ", grid.tuple_axes[static_cast<std::size_t>(column)]) : concat(column),
                style);
    }
  }
}

void Painter::cell(const Grid& grid, const Slots& at, const Marks& marks, bool plain) {
  const auto& [b, r, c] = at;
  const Rect rect = grid.cell(b, r, c);
  if (is_gap(grid, at)) return gap(grid, at);
  const Units middle = rect.x + rect.width / 2;
  static const Mark kPlain;
  const auto found = marks.find(at);
  const Mark& mark = found == marks.end() ? kPlain : found->second;
  const Shape coordinate = grid.coordinate(b, r, c);
  svg_.open("g", " data-at=\"" + join(coordinate, ",") + '"' +
                     (mark.arrows.empty() ? std::string() : arrows_attribute(mark.arrows)) +
                     (mark.faded ? " opacity=\".5\"" : ""));
  svg_.rect(rect, " fill=\"none\"" + stroke(Paint::kLine));
  tint(rect, mark, plain);
  if (mark.bad) {
    svg_.rect(rect.inset(5), " fill-opacity=\".16\" stroke-width=\"2\"" + fill_and_stroke(Paint::kError));
  }
  const std::string text = mark.value ? *mark.value : grid.cell_text(coordinate);
  TextStyle style = kValue;
  if (mark.bad) {
    style.paint = Paint::kError;
    style.bold = true;
  }
  svg_.text({middle, rect.y + pixels(mark.note.empty() ? 23 : 21)}, text, style);
  if (!mark.note.empty()) {
    TextStyle small{pixels(9), true, false, 'm', Paint::kDim};
    svg_.text({middle, rect.y + pixels(31)}, mark.note, small);
  }
  if (mark.first) badges(rect, mark, plain);
  const std::string full = mark.value ? *mark.value : grid.full_text(coordinate);
  if (full != text) svg_.raw("<title>" + escaped(full) + "</title>\n");
  svg_.close("g");
}

// Draws a mark for omitted rows, columns or blocks.
void Painter::gap(const Grid& grid, const Slots& at) {
  const auto& [b, r, c] = at;
  const bool of_blocks = grid.blocks.shown()[b] == Strip::kGap;
  if (of_blocks && (r > 0 || c > 0)) return;
  const bool down = of_blocks ? grid.stacked : grid.rows.shown()[r] == Strip::kGap;
  TextStyle style = kValue;
  style.paint = Paint::kDim;
  const Rect rect = grid.cell(b, r, c);
  const Units height = of_blocks ? grid.blocks.size(b) : rect.height;
  svg_.text({rect.x + rect.width / 2, rect.y + std::min(height, rect.height) / 2 + pixels(4)},
            down ? "\u22ee" : "\u22ef", style);
}

void Painter::tint(const Rect& rect, const Mark& mark, bool plain) {
  std::vector<std::size_t> arrows = mark.arrows;
  if (plain && !arrows.empty()) arrows = {arrows.back()};
  arrows.resize(std::min(arrows.size(), kMaxStripes));
  const auto count = static_cast<Units>(arrows.size());
  for (Units i = 0; i < count; ++i) {
    const Units begin = rect.width * i / count;
    svg_.rect({rect.x + begin, rect.y, rect.width * (i + 1) / count - begin, rect.height},
              " fill-opacity=\".2\"" + fill(arrow_paint(number_of(arrows[static_cast<std::size_t>(i)]))));
  }
}

// Writes the numbers of arrows into the upper left corner of a cell.
void Painter::badges(const Rect& rect, const Mark& mark, bool plain) {
  Units x = rect.x + pixels(3);
  for (std::size_t i = 0; i < mark.arrows.size(); ++i) {
    const std::string text = concat(mark.arrows[i] + 1);
    const bool last = i + 1 == mark.arrows.size();
    const Units width = text_width(text, kBadge);
    TextStyle style = kBadge;
    style.paint = arrow_paint(number_of(mark.arrows[i]));
    if (!last && x + width + pixels(8) > rect.right()) {
      svg_.text({x, rect.y + pixels(9)}, "\u2026", style);
      return;
    }
    style.struck = plain && !last;
    svg_.text({x, rect.y + pixels(9)}, text, style);
    x += width + pixels(4);
  }
}

}  // namespace strew::picture
