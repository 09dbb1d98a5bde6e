// Values of a TensorProto, from bytes in memory or from the typed fields.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "onnx/tensor_message.h"
#include "strew/error.h"
#include "strew/tensor.h"

namespace strew {

/// Returns the field that has values of this type if they are not raw.
std::uint32_t typed_field_of(DType dtype) noexcept;

/// Makes a tensor of message.dims from little-endian bytes, whose number the caller has checked. Borrows them if
/// `owner` is set, else copies. Bools other than 0 and 1 are copied and become 1.
Result<Tensor> tensor_from_raw(const TensorMessage& message, DType dtype, std::span<const std::byte> bytes,
                               std::shared_ptr<const void> owner);

/// Makes a tensor of message.dims, which are `count` elements, from the typed field of its type. Checks the number
/// of values before it allocates.
Result<Tensor> tensor_from_typed_field(const TensorMessage& message, DType dtype, std::int64_t count);

}  // namespace strew
