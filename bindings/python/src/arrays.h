// Reads sequences and arrays from NumPy, torch and other libraries as operands. Converts between NumPy's dtypes
// and Strew's types, and converts Python values to elements.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "call.h"
#include "operand.h"
#include "strew/dtype.h"
#include "strew/view.h"

namespace strew::python {

// operand.cc, array_copy.cc, element_values.cc, objects.cc

/// Returns the element type for a dtype of any byte order; nullopt if ONNX lacks the type. Object arrays count as
/// strings. Types from ml_dtypes are recognised by name.
std::optional<DType> dtype_of(PyArray_Descr* descr);

/// True for dtypes whose arrays hold strings, but not as Python objects: 'S', 'U' and StringDType.
bool is_packed_string(PyArray_Descr* descr);

/// Returns the native NumPy dtype for an element type: `object` for strings. Imports ml_dtypes if necessary.
nb::object make_descr(DType dtype);

/// Returns the type in which NumPy stores elements: uint64 for strings (addresses of objects), uint8 for types of
/// 2 and 4 bits (one byte each), and the type itself for others.
DType moved_as(DType dtype) noexcept;

/// Returns the kind of a type: 0 for bool, 1 for integers, 2 for real and 3 for complex numbers, -1 for strings. A
/// number may be stored in data of the same or a greater kind.
int numeric_kind(DType dtype);

/// Converts numbers to an ndarray of this type; `array` is np.asarray(object). Raises OverflowError for an
/// integer outside the type's range, and for a finite float that would become infinity or NaN.
nb::object as_elements(const char* op, const char* name, nb::handle object, nb::handle array, DType dtype);

/// Reads an ndarray, as `to_operand` does.
Operand from_ndarray(const char* op, const char* name, nb::handle object, Role role);

std::span<const npy_intp> dims_of(PyArrayObject* array);
nb::object descr_of(PyArrayObject* array);
/// True if all strides are multiples of the element size, as views require. False for most record fields.
bool has_element_strides(PyArrayObject* array);

/// Returns a copy of dtype `descr`. The copy has a stride of 0 along the same axes as `array`, and is dense along
/// the other axes.
nb::object native_copy(PyArrayObject* array, nb::handle descr);

/// Reads an array of packed strings, which become objects.
Operand from_strings(const char* op, const char* name, nb::handle object);

/// Copies an operand in CPU memory to dtype `descr` with `native_copy`, and reads the copy.
Operand to_cast_operand(const char* op, const char* name, const Operand& operand, nb::handle descr);

/// Returns a view of an ndarray's elements, whose type in memory is `memory_type`.
TensorView view_of(PyArrayObject* array, DType memory_type);
/// As above, for elements that are only moved. An additional last axis runs over the bytes of an element.
TensorView make_byte_view(PyArrayObject* array);

/// Raises ValueError if an ndarray cannot be written in place: it is read-only, is not in native byte order or
/// (if `counts_elements`) has strides that are not multiples of the element size.
void check_output(const char* op, nb::handle array, bool counts_elements);

void check_no_mask(const char* op, const char* name, nb::handle array);

/// Raises TypeError, which names the position, if an element of this object array is neither str nor bytes.
void check_strings(const char* op, const char* name, PyArrayObject* array);

/// Increments the reference count of each element of a new object array that was copied as plain addresses.
void count_references(PyArrayObject* array);

/// Runs the reduction "add" for strings: writes to the new array `result` a copy of `data` with each update
/// appended to the element at its position. The views hold addresses of objects. Positions are int64 and count the
/// elements of `data` in row-major order; negative positions are skipped. Without `include_self` the first update
/// of an element replaces it. Raises TypeError, with `result` unchanged, if a str and bytes would be joined.
void concatenate(const char* op, PyArrayObject* result, const TensorView& data, const TensorView& positions,
                 const TensorView& updates, bool include_self);

// sequences.cc: NumPy's conversions, with Strew's error messages

/// Reads a sequence, a scalar or an object that NumPy converts, as `to_operand` does.
Operand from_sequence(const char* op, const char* name, nb::handle object, Role role);

/// Returns the first wanted element of a list or tuple, or of one nested in it; null if there is none.
/// Visits each nested list once, so the search ends even in a list that contains itself.
nb::object find_element(nb::handle sequence, bool (*is_wanted)(nb::handle));

/// Returns np.asarray(object). Errors name the cause, such as a ragged sequence or an invalid array interface.
nb::object as_described_ndarray(const char* op, const char* name, nb::handle object);

/// Raises IndexError for an integer beyond int64 in an object array that holds only integers.
void check_index_objects(const char* op, const char* name, PyArrayObject* array);

/// Returns whether the element is a missing value: NaN, None, or pandas' NA or NaT.
bool is_missing(nb::handle element);

/// Raises TypeError if an array of floats or objects has a missing value.
void check_no_missing(const char* op, const char* name, PyArrayObject* array);

/// Raises an exception if NumPy changed the type of a list's or tuple's elements in `array`: IndexError for
/// integers beyond int64, which become float64, and TypeError for a bool among integers, which becomes an integer.
void check_index_sequence(const char* op, const char* name, nb::handle sequence, PyArrayObject* array);

/// Raises TypeError if a list or tuple mixes str with bytes. `array` is NumPy's copy, which may have decoded them.
void check_string_sequence(const char* op, const char* name, nb::handle sequence, PyArrayObject* array);

// torch_tensor.cc

/// Reads a tensor in CPU memory or on a CUDA device as an operand. Copies only conjugate and negative views, and
/// rejects them as an output. Raises ValueError if a gradient would be lost, and TypeError for a type that ONNX
/// lacks or that torch only stores (int1 to int7).
Operand from_tensor(const char* op, const char* name, nb::handle tensor, Role role);

/// Returns a view of a tensor's memory; nullopt if it has no memory of its own: fake, batched (vmap) or sparse.
std::optional<TensorView> view_of_tensor(nb::handle tensor, DType dtype);

/// Allocates a tensor of `bytes` bytes in CPU memory, with the type of `like`.
nb::object new_tensor(nb::handle like, const Shape& shape, std::int64_t bytes);

/// Tells autograd that the tensor was written to. A backward pass that needs the old values then fails.
void mark_written(nb::handle tensor);

// dlpack.cc: arrays of other libraries, read through DLPack

/// The values of DLDeviceType that Strew supports.
enum class DevicePlace : int { kCpu = 1, kCuda = 2, kCudaManaged = 13 };

/// Returns the array's `__dlpack_device__`; an empty object for CPU memory or an invalid value.
nb::object foreign_device(nb::handle object);

/// Raises a TypeError or ValueError that says why the object cannot be read.
[[noreturn]] void refuse_foreign(const char* op, const char* name, nb::handle object);

/// Reads an array through DLPack without a copy, or through `__array__` if DLPack cannot export it.
Operand from_dlpack(const char* op, const char* name, nb::handle object, Role role);

// device_array.cc: torch tensors on CUDA devices, and arrays that support DLPack or `__cuda_array_interface__`.
// strew/_device.py calls their libraries, for example to allocate.

/// True for an array of a library other than torch that reports a CUDA device.
bool is_device_array(nb::handle object);

/// Reads such an array without a copy. The elements are ready for work that is enqueued in the operand's stream.
Operand from_device_array(const char* op, const char* name, nb::handle object, Role role);

/// Sets the device and stream of a torch operand.
void place_tensor(Operand& operand);

/// Returns "on cuda:0" or "in CPU memory".
std::string describe_place(const Operand& operand);

/// Raises ValueError, which names both devices, if an operand is not on the device of its call's data.
void check_one_place(const char* op, const char* name, const Operand& operand, const Operand& data);

/// Raises ValueError if an operand, such as alpha, is on a device.
void check_on_host(const char* op, const char* name, const Operand& operand);

/// Allocates an array with the library, type and device of `like`. Raises TypeError if that library cannot.
nb::object new_device_array(const char* op, const Operand& like, const Shape& shape);

/// Allocates device memory with the library of `like`. Returns its owner and address, or two nulls on failure.
std::pair<nb::object, void*> new_device_memory(const char* op, const Operand& like, std::int64_t bytes);

/// Copies `host`, an operand made from a sequence or a scalar, to the device of `like`.
Operand to_device(const char* op, const char* name, const Operand& host, const Operand& like);

}  // namespace strew::python
