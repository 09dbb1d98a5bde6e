#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "arrays.h"
#include "call.h"
#include "device_call.h"

namespace strew::python {
namespace {

constexpr char kInterface[] = "__cuda_array_interface__";
constexpr char kGlue[] = "strew._device";

// Sets the stream that the array's library reports; the default stream if it reports none.
void set_stream(Buffer& buffer, nb::handle told) {
  buffer.knows_stream = !told.is_none();
  const std::uintptr_t number = buffer.knows_stream ? nb::cast<std::uintptr_t>(told) : 0;
  buffer.stream = std::bit_cast<void*>(number == 1 ? std::uintptr_t{0} : number);  // 1 is the default stream too
}

void set_current_stream(Buffer& buffer, nb::handle array) {
  set_stream(buffer, attribute(kGlue, "stream")(array, buffer.device));
}

std::string unreadable(const char* name, nb::handle object) {
  return std::string(name) + " of type " + text_of(nb::getattr(object, "dtype", object.type())) +
         " cannot be read on a CUDA device";
}

[[noreturn]] void refuse_type(const char* op, const char* name, nb::handle object) {
  raise(ErrorCode::kInvalidType, {op, name}, unreadable(name, object));
}

// Returns the array that the object exports through DLPack for this stream.
nb::ndarray<nb::ro> lent_for(const char* op, const char* name, nb::handle object, void* stream) {
  const auto number = std::bit_cast<std::uintptr_t>(stream);
  nb::object capsule;
  try {
    capsule = until_exit([&]() -> nb::object {
      return object.attr("__dlpack__")(nb::arg("stream") = number == 0 ? std::uintptr_t{1} : number);
    });
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    raise(ErrorCode::kInvalidType, {op, name}, unreadable(name, object), error.value());
  }
  nb::ndarray<nb::ro> lent;
  if (!nb::try_cast(capsule, lent)) refuse_type(op, name, object);
  return lent;
}

Operand through_dlpack(const char* op, const char* name, nb::handle object, int device) {
  Buffer buffer{TensorView(nullptr, DType::kUInt8, {})};
  buffer.device = device;
  set_current_stream(buffer, object);
  nb::ndarray<nb::ro> lent = lent_for(op, name, object, buffer.stream);
  const nb::dlpack::dtype type = lent.dtype();
  const std::optional<DType> dtype = dtype_from_dlpack(type.code, type.bits, type.lanes);
  if (!dtype) refuse_type(op, name, object);
  const Shape shape(std::span(lent.shape_ptr(), lent.ndim())), strides(std::span(lent.stride_ptr(), lent.ndim()));
  buffer.view = TensorView(lent.data(), *dtype, shape, strides);
  return {.given = object,
          .owner = nb::borrow(object),
          .buffer = std::move(buffer),
          .dtype = *dtype,
          .source = Source::kDLPack,
          .lent = std::move(lent),
          .is_foreign = true};
}

int device_of(const char* op, const char* name, const void* address) {
  const cuda::Door& door = cuda_door(std::string(op) + ": " + with_verb(name, "is") + "on a CUDA device; ");
  const int device = door.device_of(address);
  if (device >= 0) return device;
  if (const Status here = door.check_available(); !here) {
    raise(here.error().code, {op, name},
          with_verb(name, "has") + "a " + kInterface + ", but " + here.error().message());
  }
  raise(ErrorCode::kInvalidArgument, {op, name},
        with_verb(name, "has") + "an address in " + kInterface + " that belongs to no CUDA device");
}

// Reads, for example, an array from Numba: https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
Operand through_interface(const char* op, const char* name, nb::handle object, Role role) {
  const nb::object given = object.attr(kInterface);
  const nb::object descr = attribute("numpy", "dtype")(given["typestr"]);
  const std::optional<DType> dtype = dtype_of(as_descr(descr));
  if (!dtype || *dtype == DType::kString || !PyArray_ISNBO(as_descr(descr)->byteorder))
    refuse_type(op, name, object);
  if (!nb::object(given.attr("get")("mask")).is_none()) {
    raise(ErrorCode::kInvalidType, {op, name}, with_verb(name, "has") + "a mask, which would be lost");
  }
  const nb::object data = given["data"];
  if (role == Role::kOutput && nb::cast<bool>(data[1])) {
    raise(ErrorCode::kInvalidArgument, {op, "out"}, "out is read-only");
  }
  Shape shape, strides;
  for (nb::handle size : nb::object(given["shape"])) shape.push_back(nb::cast<std::int64_t>(size));
  const nb::object steps = given.attr("get")("strides");
  const std::int64_t item = PyDataType_ELSIZE(as_descr(descr));
  if (!steps.is_none()) {
    for (nb::handle step : steps) {
      const auto bytes = nb::cast<std::int64_t>(step);
      if (bytes % item != 0) {
        raise(ErrorCode::kInvalidArgument, {op, name},
              with_verb(name, "has") + "strides that are not multiples of the element size");
      }
      strides.push_back(bytes / item);
    }
  }
  const void* address = std::bit_cast<const void*>(nb::cast<std::uintptr_t>(data[0]));
  TensorView view =
      steps.is_none() ? TensorView(address, *dtype, shape) : TensorView(address, *dtype, shape, strides);
  Buffer buffer{std::move(view)};
  buffer.device = address == nullptr ? 0 : device_of(op, name, address);
  set_stream(buffer, given.attr("get")("stream"));
  return {.given = object,
          .owner = nb::borrow(object),
          .buffer = std::move(buffer),
          .dtype = *dtype,
          .source = Source::kCudaInterface,
          .is_foreign = true};
}

}  // namespace

bool is_device_array(nb::handle object) {
  if (const nb::object place = foreign_device(object); place.is_valid()) {
    const int kind = nb::cast<int>(place[0]);
    return kind == static_cast<int>(DevicePlace::kCuda) || kind == static_cast<int>(DevicePlace::kCudaManaged);
  }
  return !nb::hasattr(object, "__dlpack__") && nb::hasattr(object, kInterface);
}

Operand from_device_array(const char* op, const char* name, nb::handle object, Role role) {
  if (role == Role::kOutput && text_of(object.type().attr("__module__")).starts_with("jax")) {
    raise(ErrorCode::kInvalidArgument, {op, "out"},
          "out of type " + text_of(object.type()) + " is immutable; pass a writable array");
  }
  const nb::object place = foreign_device(object);
  if (!place.is_valid()) return through_interface(op, name, object, role);
  return through_dlpack(op, name, object, nb::cast<int>(place[1]));
}

void place_tensor(Operand& operand) {
  operand.buffer.device = nb::cast<int>(operand.given.attr("get_device")());
  set_current_stream(operand.buffer, operand.given);
}

std::string describe_place(const Operand& operand) {
  return operand.on_device() ? "on cuda:" + std::to_string(operand.buffer.device) : "in CPU memory";
}

void check_one_place(const char* op, const char* name, const Operand& operand, const Operand& data) {
  if (operand.buffer.device == data.buffer.device) return;
  const bool cache = std::string_view(op) == "tensor_scatter";
  raise(ErrorCode::kInvalidArgument, {op, name},
        with_verb(name, "is") + describe_place(operand) + " but " + (cache ? "past_cache" : "data") + " is " +
            describe_place(data) + "; all arrays of a call must be in the same memory");
}

void check_on_host(const char* op, const char* name, const Operand& operand) {
  if (!operand.on_device()) return;
  raise(ErrorCode::kInvalidArgument, {op, name},
        with_verb(name, "is") + describe_place(operand) + ", but it must be in CPU memory; pass a number");
}

nb::object new_device_array(const char* op, const Operand& like, const Shape& shape) {
  return attribute(kGlue, "empty")(op, like.given, like.buffer.device, to_tuple(shape));
}

std::pair<nb::object, void*> new_device_memory(const char* op, const Operand& like, std::int64_t bytes) {
  nb::object owner = attribute(kGlue, "memory")(op, like.given, like.buffer.device, bytes);
  if (owner.is_none()) return {nb::object(), nullptr};
  const Operand read = to_operand(op, "memory", owner, Role::kRead);
  return {std::move(owner), const_cast<void*>(read.buffer.view.data())};
}

Operand to_device(const char* op, const char* name, const Operand& host, const Operand& like) {
  const nb::object dense = attribute("numpy", "ascontiguousarray")(host.owner);
  const nb::object bytes = dense.attr("reshape")(-1).attr("view")("uint8");
  nb::object owner = attribute(kGlue, "brought")(op, like.given, like.buffer.device, bytes);
  Operand read = to_operand(op, name, owner, Role::kRead);
  const bool scalar = PyArray_SIZE(as_array(dense)) == 1 && !host.buffer.view.dense();
  const TensorView& seen = host.buffer.view;
  read.buffer.view = scalar ? TensorView(read.buffer.view.data(), host.dtype, seen.shape(), seen.strides())
                            : TensorView(read.buffer.view.data(), host.dtype, seen.shape());
  read.given = host.given;
  read.owner = std::move(owner);
  read.dtype = host.dtype;
  return read;
}

}  // namespace strew::python
