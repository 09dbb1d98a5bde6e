// Outputs.
#include "output.h"

#include <string>
#include <utility>

#include "call.h"
#include "dtypes.h"
#include "torch_tensor.h"

namespace strew::python {
namespace {

PyArrayObject* as_array(nb::handle object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

MutableTensorView writable(const TensorView& view) {
  void* address = const_cast<void*>(view.data());
  if (view.dense()) return {address, view.dtype(), view.shape()};
  return {address, view.dtype(), view.shape(), view.strides()};
}

// Objects are null addresses in it, which NumPy allows in an array that is being made.
nb::object new_ndarray(const Shape& shape, nb::object descr) {
  auto* type = reinterpret_cast<PyArray_Descr*>(descr.release().ptr());
  nb::object array = nb::steal(PyArray_NewFromDescr(&PyArray_Type, type, static_cast<int>(shape.rank()),
                                                    shape.data(), nullptr, nullptr, 0, nullptr));
  if (!array.is_valid()) throw nb::python_error();
  return array;
}

// A library of the array API takes an ndarray over; types that DLPack lacks go by way of its `asarray`.
nb::object to_foreign(nb::handle array, nb::handle like) {
  if (!nb::hasattr(like, "__array_namespace__")) return nb::borrow(array);
  const nb::object library = like.attr("__array_namespace__")();
  const bool plain = PyArray_TYPE(as_array(array)) < NPY_OBJECT || PyArray_TYPE(as_array(array)) == NPY_HALF;
  return library.attr(plain ? "from_dlpack" : "asarray")(array);
}

// Strings of the type that both the data and the updates can have; put together they are as wide as need be.
nb::object to_strings(nb::object array, const Operand& like, const Operand* updates, Reduction reduction) {
  if (updates != nullptr && !updates->string_descr.is_valid()) return array;
  nb::object descr = like.string_descr;
  if (updates != nullptr) descr = attribute("numpy", "promote_types")(descr, updates->string_descr);
  const bool fixed_width = nb::cast<int>(descr.attr("num")) < NPY_VOID;
  if (reduction != Reduction::kNone && fixed_width) descr = descr.attr("char");
  return array.attr("astype")(descr);
}

[[noreturn]] void refuse_type(const char* op, nb::handle out, const std::string& wanted) {
  raise(ErrorCode::kInvalidType,
        std::string(op) + ": out has type " + text_of(out.attr("dtype")) + "; the result has type " + wanted);
}

}  // namespace

Output Output::make(const Operand& like, const Shape& shape) {
  if (like.kind == ArrayKind::kTorch) {
    nb::object tensor = new_tensor(like.given, shape);
    const MutableTensorView view = writable(from_tensor("out", "out", tensor, Role::kOutput).view);
    return {std::move(tensor), view};
  }
  nb::object descr = like.kind == ArrayKind::kNumPy
                         ? nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(as_array(like.owner))))
                         : descr_of(like.dtype);
  nb::object array = new_ndarray(shape, std::move(descr));
  void* address = PyArray_DATA(as_array(array));
  return {std::move(array), MutableTensorView(address, like.view.dtype(), shape)};
}

Output Output::given(const char* op, nb::handle out, const Operand& like, const Shape& shape) {
  if (like.dtype == DType::kString) {
    // References are counted only once all went well, so the strings are put together elsewhere first.
    if (!PyArray_Check(out.ptr())) raise(ErrorCode::kInvalidType, std::string(op) + ": out must be an ndarray");
    const Shape given(
        std::span(PyArray_DIMS(as_array(out)), static_cast<std::size_t>(PyArray_NDIM(as_array(out)))));
    if (given != shape || !PyArray_ISWRITEABLE(as_array(out))) {
      raise(ErrorCode::kInvalidArgument, std::string(op) + ": out must be writable and of shape " +
                                             to_string(shape) + "; it has shape " + to_string(given));
    }
    Output output = make(like, shape);
    output.out_ = nb::borrow(out);
    return output;
  }
  Operand target = to_operand(op, "out", out, Role::kOutput);
  if (target.dtype != like.dtype) refuse_type(op, out, std::string(dtype_name(like.dtype)));
  Output output(nb::borrow(out), writable(target.view));
  output.out_ = nb::borrow(out);
  output.imported_ = std::move(target.imported);
  return output;
}

nb::object Output::take(const char* op, const Operand& like, const Operand* updates, Reduction reduction) {
  if (like.dtype == DType::kString) {
    if (like.string_descr.is_valid()) array_ = to_strings(std::move(array_), like, updates, reduction);
    if (!out_.is_valid()) return std::move(array_);
    if (!PyArray_EquivTypes(PyArray_DESCR(as_array(array_)), PyArray_DESCR(as_array(out_)))) {
      refuse_type(op, out_, text_of(array_.attr("dtype")));
    }
    if (PyArray_CopyInto(as_array(out_), as_array(array_)) < 0) throw nb::python_error();
  }
  if (out_.is_valid()) {
    if (!PyArray_Check(out_.ptr()) && kind_of(out_) == ArrayKind::kTorch) mark_written(out_);
    return std::move(out_);
  }
  return like.kind == ArrayKind::kForeign ? to_foreign(array_, like.given) : std::move(array_);
}

}  // namespace strew::python
