// scatter_parts: applies updates to an owner's block in several calls of ScatterND.
#include <vector>

#include "core/error.h"
#include "core/fence.h"
#include "core/view_check.h"
#include "strew/checked_indices.h"
#include "strew/shard.h"

namespace strew {
namespace {

// The call of scatter_nd for one part.
struct Call {
  Plan plan;
  TensorView indices;
  CheckedIndices checked;
};

// Reshapes offsets [n] to tuples [n, 1].
TensorView as_tuples(const TensorView& offsets) {
  const Shape shape{offsets.shape()[0], 1};
  if (offsets.dense()) return {offsets.data(), offsets.dtype(), shape};
  return {offsets.data(), offsets.dtype(), shape, {offsets.strides()[0], 1}};
}

Result<Call> check_part(const MutableTensorView& rows, const ScatterPart& part, const CallParams& params,
                        const Options& options) {
  if (part.offsets.rank() != 1) {
    return fail(ErrorCode::kInvalidArgument, "offsets have shape ", part.offsets.shape(),
                "; they must have rank 1");
  }
  const TensorView indices = as_tuples(part.offsets);
  STREW_ASSIGN(auto&& plan, make_plan(params.with_op(OpKind::kScatterND), rows, indices, part.values));
  for (const TensorView* read : {&part.offsets, &part.values}) {
    STREW_TRY(check_view("scatter_parts", "a part", *read));
    if (byte_range(rows).overlaps(byte_range(*read))) {
      return fail(ErrorCode::kInvalidArgument, "the rows overlap a part");
    }
  }
  STREW_ASSIGN(auto&& checked, check_indices(plan, indices, options));
  return Call{std::move(plan), indices, std::move(checked)};
}

Status run_parts(const MutableTensorView& rows, std::span<const ScatterPart> parts, const CallParams& params,
                 const Options& options) {
  STREW_TRY(check_view("scatter_parts", "rows", rows));
  const bool needs_all =
      params.reduction == Reduction::kMean || !params.include_self || params.acc_dtype != AccDType::kData;
  if (needs_all && parts.size() > 1) {
    return fail(ErrorCode::kUnsupported, {"scatter_parts"}, "there are ", parts.size(),
                " parts; mean, include_self = false and acc_dtype need all updates in one part");
  }
  std::vector<Call> calls;
  calls.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto call = check_part(rows, parts[i], params, options);
    if (!call) {
      const std::string& op = call.error().subject().op;
      return fail(found_in(concat("scatter_parts: part ", i, op.empty() ? "" : ": ", op), call.error()));
    }
    calls.push_back(*std::move(call));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Options with = options;
    with.promises.checked_indices = &calls[i].checked;
    STREW_TRY(run(calls[i].plan, {rows, calls[i].indices, parts[i].values}, rows, with));
  }
  return {};
}

}  // namespace

Status scatter_parts(std::span<const ScatterPart> parts, const MutableTensorView& rows, const CallParams& params,
                     const Options& options) {
  return without_exceptions(About{"scatter_parts"}, [&] { return run_parts(rows, parts, params, options); });
}

}  // namespace strew
