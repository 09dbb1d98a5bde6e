// Tensor: a dense tensor that owns its elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

namespace detail {
/// Prints both types to standard error and aborts.
[[noreturn]] void wrong_element_type(DType asked, DType held) noexcept;
}  // namespace detail

/// A dense row-major tensor that owns its elements, or keeps alive the read-only memory that holds them, such as a
/// mapped file. Can be moved; `clone` copies.
class Tensor {
 public:
  /// An empty float32 tensor of shape [0].
  Tensor() noexcept = default;
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() = default;

  /// Returns a tensor of zeros (empty strings). Errors: kInvalidArgument for an impossible shape, kOutOfMemory.
  [[nodiscard]] static Result<Tensor> zeros(DType dtype, Shape shape);

  /// As `zeros`, but with unspecified elements (strings are empty).
  [[nodiscard]] static Result<Tensor> uninitialized(DType dtype, Shape shape);

  /// Returns a tensor with a copy of these values, whose number must match the shape.
  template <class T>
  [[nodiscard]] static Result<Tensor> of(std::span<const T> values, Shape shape) {
    return copy_of(TensorView(values, std::move(shape)));
  }
  template <class T>
  [[nodiscard]] static Result<Tensor> of(std::initializer_list<T> values, Shape shape) {
    if constexpr (std::is_same_v<T, const char*>) {
      const std::vector<std::string> strings(values.begin(), values.end());
      return of(std::span<const std::string>(strings), std::move(shape));
    } else {
      return of(std::span<const T>(values.begin(), values.size()), std::move(shape));
    }
  }

  /// Returns a dense copy of a view with any strides.
  [[nodiscard]] static Result<Tensor> copy_of(const TensorView& view);

  /// Returns a read-only tensor over memory that `owner` keeps alive, or a copy if the memory is unaligned.
  /// Not for strings.
  [[nodiscard]] static Result<Tensor> borrow(std::shared_ptr<const void> owner, const void* data, DType dtype,
                                             Shape shape);

  [[nodiscard]] Result<Tensor> clone() const;

  DType dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  std::int64_t element_count() const noexcept { return count_; }
  /// Bytes of the elements, rounded up for packed types; a string counts as `sizeof(std::string)`.
  std::int64_t size_bytes() const noexcept;
  /// True if the memory has another owner and must not be written.
  bool read_only() const noexcept { return read_only_; }

  const void* data() const noexcept { return data_; }
  /// Address for writing; nullptr if `read_only()`.
  void* mutable_data() noexcept { return read_only() ? nullptr : const_cast<void*>(data_); }

  /// The elements as a span. Aborts with a message if T is not the C++ type of `dtype()`.
  template <class T>
  std::span<const T> values() const noexcept {
    if (dtype_of<T> != dtype_) detail::wrong_element_type(dtype_of<T>, dtype_);
    return {static_cast<const T*>(data_), static_cast<std::size_t>(count_)};
  }

  TensorView view() const& { return TensorView(data_, dtype_, shape_); }
  TensorView view() const&& = delete;  // the view would outlive the elements
  operator TensorView() const { return view(); }
  /// A view for writing; its address is nullptr if `read_only()`.
  MutableTensorView mutable_view() { return MutableTensorView(mutable_data(), dtype_, shape_); }

 private:
  [[nodiscard]] static Result<Tensor> make(DType dtype, Shape shape, bool zero);

  DType dtype_ = DType::kFloat32;
  Shape shape_{0};
  std::int64_t count_ = 0;
  const void* data_ = nullptr;
  std::shared_ptr<const void> memory_;
  bool read_only_ = false;
};

/// Returns the elements in nested brackets, as NumPy prints them. Of more than 64 elements, only the ends of each
/// axis are shown, with "..." between them; if those are still too many, only the first and last three elements.
std::string to_string(const Tensor& tensor);
/// Writes type, shape and elements: "float32 [2, 1] [[1],\n [2]]".
std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

}  // namespace strew
STREW_API_END
