// The table of operators: every version of the ONNX standard, and Strew's extensions.
#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "plan/attributes.h"
#include "strew/operators.h"

namespace strew {
namespace {

constexpr std::array<std::string_view, kOperatorCount> kOpNames = {
    "gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "tensor_scatter"};

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

AttributeInfo attribute(std::string_view name) {
  const Attribute& row = *find_attribute(name);
  AttributeInfo info{
      .name = row.name, .type = row.type, .doc = row.doc, .needs = row.needs, .words = row.words, .set = row.set};
  if (row.type != AttributeType::kString) {
    info.default_int = row.default_int;
    return info;
  }
  info.legal_strings.assign(row.words.begin(), row.words.end());
  info.default_string = row.words[static_cast<std::size_t>(row.default_int)];
  return info;
}

AttributeInfo attribute(std::string_view name, std::vector<std::string_view> legal) {
  AttributeInfo info = attribute(name);
  info.legal_strings = std::move(legal);
  return info;
}

AttributeInfo last_but_one_axis() {
  AttributeInfo info = attribute("axis");
  info.default_int = default_axis(OpKind::kTensorScatter);
  return info;
}

AttributeInfo reduction_16() { return attribute("reduction", {"none", "add", "mul"}); }
AttributeInfo reduction_18() { return attribute("reduction", {"none", "add", "mul", "max", "min"}); }

std::vector<InputInfo> gather_inputs() {
  return {{"data", Role::kData, false, "the tensor to read from"},
          {"indices", Role::kIndices, false, "the positions to read"}};
}
std::vector<InputInfo> scatter_inputs() {
  return {{"data", Role::kData, false, "the initial value of the output"},
          {"indices", Role::kIndices, false, "the destinations of the updates"},
          {"updates", Role::kUpdates, false, "the values to write or to combine with data"}};
}
std::vector<InputInfo> tensor_scatter_inputs() {
  return {{"past_cache", Role::kData, false, "the cache before this step; the batch is its first axis"},
          {"update", Role::kUpdates, false, "the new part of the sequence"},
          {"write_indices", Role::kIndices, true,
           "the first position of the update in each batch entry; 0 if omitted"}};
}

std::vector<OperatorVersion> make_table() {
  using enum OpKind;
  const auto t15 = types_15();
  const auto t16 = types_16();
  const auto axis = attribute("axis");
  const auto batch_dims = attribute("batch_dims");
  return {
      {"Gather", 1, kGather, false, gather_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"Gather", 11, kGather, false, gather_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"Gather", 13, kGather, false, gather_inputs(), "output", t16, int32_or_int64(), {axis}},
      {"GatherElements", 11, kGatherElements, false, gather_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"GatherElements", 13, kGatherElements, false, gather_inputs(), "output", t16, int32_or_int64(), {axis}},
      {"GatherND", 11, kGatherND, false, gather_inputs(), "output", t15, int64_only(), {}},
      {"GatherND", 12, kGatherND, false, gather_inputs(), "output", t15, int64_only(), {batch_dims}},
      {"GatherND", 13, kGatherND, false, gather_inputs(), "output", t16, int64_only(), {batch_dims}},
      {"Scatter", 9, kScatterElements, false, scatter_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"Scatter", 11, kScatterElements, true, scatter_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"ScatterElements", 11, kScatterElements, false, scatter_inputs(), "output", t15, int32_or_int64(), {axis}},
      {"ScatterElements", 13, kScatterElements, false, scatter_inputs(), "output", t16, int32_or_int64(), {axis}},
      {"ScatterElements",
       16,
       kScatterElements,
       false,
       scatter_inputs(),
       "output",
       t16,
       int32_or_int64(),
       {axis, reduction_16()}},
      {"ScatterElements",
       18,
       kScatterElements,
       false,
       scatter_inputs(),
       "output",
       t16,
       int32_or_int64(),
       {axis, reduction_18()}},
      {"ScatterND", 11, kScatterND, false, scatter_inputs(), "output", t15, int64_only(), {}},
      {"ScatterND", 13, kScatterND, false, scatter_inputs(), "output", t16, int64_only(), {}},
      {"ScatterND", 16, kScatterND, false, scatter_inputs(), "output", t16, int64_only(), {reduction_16()}},
      {"ScatterND", 18, kScatterND, false, scatter_inputs(), "output", t16, int64_only(), {reduction_18()}},
      {"TensorScatter",
       24,
       kTensorScatter,
       false,
       tensor_scatter_inputs(),
       "present_cache",
       types_24(),
       int64_only(),
       {last_but_one_axis(), attribute("mode")}},
  };
}

// Description and parameters of an operator that only Strew's functions have.
struct Own {
  OpKind kind;
  std::string_view doc;
  std::string_view output_shape;
  std::vector<AttributeInfo> attributes;
};

std::vector<Own> make_own() {
  using enum OpKind;
  const auto negative = attribute("negative_indices");
  const std::vector<AttributeInfo> gather = {attribute("out_of_bounds", {"error", "clip", "wrap", "fill"}),
                                             attribute("fill_value"), negative};
  const std::vector<AttributeInfo> scatter = {attribute("out_of_bounds", {"error", "clip", "wrap", "drop"}),
                                              negative, attribute("include_self"), attribute("acc_dtype"),
                                              attribute("alpha")};
  return {{kGather, "Slices of data along one axis", "data.shape[:axis] + indices.shape + data.shape[axis+1:]",
           gather},
          {kGatherElements, "One element of data for each index, along one axis", "indices.shape", gather},
          {kGatherND, "One slice of data for each tuple of indices",
           "indices.shape[:-1] + data.shape[batch_dims+indices.shape[-1]:]", gather},
          {kScatterElements, "A copy of data with an update for each index, along one axis",
           "data.shape; updates.shape is indices.shape", scatter},
          {kScatterND, "A copy of data with a slice of updates for each tuple of indices",
           "data.shape; updates.shape is indices.shape[:-1] + data.shape[indices.shape[-1]:]", scatter},
          {kTensorScatter,
           "A cache with a new part of the sequence written into it",
           "past_cache.shape; write_indices.shape is [batch]",
           {}}};
}

std::vector<OperatorInfo> make_operators() {
  std::vector<OperatorInfo> operators;
  for (const auto& [kind, doc, output_shape, own] : make_own()) {
    const OperatorVersion* newest = &operator_versions().front();
    for (const OperatorVersion& version : operator_versions()) {
      if (version.op == kind) newest = &version;  // Scatter comes before ScatterElements
    }
    OperatorInfo info{.name = op_name(kind),
                      .op_type = newest->op_type,
                      .since_version = newest->since_version,
                      .op = kind,
                      .doc = doc,
                      .output_shape = output_shape};
    info.inputs = newest->inputs;
    info.output = newest->output;
    info.attributes = newest->attributes;
    info.own = own;
    for (AttributeInfo& standard : info.attributes) {
      for (const std::string_view word : find_attribute(standard.name)->words) {
        if (std::ranges::count(standard.legal_strings, word) == 0) standard.legal_strings.push_back(word);
      }
    }
    operators.push_back(std::move(info));
  }
  return operators;
}

}  // namespace

std::string_view op_name(OpKind op) noexcept {
  const auto number = static_cast<std::size_t>(op);
  return number < kOpNames.size() ? kOpNames[number] : "unknown";
}

std::optional<OpKind> op_from_name(std::string_view name) noexcept {
  const auto found = std::ranges::find(kOpNames, name);
  return found == kOpNames.end() ? std::nullopt : std::optional(static_cast<OpKind>(found - kOpNames.begin()));
}

std::span<const OperatorVersion> operator_versions() {
  // Never destroyed, since threads may use it at exit.
  static const auto& table = *new std::vector<OperatorVersion>(make_table());
  return table;
}

std::span<const OperatorInfo> operators() {
  static const auto& table = *new std::vector<OperatorInfo>(make_operators());
  return table;
}

const OperatorInfo& operator_info(OpKind op) { return operators()[static_cast<std::size_t>(op)]; }

// Initialised at load time, since a forked child would wait forever for another thread's initialisation.
[[maybe_unused]] static const std::size_t operator_count = operators().size();

std::optional<Reduction> onnx_reduction_from_name(std::string_view name) {
  const auto legal = reduction_18().legal_strings;
  return std::ranges::count(legal, name) != 0 ? reduction_from_name(name) : std::nullopt;
}

Result<const OperatorVersion*> find_operator(std::string_view op_type, std::int64_t opset) {
  const OperatorVersion* first = nullptr;
  const OperatorVersion* found = nullptr;
  std::vector<std::string_view> names;
  for (const OperatorVersion& version : operator_versions()) {
    if (names.empty() || names.back() != version.op_type) names.push_back(version.op_type);
    if (version.op_type != op_type) continue;
    if (first == nullptr) first = &version;
    if (version.since_version <= opset) found = &version;
  }
  if (first == nullptr) {
    std::string all;
    for (const std::string_view name : names) all += concat(all.empty() ? "" : ", ", name);
    return fail(ErrorCode::kUnsupported, "no operator '", op_type, "'; there are ", all,
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
