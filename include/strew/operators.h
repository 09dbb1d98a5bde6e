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

STREW_API_BEGIN
namespace strew {

/// The newest opset of the default ONNX domain whose operators are known.
inline constexpr std::int64_t kNewestOpset = 28;
/// The newest `ir_version` of a model file that is accepted.
inline constexpr std::int64_t kNewestIrVersion = 14;

/// One input of an operator version.
struct InputInfo {
  std::string_view name;  ///< "data", "indices", "updates", ...
  bool optional = false;
  bool is_index = false;  ///< its type is one of `index_types`, else one of `types` and that of input 0
};

/// An attribute of an operator version: `axis`, `batch_dims` (int) or `reduction`, `mode` (string).
struct AttributeInfo {
  std::string_view name;
  bool is_string = false;
  std::int64_t default_int = 0;
  std::string_view default_string;
  std::vector<std::string_view> legal_strings;  ///< for strings
};

/// One version of one operator, as the ONNX standard lists it.
struct OperatorVersion {
  std::string_view op_type;  ///< "ScatterND"
  std::int64_t since_version = 1;
  bool deprecated = false;
  std::vector<InputInfo> inputs;
  std::string_view output;  ///< the output's name
  std::vector<DType> types;
  std::vector<DType> index_types;
  std::vector<AttributeInfo> attributes;
};

/// All versions, by operator and then by version.
std::span<const OperatorVersion> operator_versions();

/// The version that a model importing `opset` uses: the largest since_version <= opset.
/// kUnsupported for another operator, kInvalidModel where the operator is not in that opset yet.
Result<const OperatorVersion*> find_operator(std::string_view op_type, std::int64_t opset);

/// The reduction that some version of an operator has by this name; nothing for any other text, also where
/// `reduction_from_name` knows it: no model has that.
std::optional<Reduction> model_reduction_from_name(std::string_view name);

}  // namespace strew
STREW_API_END
