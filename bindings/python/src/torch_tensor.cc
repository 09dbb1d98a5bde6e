// Torch tensors.
#include "torch_tensor.h"

#include <string>

#include "call.h"

namespace strew::python {
namespace {

bool says(nb::handle tensor, const char* question) { return nb::cast<bool>(tensor.attr(question)()); }

bool is_float8(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
    case DType::kFloat8E8M0:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<DType> torch_dtype(nb::handle tensor) {
  constexpr std::string_view kPrefix = "torch.";
  const std::string name = text_of(tensor.attr("dtype"));
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::optional<DType> dtype = dtype_from_name(name.substr(kPrefix.size()));
  return dtype && is_packed(*dtype) ? std::nullopt : dtype;
}

nb::object lendable_tensor(const char* op, const char* name, nb::handle tensor, DType dtype, Role role) {
  nb::object source = nb::borrow(tensor);
  if (nb::cast<bool>(tensor.attr("requires_grad"))) {
    if (nb::cast<bool>(attribute("torch", "is_grad_enabled")())) {
      raise(ErrorCode::kInvalidArgument, std::string(op) + ": " + name +
                                             " requires a gradient; use the function of strew.torch, or " + name +
                                             ".detach()");
    }
    source = source.attr("detach")();
  }
  if (says(source, "is_neg") || says(source, "is_conj")) {
    if (role == Role::kOutput) {
      raise(ErrorCode::kInvalidArgument,
            std::string(op) + ": out is a conjugate or negative view, whose memory holds other values");
    }
    source = source.attr("resolve_conj")().attr("resolve_neg")();
  }
  // Torch lends them by DLPack only since version 2.9.
  return is_float8(dtype) ? source.attr("view")(attribute("torch", "uint8")) : source;
}

void refuse_tensor(const char* op, const char* name, nb::handle tensor) {
  const std::string what = std::string(op) + ": " + name;
  const std::string device = text_of(tensor.attr("device"));
  if (!device.starts_with("cpu")) {
    raise(ErrorCode::kInvalidArgument, what + " lies on device " + device + "; strew works in CPU memory");
  }
  const std::string layout = text_of(tensor.attr("layout"));
  if (layout != "torch.strided" || nb::cast<bool>(tensor.attr("is_nested"))) {
    raise(ErrorCode::kInvalidArgument, what + " is a sparse, nested or opaque tensor (layout " + layout +
                                           "); strew reads dense ones, such as " + name + ".to_dense() gives");
  }
  if (!torch_dtype(tensor)) {
    raise(ErrorCode::kInvalidType,
          what + " has the type " + text_of(tensor.attr("dtype")) + ", which strew cannot read");
  }
  raise(ErrorCode::kInvalidArgument,
        what + " has no memory of its own (torch is tracing or transforming); use the function of strew.torch");
}

void mark_written(nb::handle tensor) {
  if (!says(tensor, "is_inference")) attribute("torch.autograd.graph", "increment_version")(tensor);
}

}  // namespace strew::python
