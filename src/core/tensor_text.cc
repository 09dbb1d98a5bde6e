// Tensors as text.
#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>

#include "core/error.h"
#include "strew/element.h"
#include "strew/tensor.h"

namespace strew {
namespace {

constexpr std::int64_t kShownElements = 64;
constexpr std::size_t kLineLength = 100;

// Returns the number of elements shown if each axis shows at most its first and last `edge` positions. An empty
// axis counts as 1.
double shown_count(const Shape& shape, std::int64_t edge) {
  double count = 1;
  for (std::int64_t extent : shape) {
    count *= static_cast<double>(std::clamp(extent, std::int64_t{1}, 2 * edge));
  }
  return count;
}

// Prints one array. If an axis is longer than twice `edge`, shows only its first and last `edge` positions.
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

  // Calls `next(position)` for each position shown along an axis, and `gap()` once for those omitted.
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
      const std::string element = text(offset);
      if (axis > 0 && element.size() < width_) out_.append(width_ - element.size(), ' ');
      out_ += element;
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

  // Writes a comma, then a space or line end between elements, or `inner` line ends between larger parts.
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

}  // namespace

std::string to_string(const Tensor& tensor) {
  for (const std::int64_t edge : {kShownElements, std::int64_t{3}, std::int64_t{2}, std::int64_t{1}}) {
    if (shown_count(tensor.shape(), edge) <= kShownElements) return ArrayPrinter(tensor, edge).print();
  }
  if (tensor.element_count() == 0) return "[]";
  const auto text = [&](std::int64_t i) { return element_text(tensor.dtype(), tensor.data(), i); };
  const std::int64_t n = tensor.element_count();
  return concat(text(0), ", ", text(1), ", ", text(2), ", ..., ", text(n - 3), ", ", text(n - 2), ", ",
                text(n - 1), " (in row-major order)");
}

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) {
  return stream << dtype_name(tensor.dtype()) << ' ' << tensor.shape() << ' ' << to_string(tensor);
}

}  // namespace strew
