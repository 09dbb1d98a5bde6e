// Parameters of a call: the operator, its attributes, and how its index values are interpreted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "strew/export.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

namespace detail {
// The names of each enumeration's enumerators, in order.
inline constexpr std::array<std::string_view, 6> kOpNames = {
    "gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "tensor_scatter"};
inline constexpr std::array<std::string_view, 11> kReductionNames = {"none", "add", "mul", "max", "min", "sub",
                                                                     "div",  "and", "or",  "xor", "mean"};
inline constexpr std::array<std::string_view, 2> kWriteModeNames = {"linear", "circular"};
inline constexpr std::array<std::string_view, 5> kOutOfBoundsNames = {"error", "clip", "wrap", "fill", "drop"};
inline constexpr std::array<std::string_view, 2> kNegativeIndicesNames = {"from_end", "out_of_bounds"};
inline constexpr std::array<std::string_view, 2> kAccDTypeNames = {"data", "float32"};

template <class Enum, std::size_t N>
constexpr std::string_view name_of(const std::array<std::string_view, N>& names, Enum value) noexcept {
  const auto number = static_cast<std::size_t>(value);
  return number < N ? names[number] : "unknown";
}

template <class Enum, std::size_t N>
constexpr std::optional<Enum> parse_name(const std::array<std::string_view, N>& names,
                                         std::string_view text) noexcept {
  for (std::size_t number = 0; number < N; ++number) {
    if (names[number] == text) return static_cast<Enum>(number);
  }
  return std::nullopt;
}
}  // namespace detail

enum class OpKind : std::uint8_t {
  kGather,
  kGatherElements,
  kGatherND,
  kScatterElements,
  kScatterND,
  kTensorScatter,
};
inline constexpr std::size_t kOperatorCount = detail::kOpNames.size();  ///< the number of enumerators

/// The operator's name, such as "gather", in messages and interfaces. The inverse returns nullopt for other texts.
constexpr std::string_view op_name(OpKind op) noexcept { return detail::name_of(detail::kOpNames, op); }
constexpr std::optional<OpKind> op_from_name(std::string_view name) noexcept {
  return detail::parse_name<OpKind>(detail::kOpNames, name);
}

/// How an update is combined with the current value. ONNX's `reduction` has kNone to kMin.
enum class Reduction : std::uint8_t {
  kNone,
  kAdd,
  kMul,
  kMax,
  kMin,
  kSub,  ///< value - update; for numbers
  kDiv,  ///< value / update; for floats and complex numbers
  kAnd,  ///< bitwise; kAnd, kOr and kXor are for integers and bool
  kOr,
  kXor,
  kMean,  ///< sum divided once by the number of terms; for numbers
};

/// "none", "add", ... "mean", in the order of enumerators; the inverse returns nullopt for any other text.
constexpr std::string_view reduction_name(Reduction reduction) noexcept {
  return detail::name_of(detail::kReductionNames, reduction);
}
constexpr std::optional<Reduction> reduction_from_name(std::string_view name) noexcept {
  return detail::parse_name<Reduction>(detail::kReductionNames, name);
}

/// Whether TensorScatter continues at position 0 after the last position: ONNX's attribute `mode`.
enum class WriteMode : std::uint8_t { kLinear, kCircular };

/// "linear", "circular"; the inverse returns nullopt for any other text.
constexpr std::string_view write_mode_name(WriteMode mode) noexcept {
  return detail::name_of(detail::kWriteModeNames, mode);
}
constexpr std::optional<WriteMode> write_mode_from_name(std::string_view name) noexcept {
  return detail::parse_name<WriteMode>(detail::kWriteModeNames, name);
}

/// Meaning of an index value outside its axis. ONNX has kError only.
enum class OutOfBounds : std::uint8_t {
  kError,  ///< the call is rejected
  kClip,   ///< the nearest position: the first or the last
  kWrap,   ///< the value modulo the length of the axis, as Python's % computes it
  kFill,   ///< gathers: the output elements of this index value become `fill_value`
  kDrop,   ///< scatters: the update is dropped, even if only one component of its tuple is outside
};

/// "error", "clip", "wrap", "fill", "drop"; the inverse returns nullopt for any other text.
constexpr std::string_view out_of_bounds_name(OutOfBounds rule) noexcept {
  return detail::name_of(detail::kOutOfBoundsNames, rule);
}
constexpr std::optional<OutOfBounds> out_of_bounds_from_name(std::string_view name) noexcept {
  return detail::parse_name<OutOfBounds>(detail::kOutOfBoundsNames, name);
}

/// Whether a negative index value counts from the end of its axis, as in ONNX, or is out of bounds.
enum class NegativeIndices : std::uint8_t { kFromEnd, kOutOfBounds };

/// "from_end", "out_of_bounds"; the inverse returns nullopt for any other text.
constexpr std::string_view negative_indices_name(NegativeIndices rule) noexcept {
  return detail::name_of(detail::kNegativeIndicesNames, rule);
}
constexpr std::optional<NegativeIndices> negative_indices_from_name(std::string_view name) noexcept {
  return detail::parse_name<NegativeIndices>(detail::kNegativeIndicesNames, name);
}

/// How index values are interpreted, by default as in ONNX. On an axis of length 0, kClip and kWrap reject every
/// value.
struct IndexRules {
  OutOfBounds out_of_bounds = OutOfBounds::kError;
  NegativeIndices negative_indices = NegativeIndices::kFromEnd;
  bool operator==(const IndexRules&) const = default;
};

/// The type in which a reduction is computed.
enum class AccDType : std::uint8_t {
  kData,     ///< the type of data, rounded at each step, as in ONNX
  kFloat32,  ///< data, updates and alpha are converted to float32, and the result is rounded once; for floats of 8
             ///< and 16 bits except float8_e8m0fnu
};

/// "data", "float32"; the inverse returns nullopt for any other text.
constexpr std::string_view acc_dtype_name(AccDType acc_dtype) noexcept {
  return detail::name_of(detail::kAccDTypeNames, acc_dtype);
}
constexpr std::optional<AccDType> acc_dtype_from_name(std::string_view name) noexcept {
  return detail::parse_name<AccDType>(detail::kAccDTypeNames, name);
}

/// Parameters of a call of any operator: ONNX's attributes, and extensions. A parameter that the operator does not
/// have must keep its default (see `operators()`). Example: `scatter_nd(x, i, u, {.reduction = Reduction::kAdd})`.
struct CallParams {
  /// Set by the functions named after operators.
  OpKind op = OpKind::kGather;
  /// Version of the ONNX operator. The call may use only the version's types, attributes and reductions, and none
  /// of Strew's extensions. A number between two versions selects the older one. 0: no restrictions.
  std::int64_t version = 0;
  /// nullopt: the operator's default, which is -2 for TensorScatter and 0 otherwise.
  std::optional<std::int64_t> axis = std::nullopt;
  std::int64_t batch_dims = 0;
  Reduction reduction = Reduction::kNone;
  WriteMode mode = WriteMode::kLinear;
  IndexRules rules = {};
  /// Scatters: if false, the reduction of an element starts with its first update instead of its value in data.
  /// Elements without an update keep their value.
  bool include_self = true;
  AccDType acc_dtype = AccDType::kData;
  /// One element of the type of data, for kFill; nullopt: zero or "". Plans copy `fill_value` and `alpha`.
  std::optional<TensorView> fill_value = std::nullopt;
  /// One element of the type of data. A reduction first multiplies each update by `alpha` and rounds the product.
  std::optional<TensorView> alpha = std::nullopt;

  CallParams with_op(OpKind other) const {
    CallParams same = *this;
    same.op = other;
    return same;
  }

  /// True if the operators and all parameters except `fill_value` and `alpha` are equal.
  bool equals_without_elements(const CallParams& other) const noexcept {
    return op == other.op && version == other.version && axis == other.axis && batch_dims == other.batch_dims &&
           reduction == other.reduction && mode == other.mode && rules == other.rules &&
           include_self == other.include_self && acc_dtype == other.acc_dtype;
  }
};

}  // namespace strew
STREW_API_END
