// The operators as ONNX and Strew define them: every version with its inputs, types and attributes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"

STREW_API_BEGIN
namespace strew {

/// The newest known opset of the default ONNX domain.
inline constexpr std::int64_t kNewestOpset = 28;
/// The newest accepted `ir_version` of a model file.
inline constexpr std::int64_t kNewestIrVersion = 14;

/// The role of an input in a plan and in Operands. TensorScatter's past_cache is kData, and its update kUpdates.
enum class Role : std::uint8_t { kData, kIndices, kUpdates };

struct InputInfo {
  std::string_view name;  ///< "data", "indices", "updates", ...
  Role role = Role::kData;
  bool optional = false;
  std::string_view doc = {};  ///< one line
  /// True: the input has one of OperatorVersion::index_types. False: it has the type of input 0, one of `types`.
  bool is_index() const noexcept { return role == Role::kIndices; }
};

enum class AttributeType : std::uint8_t {
  kInt,
  kString,   ///< one of `legal_strings`
  kBool,     ///< 0 or 1; not in ONNX
  kElement,  ///< one optional element of the type of data; not in ONNX
};

/// An attribute of ONNX, or a parameter that only Strew has.
struct AttributeInfo {
  std::string_view name;
  AttributeType type = AttributeType::kInt;
  std::int64_t default_int = 0;
  std::string_view default_string = {};
  std::vector<std::string_view> legal_strings = {};  ///< for strings: the accepted values
  std::string_view doc = {};                         ///< one line
  std::string_view needs = {};                   ///< the attribute without which this one has no effect, if any
  std::span<const std::string_view> words = {};  ///< for strings: the names of all enumerators, in order
  /// `value`: an integer, 0 or 1 for kBool, or a position in `words` for kString. Does nothing for kElement.
  void (*set)(CallParams& params, std::int64_t value) = nullptr;
  bool is_string() const noexcept { return type == AttributeType::kString; }
};

/// One version of one operator, as defined by the ONNX standard.
struct OperatorVersion {
  std::string_view op_type;  ///< "ScatterND"
  std::int64_t since_version = 1;
  OpKind op = OpKind::kGather;  ///< kScatterElements for ScatterElements and Scatter
  bool deprecated = false;
  std::vector<InputInfo> inputs;
  std::string_view output;  ///< the output's name
  std::vector<DType> types;
  std::vector<DType> index_types;
  std::vector<AttributeInfo> attributes;
};

/// One operator as a function of Strew, with Strew's extensions to ONNX.
struct OperatorInfo {
  std::string_view name;           ///< "scatter_nd"
  std::string_view op_type;        ///< "ScatterND"
  std::int64_t since_version = 1;  ///< of the newest version
  OpKind op = OpKind::kGather;
  std::string_view doc = {};           ///< one line
  std::string_view output_shape = {};  ///< Python expressions for the shapes of the output and of operands
  std::vector<InputInfo> inputs = {};
  std::string_view output = {};
  std::vector<AttributeInfo> attributes = {};  ///< of the newest version; Strew's own string values follow ONNX's
  std::vector<AttributeInfo> own = {};         ///< parameters that only Strew has
};

/// All operators, in the order of OpKind.
std::span<const OperatorInfo> operators();
const OperatorInfo& operator_info(OpKind op);

/// All versions, by operator and then by version.
std::span<const OperatorVersion> operator_versions();

/// Returns the version that a model importing `opset` uses: the largest since_version <= opset. Errors:
/// kUnsupported for an unknown operator, kInvalidModel if that opset does not have the operator yet.
[[nodiscard]] Result<const OperatorVersion*> find_operator(std::string_view op_type, std::int64_t opset);

/// Returns ONNX's reduction with this name; nullopt for any other text, including Strew's own reductions.
std::optional<Reduction> onnx_reduction_from_name(std::string_view name);

/// Sets the parameter `name`, one of the `attributes` or `own` parameters of the operator `params.op`. Returns
/// kInvalidArgument for a name or string that the operator does not have, and for a value of the wrong type.
[[nodiscard]] Status set_attribute(CallParams& params, std::string_view name, std::int64_t value);
[[nodiscard]] Status set_attribute(CallParams& params, std::string_view name, std::string_view word);
[[nodiscard]] Status set_attribute(CallParams& params, std::string_view name, const TensorView& element);

/// Returns the plan or the operands of a call. Inputs are in the operator's order; absent inputs are nullptr.
[[nodiscard]] Result<Plan> make_plan(const CallParams& params, std::span<const TensorSpec* const> inputs);
Operands operands_of(OpKind op, std::span<const TensorView* const> inputs);
/// Returns the position of the input with this role, or the number of inputs if there is none.
std::size_t input_of(OpKind op, Role role);

}  // namespace strew
STREW_API_END
