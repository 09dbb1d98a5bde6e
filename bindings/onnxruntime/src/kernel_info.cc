#include "kernel_info.h"

namespace strew::ort {
namespace {

// Returns the text that `get(info, before..., buffer, &size)` writes, where size includes the final zero; nullopt
// if the call fails.
template <class Get, class... Before>
std::optional<std::string> read_text(const Api& api, const OrtKernelInfo* info, Get get, Before... before) {
  std::size_t size = 0;
  if (OrtStatus* status = get(info, before..., nullptr, &size)) {
    api.ort.ReleaseStatus(status);
    return std::nullopt;
  }
  std::string text(size, '\0');
  check(get(info, before..., text.data(), &size));
  return text.substr(0, text.find('\0'));
}

}  // namespace

std::string operator_type(const Api& api, const OrtKernelInfo* info) {
  return read_text(api, info, api.ort.KernelInfo_GetOperatorType).value_or("");
}

std::string input_name(const Api& api, const OrtKernelInfo* info, std::size_t input) {
  return read_text(api, info, api.ort.KernelInfo_GetInputName, input).value_or("");
}

std::string output_name(const Api& api, const OrtKernelInfo* info, std::size_t output) {
  return read_text(api, info, api.ort.KernelInfo_GetOutputName, output).value_or("");
}

std::string node_name(const Api& api, const OrtKernelInfo* info) {
  return read_text(api, info, api.ort.KernelInfo_GetNodeName).value_or("");
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
  std::size_t count = 0;
  check(api.ort.KernelInfo_GetInputCount(info, &count));
  return count;
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

}  // namespace strew::ort
