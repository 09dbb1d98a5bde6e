// The operands of a call that is refused, and what its error is about.
#include "picture/draw_refused.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "picture/cells.h"
#include "picture/painter.h"
#include "picture/scene.h"

namespace strew::picture {
namespace {

constexpr TextStyle kMessage{130, false, true, 's', Paint::kError};

// Marks the operand, and the dimension, that the message of a refusal is about. It names both: each of the
// library's begins with who is wrong.
void blame(Scene& scene, std::string_view message) {
  std::size_t first = std::string_view::npos;
  Grid* wrong = nullptr;
  for (Grid& grid : scene.grids) {
    const std::size_t at =
        std::min({message.find(concat(": ", grid.name, " have ")), message.find(concat(": ", grid.name, " has ")),
                  message.find(concat(": ", grid.name, " is ")), message.find(concat(": ", grid.name, " are ")),
                  message.find(concat(": ", grid.name, " of "))});
    if (at >= first) continue;
    first = at;
    wrong = &grid;
  }
  const auto number_behind = [&](std::string_view words) -> std::int64_t {
    const std::size_t at = message.find(words);
    std::int64_t number = -1;
    if (at != std::string_view::npos)
      std::from_chars(message.data() + at + words.size(), message.data() + message.size(), number);
    return number;
  };
  if (const std::int64_t axis = number_behind("batch dimension "); axis >= 0) {
    for (const int at : {scene.data, scene.indices}) {
      if (at < 0) continue;
      scene.grids[static_cast<std::size_t>(at)].wrong = true;
      scene.grids[static_cast<std::size_t>(at)].wrong_axis = axis;
    }
    return;
  }
  if (wrong == nullptr) return;
  wrong->wrong = true;
  const std::int64_t rank = wrong->view.rank();
  const bool tuples = message.find(": tuples of length ") != std::string_view::npos;
  wrong->wrong_axis = tuples ? rank - 1 : std::max(number_behind(": dimension "), number_behind(" long on axis "));
  const std::size_t expected = message.find("they must have [");
  if (expected == std::string_view::npos) return;
  // One dimension is wrong where the others are as they must be.
  Shape must;
  const char* at = message.data() + expected + std::string_view("they must have ").size();
  const char* end = message.data() + message.size();
  while (at < end && *at != ']') {
    std::int64_t dim = 0;
    at = std::from_chars(at + 1, end, dim).ptr;
    must.push_back(dim);
    if (at < end && *at == ',') ++at;
  }
  if (must.rank() != rank) return;
  std::int64_t differ = 0;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (must[axis] == wrong->view.shape()[axis]) continue;
    ++differ;
    wrong->wrong_axis = axis;
  }
  if (differ != 1) wrong->wrong_axis = -1;
}

}  // namespace

std::string draw_refused(OpKind op, const Operands& operands, const Error& error, std::string_view title) {
  Scene scene = lay_out_refused(op, operands, error.position.get(), kOrigin);
  if (error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kInvalidType)
    blame(scene, error.message);
  Painter painter;
  painter.title(title, "refused");
  for (std::size_t i = 0; i < scene.grids.size(); ++i) {
    const Grid& grid = scene.grids[i];
    Marks marks;
    if (static_cast<int>(i) == scene.indices && error.position && error.position->rank() == grid.view.rank()) {
      for_each_cell(grid, *error.position, [&](const Slots& at, bool) { marks[at].bad = true; });
    }
    painter.grid(grid, marks, false, false);
  }
  Units y = kOrigin.y + scene.height + pixels(30);
  const Units width = std::max(scene.width, kTextWidth);
  painter.paragraph(y, error.message, kMessage, width);
  painter.paragraph(y, "The call was refused; nothing was written.", kNote, width);
  return painter.finish(scene.width, y, std::string(title) + ", refused", error.message);
}

}  // namespace strew::picture
