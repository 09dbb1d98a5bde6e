// index_add, index_copy, scatter and others: writes along the indices of one axis.
#pragma once

#include "tensors.h"
#include "thresholds.h"

namespace strew::aten {

/// Rules in which torch's kernels differ.
struct ScatterRules {
  Bounds bounds = {};
  bool only_long = false;  ///< int32 indices are an error
  bool from_end = false;   ///< negative indices count from the end; else they are an error
  bool include_self = true;
  bool wide = false;  ///< sums and products of float16 and bfloat16 stay in float32
};

/// The written values: a tensor, or one repeated value, which is a tensor of rank 0 or a number.
struct Source {
  const Tensor* tensor = nullptr;
  const at::Scalar* number = nullptr;
  bool one_value = false;

  Source(const Tensor& all) : tensor(&all) {}
  Source(const at::Scalar& value) : number(&value), one_value(true) {}
  static Source one(const Tensor& value) {
    Source source(value);
    source.one_value = true;
    return source;
  }
};

/// Scatters one row of `source` along `dim` for each value of `index`, a vector or a scalar.
Outcome scatter_rows(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index,
                     const Source& source, Reduction reduction, const ScatterRules& rules);

/// Scatters one element of `source` for each value of `index`; `source` may be larger than `index`.
Outcome scatter_elements(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index,
                         const Source& source, Reduction reduction, const ScatterRules& rules);

/// Scatters one value for each index into the flattened `self`, in place, like torch's `put_`.
Outcome put_elements(Output& output, const Tensor& self, const Tensor& index, const Tensor& source,
                     bool accumulate);

/// Runs a scatter that was planned for `data`, the axes of `self` with `moved_axis` moved to the front.
Outcome run_scatter(const Result<Plan>& plan, Output& output, const Tensor& self, const Axes& data,
                    const TensorView& indices, const TensorView& updates, std::int64_t moved_axis = 0);

}  // namespace strew::aten
