#include <algorithm>

#include "facts.h"
#include "kernel.h"
#include "strew/operators.h"

namespace strew::ort {
namespace {

// Returns the text that `read(info, before..., buffer, &size)` writes; nullopt if the call fails.
template <class Read, class... Before>
std::optional<std::string> read_text(const Api& api, const OrtKernelInfo* info, Read read, Before... before) {
  std::size_t size = 0;
  if (OrtStatus* status = read(info, before..., nullptr, &size)) {
    api.ort.ReleaseStatus(status);
    return std::nullopt;
  }
  std::string text(size, '\0');
  check(read(info, before..., text.data(), &size));
  return text.substr(0, text.find('\0'));
}

std::string operator_type(const Api& api, const OrtKernelInfo* info) {
  return read_text(api, info, api.ort.KernelInfo_GetOperatorType).value_or("");
}

[[noreturn]] void refuse(const Api& api, const OrtKernelInfo* info, const std::string& what) {
  const std::string node = read_text(api, info, api.ort.KernelInfo_GetNodeName).value_or("");
  throw Refusal{ORT_INVALID_ARGUMENT, operator_type(api, info) + " node '" + node + "': " + what};
}

// Returns a list such as "none, add, mul, max or min".
std::string list(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += word == words.back() ? " or " : ", ";
    text += word;
  }
  return text;
}

bool same(const Shape& shape, std::span<const std::int64_t> dims) { return std::ranges::equal(shape, dims); }

bool same(const TensorSpec& spec, const Tensor& tensor) {
  return spec.dtype == tensor.dtype && same(spec.shape, tensor.dims);
}

}  // namespace

std::string input_name(const Api& api, const OrtKernelInfo* info, std::size_t input) {
  return read_text(api, info, api.ort.KernelInfo_GetInputName, input).value_or("");
}

std::string output_name(const Api& api, const OrtKernelInfo* info, std::size_t output) {
  return read_text(api, info, api.ort.KernelInfo_GetOutputName, output).value_or("");
}

const OrtValue* constant_input(const Api& api, const OrtKernelInfo* info, std::size_t input) {
  int is_constant = 0;
  const OrtValue* value = nullptr;
  check(api.ort.KernelInfoGetConstantInput_tensor(info, input, &is_constant, &value));
  return is_constant == 0 ? nullptr : value;
}

ValueType input_type(const Api& api, const OrtKernelInfo* info, std::size_t input) {
  OrtTypeInfo* type = nullptr;
  if (OrtStatus* status = api.ort.KernelInfo_GetInputTypeInfo(info, input, &type)) {
    api.ort.ReleaseStatus(status);
    return {};
  }
  const Owned<OrtTypeInfo> owned(type, api.ort.ReleaseTypeInfo);
  return read_type(api, type);
}

std::size_t input_count(const Api& api, const OrtKernelInfo* info) {
  return fetch<std::size_t>(api.ort.KernelInfo_GetInputCount, info);
}

std::optional<std::int64_t> int_attribute(const Api& api, const OrtKernelInfo* info, const char* name) {
  std::int64_t value = 0;
  OrtStatus* status = api.ort.KernelInfoGetAttribute_int64(info, name, &value);
  if (status == nullptr) return value;
  api.ort.ReleaseStatus(status);
  return std::nullopt;
}

std::optional<std::string> string_attribute(const Api& api, const OrtKernelInfo* info, const char* name) {
  return read_text(api, info, api.ort.KernelInfoGetAttribute_string, name);
}

CallParams read_params(const Api& api, const OrtKernelInfo* info) {
  const auto op = find_operator(operator_type(api, info), kNewestOpset);
  if (!op) refuse(api, info, op.error().message());
  CallParams params{.op = (*op)->op};
  for (const AttributeInfo& attribute : (*op)->attributes) {
    const std::string name(attribute.name);
    if (!attribute.is_string()) {
      if (const auto value = int_attribute(api, info, name.c_str())) (void)set_attribute(params, name, *value);
      continue;
    }
    const std::optional<std::string> word = string_attribute(api, info, name.c_str());
    if (!word) continue;
    if (std::ranges::count(attribute.legal_strings, *word) == 0) {
      refuse(api, info, name + " is '" + *word + "'; it must be " + list(attribute.legal_strings));
    }
    (void)set_attribute(params, name, *word);
  }
  return params;
}

Result<Plan> make_plan(const CallParams& params, const Inputs& inputs) {
  const TensorSpec first = inputs.first.spec();
  const TensorSpec second = inputs.second.spec();
  const std::optional<TensorSpec> third = inputs.third ? std::optional(inputs.third->spec()) : std::nullopt;
  const TensorSpec* const specs[] = {&first, &second, third ? &*third : nullptr};
  return strew::make_plan(params, specs);
}

bool fits(const Plan& plan, const Inputs& inputs) {
  if (!same(plan.data(), inputs.first)) return false;
  if (plan.op() == OpKind::kTensorScatter) {
    return same(plan.position_shape(), inputs.second.dims) && plan.has_indices() == inputs.third.has_value() &&
           (!inputs.third || same(plan.indices(), *inputs.third));
  }
  return same(plan.indices(), inputs.second) && (!inputs.third || same(plan.position_shape(), inputs.third->dims));
}

Operands operands_of(const Plan& plan, const Inputs& inputs, std::int64_t repeated_index_axes) {
  Operands operands{inputs.first.view()};
  if (plan.op() == OpKind::kTensorScatter) {
    operands.updates.emplace(inputs.second.view());
    if (inputs.third) operands.indices.emplace(inputs.third->view());
    return operands;
  }
  operands.indices.emplace(without_repetition(inputs.second, repeated_index_axes));
  if (inputs.third) operands.updates.emplace(inputs.third->view());
  return operands;
}

DenseOperands addresses_of(const Plan& plan, const Inputs& inputs) {
  const void* third = inputs.third ? inputs.third->data : nullptr;
  if (plan.op() == OpKind::kTensorScatter) return {inputs.first.data, third, inputs.second.data};
  return {inputs.first.data, inputs.second.data, third};
}

}  // namespace strew::ort
