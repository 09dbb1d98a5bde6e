// strew make: writes an array to try the other commands with.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench_operands.h"
#include "commands.h"
#include "format.h"
#include "parse_element.h"
#include "session.h"
#include "tensor_argument.h"

namespace strew::app {
namespace {

constexpr int kBitsOfByte = 8;

Result<Tensor> filled_tensor(const std::string& spec_text, const std::string& fill) {
  STREW_ASSIGN(const auto& spec, parse_spec(spec_text, "make"));
  const auto element = parse_element(spec.dtype, fill);
  if (!element) return fail(element.error().code, "--fill: {}", element.error().text);
  const Shape& shape = spec.shape;
  if (bit_width(spec.dtype) >= kBitsOfByte) {
    Shape strides;
    for (std::int64_t axis = 0; axis < shape.rank(); ++axis) strides.push_back(0);
    return Tensor::copy_of(TensorView(element->data(), spec.dtype, shape, strides));
  }
  auto packed = Tensor::zeros(spec.dtype, shape);
  for (std::int64_t i = 0; packed && i < packed->element_count(); ++i)
    put_element(spec.dtype, packed->mutable_data(), i, fill);
  return packed;
}

}  // namespace

Result<int> run_command(const MakeOptions& options) {
  STREW_TRY(check_output(options.output, options.json));
  const bool literal = is_literal(options.what);
  if (literal && options.fill)
    return fail(ErrorCode::kInvalidArgument, "make: a list already has values; leave out --fill");
  STREW_ASSIGN(const auto& tensor, literal ? load_input(options.what, std::nullopt)
                                           : filled_tensor(options.what, options.fill.value_or("0")));
  if (Status saved = save_output(options.output, tensor, "made"); !saved)
    return report_unwritten(saved.error(), options.output, options.json);
  if (options.json) {
    print_json(tensor_json({"made", &tensor, options.output}, false, true));
    return kSuccess;
  }
  const std::string row = columns_text({tensor_columns(options.output, tensor, false)});
  fmt::print(options.output == kStream ? stderr : stdout, "{}{}\n", row, to_string(tensor));
  return kSuccess;
}

}  // namespace strew::app
