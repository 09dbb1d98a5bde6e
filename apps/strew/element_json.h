// Elements of tensors for JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "strew/dtype.h"

namespace strew::app {

/// Element `i` for JSON: a number, a boolean, a string, or [real, imaginary]; "nan", "inf" and "-inf" are strings.
nlohmann::ordered_json element_json(DType dtype, const void* data, std::int64_t i);

}  // namespace strew::app
