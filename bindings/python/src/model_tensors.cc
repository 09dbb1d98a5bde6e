#include "model_tensors.h"

#include <bit>
#include <string>
#include <tuple>
#include <utility>

#include "arrays.h"
#include "call.h"

namespace strew::python {
namespace {

Operand read_operand(const char* op, const char* name, nb::handle object, std::optional<DType> declared) {
  if (!declared || PyArray_Check(object.ptr())) {
    Operand operand = to_operand(op, name, object, Role::kModel);
    if (!declared) return operand;
  }
  const Operand like{object, {}, {TensorView(nullptr, *declared, {})}, *declared};
  return to_updates(op, name, object, like);
}

std::string element_bytes(PyObject* element, const char* surrogates) {
  nb::object encoded;
  if (PyUnicode_Check(element)) {
    encoded = steal_or_throw(PyUnicode_AsEncodedString(element, "utf-8", surrogates));
    element = encoded.ptr();
  }
  Py_ssize_t size = 0;
  char* bytes = nullptr;
  if (PyBytes_AsStringAndSize(element, &bytes, &size) < 0) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

Tensor to_strings(const Operand& operand, const Unchanged& all, const char* surrogates) {
  const Tensor addresses = unwrap(Tensor::copy_of(operand.view(all)));
  Tensor strings = unwrap(Tensor::zeros(DType::kString, operand.shape()));
  auto* string = static_cast<std::string*>(strings.mutable_data());
  for (std::uint64_t address : addresses.values<std::uint64_t>()) {
    *string++ = element_bytes(std::bit_cast<PyObject*>(address), surrogates);
  }
  return strings;
}

// The layout of a packed type: several elements share a byte, the first in the low bits.
struct Packing {
  explicit Packing(DType dtype) : bits(bit_width(dtype)), per_byte(8 / bits), mask((1 << bits) - 1) {}
  int shift(std::int64_t i) const { return bits * static_cast<int>(i % per_byte); }

  int bits;
  int per_byte;
  int mask;
};

Result<Tensor> pack(const TensorView& bytes, DType dtype) {
  const auto dense = Tensor::copy_of(bytes);
  if (!dense) return tl::unexpected(dense.error());
  Result<Tensor> packed = Tensor::zeros(dtype, bytes.shape());
  if (!packed) return packed;
  const Packing packing(dtype);
  const auto* from = static_cast<const std::uint8_t*>(dense->data());
  auto* to = static_cast<std::uint8_t*>(packed->mutable_data());
  for (std::int64_t i = 0; i < dense->element_count(); ++i) {
    const int element = (from[i] & packing.mask) << packing.shift(i);
    to[i / packing.per_byte] = static_cast<std::uint8_t>(to[i / packing.per_byte] | element);
  }
  return packed;
}

void unpack(const Tensor& tensor, void* array) {
  const Packing packing(tensor.dtype());
  const auto* from = static_cast<const std::uint8_t*>(tensor.data());
  auto* to = static_cast<std::uint8_t*>(array);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    to[i] = static_cast<std::uint8_t>((from[i / packing.per_byte] >> packing.shift(i)) & packing.mask);
  }
}

nb::object new_array(const Tensor& tensor) {
  return ndarray_over(nullptr, make_descr(tensor.dtype()), tensor.shape(), nullptr);
}

nb::object str_or_bytes(const std::string& string) {
  const auto size = static_cast<Py_ssize_t>(string.size());
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(string.data(), size, nullptr));
  if (!text.is_valid() && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
    PyErr_Clear();
    text = nb::steal(PyBytes_FromStringAndSize(string.data(), size));
  }
  if (!text.is_valid()) throw nb::python_error();
  return text;
}

nb::object from_strings(const Tensor& tensor) {
  nb::object array = new_array(tensor);
  auto** element = static_cast<PyObject**>(PyArray_DATA(as_array(array)));
  for (const std::string& string : tensor.values<std::string>()) {
    const nb::object before = nb::steal(std::exchange(*element, str_or_bytes(string).release().ptr()));
    ++element;
  }
  return array;
}

}  // namespace

Tensor to_tensor(const Operand& operand, const Unchanged& all, const char* surrogates) {
  if (operand.dtype == DType::kString) return to_strings(operand, all, surrogates);
  return unwrap(without_lock(is_long(element_count(operand.shape())),
                             [&] { return pack(operand.view(all), operand.dtype); }));
}

TensorInput to_tensor_input(const char* op, const char* name, nb::handle object, std::optional<DType> declared) {
  Operand operand = read_operand(op, name, object, declared);
  if (!operand.is_moved_type()) return {std::move(operand), Tensor()};
  const NamedOperand read{name, &operand};
  Tensor converted = to_tensor(operand, {op, {&read, 1}});
  return {std::move(operand), std::move(converted)};
}

nb::object to_ndarray(Tensor tensor) {
  if (tensor.dtype() == DType::kString) return from_strings(tensor);
  if (is_packed(tensor.dtype())) {
    nb::object array = new_array(tensor);
    void* elements = PyArray_DATA(as_array(array));
    without_lock(is_long(tensor.element_count()), [&] { unpack(tensor, elements); });
    return array;
  }
  if (tensor.element_count() == 0) return new_array(tensor);
  if (tensor.read_only()) tensor = unwrap(tensor.clone());
  auto owner = std::make_unique<Tensor>(std::move(tensor));
  Tensor& held = *owner;
  nb::capsule base(owner.get(), [](void* pointer) noexcept { delete static_cast<Tensor*>(pointer); });
  std::ignore = owner.release();  // the capsule owns it
  return ndarray_over(held.mutable_data(), make_descr(held.dtype()), held.shape(), nullptr, NPY_ARRAY_CARRAY,
                      base);
}

}  // namespace strew::python
