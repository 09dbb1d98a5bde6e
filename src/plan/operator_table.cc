// The table of operators: every version in the ONNX standard, and Strew's extensions.
#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "plan/attributes.h"
#include "strew/operators.h"

namespace strew {
namespace {

// Types in the order in which operator versions added them.
constexpr std::array kTypes = {
    DType::kUInt8,    DType::kUInt16,       DType::kUInt32,         DType::kUInt64,     DType::kInt8,
    DType::kInt16,    DType::kInt32,        DType::kInt64,          DType::kFloat16,    DType::kFloat32,
    DType::kFloat64,  DType::kString,       DType::kBool,           DType::kComplex64,  DType::kComplex128,
    DType::kBFloat16, DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ,
    DType::kUInt4,    DType::kInt4,         DType::kFloat4E2M1,     DType::kFloat8E8M0};
constexpr std::array<std::string_view, 5> kOnnxReductions = {"none", "add", "mul", "max", "min"};

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

constexpr bool is_gather(OpKind op) noexcept { return op < OpKind::kScatterElements; }

struct Row {
  std::string_view op_type;
  std::int64_t since_version;
  OpKind op;
  int types;  // number of types, from the front of kTypes
  std::array<std::string_view, 2> attributes = {};
};
constexpr std::array kVersions = {
    Row{"Gather", 1, OpKind::kGather, 15, {"axis"}},
    Row{"Gather", 11, OpKind::kGather, 15, {"axis"}},
    Row{"Gather", 13, OpKind::kGather, 16, {"axis"}},
    Row{"GatherElements", 11, OpKind::kGatherElements, 15, {"axis"}},
    Row{"GatherElements", 13, OpKind::kGatherElements, 16, {"axis"}},
    Row{"GatherND", 11, OpKind::kGatherND, 15},
    Row{"GatherND", 12, OpKind::kGatherND, 15, {"batch_dims"}},
    Row{"GatherND", 13, OpKind::kGatherND, 16, {"batch_dims"}},
    Row{"Scatter", 9, OpKind::kScatterElements, 15, {"axis"}},
    Row{"Scatter", 11, OpKind::kScatterElements, 15, {"axis"}},
    Row{"ScatterElements", 11, OpKind::kScatterElements, 15, {"axis"}},
    Row{"ScatterElements", 13, OpKind::kScatterElements, 16, {"axis"}},
    Row{"ScatterElements", 16, OpKind::kScatterElements, 16, {"axis", "reduction"}},
    Row{"ScatterElements", 18, OpKind::kScatterElements, 16, {"axis", "reduction"}},
    Row{"ScatterND", 11, OpKind::kScatterND, 15},
    Row{"ScatterND", 13, OpKind::kScatterND, 16},
    Row{"ScatterND", 16, OpKind::kScatterND, 16, {"reduction"}},
    Row{"ScatterND", 18, OpKind::kScatterND, 16, {"reduction"}},
    Row{"TensorScatter", 24, OpKind::kTensorScatter, 24, {"axis", "mode"}},
};

std::vector<InputInfo> make_inputs(OpKind op) {
  if (op == OpKind::kTensorScatter) {
    return {{"past_cache", Role::kData, false, "the cache before the update; the batch is its first axis"},
            {"update", Role::kUpdates, false, "the new part of the sequence"},
            {"write_indices", Role::kIndices, true,
             "the first position of the update in each batch entry; 0 if omitted"}};
  }
  if (is_gather(op)) {
    return {{"data", Role::kData, false, "the tensor to read from"},
            {"indices", Role::kIndices, false, "the positions to read"}};
  }
  return {{"data", Role::kData, false, "the initial value of the output"},
          {"indices", Role::kIndices, false, "the destinations of the updates"},
          {"updates", Role::kUpdates, false, "the values to write or to combine with data"}};
}

AttributeInfo make_attribute(const Row& row, std::string_view name) {
  AttributeInfo info = attribute(name);
  if (name == "axis") info.default_int = default_axis(row.op);
  if (name == "reduction") {
    info.legal_strings.assign(kOnnxReductions.begin(), kOnnxReductions.begin() + (row.since_version < 18 ? 3 : 5));
  }
  return info;
}

std::vector<OperatorVersion> make_table() {
  using enum OpKind;
  std::vector<OperatorVersion> table;
  for (const Row& row : kVersions) {
    OperatorVersion& version = table.emplace_back();
    version.op_type = row.op_type;
    version.since_version = row.since_version;
    version.op = row.op;
    version.deprecated = row.op_type == "Scatter" && row.since_version == 11;
    version.inputs = make_inputs(row.op);
    version.output = row.op == kTensorScatter ? "present_cache" : "output";
    version.types.assign(kTypes.begin(), kTypes.begin() + row.types);
    version.index_types = {DType::kInt32, DType::kInt64};
    if (row.op == kGatherND || row.op == kScatterND || row.op == kTensorScatter)
      version.index_types = {DType::kInt64};
    for (const std::string_view name : row.attributes) {
      if (!name.empty()) version.attributes.push_back(make_attribute(row, name));
    }
  }
  return table;
}

struct Own {
  OpKind kind;
  std::string_view doc;
  std::string_view output_shape;
};
constexpr std::array kOwn = {
    Own{OpKind::kGather, "Slices of data along one axis",
        "data.shape[:axis] + indices.shape + data.shape[axis+1:]"},
    Own{OpKind::kGatherElements, "One element of data for each index, along one axis", "indices.shape"},
    Own{OpKind::kGatherND, "One slice of data for each tuple of indices",
        "indices.shape[:-1] + data.shape[batch_dims+indices.shape[-1]:]"},
    Own{OpKind::kScatterElements, "A copy of data with an update for each index, along one axis",
        "data.shape; updates.shape is indices.shape"},
    Own{OpKind::kScatterND, "A copy of data with a slice of updates for each tuple of indices",
        "data.shape; updates.shape is indices.shape[:-1] + data.shape[indices.shape[-1]:]"},
    Own{OpKind::kTensorScatter, "A cache with a new part of the sequence written into it",
        "past_cache.shape; write_indices.shape is [batch]"},
};

std::vector<AttributeInfo> make_own_attributes(OpKind op) {
  if (op == OpKind::kTensorScatter) return {};
  std::vector<AttributeInfo> own;
  own.push_back(attribute("out_of_bounds"));
  own.back().legal_strings = {"error", "clip", "wrap", is_gather(op) ? "fill" : "drop"};
  if (is_gather(op)) own.push_back(attribute("fill_value"));
  own.push_back(attribute("negative_indices"));
  if (is_gather(op)) return own;
  for (const std::string_view name : {"include_self", "acc_dtype", "alpha"}) own.push_back(attribute(name));
  return own;
}

std::vector<OperatorInfo> make_operators() {
  std::vector<OperatorInfo> operators;
  for (const auto& [kind, doc, output_shape] : kOwn) {
    const OperatorVersion* newest = &operator_versions().front();
    for (const OperatorVersion& version : operator_versions()) {
      if (version.op == kind) newest = &version;  // the last, so ScatterElements and not Scatter
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
    info.own = make_own_attributes(kind);
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

std::span<const OperatorVersion> operator_versions() {
  // The table is never destroyed, since threads may use it at exit.
  static const auto& table = *new std::vector<OperatorVersion>(make_table());
  return table;
}

std::span<const OperatorInfo> operators() {
  static const auto& table = *new std::vector<OperatorInfo>(make_operators());
  return table;
}

const OperatorInfo& operator_info(OpKind op) { return operators()[static_cast<std::size_t>(op)]; }

// Makes the tables at load time. If a thread made them during a fork, the child process would wait forever.
[[maybe_unused]] static const std::size_t operator_count = operators().size();

std::optional<Reduction> onnx_reduction_from_name(std::string_view name) {
  return std::ranges::count(kOnnxReductions, name) != 0 ? reduction_from_name(name) : std::nullopt;
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
    return fail(ErrorCode::kUnsupported, "no operator '", op_type, "'; choose from ", join(names, ", "),
                did_you_mean(op_type, names));
  }
  if (opset > kNewestOpset) {
    return fail(ErrorCode::kUnsupported, "opset ", opset, " is not known; the newest is ", kNewestOpset);
  }
  if (found == nullptr) {
    return fail(ErrorCode::kInvalidModel, op_type, " is not in opset ", opset, "; it was added in opset ",
                first->since_version);
  }
  return found;
}

}  // namespace strew
