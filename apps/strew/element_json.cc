// Elements as JSON.
#include "element_json.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "strew/element.h"

namespace strew::app {
namespace {

// A number with the fewest digits that identify it.
nlohmann::ordered_json real_json(DType dtype, const void* data, std::int64_t i) {
  const std::string text = element_text(dtype, data, i);
  if (!std::isfinite(to_double(dtype, data, i))) return text;
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace

nlohmann::ordered_json element_json(DType dtype, const void* data, std::int64_t i) {
  switch (value_kind(dtype)) {
    case ValueKind::kString:
      return static_cast<const std::string*>(data)[i];
    case ValueKind::kBool:
      return element_bits(dtype, data, i) != 0;
    case ValueKind::kReal:
      return real_json(dtype, data, i);
    case ValueKind::kInteger:
      return nlohmann::ordered_json::parse(element_text(dtype, data, i));
    case ValueKind::kComplex: {
      const DType part = dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
      return nlohmann::ordered_json::array({real_json(part, data, 2 * i), real_json(part, data, 2 * i + 1)});
    }
  }
  return nullptr;
}

}  // namespace strew::app
