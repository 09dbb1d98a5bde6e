// One element from text, or what would have been one.
#include "parse_element.h"

#include "console.h"
#include "put_element.h"
#include "strew/element.h"

namespace strew::app {
namespace {

// What a value of this kind looks like.
const char* example_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::kBool:
      return "true or false";
    case ValueKind::kInteger:
      return "a whole number that fits";
    case ValueKind::kComplex:
      return "a number as 1.5 or 1-2j";
    default:
      return "a number as 1.5, inf or nan";
  }
}

}  // namespace

Result<Tensor> parse_element(DType dtype, const std::string& text) {
  auto element = Tensor::zeros(dtype, {});
  if (!element || put_element(dtype, element->mutable_data(), 0, text)) return element;
  return fail(ErrorCode::kInvalidArgument, "'{}' is no {}; write {}", text, dtype_name(dtype),
              example_of(value_kind(dtype)));
}

}  // namespace strew::app
