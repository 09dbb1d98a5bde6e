// Drawing a call instead of running it.
#include "picture.h"

#include <string_view>
#include <utility>

#include "call.h"
#include "model_tensors.h"
#include "strew/element.h"
#include "strew/picture.h"
#include "wanted.h"

namespace strew::python {
namespace {

constexpr std::int64_t kMostListed = 1024;  // elements; more would take longer than the picture

OpKind kind_of(std::string_view op) noexcept {
  auto kind = OpKind::kGather;
  while (op_name(kind) != op) kind = static_cast<OpKind>(static_cast<int>(kind) + 1);
  return kind;
}

nb::str text(std::string_view words) { return nb::str(words.data(), words.size()); }

// A dense tensor with the elements as the library has them.
Tensor tensor_of(const Operand& operand) {
  return operand.is_moved_type() ? to_tensor(operand, "surrogatepass") : unwrap(Tensor::copy_of(operand.view));
}

nb::tuple described(const char* name, const Operand& operand) {
  const Tensor tensor = tensor_of(operand);
  nb::list shape;
  for (const std::int64_t dim : tensor.shape()) shape.append(dim);
  nb::list elements;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (tensor.dtype() == DType::kString) {
      const std::string& string = tensor.values<std::string>()[static_cast<std::size_t>(i)];
      elements.append(nb::bytes(string.data(), string.size()));
    } else {
      elements.append(text(element_text(tensor.dtype(), tensor.data(), i)));
    }
  }
  return nb::make_tuple(name, text(dtype_name(tensor.dtype())), shape, elements);
}

// Lists the operands by ONNX's names and in its order.
void describe(OpKind kind, const DrawnOperands& operands, nb::list& list) {
  std::int64_t count = element_count(operands.data.shape());
  if (operands.indices != nullptr) count += element_count(operands.indices->shape());
  if (operands.updates != nullptr) count += element_count(operands.updates->shape());
  if (count > kMostListed) return;
  const bool cache = kind == OpKind::kTensorScatter;
  list.append(described(cache ? "past_cache" : "data", operands.data));
  if (cache) list.append(described("update", *operands.updates));
  if (operands.indices != nullptr) list.append(described(cache ? "write_indices" : "indices", *operands.indices));
  if (!cache && operands.updates != nullptr) list.append(described("updates", *operands.updates));
}

// A view for the library, and the tensor that it looks at where NumPy holds the elements in another form.
struct Seen {
  explicit Seen(const Operand& operand) : view(operand.view) {
    if (!operand.is_moved_type()) return;
    tensor = to_tensor(operand, "surrogatepass");
    view = tensor.view();
  }
  Tensor tensor;
  TensorView view;
};

}  // namespace

void draw_call(const char* op, const Result<Plan>& plan, const DrawnOperands& given, CallPicture& picture) {
  const OpKind kind = kind_of(op);
  const Seen data(given.data);
  Operands operands{data.view};
  std::optional<Seen> indices;
  std::optional<Seen> updates;
  std::optional<Seen> fill;
  if (given.indices != nullptr) operands.indices = indices.emplace(*given.indices).view;
  if (given.updates != nullptr) operands.updates = updates.emplace(*given.updates).view;
  if (given.fill != nullptr && given.fill->operand) operands.fill_value = fill.emplace(*given.fill->operand).view;
  if (given.alpha != nullptr) operands.alpha = given.alpha->view;

  if (!plan) {
    picture.error = plan.error().message;
  } else if (const auto arrows = trace(*plan, operands, 0); !arrows) {
    picture.error = arrows.error().message;
  }
  const bool release = is_long(element_count(data.view.shape()));
  picture.svg = without_lock(release, [&] { return draw(kind, plan, operands, {picture.title}); });
  describe(kind, given, picture.operands);
}

nb::tuple picture_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes,
                       const nb::str& title) {
  CallPicture picture{title.c_str()};
  call_for({.picture = &picture}, function, arguments, attributes);
  const nb::object error = picture.error ? nb::object(text(*picture.error)) : nb::none();
  return nb::make_tuple(text(picture.svg), error, picture.operands);
}

}  // namespace strew::python
