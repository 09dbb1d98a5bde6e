// The ONNX view of the operators: every version, what it accepts, and shape inference for one node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"

STREW_API_BEGIN
namespace strew {

/// The newest opset of the default ONNX domain whose operators are known.
inline constexpr std::int64_t kNewestOpset = 28;
/// The newest `ir_version` of a model file that is accepted.
inline constexpr std::int64_t kNewestIrVersion = 14;

/// What an input is in a plan and in Operands. For TensorScatter past_cache is data and update updates.
enum class Role : std::uint8_t { kData, kIndices, kUpdates };

/// One input of an operator.
struct InputInfo {
  std::string_view name;  ///< "data", "indices", "updates", ...
  Role role = Role::kData;
  bool optional = false;
  std::string_view doc = {};  ///< one line
  /// Its type is one of `index_types`, else one of `types` and that of input 0.
  bool is_index() const noexcept { return role == Role::kIndices; }
};

/// What the value of an attribute is.
enum class AttributeType : std::uint8_t {
  kInt,
  kString,   ///< a word of `legal_strings`
  kBool,     ///< not ONNX's: 0 or 1
  kElement,  ///< not ONNX's: one element of the type of data, which may be left out
};

/// An attribute, or a parameter of Strew's that ONNX has no word for.
struct AttributeInfo {
  std::string_view name;
  AttributeType type = AttributeType::kInt;
  std::int64_t default_int = 0;
  std::string_view default_string = {};
  std::vector<std::string_view> legal_strings = {};  ///< for strings
  std::string_view doc = {};                         ///< one line
  std::string_view needs = {};                       ///< another one, without which it means nothing
  std::span<const std::string_view> words = {};      ///< for strings: those of all operators, by their numbers
  /// Sets an integer, 0 or 1, or the number of a word in `words`; does nothing for an element.
  void (*set)(CallParams& params, std::int64_t value) = nullptr;
  bool is_string() const noexcept { return type == AttributeType::kString; }
};

/// One version of one operator, as the ONNX standard lists it.
struct OperatorVersion {
  std::string_view op_type;  ///< "ScatterND"
  std::int64_t since_version = 1;
  OpKind op = OpKind::kGather;  ///< Scatter is a ScatterElements without reductions
  bool deprecated = false;
  std::vector<InputInfo> inputs;
  std::string_view output;  ///< the output's name
  std::vector<DType> types;
  std::vector<DType> index_types;
  std::vector<AttributeInfo> attributes;
};

/// One operator as Strew's functions have it: any version, any type, and what goes beyond ONNX.
struct OperatorInfo {
  std::string_view name;           ///< "scatter_nd"
  std::string_view op_type;        ///< "ScatterND"
  std::int64_t since_version = 1;  ///< of the newest version
  OpKind op = OpKind::kGather;
  std::string_view doc = {};  ///< one line
  std::vector<InputInfo> inputs = {};
  std::string_view output = {};
  std::vector<AttributeInfo> attributes =
      {};                               ///< of the newest version; strings with Strew's own values behind ONNX's
  std::vector<AttributeInfo> own = {};  ///< those that ONNX has no word for
};

/// All operators, by their OpKind.
std::span<const OperatorInfo> operators();
const OperatorInfo& operator_info(OpKind op);

/// All versions, by operator and then by version.
std::span<const OperatorVersion> operator_versions();

/// The version that a model importing `opset` uses: the largest since_version <= opset.
/// kUnsupported for another operator, kInvalidModel where the operator is not in that opset yet.
[[nodiscard]] Result<const OperatorVersion*> find_operator(std::string_view op_type, std::int64_t opset);

/// The reduction that some version of an operator has by this name; nothing for any other text, also where
/// `reduction_from_name` knows it: no model has that.
std::optional<Reduction> onnx_reduction_from_name(std::string_view name);

/// Sets a parameter of the operator `params.op` by its name, one of `attributes` or `own`: an integer, a word, an
/// element. kInvalidArgument for a name or a word that the operator does not have, and for a value of another
/// type.
[[nodiscard]] Status set_attribute(CallParams& params, std::string_view name, std::int64_t value);
[[nodiscard]] Status set_attribute(CallParams& params, std::string_view name, std::string_view word);
[[nodiscard]] Status set_attribute(CallParams& params, std::string_view name, const TensorView& element);

/// The plan of a call, and its operands, from inputs in the operator's order: nullptr where one is left out.
[[nodiscard]] Result<Plan> make_plan(const CallParams& params, std::span<const TensorSpec* const> inputs);
Operands operands_of(OpKind op, std::span<const TensorView* const> inputs);
/// The input that has this role; as many as there are inputs where none has it.
std::size_t input_of(OpKind op, Role role);

}  // namespace strew
STREW_API_END
