// Writes SVG text. Attributes set the colours of light mode, which remain if style sheets are stripped. A
// style sheet sets the colours of dark mode.
#include "picture/svg.h"

#include "core/error.h"
#include "core/utf8.h"

namespace strew::picture {
namespace {

struct Shades {
  std::string_view light;
  std::string_view dark;
};

constexpr std::array<Shades, 5 + kArrowPaints> kShades = {{
    {"#ffffff", "#14171c"},  // paper
    {"#1f2328", "#e8edf2"},  // ink
    {"#667080", "#98a3b0"},  // dim
    {"#ccd3da", "#414a55"},  // line
    {"#cf222e", "#ff7b72"},  // error
    {"#1f6feb", "#6cb0ff"},  // blue
    {"#c4540a", "#ffa657"},  // orange
    {"#1a7f4b", "#56d38c"},  // green
    {"#8a45d6", "#cfa2ff"},  // purple
    {"#b5307a", "#ff94c8"},  // pink
    {"#0b7f8e", "#4fd3e0"},  // teal
    {"#7a6a00", "#dcc84a"},  // olive
    {"#8f5a3c", "#d9a98c"},  // brown
}};

const Shades& shades_of(Paint paint) noexcept { return kShades[static_cast<std::size_t>(paint)]; }

std::string painted(Paint paint, char letter, std::string_view attribute) {
  return concat(" class=\"", letter, static_cast<int>(paint), "\" ", attribute, "=\"", shades_of(paint).light,
                '"');
}

// Returns a style sheet with the colours of dark mode only.
std::string style() {
  std::string css = "<style>@media (prefers-color-scheme:dark){";
  for (int i = 0; i < static_cast<int>(kShades.size()); ++i) {
    const std::string_view dark = kShades[static_cast<std::size_t>(i)].dark;
    css += concat(".strew-picture .f", i, "{fill:", dark, "}.strew-picture .s", i, "{stroke:", dark, '}');
  }
  return css + "}</style>\n";
}

// True for characters that XML 1.0 allows, except ASCII control characters.
bool is_allowed(std::uint32_t code) noexcept {
  return code >= 0x20 && code != 0x7F && code != 0xFFFE && code != 0xFFFF;
}

std::string format_attributes(const TextStyle& style) {
  std::string text = " font-size=\"" + number(style.size) + '"';
  if (style.bold) text += " font-weight=\"700\"";
  if (style.anchor != 's') text += style.anchor == 'm' ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (style.struck) text += " text-decoration=\"line-through\"";
  return text + fill(style.paint);
}

}  // namespace

Paint arrow_paint(std::int64_t arrow) noexcept {
  return static_cast<Paint>(static_cast<int>(Paint::kFirst) + static_cast<int>(arrow % kArrowPaints));
}

Units text_width(std::string_view text, const TextStyle& style) noexcept {
  Units count = 0;
  for (const char c : text) count += (c & '\xC0') != '\x80';
  return count * style.size * (style.mono ? 602 : style.bold ? 620 : 540) / 1000;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto code = next_utf8(text, at);
    if (!code) at = begin + 1;
    if (!code || !is_allowed(*code)) {
      out += "\uFFFD";
    } else if (*code == '&') {
      out += "&amp;";
    } else if (*code == '<') {
      out += "&lt;";
    } else if (*code == '>') {
      out += "&gt;";
    } else if (*code == '"') {
      out += "&quot;";
    } else {
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::size_t count = 0;
  std::size_t cut = text.size();
  for (std::size_t at = 0; at < text.size(); ++count) {
    if (count + 1 == most) cut = at;
    if (count == most) return std::string(text.substr(0, cut)) + "\u2026";
    if (!next_utf8(text, at)) ++at;
  }
  return std::string(text);
}

std::string number(Units value) {
  const Units size = value < 0 ? -value : value;
  std::string text = value < 0 ? "-" : "";
  text += concat(size / 10);
  if (size % 10 != 0) text += concat('.', size % 10);
  return text;
}

std::string fill(Paint paint) { return painted(paint, 'f', "fill"); }
std::string stroke(Paint paint) { return painted(paint, 's', "stroke"); }

std::string fill_and_stroke(Paint paint) {
  const auto number = static_cast<int>(paint);
  const std::string_view light = shades_of(paint).light;
  return concat(" class=\"f", number, " s", number, "\" fill=\"", light, "\" stroke=\"", light, '"');
}

void Svg::open(std::string_view element, std::string_view attributes) {
  body_.append("<").append(element).append(attributes).append(">\n");
}

void Svg::close(std::string_view element) { body_.append("</").append(element).append(">\n"); }

void Svg::rect(const Rect& rect, std::string_view attributes) {
  body_ += "<rect x=\"" + number(rect.x) + "\" y=\"" + number(rect.y) + "\" width=\"" + number(rect.width) +
           "\" height=\"" + number(rect.height) + '"';
  body_ += attributes;
  body_ += "/>\n";
}

void Svg::text(Point at, std::string_view words, const TextStyle& style) { text(at, words, style, {}, style); }

void Svg::text(Point at, std::string_view words, const TextStyle& style, std::string_view more,
               const TextStyle& style_of_more) {
  body_ += "<text x=\"" + number(at.x) + "\" y=\"" + number(at.y) + '"' + format_attributes(style) + '>' +
           escaped(words);
  if (!more.empty())
    body_ += "<tspan dx=\"10\" font-weight=\"400\"" + format_attributes(style_of_more) + '>' + escaped(more) +
             "</tspan>";
  body_ += "</text>\n";
}

void Svg::text(Point at, const std::array<std::string, 3>& words, const TextStyle& style,
               const TextStyle& between) {
  body_ += "<text x=\"" + number(at.x) + "\" y=\"" + number(at.y) + '"' + format_attributes(style) + '>' +
           escaped(words[0]) + "<tspan" + format_attributes(between) + '>' + escaped(words[1]) + "</tspan>" +
           escaped(words[2]) + "</text>\n";
}

void Svg::path(std::string_view path, std::string_view attributes) {
  body_.append("<path d=\"").append(path).append("\"").append(attributes).append("/>\n");
}

std::string Svg::finish(Units width, Units height, std::string_view title, std::string_view description) const {
  const std::string w = number(width);
  const std::string h = number(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"strew-picture\" role=\"img\" width=\"" + w +
         "\" height=\"" + h + "\" viewBox=\"0 0 " + w + ' ' + h +
         "\" font-family=\"system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu "
         "Sans',sans-serif\">\n<title>" +
         escaped(title) + "</title>\n<desc>" + escaped(description) + "</desc>\n" + style() + body_ + "</svg>\n";
}

}  // namespace strew::picture
