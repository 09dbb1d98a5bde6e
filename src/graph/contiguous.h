// Operands and outputs as contiguous memory.
#pragma once

#include <new>
#include <optional>
#include <utility>

#include "core/strided_copy.h"
#include "core/view_check.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {

/// The elements of a view in contiguous memory, copied if necessary.
class Contiguous {
 public:
  explicit Contiguous(const TensorView& view) : data_(view.data()) {
    if (is_contiguous(view)) return;
    auto copy = Tensor::copy_of(view);
    if (!copy) throw std::bad_alloc();
    data_ = copy_.emplace(*std::move(copy)).data();
  }
  const void* data() const noexcept { return data_; }

 private:
  std::optional<Tensor> copy_;
  const void* data_;
};

/// Contiguous memory for an output. If the output is not contiguous, finish() copies the memory to it.
class ContiguousOutput {
 public:
  explicit ContiguousOutput(const MutableTensorView& view) : view_(view), data_(view.data()) {
    if (is_contiguous(view)) return;
    auto copy = Tensor::uninitialized(view.dtype(), view.shape());
    if (!copy) throw std::bad_alloc();
    data_ = made_.emplace(*std::move(copy)).mutable_data();
  }
  void* data() noexcept { return data_; }
  void finish() {
    if (!made_) return;
    const StridedCopy copy(made_->view(), view_.data(), view_);
    copy.run(0, copy.part_count());
  }

 private:
  const MutableTensorView& view_;
  std::optional<Tensor> made_;
  void* data_;
};

}  // namespace strew
