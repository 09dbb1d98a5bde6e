// Reads torch tensors. Reads types and flags from attributes, since DLPack ignores the conjugate and negative bits
// of views, reports int4 as int8 and supports 8-bit floats only in newer versions.
#include <array>
#include <bit>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "call.h"
#include "operand.h"
#include "operator_call.h"

namespace strew::python {
namespace {

// Returns an attribute by its interned name: nanobind's `attr` would make and hash a str.
nb::object get(nb::handle tensor, nb::handle name) {
  return steal_or_throw(PyObject_GetAttr(tensor.ptr(), name.ptr()));
}

// Calls a method with at most one argument. `keyword` is a tuple with the argument's name.
nb::object call(nb::handle tensor, nb::handle name, nb::handle argument = {}, PyObject* keyword = nullptr) {
  constexpr std::size_t kArguments = 1 | PY_VECTORCALL_ARGUMENTS_OFFSET;
  std::array<PyObject*, 3> arguments{nullptr, tensor.ptr(), argument.ptr()};
  return steal_or_throw(PyObject_VectorcallMethod(name.ptr(), arguments.data() + 1, kArguments, keyword));
}

// Names of tensors' attributes, interned once.
struct Names {
  PyObject *dtype = interned("dtype"), *is_cpu = interned("is_cpu"), *is_cuda = interned("is_cuda"),
           *requires_grad = interned("requires_grad"), *is_neg = interned("is_neg"),
           *is_conj = interned("is_conj"), *shape = interned("shape"), *stride = interned("stride"),
           *data_ptr = interned("data_ptr"), *numel = interned("numel"), *new_empty = interned("new_empty"),
           *exchange_api = interned("__dlpack_c_exchange_api__"), *size = PyTuple_Pack(1, interned("size"));
};
const Names& names() {
  static const Names& instance = *new Names;
  return instance;
}

bool is_set(nb::handle tensor, PyObject* flag) { return nb::cast<bool>(get(tensor, flag)); }
bool says(nb::handle tensor, PyObject* question) { return nb::cast<bool>(call(tensor, question)); }

std::optional<DType> named_dtype(nb::handle dtype) {
  constexpr std::string_view kPrefix = "torch.";
  const std::string name = text_of(dtype);
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::optional<DType> found = dtype_from_name(name.substr(kPrefix.size()));
  return found && is_packed(*found) ? std::nullopt : found;
}

// Returns the element type of a tensor. Caches the types of the first kMostSeen dtype objects.
std::optional<DType> dtype_of_tensor(nb::handle tensor) {
  constexpr std::size_t kMostSeen = 64;
  static auto& all = *new std::vector<std::pair<nb::object, std::optional<DType>>>;
  nb::object dtype = get(tensor, names().dtype);
  for (const auto& [seen, type] : all) {
    if (seen.is(dtype)) return type;
  }
  const std::optional<DType> type = named_dtype(dtype);
  if (all.size() < kMostSeen) all.emplace_back(std::move(dtype), type);
  return type;
}

[[noreturn]] void refuse(const char* op, const char* name, nb::handle tensor) {
  if (!is_set(tensor, names().is_cpu) && !is_set(tensor, names().is_cuda)) {
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "is") + "on device " + text_of(tensor.attr("device")) +
              "; strew works in CPU memory and on CUDA devices");
  }
  const std::string layout = text_of(tensor.attr("layout"));
  if (layout != "torch.strided" || nb::cast<bool>(tensor.attr("is_nested"))) {
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "is") + "a sparse, nested or opaque tensor (layout " + layout +
              "); strew reads dense tensors, such as " + name + ".to_dense()");
  }
  if (!dtype_of_tensor(tensor)) {
    raise(ErrorCode::kInvalidType, {op, name},
          with_verb(name, "has") + "the type " + text_of(tensor.attr("dtype")) + ", which strew cannot read");
  }
  raise(ErrorCode::kInvalidArgument, {op, name},
        with_verb(name, "has") +
            "no memory that strew can read (torch is tracing or transforming); use the function in strew.torch");
}

// Returns the tensor. Copies a conjugate or negative view, since the memory under the view holds other values.
nb::object with_own_values(const char* op, const char* name, nb::handle tensor, DType dtype, Role role) {
  if (is_set(tensor, names().requires_grad) && nb::cast<bool>(attribute("torch", "is_grad_enabled")())) {
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "requires") + "a gradient; use the function in strew.torch, or " + name + ".detach()");
  }
  const bool is_complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  if (!says(tensor, names().is_neg) && !(is_complex && says(tensor, names().is_conj))) return nb::borrow(tensor);
  if (role == Role::kOutput) {
    raise(ErrorCode::kInvalidArgument, {op, "out"},
          "out is a conjugate or negative view, whose memory holds other values");
  }
  return tensor.attr("resolve_conj")().attr("resolve_neg")();
}

