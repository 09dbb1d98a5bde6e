// Draws a call instead of running it.
#include "strew/picture.h"

#include <optional>
#include <string>
#include <utility>

#include "call.h"
#include "model_tensors.h"
#include "operator_call.h"
#include "strew/element.h"

namespace strew::python {
namespace {

constexpr std::int64_t kMaxListed = 1024;  // listing more elements would take longer than drawing the picture

// An operand's view for the library, or a view of a converted tensor if NumPy stores elements in a different form.
struct Seen {
  Seen(const Operand& operand, const Unchanged& all) : view(operand.view(all)) {
    if (!operand.is_moved_type()) return;
    tensor = to_tensor(operand, all, "surrogatepass");
    view = tensor.view();
  }
  Tensor tensor;
  TensorView view;
};

nb::tuple described(const char* name, const Operand& operand, const Unchanged& all) {
  const Tensor tensor = unwrap(Tensor::copy_of(Seen(operand, all).view));
  nb::list shape;
  for (const std::int64_t dim : tensor.shape()) shape.append(dim);
  nb::list elements;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (tensor.dtype() == DType::kString) {
      const std::string& string = tensor.values<std::string>()[static_cast<std::size_t>(i)];
      elements.append(nb::bytes(string.data(), string.size()));
    } else {
      elements.append(str_of(element_text(tensor.dtype(), tensor.data(), i)));
    }
  }
  return nb::make_tuple(name, str_of(dtype_name(tensor.dtype())), shape, elements);
}

// Lists the operands with ONNX's names, in ONNX's order.
nb::list described(const CallOperands& given, const Unchanged& all) {
  nb::list list;
  std::int64_t count = 0;
  auto operands = given.named();
  if (given.function.op == OpKind::kTensorScatter) std::swap(operands[1], operands[2]);
  for (const NamedOperand& one : operands) count += one.operand ? element_count(one.operand->shape()) : 0;
  if (count > kMaxListed) return list;
  for (const NamedOperand& one : operands) {
    if (one.operand != nullptr) list.append(described(one.name, *one.operand, all));
  }
  return list;
}

void check_drawable(const CallOperands& given) {
  if (given.on_device()) {
    raise(ErrorCode::kUnsupported, {given.op()},
          "a picture shows elements in CPU memory; copy the arrays there first");
  }
  if (given.data.is_opaque) {
    raise(ErrorCode::kInvalidType, {given.op()},
          "a picture shows elements of ONNX's types; data is " + describe_type(given.data));
  }
}

}  // namespace

nb::tuple picture_call(nb::handle callable, const nb::tuple& positional, const nb::dict& attributes,
                       const nb::str& title) {
  const OperatorFunction& function = find_operator_function(callable);
  const Arguments arguments = bind_arguments(function, positional, attributes);
  const CallParams params = read_params(function, arguments);
  const CallOperands given = read_operands(function, arguments, params, Role::kRead);
  check_drawable(given);
  const Unchanged all = all_unchanged(given);
  const Seen data(given.data, all);
  Operands operands{data.view};
  std::optional<Seen> indices;
  std::optional<Seen> updates;
  std::optional<Seen> fill;
  if (given.indices) operands.indices = indices.emplace(*given.indices, all).view;
  if (given.updates) operands.updates = updates.emplace(*given.updates, all).view;
  if (given.fill.operand) fill.emplace(*given.fill.operand, all);

  const Result<Plan> plan =
      plan_with(params, given, SeenAs::kElements, fill ? std::optional(fill->view) : std::nullopt);
  nb::object error = nb::none();
  if (!plan) {
    error = str_of(plan.error().message());
  } else if (const auto arrows = trace(*plan, operands, 0); !arrows) {
    error = str_of(arrows.error().message());
  }
  const bool release = is_long(element_count(data.view.shape()));
  const std::string svg =
      without_lock(release, [&] { return draw(function.op, plan, operands, {title.c_str()}); });
  return nb::make_tuple(str_of(svg), error, described(given, all));
}

}  // namespace strew::python
