// Rules that several operators share, for ranks, types and shapes.
#include "plan/builder.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/machine.h"
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

// True for the signed floats of 8 and 16 bits, which float32 represents exactly.
bool is_narrow_float(DType dtype) noexcept {
  return value_kind(dtype) == ValueKind::kReal && dtype_info(dtype).is_signed && bit_width(dtype) < 32 &&
         !is_packed(dtype);
}

// Suggests float32 accumulation, or else lists the legal reductions of the type. Lists nothing if `missing` is one
// of ONNX's reductions: the call may come from a model, and models cannot use Strew's own reductions.
std::string suggest_instead(Reduction missing, DType dtype, Reductions legal) {
  if (is_narrow_float(dtype) && has(legal_reductions(DType::kFloat32), missing))
    return "; use acc_dtype 'float32'";
  if (missing <= Reduction::kMin || legal.size() == 0) return {};
  return concat("; ", dtype_name(dtype), " has ", join(legal, ", ", [](Reduction reduction) {
                  return concat('\'', reduction_name(reduction), '\'');
                }));
}

// Returns an error for a number that was cast to Enum but is above `last`, the last enumerator.
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

OperandShapes<Shape> PlanBuilder::shapes(const Shape* updates) const noexcept {
  return {op, &plan.data_.shape, &plan.indices_.shape, updates};
}

Status PlanBuilder::check_operand(std::string_view operand, const TensorSpec& spec, std::int64_t lowest_rank,
                                  std::int64_t& count) const {
  const std::int64_t rank = spec.shape.rank();
  if (rank >= lowest_rank && rank <= kMaxRank) {
    count = valid_element_count(spec.dtype, spec.shape);
    if (count >= 0) return {};
  }
  if (rank > kMaxRank) {
    return fail(ErrorCode::kUnsupported, {op, operand}, Said{operand, "has"}, " rank ", rank, "; the highest is ",
                kMaxRank);
  }
  STREW_TRY(check_lowest_rank(op, operand, spec.shape, lowest_rank));
  return fail(checked_element_count(op, operand, spec.dtype, spec.shape).error());
}

Status PlanBuilder::check_data_and_indices(std::int64_t lowest_index_rank) {
  STREW_TRY(check_operand("data", plan.data_, 1, plan.data_count_));
  STREW_TRY(check_operand("indices", plan.indices_, lowest_index_rank, plan.index_count_));
  if (!is_index_type(plan.indices_.dtype)) {
    return fail(ErrorCode::kInvalidType, {op, "indices"}, "indices are ", dtype_name(plan.indices_.dtype),
                "; they must be integers");
  }
  return {};
}

Status PlanBuilder::check_updates(const TensorSpec& updates, const Shape& expected, std::string_view rule) {
  if (updates.dtype != plan.data_.dtype) {
    return fail(ErrorCode::kInvalidType, {op, "updates"}, "updates are ", dtype_name(updates.dtype),
                " but data is ", dtype_name(plan.data_.dtype), "; both must have the same type");
  }
  STREW_TRY(check_updates_shape(shapes(&updates.shape), expected, rule, plan.tuples_));
  return check_operand("updates", updates, 0, plan.position_count_);
}

Status PlanBuilder::check_reduction() {
  const Reduction reduction = params.reduction;
  const AccDType acc_dtype = params.acc_dtype;
  const auto& alpha = params.alpha;
  if (reduction > Reduction::kMean) return reject_enumerator(op, "reduction", reduction, Reduction::kMean);
  if (acc_dtype > AccDType::kFloat32) return reject_enumerator(op, "acc_dtype", acc_dtype, AccDType::kFloat32);
  const DType dtype = plan.dtype();
  const bool widens = acc_dtype == AccDType::kFloat32 && is_narrow_float(dtype);
  if (acc_dtype == AccDType::kFloat32 && !widens && dtype != DType::kFloat32) {
    return fail(ErrorCode::kInvalidType, {op, "acc_dtype"},
                "acc_dtype 'float32' is for floats of 8 and 16 bits; data is ", dtype_name(dtype));
  }
  const Reductions legal = legal_reductions(widens ? DType::kFloat32 : dtype);
  if (!has(legal, reduction)) {
    return fail(ErrorCode::kInvalidType, {op, "reduction", -1, reduction_name(reduction)}, "reduction '",
                reduction_name(reduction), "' is not supported for ", dtype_name(dtype),
                suggest_instead(reduction, dtype, legal));
  }
  plan.has_alpha_ = alpha.has_value();
  plan.needs_fold_ = reduction != Reduction::kNone &&
                     (reduction == Reduction::kMean || !params.include_self || plan.has_alpha_ || widens);
  if (reduction == Reduction::kNone && (alpha || acc_dtype != AccDType::kData)) {
    return fail(ErrorCode::kInvalidArgument, {op, alpha ? "alpha" : "acc_dtype"}, alpha ? "alpha" : "acc_dtype",
                " is for reductions; reduction is 'none'");
  }
  if (!alpha) return {};
  if (!has(legal, Reduction::kMul)) {
    return fail(ErrorCode::kInvalidType, {op, "alpha"}, "alpha is for numbers; data is ", dtype_name(dtype));
  }
  return copy_scalar("alpha", *alpha);
}

Status PlanBuilder::copy_scalar(std::string_view name, const TensorView& value) {
  if (value.dtype() != plan.dtype()) {
    return fail(ErrorCode::kInvalidType, {op, name}, name, " is ", dtype_name(value.dtype()), " but data is ",
                dtype_name(plan.dtype()), "; both must have the same type");
  }
  if (element_count(value.shape()) != 1) {
    return fail(ErrorCode::kInvalidArgument, {op, name}, name, " has shape ", value.shape(),
                "; it must be one element");
  }
  STREW_TRY(check_view(op, name, value));
  if (plan.dtype() == DType::kString) {
    plan.string_ = std::make_shared<const std::string>(*static_cast<const std::string*>(value.data()));
  } else {
    std::memcpy(plan.scalar_.data(), value.data(), static_cast<std::size_t>(bit_width(plan.dtype()) + 7) / 8);
  }
  return {};
}

