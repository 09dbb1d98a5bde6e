// The operators, each as a function that allocates its result and one that writes into a given output.
#pragma once

#include <optional>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

// Rules for default parameters and options: index values may have any integer type. Negative ones count from the
// end, except in tensor_scatter. A value outside [-s, s-1] on an axis of length s is the error kIndexOutOfRange;
// the message names the first such value in row-major order. Other errors: kInvalidArgument for shapes and
// attributes, kInvalidType for types. On an error, nothing is written. The `_into` forms take the output after the
// operands; a scatter's output may be `data` itself (in place).

/// ONNX Gather-13. Returns rows of `data`; shape: data.shape[:axis] ++ indices.shape ++ data.shape[axis+1:].
[[nodiscard]] Result<Tensor> gather(const TensorView& data, const TensorView& indices,
                                    const CallParams& params = {}, const Options& options = {});
[[nodiscard]] Status gather_into(const TensorView& data, const TensorView& indices,
                                 const MutableTensorView& output, const CallParams& params = {},
                                 const Options& options = {});

/// ONNX GatherElements-13. Returns out[i][j] = data[indices[i][j]][j] for axis 0, in the shape of `indices`.
[[nodiscard]] Result<Tensor> gather_elements(const TensorView& data, const TensorView& indices,
                                             const CallParams& params = {}, const Options& options = {});
[[nodiscard]] Status gather_elements_into(const TensorView& data, const TensorView& indices,
                                          const MutableTensorView& output, const CallParams& params = {},
                                          const Options& options = {});

/// ONNX GatherND-13. Returns a slice for each k-tuple; shape: indices.shape[:-1] ++ data.shape[batch_dims+k:].
[[nodiscard]] Result<Tensor> gather_nd(const TensorView& data, const TensorView& indices,
                                       const CallParams& params = {}, const Options& options = {});
[[nodiscard]] Status gather_nd_into(const TensorView& data, const TensorView& indices,
                                    const MutableTensorView& output, const CallParams& params = {},
                                    const Options& options = {});

/// ONNX ScatterElements-18. Returns a copy of `data` with out[indices[i][j]][j] = f(out[...], updates[i][j]) for
/// axis 0, in row-major order of `indices`. f is the reduction; without a reduction, f returns the update.
[[nodiscard]] Result<Tensor> scatter_elements(const TensorView& data, const TensorView& indices,
                                              const TensorView& updates, const CallParams& params = {},
                                              const Options& options = {});
[[nodiscard]] Status scatter_elements_into(const TensorView& data, const TensorView& indices,
                                           const TensorView& updates, const MutableTensorView& output,
                                           const CallParams& params = {}, const Options& options = {});

/// ONNX ScatterND-18. Returns a copy of `data` with out[tuple] = f(out[tuple], update), in row-major order.
[[nodiscard]] Result<Tensor> scatter_nd(const TensorView& data, const TensorView& indices,
                                        const TensorView& updates, const CallParams& params = {},
                                        const Options& options = {});
[[nodiscard]] Status scatter_nd_into(const TensorView& data, const TensorView& indices, const TensorView& updates,
                                     const MutableTensorView& output, const CallParams& params = {},
                                     const Options& options = {});

/// ONNX TensorScatter-24. Returns a copy of the cache with `update` written along `axis`, from
/// write_indices[batch] on (from 0 if absent). In circular mode, position 0 follows the last one.
[[nodiscard]] Result<Tensor> tensor_scatter(const TensorView& past_cache, const TensorView& update,
                                            const std::optional<TensorView>& write_indices = std::nullopt,
                                            const CallParams& params = {}, const Options& options = {});
[[nodiscard]] Status tensor_scatter_into(const TensorView& past_cache, const TensorView& update,
                                         const std::optional<TensorView>& write_indices,
                                         const MutableTensorView& present_cache, const CallParams& params = {},
                                         const Options& options = {});

}  // namespace strew
STREW_API_END
