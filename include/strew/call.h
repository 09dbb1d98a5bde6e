// A call as a value: which operator, its attributes, and how its index values are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "strew/export.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

enum class OpKind : std::uint8_t {
  kGather,
  kGatherElements,
  kGatherND,
  kScatterElements,
  kScatterND,
  kTensorScatter,
};

/// "gather", "scatter_nd", ...: the name that messages start with; and back (nothing for any other text).
std::string_view op_name(OpKind op) noexcept;
std::optional<OpKind> op_from_name(std::string_view name) noexcept;

/// How an update meets the value that is there. ONNX `reduction` up to kMin; models have no others.
enum class Reduction : std::uint8_t {
  kNone,
  kAdd,
  kMul,
  kMax,
  kMin,
  kSub,  ///< value - update: of numbers
  kDiv,  ///< value / update: of floats and complex numbers
  kAnd,  ///< bit by bit: of integers and bool, as kOr and kXor
  kOr,
  kXor,
  kMean,  ///< the sum, then one division by the number of its terms: of numbers
};

/// "none", "add", "mul", "max", "min", "sub", "div", "and", "or", "xor", "mean"; and back (nothing for any other
/// text).
std::string_view reduction_name(Reduction reduction) noexcept;
std::optional<Reduction> reduction_from_name(std::string_view name) noexcept;

/// Whether TensorScatter goes on at position 0 after the last one. ONNX `mode`.
enum class WriteMode : std::uint8_t { kLinear, kCircular };

/// "linear", "circular"; and back.
std::string_view write_mode_name(WriteMode mode) noexcept;
std::optional<WriteMode> write_mode_from_name(std::string_view name) noexcept;

/// What an index value outside its axis stands for. ONNX knows kError alone.
enum class OutOfBounds : std::uint8_t {
  kError,  ///< nothing: the call is refused
  kClip,   ///< the position next to it: the first or the last
  kWrap,   ///< the position modulo the length of the axis, as Python's %
  kFill,   ///< gathers: what is chosen by it becomes `fill_value`
  kDrop,   ///< scatters: its update is left out; for a tuple, if any component is outside
};

/// "error", "clip", "wrap", "fill", "drop"; and back.
std::string_view out_of_bounds_name(OutOfBounds rule) noexcept;
std::optional<OutOfBounds> out_of_bounds_from_name(std::string_view name) noexcept;

/// Whether a negative index value counts from the end of its axis, as ONNX has it, or is out of bounds.
enum class NegativeIndices : std::uint8_t { kFromEnd, kOutOfBounds };

/// "from_end", "out_of_bounds"; and back.
std::string_view negative_indices_name(NegativeIndices rule) noexcept;
std::optional<NegativeIndices> negative_indices_from_name(std::string_view name) noexcept;

/// How index values are read. The defaults are ONNX's. On an axis without positions kClip and kWrap refuse every
/// index value, as kError does.
struct IndexRules {
  OutOfBounds out_of_bounds = OutOfBounds::kError;
  NegativeIndices negative_indices = NegativeIndices::kFromEnd;
  bool operator==(const IndexRules&) const = default;
};

/// In which type a reduction is computed.
enum class AccDType : std::uint8_t {
  kData,     ///< that of data, rounded at each step, as ONNX has it
  kFloat32,  ///< data, updates and alpha are made float32, and the result is rounded once: for floats of 8 and 16
             ///< bits, which these are but for float8_e8m0fnu
};

/// "data", "float32"; and back.
std::string_view acc_dtype_name(AccDType acc_dtype) noexcept;
std::optional<AccDType> acc_dtype_from_name(std::string_view name) noexcept;

/// The parameters of a call of any operator: ONNX's attributes by their names, and what ONNX has no word for. One
/// that the operator does not have must keep its default. `strew/operators.h` lists them, and sets them by name.
/// In code they are written with their names: `scatter_nd(x, i, u, {.reduction = Reduction::kAdd})`.
struct CallParams {
  /// Set by the functions that have the operator's name.
  OpKind op = OpKind::kGather;
  /// 0: everything that Strew has. Else by the rules of this version of the operator alone: its types, attributes
  /// and reductions, and nothing that ONNX has no word for. Between two versions the older one counts.
  std::int64_t version = 0;
  /// Left out, it is the operator's default: -2 for TensorScatter, else 0.
  std::optional<std::int64_t> axis = std::nullopt;
  std::int64_t batch_dims = 0;
  Reduction reduction = Reduction::kNone;
  WriteMode mode = WriteMode::kLinear;
  IndexRules rules = {};
  /// Of scatters: where it is false, a reduction begins with the first update of an element instead of its value
  /// in data; elements that no update reaches keep theirs.
  bool include_self = true;
  AccDType acc_dtype = AccDType::kData;
  /// One element of the type of data, for OutOfBounds::kFill; left out, it is zero or the empty string. A plan
  /// holds a copy of `fill_value` and `alpha`.
  std::optional<TensorView> fill_value = std::nullopt;
  /// One element of the type of data by which updates of a reduction are multiplied first, each product rounded.
  std::optional<TensorView> alpha = std::nullopt;

  CallParams with_op(OpKind other) const {
    CallParams same = *this;
    same.op = other;
    return same;
  }
};

}  // namespace strew
STREW_API_END
