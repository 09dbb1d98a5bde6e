#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bridge.h"
#include "parse_element.h"
#include "strew/dtype.h"
#include "strew/element.h"

namespace strew::page {
namespace {

tl::unexpected<Error> refuse(ErrorCode code, std::string_view operand, const std::string& text) {
  Error error(code, std::string(operand) + text);
  error.details().subject.operand = operand;
  return tl::unexpected<Error>(std::move(error));
}

tl::unexpected<Error> refuse_element(std::string_view name, const Tensor& tensor, std::int64_t i,
                                     const std::string& text) {
  Shape position = tensor.shape();
  for (std::int64_t axis = position.rank(); axis-- > 0; i /= tensor.shape()[axis]) {
    position[axis] = i % tensor.shape()[axis];
  }
  auto failure = refuse(ErrorCode::kInvalidType, name,
                        (position.empty() ? "" : to_string(position)) + ": '" + one_line(text, 40) +
                            "' is not a value of " + std::string(dtype_name(tensor.dtype())));
  failure.value().details().position = std::move(position);
  failure.value().details().value = text;
  return failure;
}

}  // namespace

Result<Tensor> tensor_from_json(std::string_view name, const Json& json) {
  const auto dtype = dtype_from_name(json.at("dtype").get<std::string>());
  if (!dtype) {
    return refuse(ErrorCode::kInvalidType, name,
                  ": no type is named '" + json.at("dtype").get<std::string>() + "'");
  }
  const auto dims = json.at("shape").get<std::vector<std::int64_t>>();
  const auto& values = json.at("values");
  const Shape shape(dims);
  auto tensor = Tensor::zeros(*dtype, shape);
  if (!tensor) return tensor;
  if (element_count(shape) != static_cast<std::int64_t>(values.size())) {
    return refuse(ErrorCode::kInvalidArgument, name,
                  ": " + std::to_string(values.size()) + " values for shape " + to_string(shape));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const auto text = values[i].get<std::string>();
    if (!app::put_element(*dtype, tensor->mutable_data(), at, text))
      return refuse_element(name, *tensor, at, text);
  }
  return tensor;
}

Json tensor_to_json(const Tensor& tensor, std::int64_t most) {
  Json json = {{"dtype", dtype_name(tensor.dtype())}, {"shape", Json::array()}, {"values", nullptr}};
  for (const std::int64_t dim : tensor.shape()) json["shape"].push_back(dim);
  const std::int64_t count = element_count(tensor.shape());
  if (count > most) return json;
  json["values"] = Json::array();
  for (std::int64_t i = 0; i < count; ++i) {
    json["values"].push_back(tensor.dtype() == DType::kString ? static_cast<const std::string*>(tensor.data())[i]
                                                              : element_text(tensor.dtype(), tensor.data(), i));
  }
  return json;
}

}  // namespace strew::page
