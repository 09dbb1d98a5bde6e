// Writing SVG: numbers, text that is escaped in one place, and the colours of light and dark.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace strew::picture {

/// Lengths are whole tenths of a pixel, so that every machine writes the same digits.
using Units = std::int64_t;
constexpr Units pixels(Units count) noexcept { return 10 * count; }

struct Point {
  Units x = 0;
  Units y = 0;
};

struct Rect {
  Units x = 0;
  Units y = 0;
  Units width = 0;
  Units height = 0;
  Units right() const noexcept { return x + width; }
  Units bottom() const noexcept { return y + height; }
  Rect inset(Units by) const noexcept { return {x + by, y + by, width - 2 * by, height - 2 * by}; }
};

/// What a thing is painted with: each has a colour for light and one for dark. kFirst and those behind it are the
/// colours of arrows.
enum class Paint : std::uint8_t { kPaper, kInk, kDim, kLine, kError, kFirst };
inline constexpr int kArrowPaints = 8;
Paint arrow_paint(std::int64_t arrow) noexcept;

/// Attributes of a group whose text is set in one width.
inline constexpr std::string_view kMono =
    " font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\"";

/// How text is set.
struct TextStyle {
  Units size;
  bool mono = false;  ///< in a group with kMono
  bool bold = false;
  char anchor = 's';  ///< start, middle, end
  Paint paint = Paint::kInk;
  bool struck = false;
};

/// How wide it will be, about.
Units text_width(std::string_view text, const TextStyle& style) noexcept;

/// Text for XML: markup escaped; what is no UTF-8, and what XML does not allow, replaced.
std::string escaped(std::string_view text);

/// The first characters, with an ellipsis where there are more than `most`. Counts code points.
std::string shortened(std::string_view text, std::size_t most);

/// An SVG that grows.
class Svg {
 public:
  void open(std::string_view element, std::string_view attributes = {});
  void close(std::string_view element);
  void rect(const Rect& rect, std::string_view attributes);
  void text(Point at, std::string_view words, const TextStyle& style);
  /// Words of another style right behind them.
  void text(Point at, std::string_view words, const TextStyle& style, std::string_view more,
            const TextStyle& style_of_more);
  /// Words right behind each other, those in between of another style.
  void text(Point at, const std::array<std::string, 3>& words, const TextStyle& style, const TextStyle& between);
  /// The shapes of `path`, such as "M0 0L1 1" with numbers of `number`.
  void path(std::string_view path, std::string_view attributes);
  void raw(std::string_view markup) { body_ += markup; }

  const std::string& body() const noexcept { return body_; }

  /// All of it, with its size, title and description.
  std::string finish(Units width, Units height, std::string_view title, std::string_view description) const;

 private:
  std::string body_;
};

/// "12.5"
std::string number(Units value);

/// Attributes that paint: ` class="f1" fill="#..."`, ` class="s1" stroke="#..."`.
std::string fill(Paint paint);
std::string stroke(Paint paint);
std::string fill_and_stroke(Paint paint);

}  // namespace strew::picture
