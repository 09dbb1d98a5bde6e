#include "support/compare.h"

#include <cstdio>
#include <string>

#include "reference/element.h"

namespace strew::support {
namespace {

std::string text_of(const reference::Element& element, DType dtype) {
  if (dtype == DType::kString) return testing::PrintToString(element.text);
  std::string text = "0x";
  for (int byte = (bit_width(dtype) + 7) / 8 - 1; byte >= 0; --byte) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x",
                  static_cast<unsigned>(element.bytes[static_cast<std::size_t>(byte)]));
    text += digits;
  }
  return text;
}

}  // namespace

testing::AssertionResult same_bits(const TensorView& expected, const TensorView& actual) {
  if (expected.dtype() != actual.dtype()) {
    return testing::AssertionFailure() << "type is " << dtype_name(actual.dtype()) << ", expected "
                                       << dtype_name(expected.dtype());
  }
  if (expected.shape() != actual.shape()) {
    return testing::AssertionFailure() << "shape is " << to_string(actual.shape()) << ", expected "
                                       << to_string(expected.shape());
  }
  std::string first;
  std::int64_t differences = 0;
  reference::for_each_coordinate(expected.shape(), [&](const Shape& at) {
    const reference::Element want = reference::read(expected, at);
    const reference::Element got = reference::read(actual, at);
    if (want == got || differences++ > 0) return;
    first = "element " + to_string(at) + " is " + text_of(got, expected.dtype()) + ", expected " +
            text_of(want, expected.dtype());
  });
  if (differences == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << dtype_name(expected.dtype()) << ' ' << to_string(expected.shape()) << ": "
                                     << first << " (" << differences << " elements differ)";
}

}  // namespace strew::support
