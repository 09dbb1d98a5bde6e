// Torch tensors, read by data_ptr() rather than by DLPack, which ignores the conjugate and negative bits of views,
// reports int4 as int8, has 8-bit floats only in newer versions and takes four times as long.
#include "torch_tensor.h"

#include <bit>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "array_memory.h"
#include "call.h"
#include "device_array.h"

namespace strew::python {
namespace {

bool is_set(nb::handle tensor, const char* flag) { return nb::cast<bool>(tensor.attr(flag)); }
bool says(nb::handle tensor, const char* question) { return nb::cast<bool>(tensor.attr(question)()); }

std::optional<DType> dtype_of_tensor(nb::handle tensor) {
  constexpr std::string_view kPrefix = "torch.";
  const std::string name = text_of(tensor.attr("dtype"));
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::optional<DType> dtype = dtype_from_name(name.substr(kPrefix.size()));
  return dtype && is_packed(*dtype) ? std::nullopt : dtype;
}

[[noreturn]] void refuse(const char* op, const char* name, nb::handle tensor) {
  if (!is_set(tensor, "is_cpu") && !is_set(tensor, "is_cuda")) {
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "lies") + "on device " + text_of(tensor.attr("device")) +
              "; strew works in CPU memory and on CUDA devices");
  }
  const std::string layout = text_of(tensor.attr("layout"));
  if (layout != "torch.strided" || is_set(tensor, "is_nested")) {
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "is") + "a sparse, nested or opaque tensor (layout " + layout +
              "); strew reads dense ones, such as " + name + ".to_dense() gives");
  }
  if (!dtype_of_tensor(tensor)) {
    raise(ErrorCode::kInvalidType, {op, name},
          with_verb(name, "has") + "the type " + text_of(tensor.attr("dtype")) + ", which strew cannot read");
  }
  raise(ErrorCode::kInvalidArgument, {op, name},
        with_verb(name, "has") +
            "no memory of its own (torch is tracing or transforming); use the function of strew.torch");
}

// The tensor whose memory holds the values.
nb::object with_own_values(const char* op, const char* name, nb::handle tensor, Role role) {
  if (is_set(tensor, "requires_grad") && nb::cast<bool>(attribute("torch", "is_grad_enabled")())) {
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "requires") + "a gradient; use the function of strew.torch, or " + name + ".detach()");
  }
  if (!says(tensor, "is_neg") && !says(tensor, "is_conj")) return nb::borrow(tensor);
  if (role == Role::kOutput) {
    raise(ErrorCode::kInvalidArgument, {op, "out"},
          "out is a conjugate or negative view, whose memory holds other values");
  }
  return tensor.attr("resolve_conj")().attr("resolve_neg")();
}

Shape numbers(nb::handle tuple) {
  Shape shape;
  for (nb::handle number : tuple) shape.push_back(nb::cast<std::int64_t>(number));
  return shape;
}

}  // namespace

std::optional<TensorView> view_of_tensor(nb::handle tensor, DType dtype) {
  try {
    const Shape shape = numbers(tensor.attr("shape"));
    const Shape strides = numbers(tensor.attr("stride")());
    const auto address = nb::cast<std::uintptr_t>(tensor.attr("data_ptr")());
    if (address == 0 && nb::cast<std::int64_t>(tensor.attr("numel")()) != 0) return std::nullopt;
    return TensorView(std::bit_cast<const void*>(address), dtype, shape, strides);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

Operand from_tensor(const char* op, const char* name, nb::handle tensor, Role role) {
  const std::optional<DType> dtype = dtype_of_tensor(tensor);
  const bool in_cpu_memory = is_set(tensor, "is_cpu");
  if (!dtype || (!in_cpu_memory && !is_set(tensor, "is_cuda"))) refuse(op, name, tensor);
  nb::object source = with_own_values(op, name, tensor, role);
  const std::optional<TensorView> view = view_of_tensor(source, *dtype);
  if (!view) refuse(op, name, tensor);
  Operand operand{tensor, std::move(source), {*view}, *dtype, TorchTensor()};
  if (!in_cpu_memory) place_tensor(operand);
  return operand;
}

nb::object new_tensor(nb::handle like, const Shape& shape, std::int64_t bytes) {
  const nb::tuple dims = tuple_of(shape);
  const auto empty = [&](nb::handle size) {
    return attribute("torch", "empty")(size, nb::arg("dtype") = like.attr("dtype"), nb::arg("device") = "cpu");
  };
  if (!is_large(bytes)) return empty(dims);
  // The storage of an ndarray, which keeps it alive, under a tensor that is no view. A torch that was built for
  // another NumPy refuses.
  const nb::object memory = new_ndarray(PyArray_DescrFromType(NPY_UINT8), 1, &bytes);
  try {
    const nb::object storage = attribute("torch", "from_numpy")(memory).attr("untyped_storage")();
    nb::object tensor = empty(nb::make_tuple(0));
    tensor.attr("set_")(storage, 0, dims);
    return tensor;
  } catch (const nb::python_error& refused) {
    if (!refused.matches(PyExc_RuntimeError)) throw;
    return empty(dims);
  }
}

void mark_written(nb::handle tensor) {
  if (!says(tensor, "is_inference")) attribute("torch.autograd.graph", "increment_version")(tensor);
}

}  // namespace strew::python
