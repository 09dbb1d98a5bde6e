// Returns versions and types of Constant and Identity, and reads the value of a Constant.
#include <array>
#include <span>
#include <utility>

#include "core/error.h"
#include "onnx/graph.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

struct ConstantForm {
  std::string_view name;
  AttributeKind kind;
  std::int64_t first_opset;
};

constexpr std::array<ConstantForm, 8> kForms = {{{"value", AttributeKind::kTensor, 1},
                                                 {"sparse_value", AttributeKind::kSparseTensor, 11},
                                                 {"value_float", AttributeKind::kFloat, 12},
                                                 {"value_floats", AttributeKind::kFloats, 12},
                                                 {"value_int", AttributeKind::kInt, 12},
                                                 {"value_ints", AttributeKind::kInts, 12},
                                                 {"value_string", AttributeKind::kString, 12},
                                                 {"value_strings", AttributeKind::kStrings, 12}}};

template <class T>
Result<Tensor> make_vector(const std::vector<T>& values) {
  return Tensor::of(std::span<const T>(values), {static_cast<std::int64_t>(values.size())});
}

template <class T>
Result<Tensor> make_scalar(const T& value) {
  return Tensor::of(std::span<const T>(&value, 1), {});
}

Result<Tensor> take_tensor(Result<NamedTensor> decoded) {
  if (!decoded) return fail(std::move(decoded).error());
  return std::move(decoded->tensor);
}

Result<Tensor> read_value(const AttributeProto& attribute, AttributeKind kind, const TensorSource& source) {
  if (kind == AttributeKind::kTensor) return take_tensor(decode_tensor(attribute.t, source));
  if (kind == AttributeKind::kFloat) return make_scalar(attribute.f);
  if (kind == AttributeKind::kFloats) return make_vector(attribute.floats);
  if (kind == AttributeKind::kInt) return make_scalar(attribute.i);
  if (kind == AttributeKind::kInts) return make_vector(attribute.ints);
  if (kind == AttributeKind::kString) return make_scalar(attribute.s);
  return make_vector(attribute.strings);
}

// Returns the form of an attribute. Adds an error and returns nullptr if this opset has no such form.
const ConstantForm* find_form(const AttributeProto& attribute, std::int64_t opset, std::vector<Error>& errors) {
  for (const ConstantForm& form : kForms) {
    if (form.name != attribute.name) continue;
    if (form.first_opset <= opset) return &form;
    errors.push_back(
        {ErrorCode::kInvalidModel, concat("Unrecognized attribute: ", attribute.name, " for Constant-",
                                          plain_since_version("Constant", opset), "; ", attribute.name,
                                          " came with opset ", form.first_opset)});
    return nullptr;
  }
  errors.push_back({ErrorCode::kInvalidModel, concat("Unrecognized attribute: ", attribute.name, " for Constant-",
                                                     plain_since_version("Constant", opset))});
  return nullptr;
}

}  // namespace

std::int64_t plain_since_version(std::string_view op_type, std::int64_t opset) noexcept {
  static constexpr std::array<std::int64_t, 10> kConstant = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25};
  static constexpr std::array<std::int64_t, 9> kIdentity = {1, 13, 14, 16, 19, 21, 23, 24, 25};
  const auto versions = op_type == "Constant" ? std::span<const std::int64_t>(kConstant) : std::span(kIdentity);
  std::int64_t found = 0;
  for (std::int64_t version : versions) {
    if (version <= opset) found = version;
  }
  return found;
}

std::int64_t plain_first_opset(DType dtype) noexcept { return dtype_info(dtype).first_opset; }

Result<std::optional<Tensor>> read_constant(const NodeProto& node, std::int64_t opset, std::int64_t ir_version,
                                            const TensorSource& source, std::vector<Error>& errors) {
  const auto reject = [&](std::string message) {
    errors.push_back({ErrorCode::kInvalidModel, std::move(message)});
    return std::nullopt;
  };
  if (node.attributes.size() != 1) {
    return reject(concat("it has ", node.attributes.size(), " attributes; a Constant must have one, its value"));
  }
  const AttributeProto& attribute = node.attributes.front();
  const ConstantForm* form = find_form(attribute, opset, errors);
  if (form == nullptr) return std::nullopt;
  const AttributeKind kind = attribute_kind(attribute, ir_version, errors);
  if (kind == AttributeKind::kUndefined) return std::nullopt;
  if (kind != form->kind) {
    return reject(concat("attribute ", attribute.name, " is ", attribute_kind_name(kind), "; it must be ",
                         attribute_kind_name(form->kind)));
  }
  if (kind == AttributeKind::kSparseTensor) return std::nullopt;
  STREW_ASSIGN(auto&& value, read_value(attribute, kind, source));
  return std::move(value);
}

}  // namespace strew
