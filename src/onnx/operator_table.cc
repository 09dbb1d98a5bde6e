// Every version of every operator of the family, as the ONNX standard lists it. No checking here.
#include <algorithm>

#include "core/error.h"
#include "strew/operators.h"

namespace strew {
namespace {

std::vector<DType> types_15() {
  return {DType::kUInt8,   DType::kUInt16, DType::kUInt32, DType::kUInt64,    DType::kInt8,
          DType::kInt16,   DType::kInt32,  DType::kInt64,  DType::kFloat16,   DType::kFloat32,
          DType::kFloat64, DType::kString, DType::kBool,   DType::kComplex64, DType::kComplex128};
}

std::vector<DType> types_16() {
  auto types = types_15();
  types.push_back(DType::kBFloat16);
  return types;
}

std::vector<DType> types_24() {
  auto types = types_16();
  types.insert(types.end(),
               {DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ,
                DType::kUInt4, DType::kInt4, DType::kFloat4E2M1, DType::kFloat8E8M0});
  return types;
}

std::vector<DType> int32_or_int64() { return {DType::kInt32, DType::kInt64}; }
std::vector<DType> int64_only() { return {DType::kInt64}; }

AttributeInfo int_attribute(std::string_view name, std::int64_t value) { return {name, false, value, {}, {}}; }

AttributeInfo string_attribute(std::string_view name, std::vector<std::string_view> legal) {
  const std::string_view first = legal.front();  // the default comes first
  return {name, true, 0, first, std::move(legal)};
}

AttributeInfo reduction_16() { return string_attribute("reduction", {"none", "add", "mul"}); }
AttributeInfo reduction_18() { return string_attribute("reduction", {"none", "add", "mul", "max", "min"}); }

std::vector<InputInfo> gather_inputs() { return {{"data", false, false}, {"indices", false, true}}; }
std::vector<InputInfo> scatter_inputs() {
  return {{"data", false, false}, {"indices", false, true}, {"updates", false, false}};
}
std::vector<InputInfo> tensor_scatter_inputs() {
  return {{"past_cache", false, false}, {"update", false, false}, {"write_indices", true, true}};
}

std::vector<OperatorVersion> make_table() {
  const auto t15 = types_15();
  const auto t16 = types_16();
  const auto axis = int_attribute("axis", 0);
  const auto batch_dims = int_attribute("batch_dims", 0);
  return {
      {"Gather", 1, false, gather_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"Gather", 11, false, gather_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"Gather", 13, false, gather_inputs(), "output", t16, int32_or_int64(), {axis}},
      {"GatherElements", 11, false, gather_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"GatherElements", 13, false, gather_inputs(), "output", t16, int32_or_int64(), {axis}},
      {"GatherND", 11, false, gather_inputs(), "output", t15, int64_only(), {}},
      {"GatherND", 12, false, gather_inputs(), "output", t15, int64_only(), {batch_dims}},
      {"GatherND", 13, false, gather_inputs(), "output", t16, int64_only(), {batch_dims}},
      {"Scatter", 9, false, scatter_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"Scatter", 11, true, scatter_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"ScatterElements", 11, false, scatter_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"ScatterElements", 13, false, scatter_inputs(), "output", t16, int32_or_int64(), {axis}},
      {"ScatterElements", 16, false, scatter_inputs(), "output", t16, int32_or_int64(), {axis, reduction_16()}},
      {"ScatterElements", 18, false, scatter_inputs(), "output", t16, int32_or_int64(), {axis, reduction_18()}},
      {"ScatterND", 11, false, scatter_inputs(), "output", t15, int64_only(), {}},
      {"ScatterND", 13, false, scatter_inputs(), "output", t16, int64_only(), {}},
      {"ScatterND", 16, false, scatter_inputs(), "output", t16, int64_only(), {reduction_16()}},
      {"ScatterND", 18, false, scatter_inputs(), "output", t16, int64_only(), {reduction_18()}},
      {"TensorScatter",
       24,
       false,
       tensor_scatter_inputs(),
       "present_cache",
       types_24(),
       int64_only(),
       {int_attribute("axis", -2), string_attribute("mode", {"linear", "circular"})}},
  };
}

}  // namespace

std::span<const OperatorVersion> operator_versions() {
  // Never destroyed: threads may still call at exit.
  static const auto& table = *new std::vector<OperatorVersion>(make_table());
  return table;
}

// While the program is loaded: a child of a fork would wait for ever for another thread that was making it.
[[maybe_unused]] static const std::size_t made = operator_versions().size();

std::optional<Reduction> model_reduction_from_name(std::string_view name) {
  const auto legal = reduction_18().legal_strings;
  return std::ranges::count(legal, name) != 0 ? reduction_from_name(name) : std::nullopt;
}

Result<const OperatorVersion*> find_operator(std::string_view op_type, std::int64_t opset) {
  const OperatorVersion* first = nullptr;
  const OperatorVersion* found = nullptr;
  std::vector<std::string_view> names;
  for (const OperatorVersion& version : operator_versions()) {
    names.push_back(version.op_type);
    if (version.op_type != op_type) continue;
    if (first == nullptr) first = &version;
    if (version.since_version <= opset) found = &version;
  }
  if (first == nullptr) {
    return fail(ErrorCode::kUnsupported, op_type, " is not one of the gather and scatter operators",
                did_you_mean(op_type, names));
  }
  if (opset > kNewestOpset) {
    return fail(ErrorCode::kUnsupported, "opset ", opset, " is not known; the newest is ", kNewestOpset);
  }
  if (found == nullptr) {
    return fail(ErrorCode::kInvalidModel, op_type, " is not in opset ", opset, "; it came with opset ",
                first->since_version);
  }
  return found;
}

}  // namespace strew
