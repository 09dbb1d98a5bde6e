// Properties of a node that ONNX Runtime passes to its kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api.h"
#include "node.h"

namespace strew::ort {

std::string operator_type(const Api& api, const OrtKernelInfo* info);
std::string input_name(const Api& api, const OrtKernelInfo* info, std::size_t input);
std::string output_name(const Api& api, const OrtKernelInfo* info, std::size_t output);
std::string node_name(const Api& api, const OrtKernelInfo* info);
/// Returns the value of an input that is the same in every run; nullptr for any other input.
const OrtValue* constant_input(const Api& api, const OrtKernelInfo* info, std::size_t input);
/// Returns the type of an input, empty if unknown.
ValueType input_type(const Api& api, const OrtKernelInfo* info, std::size_t input);
std::size_t input_count(const Api& api, const OrtKernelInfo* info);
std::optional<std::int64_t> int_attribute(const Api& api, const OrtKernelInfo* info, const char* name);
std::optional<std::string> string_attribute(const Api& api, const OrtKernelInfo* info, const char* name);

}  // namespace strew::ort
