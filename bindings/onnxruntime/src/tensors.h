// ONNX Runtime's tensors as Strew's views.
#pragma once

#include <string>
#include <vector>

#include "api.h"
#include "strew/view.h"

namespace strew::ort {

TensorView view_of(const Api& api, const OrtValue* value);

/// The strings of a tensor as copies: ONNX Runtime may have been built with another std::string.
std::vector<std::string> read_strings(const Api& api, const OrtValue* value);
void write_strings(const Api& api, const std::vector<std::string>& strings, OrtValue* value);

}  // namespace strew::ort
