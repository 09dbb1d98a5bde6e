#include "session.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "format.h"
#include "report_json.h"

namespace strew::app {
namespace {

// Returns the elements along `axis` and later axes, from `offset` on, as nested lists.
Json values_json(const Tensor& tensor, std::int64_t axis, std::int64_t offset, const Shape& strides) {
  if (axis == tensor.shape().rank()) return element_json(tensor.dtype(), tensor.data(), offset);
  Json list = Json::array();
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    list.push_back(values_json(tensor, axis + 1, offset + i * strides[axis], strides));
  }
  return list;
}

}  // namespace

Result<Threads> make_threads(std::optional<int> count) {
  if (!count) return Threads{nullptr, &default_executor()};
  if (*count == 1) return Threads{nullptr, &serial_executor()};
  auto pool = make_thread_pool(*count);
  if (!pool) return fail(pool.error().code, "--threads: {}", pool.error().message());
  Executor* executor = pool->get();
  return Threads{std::move(*pool), executor};
}

Result<FileArgument> parse_file_argument(const std::string& text, const std::string& option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return fail(ErrorCode::kInvalidArgument, "{} {}: write NAME=FILE", option, text);
  }
  FileArgument argument{text.substr(0, equals), std::nullopt, text.substr(equals + 1)};
  const std::size_t colon = argument.name.rfind(':');
  if (colon == std::string::npos || colon == 0) return argument;
  argument.dtype = dtype_from_name(argument.name.substr(colon + 1));
  if (argument.dtype) argument.name.resize(colon);
  return argument;
}

Result<DType> find_dtype(const std::string& name, const std::string& option) {
  if (const auto dtype = dtype_from_name(name)) return *dtype;
  std::vector<std::string_view> names;
  for (int number = kDTypeMin; number <= kDTypeMax; ++number)
    names.push_back(dtype_name(static_cast<DType>(number)));
  return fail(ErrorCode::kInvalidArgument, "{}: no element type '{}'{}", option, name, choices_text(name, names));
}

std::int64_t content_bytes(const Tensor& tensor) {
  if (tensor.dtype() != DType::kString) return tensor.size_bytes();
  std::size_t bytes = 0;
  for (const std::string& text : tensor.values<std::string>()) bytes += text.size();
  return static_cast<std::int64_t>(bytes);
}

std::vector<std::string> tensor_columns(const std::string& name, const Tensor& tensor, bool hash) {
  std::vector<std::string> columns = {name,
                                      fmt::format("{} {}", dtype_name(tensor.dtype()), to_string(tensor.shape())),
                                      size_text(content_bytes(tensor))};
  if (hash) columns.push_back("hash " + content_hash(tensor));
  return columns;
}

Json tensor_json(const ShownTensor& shown, bool hash, bool values) {
  const Tensor& tensor = *shown.tensor;
  Json json = {{"name", shown.name},
               {"dtype", dtype_name(tensor.dtype())},
               {"shape", std::vector<std::int64_t>(tensor.shape().begin(), tensor.shape().end())},
               {"bytes", content_bytes(tensor)}};
  if (!shown.file.empty()) json["file"] = shown.file;
  if (hash) json["hash"] = content_hash(tensor);
  constexpr std::int64_t kShownElements = 64;
  // Not for tensors without elements: the shape [1000000, 0] would have a million empty lists.
  if (values && tensor.element_count() > 0 && tensor.element_count() <= kShownElements) {
    json["values"] = values_json(tensor, 0, 0, dense_strides(tensor.shape()));
  }
  return json;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void add_speed_json(Json& object, const SessionOptions& options, int thread_count, std::int64_t bytes,
                    double seconds) {
  object["threads"] = thread_count;
  object["repeat"] = options.repeat;
  object["seconds"] = seconds;
  object["bytes"] = bytes;
  object["gigabytes_per_second"] = seconds > 0 ? static_cast<double>(bytes) / seconds * 1e-9 : 0;
}

}  // namespace strew::app
