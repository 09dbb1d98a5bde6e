// The rules of ranks, types and shapes that several operators share.
#include "plan/builder.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/plan_access.h"
#include "core/size.h"
#include "core/tuning.h"
#include "core/view_check.h"
#include "plan/attributes.h"

namespace strew {
namespace {

using Reductions = std::initializer_list<Reduction>;

Reductions legal_reductions(DType dtype) noexcept {
  using enum Reduction;
  static constexpr Reductions kStrings = {kAdd};
  static constexpr Reductions kBools = {kAdd, kMul, kMax, kMin, kAnd, kOr, kXor};
  static constexpr Reductions kIntegers = {kAdd, kMul, kMax, kMin, kSub, kAnd, kOr, kXor, kMean};
  static constexpr Reductions kFloats = {kAdd, kMul, kMax, kMin, kSub, kDiv, kMean};
  static constexpr Reductions kComplexes = {kAdd, kMul, kSub, kDiv, kMean};
  switch (dtype) {
    case DType::kString:
      return kStrings;
    case DType::kBool:
      return kBools;
    case DType::kComplex64:
    case DType::kComplex128:
      return kComplexes;
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return kFloats;
    default:
      return is_index_type(dtype) ? kIntegers : Reductions{};
  }
}

bool has(Reductions reductions, Reduction reduction) noexcept {
  return reduction == Reduction::kNone || std::ranges::count(reductions, reduction) != 0;
}

// True for floats that float32 represents exactly.
bool is_narrow_float(DType dtype) noexcept {
  return value_kind(dtype) == ValueKind::kReal && dtype_info(dtype).is_signed && bit_width(dtype) < 32 &&
         !is_packed(dtype);
}

// Lists the reductions of a type for which `missing` is not legal; "" if it is ONNX's, since models can use no
// others.
std::string suggest_instead(Reduction missing, DType dtype, Reductions legal) {
  if (is_narrow_float(dtype) && has(legal_reductions(DType::kFloat32), missing))
    return "; use acc_dtype 'float32'";
  if (missing <= Reduction::kMin || legal.size() == 0) return {};
  return concat("; ", dtype_name(dtype), " has ", join(legal, ", ", [](Reduction reduction) {
                  return concat('\'', reduction_name(reduction), '\'');
                }));
}

// Rejects a number that was cast to an enumeration and is above its last enumerator.
template <class Enum>
Status reject_enumerator(std::string_view op, std::string_view name, Enum given, Enum last) {
  const auto number = static_cast<std::int64_t>(given);
  return fail(ErrorCode::kInvalidArgument, {op, name, -1, number}, name, " number ", number,
              " does not exist; the highest is ", static_cast<int>(last));
}

}  // namespace

std::optional<TensorView> Plan::alpha() const {
  return has_alpha_ ? std::optional(TensorView(scalar_.data(), dtype(), Shape{})) : std::nullopt;
}

std::optional<TensorView> Plan::fill_value() const {
  if (!has_fill_value_) return std::nullopt;
  const void* const element = string_ ? static_cast<const void*>(string_.get()) : scalar_.data();
  return TensorView(element, dtype(), Shape{});
}

Status PlanBuilder::check_operand(std::string_view operand, const TensorSpec& spec, std::int64_t lowest_rank,
                                  std::int64_t& count) const {
  const std::int64_t rank = spec.shape.rank();
  if (rank >= lowest_rank && rank <= kMaxRank) {
    count = valid_element_count(spec.dtype, spec.shape);
    if (count >= 0) return {};
  }
  if (rank > kMaxRank) {
    return fail(ErrorCode::kUnsupported, {op(), operand}, Said{operand, "has"}, " rank ", rank,
                "; the highest is ", kMaxRank);
  }
  STREW_TRY(check_lowest_rank(op(), operand, spec.shape, lowest_rank));
  return fail(checked_element_count(op(), operand, spec.dtype, spec.shape).error());
}

Status PlanBuilder::check_data_and_indices(std::int64_t lowest_index_rank) {
  STREW_TRY(check_data("data", 1));
  STREW_TRY(check_operand("indices", plan_.indices_, lowest_index_rank, plan_.index_count_));
  if (!is_index_type(plan_.indices_.dtype)) {
    return fail(ErrorCode::kInvalidType, {op(), "indices"}, "indices are ", dtype_name(plan_.indices_.dtype),
                "; they must be integers");
  }
  return {};
}

Status PlanBuilder::check_updates(const TensorSpec& updates, const Shape& expected, std::string_view rule) {
  if (updates.dtype != plan_.data_.dtype) {
    return fail(ErrorCode::kInvalidType, {op(), "updates"}, "updates are ", dtype_name(updates.dtype),
                " but data is ", dtype_name(plan_.data_.dtype), "; both must have the same type");
  }
  STREW_TRY(check_updates_shape(shapes(&updates.shape), expected, rule, plan_.tuples_));
  return check_positions("updates", updates);
}

Status PlanBuilder::check_reduction() {
  const Reduction reduction = params_.reduction;
  const AccDType acc_dtype = params_.acc_dtype;
  const auto& alpha = params_.alpha;
  if (reduction > Reduction::kMean) return reject_enumerator(op(), "reduction", reduction, Reduction::kMean);
  if (acc_dtype > AccDType::kFloat32) return reject_enumerator(op(), "acc_dtype", acc_dtype, AccDType::kFloat32);
  const DType dtype = plan_.dtype();
  const bool widens = acc_dtype == AccDType::kFloat32 && is_narrow_float(dtype);
  if (acc_dtype == AccDType::kFloat32 && !widens && dtype != DType::kFloat32) {
    return fail(ErrorCode::kInvalidType, {op(), "acc_dtype"},
                "acc_dtype 'float32' is for floats of 8 and 16 bits; data is ", dtype_name(dtype));
  }
  const Reductions legal = legal_reductions(widens ? DType::kFloat32 : dtype);
  if (!has(legal, reduction)) {
    return fail(ErrorCode::kInvalidType, {op(), "reduction", -1, reduction_name(reduction)}, "reduction '",
                reduction_name(reduction), "' is not supported for ", dtype_name(dtype),
                suggest_instead(reduction, dtype, legal));
  }
  plan_.has_alpha_ = alpha.has_value();
  if (reduction == Reduction::kNone && (alpha || acc_dtype != AccDType::kData)) {
    return fail(ErrorCode::kInvalidArgument, {op(), alpha ? "alpha" : "acc_dtype"}, alpha ? "alpha" : "acc_dtype",
                " is for reductions; reduction is 'none'");
  }
  if (!alpha) return {};
  if (!has(legal, Reduction::kMul)) {
    return fail(ErrorCode::kInvalidType, {op(), "alpha"}, "alpha is for numbers; data is ", dtype_name(dtype));
  }
  return copy_scalar("alpha", *alpha);
}

Status PlanBuilder::copy_scalar(std::string_view name, const TensorView& value) {
  if (value.dtype() != plan_.dtype()) {
    return fail(ErrorCode::kInvalidType, {op(), name}, name, " is ", dtype_name(value.dtype()), " but data is ",
                dtype_name(plan_.dtype()), "; both must have the same type");
  }
  if (element_count(value.shape()) != 1) {
    return fail(ErrorCode::kInvalidArgument, {op(), name}, name, " has shape ", value.shape(),
                "; it must be one element");
  }
  STREW_TRY(check_view(op(), name, value));
  if (plan_.dtype() == DType::kString) {
    plan_.string_ = std::make_shared<const std::string>(*static_cast<const std::string*>(value.data()));
  } else {
    std::memcpy(plan_.scalar_.data(), value.data(), static_cast<std::size_t>(bit_width(plan_.dtype()) + 7) / 8);
  }
  return {};
}

Status PlanBuilder::check_rules() {
  const IndexRules& rules = params_.rules;
  const OutOfBounds rule = rules.out_of_bounds;
  const NegativeIndices negative = rules.negative_indices;
  if (rule > OutOfBounds::kDrop) return reject_enumerator(op(), "out_of_bounds", rule, OutOfBounds::kDrop);
  if (negative > NegativeIndices::kOutOfBounds)
    return reject_enumerator(op(), "negative_indices", negative, NegativeIndices::kOutOfBounds);
  const bool fills = rule == OutOfBounds::kFill;
  if (fills && plan_.is_scatter()) {
    return fail(ErrorCode::kInvalidArgument, {op(), "out_of_bounds"},
                "out_of_bounds 'fill' is for gathers; a scatter has 'drop'");
  }
  if (rule == OutOfBounds::kDrop && !plan_.is_scatter()) {
    return fail(ErrorCode::kInvalidArgument, {op(), "out_of_bounds"},
                "out_of_bounds 'drop' is for scatters; a gather has 'fill'");
  }
  if (!params_.fill_value) return {};
  if (!fills) {
    return fail(ErrorCode::kInvalidArgument, {op(), "fill_value"}, "fill_value is for out_of_bounds 'fill', not '",
                out_of_bounds_name(rule), "'");
  }
  plan_.has_fill_value_ = true;
  return copy_scalar("fill_value", *params_.fill_value);
}

Result<std::int64_t> PlanBuilder::take_axis() {
  auto axis = check_axis(op(), axis_of(params_), "data", plan_.data_.shape);
  if (axis) set_axis(*axis);
  return axis;
}

Status PlanBuilder::add_elements(std::int64_t axis) {
  const Shape& indices = plan_.indices_.shape;
  STREW_TRY(strew::check_elements(shapes(), axis));
  for (std::int64_t d = 0; d < indices.rank(); ++d) {
    add_loop({.extent = indices[d], .data_axis = d == axis ? -1 : d, .position_axis = d, .index_axis = d});
  }
  add_indexed_axis(axis);
  set_position_shape(indices);
  return {};
}

Status PlanBuilder::add_tuples(std::int64_t batch_dims, std::int64_t shortest_tuple) {
  const Shape& data = plan_.data_.shape;
  const Shape& indices = plan_.indices_.shape;
  STREW_ASSIGN(const auto& known, tuple_length(shapes(), batch_dims, shortest_tuple));
  const std::int64_t length = *known;
  plan_.tuples_ = true;
  Shape positions;
  for (std::int64_t d = 0; d + 1 < indices.rank(); ++d) {
    add_loop({.extent = indices[d], .data_axis = d < batch_dims ? d : -1, .position_axis = d, .index_axis = d});
    positions.push_back(indices[d]);
  }
  for (std::int64_t c = 0; c < length; ++c) add_indexed_axis(batch_dims + c);
  for (std::int64_t d = batch_dims + length; d < data.rank(); ++d) {
    add_loop({.extent = data[d], .data_axis = d, .position_axis = positions.rank(), .index_axis = -1});
    positions.push_back(data[d]);
  }
  set_position_shape(std::move(positions));
  return {};
}

Plan::Rows PlanBuilder::small_rows() const noexcept {
  const Plan::Rows all = rows();
  const bool is_plain = plan_.dtype() != DType::kString && !plan_.has_fill_value() && !needs_fold(plan_);
  return is_plain && all.count <= kMaxSmallRows && plan_.data_.shape.rank() <= kMaxSmallRank ? all : Plan::Rows{};
}

Plan::Rows PlanBuilder::rows() const noexcept {
  if (plan_.position_count_ == 0 || plan_.indexed_axes_.empty()) return {};
  if (plan_.by_elements()) return {plan_.index_count_, 1};
  const Shape& data = plan_.data_.shape;
  const std::int64_t last = plan_.indexed_axes_[plan_.indexed_axes_.rank() - 1];
  std::int64_t length = 1;
  for (std::int64_t d = last + 1; d < data.rank(); ++d) length *= data[d];
  // The steps of a linear update are consecutive.
  const bool linear = plan_.op() == OpKind::kTensorScatter && plan_.mode() == WriteMode::kLinear;
  if (linear) length *= plan_.position_shape_[last];
  return {plan_.position_count_ / length, length};
}

Status PlanBuilder::finish() {
  if (!plan_.is_scatter())
    STREW_TRY(check_positions("output", plan_.output()));  // the output of a scatter has the shape of data
  if (plan_.op() == OpKind::kTensorScatter) plan_.index_count_ = element_count(plan_.indices_.shape);
  plan_.rows_ = small_rows();
  return {};
}

}  // namespace strew
