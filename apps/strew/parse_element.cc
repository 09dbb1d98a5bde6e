// Parses elements and arrays. Lists are JSON, in which NaN and infinity are strings.
#include "parse_element.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "console.h"
#include "strew/element.h"

namespace strew::app {
namespace {

// Returns an example of a value of this kind, for a message.
const char* example_of(ValueKind kind) {
  if (kind == ValueKind::kBool) return "true or false";
  if (kind == ValueKind::kInteger) return "a whole number that fits";
  return kind == ValueKind::kComplex ? "a number such as 1.5 or 1-2j" : "a number such as 1.5, inf or nan";
}

using Items = nlohmann::ordered_json;

// Adds the elements of a list to `elements` in row-major order. `shape` has the length of the first list at each
// depth.
Status flatten(const Items& item, std::size_t depth, std::vector<std::int64_t>& shape,
               std::vector<const Items*>& elements) {
  const bool is_first = elements.empty() && depth == shape.size();
  if (is_first && item.is_array()) {
    if (depth == static_cast<std::size_t>(kMaxRank))
      return fail(ErrorCode::kUnsupported, "lists are nested more than {} levels deep", kMaxRank);
    shape.push_back(static_cast<std::int64_t>(item.size()));
  }
  const bool is_inner = depth < shape.size();
  if (is_inner != item.is_array() || (is_inner && static_cast<std::int64_t>(item.size()) != shape[depth])) {
    return fail(ErrorCode::kInvalidArgument, "{} does not fit the first one, which is {}",
                item.is_array() ? fmt::format("a list of {}", item.size()) : one_line(item.dump(), 40),
                is_inner ? fmt::format("a list of {}", shape[depth]) : "not a list");
  }
  if (!is_inner) elements.push_back(&item);
  for (std::size_t i = 0; is_inner && i < item.size(); ++i) {
    STREW_TRY(flatten(item[i], depth + 1, shape, elements));
  }
  return {};
}

// Returns the type of a list. The JSON parser turns an integer of more than 64 bits into a float, which counts as
// an integer unless the text has a point or an exponent.
DType usual_dtype(const std::vector<const Items*>& elements, bool has_point) {
  DType dtype = elements.empty() ? DType::kInt64 : DType::kBool;
  bool has_text = false, has_number = false;
  for (const Items* element : elements) {
    if (element->is_string()) {
      if (!parse_element(DType::kFloat32, element->get<std::string>())) return DType::kString;
      has_text = true;
      continue;
    }
    has_number = true;
    if (element->is_number_float() && has_point) dtype = DType::kFloat32;
    if (!element->is_boolean() && dtype == DType::kBool) dtype = DType::kInt64;
  }
  if (has_text) return has_number ? DType::kFloat32 : DType::kString;  // "nan" beside numbers
  return dtype;
}

}  // namespace

Result<Tensor> parse_element(DType dtype, const std::string& text) {
  auto element = Tensor::zeros(dtype, {});
  if (!element || put_element(dtype, element->mutable_data(), 0, text)) return element;
  return fail(ErrorCode::kInvalidArgument, "'{}' is not a value of {}; write {}", text, dtype_name(dtype),
              example_of(value_kind(dtype)));
}

bool is_literal(const std::string& text) { return text.starts_with('['); }

Result<Tensor> parse_literal(const std::string& text, std::optional<DType> dtype) {
  Items items;
  try {
    items = Items::parse(text);
  } catch (const Items::parse_error& error) {
    if (error.byte > text.size()) return fail(ErrorCode::kInvalidArgument, "the list has no closing ]");
    return fail(ErrorCode::kInvalidArgument,
                "the list is invalid from '{}' on; write, for example, [[3], [0]] or [\"nan\", 1.5]; a file name "
                "that begins with [ needs ./ before it",
                one_line(text.substr(text.find_last_of("[, ", error.byte - 2) + 1), 20));
  } catch (const Items::out_of_range&) {
    return fail(ErrorCode::kInvalidArgument, "a number is too large for float64");
  }
  std::vector<std::int64_t> shape;
  std::vector<const Items*> elements;
  STREW_TRY(flatten(items, 0, shape, elements));
  const DType type = dtype.value_or(usual_dtype(elements, text.find_first_of(".eE") != text.npos));
  auto tensor = Tensor::zeros(type, Shape(shape));
  if (!tensor) return tensor;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string element = elements[i]->is_string() ? elements[i]->get<std::string>() : elements[i]->dump();
    if (!put_element(type, tensor->mutable_data(), static_cast<std::int64_t>(i), element))
      return fail(parse_element(type, element).error());
  }
  return tensor;
}

}  // namespace strew::app
