// Text for people: arrays, sizes, times, columns.
#include "format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "console.h"
#include "strew/element.h"
#include "strew/shape.h"

namespace strew::app {
namespace {

constexpr std::size_t kLineLength = 100;

// How many elements are shown where each axis is cut to `edge` from either end, or lists of none.
double shown_count(const Shape& shape, std::int64_t edge) {
  double count = 1;
  for (std::int64_t extent : shape) {
    count *= static_cast<double>(std::clamp(extent, std::int64_t{1}, 2 * edge));
  }
  return count;
}

// Prints one array; `edge` elements from either end of an axis longer than twice that.
class ArrayPrinter {
 public:
  ArrayPrinter(const Tensor& tensor, std::int64_t edge)
      : tensor_(tensor), strides_(dense_strides(tensor.shape())), edge_(edge) {
    if (value_kind(tensor.dtype()) == ValueKind::kString) return;
    visit(0, 0, [this](std::int64_t i) { width_ = std::max(width_, text(i).size()); });
  }

  std::string print() {
    write_axis(0, 0);
    return std::move(out_);
  }

 private:
  std::string text(std::int64_t i) const { return element_text(tensor_.dtype(), tensor_.data(), i); }

  // Calls `next(position)` for the positions shown along an axis, and `gap()` where some are left out.
  template <class Next, class Gap>
  void for_shown(std::int64_t extent, Next next, Gap gap) const {
    const bool cut = extent > 2 * edge_;
    for (std::int64_t i = 0; i < extent; ++i) {
      if (cut && i == edge_) {
        gap();
        i = extent - edge_;
      }
      next(i);
    }
  }

  template <class See>
  void visit(std::int64_t axis, std::int64_t offset, See see) const {
    if (axis == tensor_.shape().rank()) return see(offset);
    for_shown(
        tensor_.shape()[axis], [&](std::int64_t i) { visit(axis + 1, offset + i * strides_[axis], see); }, [] {});
  }

  void write_axis(std::int64_t axis, std::int64_t offset) {
    if (axis == tensor_.shape().rank()) {
      out_ += axis == 0 ? text(offset) : fmt::format("{:>{}}", text(offset), width_);
      return;
    }
    bool first = true;
    const auto separate = [&] {
      if (!first) write_separator(axis);
      first = false;
    };
    const auto write_part = [&](std::int64_t i) {
      separate();
      write_axis(axis + 1, offset + i * strides_[axis]);
    };
    const auto write_gap = [&] {
      separate();
      out_ += "...";
    };
    out_ += '[';
    for_shown(tensor_.shape()[axis], write_part, write_gap);
    out_ += ']';
  }

  // Elements are parted by ", " and broken into lines, rows by a line end, matrices by an empty line, and so on.
  void write_separator(std::int64_t axis) {
    out_ += ',';
    const std::int64_t inner = tensor_.shape().rank() - 1 - axis;
    const std::size_t line_start = out_.rfind('\n') + 1;  // npos + 1 is 0
    if (inner == 0 && out_.size() - line_start + 1 + width_ < kLineLength) {
      out_ += ' ';
      return;
    }
    out_.append(static_cast<std::size_t>(std::max<std::int64_t>(inner, 1)), '\n');
    out_.append(static_cast<std::size_t>(axis) + 1, ' ');
  }

  const Tensor& tensor_;
  Shape strides_;
  std::int64_t edge_;
  std::size_t width_ = 0;
  std::string out_;
};

// Three significant digits without zeros at the end.
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace

std::string array_text(const Tensor& tensor) {
  for (const std::int64_t edge : {kShownElements, std::int64_t{3}, std::int64_t{2}, std::int64_t{1}}) {
    if (shown_count(tensor.shape(), edge) <= kShownElements) return ArrayPrinter(tensor, edge).print();
  }
  if (tensor.element_count() == 0) return "[]";
  const auto text = [&](std::int64_t i) { return element_text(tensor.dtype(), tensor.data(), i); };
  const std::int64_t n = tensor.element_count();
  return fmt::format("{}, {}, {}, ..., {}, {}, {} (in row-major order)", text(0), text(1), text(2), text(n - 3),
                     text(n - 2), text(n - 1));
}

std::string size_text(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{} {}", three_digits(value), kUnits[unit]);
}

std::string time_text(double seconds) {
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds * 1e6) + " us";
}

std::string median_text(double seconds, int repeat) {
  return repeat == 1 ? time_text(seconds) : fmt::format("{} (median of {})", time_text(seconds), repeat);
}

std::string rate_text(std::int64_t bytes, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
  if (rate >= 0.9995e9) return three_digits(rate * 1e-9) + " GB/s";
  if (rate >= 0.9995e6) return three_digits(rate * 1e-6) + " MB/s";
  return three_digits(rate * 1e-3) + " kB/s";
}

std::string columns_text(std::vector<std::vector<std::string>> rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = one_line(row[i]);
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string wrapped(const std::vector<std::string>& words, std::size_t indent) {
  std::string text;
  std::size_t column = indent;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += ' ';
    if (column + words[i].size() > 100) {
      text.back() = '\n';
      text += std::string(indent, ' ');
      column = indent;
    }
    text += words[i];
    column += words[i].size() + 1;
  }
  return text;
}

std::string node_text(const NodeInfo& node) {
  const std::string name = node.name.starts_with('#') ? node.name : fmt::format("'{}'", node.name);
  return node.name == node.address ? name : fmt::format("{} at {}", name, node.address);
}

std::string count_text(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace strew::app
