// The oracle: each operator as the shortest correct loop over coordinates, one element at a time.
// The oracle includes only public headers for types and tensors, so that it shares no defect with src/.
#pragma once

#include <optional>

#include "reference/element.h"
#include "strew/error.h"
#include "strew/plan.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew::reference {

/// The result, or an error code and, for kIndexOutOfRange, position and value of the first bad index.
struct Outcome {
  std::optional<Tensor> value;
  ErrorCode code = ErrorCode::kInvalidArgument;
  Shape bad_position;
  Integer bad_value = 0;
};

// The operators. `params` has the fill value and alpha.
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
