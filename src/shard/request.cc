// Checks shards and indices.
#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/view_check.h"
#include "shard/router.h"

namespace strew {
namespace {

Status check_cuts(std::span<const std::int64_t> cuts, std::int64_t axis) {
  bool rising = cuts.size() >= 2 && cuts.front() == 0;
  for (std::size_t i = 1; i < cuts.size(); ++i) rising = rising && cuts[i - 1] <= cuts[i];
  if (rising) return {};
  return fail(ErrorCode::kInvalidArgument, {"route", "cuts", axis}, "the cuts of axis ", axis,
              " must begin with 0, not decrease, and end with its length");
}

std::int64_t multiply_sizes(const Shards& shards, std::int64_t (*factor)(const ShardAxis&)) noexcept {
  std::int64_t product = 1;
  for (const ShardAxis& axis : shards.axes) {
    if (__builtin_mul_overflow(product, factor(axis), &product)) return -1;
  }
  return product;
}

}  // namespace

Result<Request> check_request(const Shards& shards, const TensorView& indices) {
  STREW_TRY(check_view("route", "indices", indices));
  if (!is_index_type(indices.dtype())) {
    return fail(ErrorCode::kInvalidType, {"route", "indices"}, "indices have type ", dtype_name(indices.dtype()),
                ", not an integer type");
  }
  Request request{shards, indices.dtype(), static_cast<const std::byte*>(indices.data()), {}, {}, 0, {}};
  const std::int64_t rank = indices.rank() - (shards.tuples ? 1 : 0);
  const Shape strides = strides_of(indices);
  std::int64_t cut_axes = 0;
  for (std::size_t axis = 0; axis < shards.axes.size(); ++axis) {
    const ShardAxis& one = shards.axes[axis];
    const auto number = static_cast<std::int64_t>(axis);
    if (!one.cuts.empty()) {
      STREW_TRY(check_cuts(one.cuts, number));
      request.cuts.emplace_back(one.cuts);
      ++cut_axes;
    } else if (number >= rank || indices.shape()[number] > one.extent) {
      return fail(ErrorCode::kInvalidArgument, {"route", "indices", number}, "axis ", number,
                  " of data has length ", one.extent, " in a block, which axis ", number,
                  " of indices with shape ", indices.shape(), " does not fit");
    }
  }
  const std::int64_t wanted = !shards.tuples ? 1 : rank < 0 ? -1 : indices.shape()[rank];
  if (cut_axes != wanted) {
    return fail(ErrorCode::kInvalidArgument, {"route", "cuts"}, cut_axes, " axes are cut, but indices with shape ",
                indices.shape(), " choose positions on ", wanted);
  }
  if (shards.tuples) request.component_stride = strides[rank];
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    request.shape.push_back(indices.shape()[axis]);
    request.loop.push(indices.shape()[axis], {strides[axis]});
  }
  request.count = element_count(request.shape);
  request.owners = owner_count(shards);
  if (request.count < 0 || request.count > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kInvalidArgument, {"route", "indices"}, "indices with shape ", indices.shape(),
                " have 2^32 positions or more; route them in parts");
  }
  if (request.owners < 0) {
    return fail(ErrorCode::kInvalidArgument, {"route", "cuts"},
                "there are 2^63 owners or more; at most 2^32 - 2 are allowed");
  }
  if (request.owners >= std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kInvalidArgument, {"route", "cuts"}, "there are ", request.owners,
                " owners; at most 2^32 - 2 are allowed");
  }
  return request;
}

std::int64_t owner_count(const Shards& shards) noexcept {
  return multiply_sizes(shards, [](const ShardAxis& axis) {
    return axis.cuts.empty() ? 1 : static_cast<std::int64_t>(axis.cuts.size()) - 1;
  });
}

std::int64_t largest_block(const Shards& shards) noexcept {
  return multiply_sizes(shards, [](const ShardAxis& axis) {
    std::int64_t longest = axis.cuts.empty() ? axis.extent : 0;
    for (std::size_t i = 1; i < axis.cuts.size(); ++i)
      longest = std::max(longest, axis.cuts[i] - axis.cuts[i - 1]);
    return longest;
  });
}

}  // namespace strew
