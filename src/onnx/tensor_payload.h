// The values of a TensorProto: from bytes in memory and from the typed fields.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "onnx/tensor_message.h"
#include "strew/error.h"
#include "strew/tensor.h"

namespace strew {

/// The field in which values of this type lie when they are not raw.
std::uint32_t typed_field_of(DType dtype) noexcept;

/// A tensor of message.dims from little-endian bytes, whose number the caller has checked. They are borrowed
/// where `owner` is set, else copied. Bools that are not 0 or 1 are copied and become 1.
Result<Tensor> tensor_from_raw(const TensorMessage& message, DType dtype, std::span<const std::byte> bytes,
                               std::shared_ptr<const void> owner);

/// A tensor of message.dims, which are `count` elements, from the typed field of its type. The number of values
/// is compared before anything is allocated.
Result<Tensor> tensor_from_typed_field(const TensorMessage& message, DType dtype, std::int64_t count);

}  // namespace strew
