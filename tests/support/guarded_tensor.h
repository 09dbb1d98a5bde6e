// GuardedTensor: a dense tensor between two inaccessible pages.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "strew/tensor.h"
#include "strew/view.h"

namespace strew::support {

class GuardedTensor {
 public:
  /// Copies `values` to the end of the accessible pages if `at_end`, else to their start. Strings are not
  /// supported.
  GuardedTensor(const TensorView& values, bool at_end)
      : dtype_(values.dtype()), shape_(values.shape()), page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    const Tensor dense = Tensor::copy_of(values).value();
    size_ = static_cast<std::size_t>(dense.size_bytes());
    inside_ = std::max<std::size_t>((size_ + page_ - 1) / page_, 1) * page_;
    void* all = ::mmap(nullptr, inside_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    pages_ = static_cast<std::byte*>(all) + page_;
    ::mprotect(pages_, inside_, PROT_READ | PROT_WRITE);
    std::memset(pages_, kCanary, inside_);
    data_ = at_end ? pages_ + (inside_ - size_) : pages_;
    if (size_ > 0) std::memcpy(data_, dense.data(), size_);
  }
  ~GuardedTensor() { ::munmap(pages_ - page_, inside_ + 2 * page_); }
  GuardedTensor(const GuardedTensor&) = delete;
  GuardedTensor& operator=(const GuardedTensor&) = delete;

  TensorView view() const { return {data_, dtype_, shape_}; }
  MutableTensorView mutable_view() { return {data_, dtype_, shape_}; }
  std::span<std::byte> bytes() { return {data_, size_}; }

  /// Returns whether the accessible bytes around the tensor are unchanged.
  bool surroundings_untouched() const {
    const auto is_canary = [](std::byte b) { return b == std::byte{kCanary}; };
    return std::all_of(pages_, data_, is_canary) && std::all_of(data_ + size_, pages_ + inside_, is_canary);
  }

 private:
  static constexpr unsigned char kCanary = 0xA5;

  DType dtype_;
  Shape shape_;
  std::size_t page_;
  std::size_t size_ = 0;
  std::size_t inside_ = 0;  // accessible bytes
  std::byte* pages_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace strew::support