using Describe = int (*)(void* tensor, nb::dlpack::dltensor* described);

// Version 1 of DLPack's exchange API, up to the function that describes a tensor without owning it.
struct ExchangeApi {
  std::array<std::uint32_t, 2> version;
  const ExchangeApi* older;
  std::array<void (*)(), 3> others;
  Describe describe;
};

// Returns torch's function that describes tensors faster than an attribute can be read; null before torch 2.10.
Describe find_describe(nb::handle tensor) {
  constexpr const char* kName = "dlpack_exchange_api";
  const nb::object capsule = nb::getattr(tensor, names().exchange_api, nb::none());
  if (PyCapsule_IsValid(capsule.ptr(), kName) == 0) return nullptr;
  const auto* api = static_cast<const ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), kName));
  return api->version[0] == 1 ? api->describe : nullptr;
}

// Returns a view made from torch's description; nullopt if torch gives none, or if the tensor has no memory.
std::optional<TensorView> described_view(nb::handle tensor, DType dtype) {
  if (!is_plain_tensor(tensor)) return std::nullopt;
  static const Describe describe = find_describe(tensor);  // all plain tensors have one type
  nb::dlpack::dltensor found;
  if (describe == nullptr) return std::nullopt;
  if (describe(tensor.ptr(), &found) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (found.data == nullptr || found.strides == nullptr) return std::nullopt;
  const auto rank = static_cast<std::size_t>(found.ndim);
  return make_view(static_cast<const char*>(found.data) + found.byte_offset, dtype,
                   Shape(std::span<const std::int64_t>(found.shape, rank)),
                   Shape(std::span<const std::int64_t>(found.strides, rank)));
}

Shape numbers(nb::handle tuple) {
  Shape shape;
  for (nb::handle number : tuple) shape.push_back(nb::cast<std::int64_t>(number));
  return shape;
}

}  // namespace

std::optional<TensorView> view_of_tensor(nb::handle tensor, DType dtype) {
  if (std::optional<TensorView> view = described_view(tensor, dtype)) return view;
  try {
    const Shape shape = numbers(get(tensor, names().shape));
    const Shape strides = numbers(call(tensor, names().stride));
    const auto address = nb::cast<std::uintptr_t>(call(tensor, names().data_ptr));
    if (address == 0 && nb::cast<std::int64_t>(call(tensor, names().numel)) != 0) return std::nullopt;
    return make_view(std::bit_cast<const void*>(address), dtype, shape, strides);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

Operand from_tensor(const char* op, const char* name, nb::handle tensor, Role role) {
  const std::optional<DType> dtype = dtype_of_tensor(tensor);
  const bool in_cpu_memory = is_set(tensor, names().is_cpu);
  if (!dtype || (!in_cpu_memory && !is_set(tensor, names().is_cuda))) refuse(op, name, tensor);
  nb::object source = with_own_values(op, name, tensor, *dtype, role);
  const std::optional<TensorView> view = view_of_tensor(source, *dtype);
  if (!view) refuse(op, name, tensor);
  Operand operand{tensor, std::move(source), {*view}, *dtype, Source::kTorch};
  if (!in_cpu_memory) place_tensor(operand);
  return operand;
}

nb::object new_tensor(nb::handle like, const Shape& shape, std::int64_t bytes) {
  const nb::tuple dims = to_tuple(shape);
  const auto empty = [&](nb::handle size) -> nb::object {
    // Passes `size` by name: otherwise torch first tries to read each argument as a size.
    if (is_plain_tensor(like)) return call(like, names().new_empty, size, names().size);
    return attribute("torch", "empty")(size, nb::arg("dtype") = like.attr("dtype"), nb::arg("device") = "cpu");
  };
  if (!is_large(bytes)) return empty(dims);
  // Uses the cached memory of an ndarray. A torch that was built for a different NumPy raises RuntimeError.
  const nb::object memory = new_ndarray(NPY_UINT8, {bytes});
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
  if (!nb::cast<bool>(tensor.attr("is_inference")()))
    attribute("torch.autograd.graph", "increment_version")(tensor);
}

}  // namespace strew::python
