// Writes SVG: numbers, escaped text, and the colours of light and dark mode.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace strew::picture {

/// A length in tenths of a pixel: an integer, so that every machine writes the same digits.
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

/// Colours, each for light and dark mode. kFirst and the next kArrowPaints - 1 values are the colours of arrows.
enum class Paint : std::uint8_t { kPaper, kInk, kDim, kLine, kError, kFirst };
inline constexpr int kArrowPaints = 8;
Paint arrow_paint(std::int64_t arrow) noexcept;

/// Attributes of a group with monospaced text.
inline constexpr std::string_view kMono =
    " font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\"";

struct TextStyle {
  Units size;
  bool mono = false;  ///< true for text in a group with kMono
  bool bold = false;
  char anchor = 's';  ///< 's', 'm' or 'e': start, middle or end
  Paint paint = Paint::kInk;
  bool struck = false;
};

/// Estimates the width of a text.
Units text_width(std::string_view text, const TextStyle& style) noexcept;

/// Escapes text for XML, and replaces invalid UTF-8 and characters that XML forbids.
std::string escaped(std::string_view text);

/// Shortens a longer text to `most` code points; the last one is an ellipsis.
std::string shortened(std::string_view text, std::size_t most);

class Svg {
 public:
  void open(std::string_view element, std::string_view attributes = {});
  void close(std::string_view element);
  void rect(const Rect& rect, std::string_view attributes);
  void text(Point at, std::string_view words, const TextStyle& style);
  /// Writes words followed by `more` in a different style.
  void text(Point at, std::string_view words, const TextStyle& style, std::string_view more,
            const TextStyle& style_of_more);
  /// Writes three pieces of text; the second has the style `between`.
  void text(Point at, const std::array<std::string, 3>& words, const TextStyle& style, const TextStyle& between);
  /// Draws a path such as "M0 0L1 1", with numbers written by `number`.
  void path(std::string_view path, std::string_view attributes);
  void raw(std::string_view markup) { body_ += markup; }

  const std::string& body() const noexcept { return body_; }

  /// Returns the whole SVG, with its size, title and description.
  std::string finish(Units width, Units height, std::string_view title, std::string_view description) const;

 private:
  std::string body_;
};

/// Returns "12.5" for 125 units.
std::string number(Units value);

/// Returns the attributes of a colour: ` class="f1" fill="#..."`, ` class="s1" stroke="#..."`.
std::string fill(Paint paint);
std::string stroke(Paint paint);
std::string fill_and_stroke(Paint paint);

}  // namespace strew::picture
