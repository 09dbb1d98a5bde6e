// Outputs: a new array of the caller's kind, or the one that was given.
#pragma once

#include "operand.h"

namespace strew::python {

/// Where a call writes, and what the caller gets back.
class Output {
 public:
  /// A new array, or `out` where that is not None; both have this shape.
  static Output of(const char* op, nb::handle out, const Operand& like, const Shape& shape) {
    return out.is_none() ? make(op, like, shape) : given(op, out, like, shape);
  }
  /// A new array of this shape, of the kind and type of `like`, where that lies.
  static Output make(const char* op, const Operand& like, const Shape& shape);
  /// The array that the caller gave as `out`: TypeError where it has another type than `like`, ValueError where it
  /// lies elsewhere, has another shape or cannot be written.
  static Output given(const char* op, nb::handle out, const Operand& like, const Shape& shape);

  const MutableTensorView& view() const noexcept { return view_; }
  /// What is written: for strings a fresh object array.
  nb::handle array() const noexcept { return array_; }
  /// The finished array. Called once, after the call succeeded.
  nb::object take(const char* op, const Operand& like, const Operand* updates, Reduction reduction);

 private:
  static Output apart(const char* op, nb::handle out, const Operand& like, const Shape& shape);
  void copy_out(const char* op) const;
  Output(nb::object array, MutableTensorView&& view) : array_(std::move(array)), view_(std::move(view)) {}

  nb::object array_;       // what is written
  nb::object out_;         // the caller's `out`; empty where there is none
  bool is_apart_ = false;  // `array_` is not the caller's array and is copied into it at the end
  Source lender_;          // keeps what an array lent
  MutableTensorView view_;
};

}  // namespace strew::python
