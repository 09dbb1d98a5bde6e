// The oracle: each operator as the shortest correct loop over coordinates, one element at a time.
// It sees only public headers that describe types and tensors, so that no defect of src/ can hide in it.
#pragma once

#include <cstdint>
#include <optional>

#include "reference/element.h"
#include "strew/error.h"
#include "strew/plan.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew::reference {

/// The result, or why there is none and, for kIndexOutOfRange, where in `indices` the first bad value stands.
struct Outcome {
  std::optional<Tensor> value;
  ErrorCode code = ErrorCode::kInvalidArgument;
  Shape bad_position;
  Integer bad_value = 0;
};

// A `fill_value` or `alpha` is read from the parameters.
Outcome gather(const TensorView& data, const TensorView& indices, CallParams params);
Outcome gather_elements(const TensorView& data, const TensorView& indices, CallParams params);
Outcome gather_nd(const TensorView& data, const TensorView& indices, CallParams params);
Outcome scatter_elements(const TensorView& data, const TensorView& indices, const TensorView& updates,
                         CallParams params);
Outcome scatter_nd(const TensorView& data, const TensorView& indices, const TensorView& updates,
                   CallParams params);
Outcome tensor_scatter(const TensorView& past_cache, const TensorView& update,
                       const std::optional<TensorView>& write_indices, CallParams params);

}  // namespace strew::reference