Status PlanBuilder::check_rules() {
  const IndexRules& rules = params.rules;
  const OutOfBounds rule = rules.out_of_bounds;
  const NegativeIndices negative = rules.negative_indices;
  if (rule > OutOfBounds::kDrop) return reject_enumerator(op, "out_of_bounds", rule, OutOfBounds::kDrop);
  if (negative > NegativeIndices::kOutOfBounds)
    return reject_enumerator(op, "negative_indices", negative, NegativeIndices::kOutOfBounds);
  const bool fills = rule == OutOfBounds::kFill;
  if (fills && plan.is_scatter()) {
    return fail(ErrorCode::kInvalidArgument, {op, "out_of_bounds"},
                "out_of_bounds 'fill' is for gathers; a scatter has 'drop'");
  }
  if (rule == OutOfBounds::kDrop && !plan.is_scatter()) {
    return fail(ErrorCode::kInvalidArgument, {op, "out_of_bounds"},
                "out_of_bounds 'drop' is for scatters; a gather has 'fill'");
  }
  if (!params.fill_value) return {};
  if (!fills) {
    return fail(ErrorCode::kInvalidArgument, {op, "fill_value"}, "fill_value is for out_of_bounds 'fill', not '",
                out_of_bounds_name(rule), "'");
  }
  plan.has_fill_value_ = true;
  return copy_scalar("fill_value", *params.fill_value);
}

Result<std::int64_t> PlanBuilder::take_axis() {
  auto axis = check_axis(op, axis_of(params), "data", plan.data_.shape);
  if (axis) plan.params_.axis = *axis;
  return axis;
}

void PlanBuilder::add_axis(std::int64_t extent, std::int64_t data_axis, std::int64_t index_axis) {
  plan.loop_.push_back({extent, data_axis, plan.position_shape_.rank(), index_axis});
  plan.position_shape_.push_back(extent);
}

Status PlanBuilder::add_elements() {
  STREW_ASSIGN(const std::int64_t axis, take_axis());
  STREW_TRY(check_elements(shapes(), axis));
  const Shape& indices = plan.indices_.shape;
  for (std::int64_t d = 0; d < indices.rank(); ++d) add_axis(indices[d], d == axis ? -1 : d, d);
  plan.indexed_axes_.push_back(axis);
  return {};
}

Status PlanBuilder::add_tuples(std::int64_t batch_dims, std::int64_t shortest_tuple) {
  const Shape& data = plan.data_.shape;
  const Shape& indices = plan.indices_.shape;
  STREW_ASSIGN(const auto& known, tuple_length(shapes(), batch_dims, shortest_tuple));
  const std::int64_t length = *known;
  plan.tuples_ = true;
  for (std::int64_t d = 0; d + 1 < indices.rank(); ++d) add_axis(indices[d], d < batch_dims ? d : -1, d);
  for (std::int64_t c = 0; c < length; ++c) plan.indexed_axes_.push_back(batch_dims + c);
  for (std::int64_t d = batch_dims + length; d < data.rank(); ++d) add_axis(data[d], d, -1);
  return {};
}

Plan::Rows PlanBuilder::small_rows() const noexcept {
  const std::int64_t width = bit_width(plan.dtype()) / 8;
  const bool is_plain = width > 0 && plan.dtype() != DType::kString && !plan.has_fill_value_ && !plan.needs_fold_;
  const Shape& data = plan.data_.shape;
  if (!is_plain || data.rank() > kMaxSmallRank || plan.data_count_ == 0 || plan.position_count_ == 0 ||
      plan.indexed_axes_.empty()) {
    return {};
  }
  Plan::Rows rows{.count = plan.index_count_, .length = 1};
  if (!plan.by_elements()) {
    const std::int64_t last = plan.indexed_axes_[plan.indexed_axes_.rank() - 1];
    for (std::int64_t d = last + 1; d < data.rank(); ++d) rows.length *= data[d];
    // In linear mode, TensorScatter writes consecutive positions along its axis, which form one row.
    const bool linear = plan.op() == OpKind::kTensorScatter && plan.mode() == WriteMode::kLinear;
    if (linear) rows.length *= plan.position_shape_[last];
    rows.count = plan.position_count_ / rows.length;
  }
  const Machine& m = machine();
  const std::int64_t limit = min_parallel_copy_bytes(m);
  if (rows.count > kMaxSmallRows || plan.position_count_ > limit) return {};
  const bool near = plan.data_count_ < prefetch_min_bytes(m) / width;
  const std::int64_t row_bytes = std::max(rows.length * width, near ? 0 : kCacheLineBytes);
  const std::int64_t slow = slow_byte_weight(m);
  const std::int64_t moved = rows.count * row_bytes * (near && plan.reduction() == Reduction::kNone ? 1 : slow);
  const std::int64_t copied = plan.is_scatter() ? plan.data_count_ : 0;
  rows.small_with_copy = copied <= limit && moved + copied * width * (near ? 1 : slow) <= limit;
  return moved <= limit ? rows : Plan::Rows{};
}

Status PlanBuilder::finish() {
  // The output of a scatter has the shape of data, which has already been checked.
  if (!plan.is_scatter()) STREW_TRY(check_operand("output", plan.output(), 0, plan.position_count_));
  plan.rows_ = small_rows();
  return {};
}

}  // namespace strew
