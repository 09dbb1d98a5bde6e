#include <span>
#include <string>

#include "arrays.h"
#include "call.h"

namespace strew::python {

nb::object foreign_device(nb::handle object) {
  constexpr int kCpu = static_cast<int>(DevicePlace::kCpu);
  nb::object place = nb::steal(PyObject_CallMethod(object.ptr(), "__dlpack_device__", nullptr));
  PyErr_Clear();
  int kind = kCpu;
  if (place.is_valid() && PyTuple_Check(place.ptr()) && NB_TUPLE_GET_SIZE(place.ptr()) > 0) {
    nb::try_cast(place[0], kind);
  }
  return kind == kCpu ? nb::object() : place;
}

namespace {

// Describes the tensor of a DLPack capsule; empty if there is none.
std::string describe_elements(nb::handle capsule) {
  const nb::dlpack::dltensor* tensor = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor") != 0) {
    tensor = static_cast<const nb::dlpack::dltensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  }
  if (tensor == nullptr) return "";
  return ": it exports a tensor of rank " + std::to_string(tensor->ndim) + " with type code " +
         std::to_string(tensor->dtype.code) + ", " + std::to_string(tensor->dtype.bits) + " bits and " +
         std::to_string(tensor->dtype.lanes) + " lanes, on a device of kind " +
         std::to_string(tensor->device.device_type);
}

bool is_tracer(nb::handle object) {
  return text_of(object.type().attr("__module__")).starts_with("jax") && type_name_of(object).ends_with("Tracer");
}

// Returns the array that the object exports, or nullopt. Requests one export, since some objects export only once.
// Rejects JAX arrays as outputs: they are immutable, but do not set DLPack's read-only flag.
std::optional<nb::ndarray<nb::ro>> lent_by(nb::handle object, Role role) {
  if (role != Role::kOutput) {
    nb::ndarray<nb::ro, nb::device::cpu> array;
    return nb::try_cast(object, array) ? std::optional(nb::ndarray<nb::ro>(array)) : std::nullopt;
  }
  nb::ndarray<nb::device::cpu> writable;
  if (text_of(object.type().attr("__module__")).starts_with("jax") || !nb::try_cast(object, writable)) return {};
  return nb::ndarray<nb::ro>(writable);
}

}  // namespace

void refuse_foreign(const char* op, const char* name, nb::handle object) {
  const std::string what = name;
  if (const nb::object place = foreign_device(object); place.is_valid()) {
    const nb::object device = nb::getattr(object, "device", place);
    raise(ErrorCode::kInvalidArgument, {op, name},
          with_verb(name, "is") + "on device " + text_of(device) +
              "; strew works in CPU memory and on CUDA devices");
  }
  const std::string message =
      what + " of type " + text_of(nb::getattr(object, "dtype", object.type())) + " cannot be read through DLPack";
  // nanobind drops the exception of `__dlpack__`: a second call raises it again.
  const nb::object capsule = nb::steal(PyObject_CallMethod(object.ptr(), "__dlpack__", nullptr));
  if (!capsule.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();
    nb::python_error cause;
    raise(ErrorCode::kInvalidType, {op, name}, message, cause.value());
  }
  raise(ErrorCode::kInvalidType, {op, name}, message + describe_elements(capsule));
}

TensorView make_view(const void* data, DType dtype, const Shape& shape, const Shape& strides) {
  std::int64_t dense = 1;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    if (strides[axis] != dense && shape[axis] != 1) return {data, dtype, shape, strides};
    if (__builtin_mul_overflow(dense, shape[axis], &dense)) return {data, dtype, shape, strides};
  }
  return {data, dtype, shape};
}

Operand from_dlpack(const char* op, const char* name, nb::handle object, Role role) {
  if (is_tracer(object)) {
    raise(ErrorCode::kInvalidType, {op, name},
          with_verb(name, "is") +
              "a JAX tracer, which has no values; call strew through jax.pure_callback, as docs/migrating.md "
              "shows under \"Coming from JAX\"");
  }
  std::optional<nb::ndarray<nb::ro>> lent = until_exit([&] { return lent_by(object, role); });
  if (!lent && is_device_array(object)) return from_device_array(op, name, object, role);
  const nb::dlpack::dtype type = lent ? lent->dtype() : nb::dlpack::dtype{};
  const std::optional<DType> dtype = lent ? dtype_from_dlpack(type.code, type.bits, type.lanes) : std::nullopt;
  if (!dtype && role == Role::kOutput) {
    raise(ErrorCode::kInvalidArgument, {op, "out"},
          "out of type " + text_of(object.type()) +
              " is immutable or not in CPU memory; pass an ndarray or a tensor");
  }
  if (!dtype && nb::hasattr(object, "__array__")) {
    Operand converted = to_operand(op, name, as_described_ndarray(op, name, object), role);
    converted.is_foreign = true;
    converted.given = object;
    return converted;
  }
  if (!dtype) refuse_foreign(op, name, object);
  const Shape shape(std::span(lent->shape_ptr(), lent->ndim())),
      strides(std::span(lent->stride_ptr(), lent->ndim()));
  TensorView view = make_view(lent->data(), moved_as(*dtype), shape, strides);
  return {.given = object,
          .owner = nb::borrow(object),
          .buffer = {std::move(view)},
          .dtype = *dtype,
          .source = Source::kDLPack,
          .lent = std::move(*lent),
          .is_foreign = true};
}

}  // namespace strew::python
