// Tensor: allocates, shares and frees the memory of elements.
#include "strew/tensor.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/scratch.h"
#include "core/size.h"
#include "core/strided_copy.h"
#include "core/view_check.h"

namespace strew {
namespace {

std::shared_ptr<void> allocate(DType dtype, std::int64_t count, bool zero) {
  const std::int64_t bytes = std::max<std::int64_t>(size_bytes(dtype, count), 1);
  if (dtype == DType::kString) {
    auto* strings = new std::string[array_size(count, sizeof(std::string))];
    return std::shared_ptr<void>(strings, [](void* memory) { delete[] static_cast<std::string*>(memory); });
  }
  // calloc uses fresh pages, which are zero already.
  if (zero) {
    void* memory = std::calloc(array_size(bytes), 1);
    if (memory == nullptr) throw std::bad_alloc();
    return std::shared_ptr<void>(memory, &std::free);
  }
  void* memory = take_memory(bytes);
  // Zeroes the unused bits of the last byte, which kernels never write.
  if (is_packed(dtype)) static_cast<std::byte*>(memory)[bytes - 1] = std::byte{0};
  return std::shared_ptr<void>(memory, &give_memory);
}

// True if elements may be read through a span of their C++ type.
bool is_aligned(const void* data, DType dtype) {
  const bool complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  const int alignment = std::max(bit_width(dtype) / (complex ? 16 : 8), 1);
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(alignment) == 0;
}

}  // namespace

Tensor::Tensor(Tensor&& other) noexcept { *this = std::move(other); }

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  dtype_ = other.dtype_;
  shape_ = std::exchange(other.shape_, Shape{0});
  count_ = std::exchange(other.count_, 0);
  data_ = std::exchange(other.data_, nullptr);
  memory_ = std::move(other.memory_);
  read_only_ = std::exchange(other.read_only_, false);
  return *this;
}

Result<Tensor> Tensor::make(DType dtype, Shape shape, bool zero) {
  STREW_ASSIGN(const auto& count, checked_element_count("", "tensor", dtype, shape));
  // Checks the size here, since the operating system may overcommit memory and kill the process later.
  const std::int64_t bytes = strew::size_bytes(dtype, count);
  if (bytes > most_bytes()) {
    return fail(ErrorCode::kOutOfMemory, "a tensor of ", dtype_name(dtype), " ", shape, " takes ", bytes,
                " bytes; memory and swap together have ", most_bytes(), " bytes");
  }
  Tensor tensor;
  STREW_TRY(with_memory(
      [&]() -> Status {
        tensor.memory_ = allocate(dtype, count, zero);
        return {};
      },
      [&] {
        return fail(ErrorCode::kOutOfMemory, "no memory for a tensor of ", dtype_name(dtype), " ", shape, ": ",
                    bytes, " bytes");
      }));
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.count_ = count;
  tensor.data_ = tensor.memory_.get();
  return tensor;
}

Result<Tensor> Tensor::zeros(DType dtype, Shape shape) { return make(dtype, std::move(shape), true); }
Result<Tensor> Tensor::uninitialized(DType dtype, Shape shape) { return make(dtype, std::move(shape), false); }
Result<Tensor> Tensor::copy_of(const TensorView& view) {
  STREW_TRY(check_view("", "tensor", view));
  auto copy = uninitialized(view.dtype(), view.shape());
  if (!copy) return copy;
  STREW_TRY(with_memory(
      [&]() -> Status {
        const StridedCopy parts(view, copy->mutable_data(), copy->view());
        parts.run(0, parts.part_count());
        return {};
      },
      [&] { return fail(ErrorCode::kOutOfMemory, "no memory for a copy of strings of shape ", view.shape()); }));
  return copy;
}

Result<Tensor> Tensor::borrow(std::shared_ptr<const void> owner, const void* data, DType dtype, Shape shape) {
  if (dtype == DType::kString) return fail(ErrorCode::kInvalidType, "tensor: strings cannot be borrowed");
  STREW_ASSIGN(const auto& count, check_view("", "tensor", TensorView(data, dtype, shape)));
  if (!is_aligned(data, dtype)) return copy_of(TensorView(data, dtype, std::move(shape)));
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.count_ = count;
  tensor.data_ = data;
  tensor.memory_ = std::move(owner);
  tensor.read_only_ = true;
  return tensor;
}

Result<Tensor> Tensor::clone() const { return copy_of(view()); }
void detail::wrong_element_type(DType asked, DType held) noexcept {
  std::fprintf(stderr, "strew: values of %s were requested from a tensor of %s\n", dtype_name(asked).data(),
               dtype_name(held).data());
  std::abort();
}

std::int64_t Tensor::size_bytes() const noexcept { return strew::size_bytes(dtype_, count_); }

}  // namespace strew
