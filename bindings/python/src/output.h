// Makes outputs: new arrays of the caller's kind, or `out`. Large new arrays use the library's caching allocator.
#pragma once

#include <cstdint>

#include "numpy_api.h"
#include "operand.h"

namespace strew::python {

/// The array that a call writes and returns.
class Output {
 public:
  /// Returns `out`, or a new array if `out` is None. Either has this shape.
  static Output of(const char* op, nb::handle out, const Operand& like, const Shape& shape) {
    return out.is_none() ? make(op, like, shape) : given(op, out, like, shape);
  }
  /// Allocates an array of this shape, with the kind, type and device of `like`.
  static Output make(const char* op, const Operand& like, const Shape& shape);
  /// Wraps the caller's `out`. Raises TypeError if its type differs from `like`'s, ValueError if it is on another
  /// device, has another shape or is read-only.
  static Output given(const char* op, nb::handle out, const Operand& like, const Shape& shape);

  const MutableTensorView& view() const noexcept { return view_; }
  /// The array to write: a new object array for strings.
  nb::handle array() const noexcept { return array_; }
  /// Returns the finished array. Called once, after the call succeeded.
  nb::object take(const char* op, const Operand& like, const Operand* updates, Reduction reduction);

 private:
  static Output make_separate(const char* op, nb::handle out, const Operand& like, const Shape& shape);
  void copy_out(const char* op) const;
  Output(nb::object array, MutableTensorView&& view) : array_(std::move(array)), view_(std::move(view)) {}

  nb::object array_;       // the array to write
  nb::object out_;         // the caller's `out`; empty if None
  bool is_apart_ = false;  // `array_` is copied into the caller's array at the end
  Source lender_;          // keeps an exported buffer alive
  MutableTensorView view_;
};

/// Allocates an ndarray of this type and these dimensions. The elements of an object array are null addresses.
/// Takes over the reference to `descr`.
nb::object new_ndarray(PyArray_Descr* descr, int rank, const std::int64_t* dims);

/// True if arrays of this size use the caching allocator.
bool is_large(std::int64_t bytes) noexcept;

}  // namespace strew::python
