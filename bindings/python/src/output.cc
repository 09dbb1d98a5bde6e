// Makes outputs. A memory handler allocates large new arrays, so that NumPy can resize and trace them.
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "call.h"
#include "operand.h"
#include "strew/memory.h"

namespace strew::python {

MutableTensorView writable(const TensorView& view) {
  void* address = const_cast<void*>(view.data());
  if (view.dense()) return {address, view.dtype(), view.shape()};
  return {address, view.dtype(), view.shape(), view.strides()};
}

namespace {

// Converts an ndarray with the array API of `like`, if any: through DLPack, or with `asarray` if DLPack lacks the
// type.
nb::object to_foreign(nb::handle array, nb::handle like) {
  if (!nb::hasattr(like, "__array_namespace__")) return nb::borrow(array);
  const nb::object library = like.attr("__array_namespace__")();
  const bool plain = PyArray_TYPE(as_array(array)) < NPY_OBJECT || PyArray_TYPE(as_array(array)) == NPY_HALF;
  return library.attr(plain ? "from_dlpack" : "asarray")(array);
}

bool is_swapped(nb::handle descr) { return !PyArray_ISNBO(as_descr(descr)->byteorder); }

// Converts strings to the common type of data and updates. Concatenated strings get the width of the longest.
nb::object to_strings(nb::object array, const Operand& like, const Operand* updates, Reduction reduction) {
  if (updates != nullptr && !updates->string_descr.is_valid()) return array;
  nb::object descr = nb::borrow(like.string_descr);
  if (updates != nullptr) descr = attribute("numpy", "promote_types")(descr, updates->string_descr);
  const bool fixed_width = nb::cast<int>(descr.attr("num")) < NPY_VOID;
  if (reduction != Reduction::kNone && fixed_width) descr = descr.attr("char");
  if (is_swapped(like.string_descr)) descr = attribute("numpy", "dtype")(descr).attr("newbyteorder")();
  return until_exit([&]() -> nb::object { return array.attr("astype")(descr); });
}

// Returns a view of the same memory with a last axis over the bytes of an element.
MutableTensorView byte_view(const TensorView& view) {
  const std::int64_t size = bit_width(view.dtype()) / 8;
  Shape shape = view.shape();
  Shape strides = view.dense() ? dense_strides(shape) : view.strides();
  for (std::int64_t axis = 0; axis < strides.rank(); ++axis) strides[axis] *= size;
  shape.push_back(size);
  strides.push_back(1);
  return {const_cast<void*>(view.data()), DType::kUInt8, shape, strides};
}

void check_shape(const char* op, const Shape& given, const Shape& wanted) {
  if (given == wanted) return;
  raise(ErrorCode::kInvalidArgument, {op, "out"},
        "out has shape " + to_string(given) + "; the result has shape " + to_string(wanted));
}

// Calls make(bytes) with the size of a result. Raises MemoryError, with this size, if the allocation fails.
template <class Make>
nb::object in_memory(const char* op, const Shape& shape, std::int64_t element_bytes, const Make& make) {
  std::int64_t bytes = element_bytes;
  for (const std::int64_t extent : shape) {
    if (!__builtin_mul_overflow(bytes, extent, &bytes)) continue;
    raise(ErrorCode::kInvalidArgument, {op},
          "a result of shape " + to_string(shape) + " has more than 2**63 - 1 bytes");
  }
  try {
    return make(bytes);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_MemoryError) && !error.matches(PyExc_RuntimeError)) throw;  // torch raises the latter
  }
  raise(
      ErrorCode::kOutOfMemory, {op},
      "no memory for a result of shape " + to_string(shape) + ", which takes " + std::to_string(bytes) + " bytes");
}

[[noreturn]] void refuse_type(const char* op, nb::handle out, const std::string& wanted) {
  raise(ErrorCode::kInvalidType, {op, "out"},
        "out has type " + text_of(nb::getattr(out, "dtype", out.type())) + "; the result has type " + wanted);
}

constexpr std::int64_t kLargeBytes = std::int64_t{1} << 20;

void* allocate(void*, std::size_t bytes) { return allocate_memory(static_cast<std::int64_t>(bytes)); }

void* allocate_zeros(void*, std::size_t count, std::size_t bytes) {
  if (bytes != 0 && count > PTRDIFF_MAX / bytes) return nullptr;
  void* memory = allocate_memory(static_cast<std::int64_t>(count * bytes));
  if (memory != nullptr) std::memset(memory, 0, count * bytes);
  return memory;
}

void* reallocate(void*, void* memory, std::size_t bytes) {
  return reallocate_memory(memory, static_cast<std::int64_t>(bytes));
}

void free_block(void*, void* memory, std::size_t) { free_memory(memory); }

PyDataMem_Handler block_handler = {
    "strew_blocks", 1, {nullptr, &allocate, &allocate_zeros, &reallocate, &free_block}};

// Makes NumPy allocate this thread's new arrays with allocate_memory, unless the user has chosen another handler.
class BlockHandler {
 public:
  BlockHandler() {
    const nb::object own = nb::steal(PyCapsule_New(&block_handler, "mem_handler", nullptr));
    if (own.is_valid()) before_ = nb::steal(PyDataMem_SetHandler(own.ptr()));
    if (!before_.is_valid()) throw nb::python_error();
    if (before_.ptr() != PyDataMem_DefaultHandler) restore();
  }
  ~BlockHandler() { restore(); }
  BlockHandler(const BlockHandler&) = delete;
  BlockHandler& operator=(const BlockHandler&) = delete;

 private:
  // Preserves the error of a failed array creation.
  void restore() noexcept {
    const nb::object before = std::move(before_);
    if (!before.is_valid()) return;
    const nb::error_scope error;
    Py_XDECREF(PyDataMem_SetHandler(before.ptr()));
  }

  nb::object before_;
};

}  // namespace

void check_output(const char* op, nb::handle array, bool counts_elements) {
  std::string wrong;
  if (!PyArray_ISWRITEABLE(as_array(array))) {
    wrong = "is read-only";
  } else if (PyArray_ISBYTESWAPPED(as_array(array))) {
    wrong = "has a byte order that differs from this machine's";
  } else if (counts_elements && !has_element_strides(as_array(array))) {
    const Shape strides(std::span<const std::int64_t>(PyArray_STRIDES(as_array(array)),
                                                      static_cast<std::size_t>(PyArray_NDIM(as_array(array)))));
    wrong = "has strides of " + to_string(strides) + " bytes, which are not multiples of its element size " +
            std::to_string(PyArray_ITEMSIZE(as_array(array))) +
            "; pass a copy, or a field of an aligned structured type";
  } else {
    return;
  }
  raise(ErrorCode::kInvalidArgument, {op, "out"}, "out " + wrong);
}

Output Output::make(const char* op, const Operand& like, const Shape& shape) {
  if (like.on_device()) {
    nb::object array = new_device_array(op, like, shape);
    Operand operand = to_operand(op, "out", array, Role::kRead);  // kOutput would reject arrays of JAX
    Output output(std::move(array), writable(operand.buffer.view));
    output.lender_ = std::move(operand.lent);
    return output;
  }
  if (like.is_tensor()) {
    nb::object tensor = in_memory(op, shape, bit_width(like.dtype) / 8,
                                  [&](std::int64_t bytes) { return new_tensor(like.given, shape, bytes); });
    const std::optional<TensorView> view = view_of_tensor(tensor, like.dtype);
    if (!view) from_tensor("out", "out", tensor, Role::kOutput);  // raises
    return {std::move(tensor), writable(view.value())};
  }
  nb::object descr = like.descr.is_valid() ? nb::borrow(like.descr) : make_descr(like.dtype);
  const npy_intp element_bytes = PyDataType_ELSIZE(as_descr(descr));
  nb::object array =
      in_memory(op, shape, element_bytes, [&](std::int64_t) { return new_ndarray(std::move(descr), shape); });
  void* address = PyArray_DATA(as_array(array));
  Shape dims = shape;
  if (like.as_bytes()) dims.push_back(PyArray_ITEMSIZE(as_array(array)));
  return {std::move(array), MutableTensorView(address, like.buffer.view.dtype(), dims)};
}

// Makes an output that `take` copies into `out` after success. Needed for strings, since a failed call must not
// change reference counts in `out`, and for elements in a different byte order.
Output Output::make_separate(const char* op, nb::handle out, const Operand& like, const Shape& shape) {
  if (!PyArray_Check(out.ptr())) {
    raise(ErrorCode::kInvalidType, {op, "out"},
          "out is " + type_with_article(out) +
              "; it must be an ndarray for strings and for data in a different byte order");
  }
  auto* array = as_array(out);
  check_shape(op, Shape(std::span(PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array)))), shape);
  check_no_mask(op, "out", out);
  if (!PyArray_ISWRITEABLE(array)) raise(ErrorCode::kInvalidArgument, {op, "out"}, "out is read-only");
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    if (PyArray_SIZE(array) > 0 && PyArray_STRIDE(array, axis) == 0 && PyArray_DIM(array, axis) > 1) {
      raise(ErrorCode::kInvalidArgument, {op, "out"}, "out is a broadcast view; its elements must not overlap");
    }
  }
  Output output = make(op, like, shape);
  output.out_ = nb::borrow(out);
  output.is_apart_ = true;
  return output;
}

Output Output::given(const char* op, nb::handle out, const Operand& like, const Shape& shape) {
  if (like.dtype == DType::kString || like.is_swapped) return make_separate(op, out, like, shape);
  // In place: the view of the data is the view of the output.
  if (like.owner.is(out) && !like.as_bytes() && PyArray_CheckExact(out.ptr())) {
    check_output(op, out, true);
    check_shape(op, like.buffer.view.shape(), shape);
    Output output(nb::borrow(out), writable(like.buffer.view));
    output.out_ = nb::borrow(out);
    return output;
  }
  Operand target = to_operand(op, "out", out, Role::kOutput);
  check_one_place(op, "out", target, like);
  if (!have_one_type(target, like)) refuse_type(op, out, describe_type(like));
  check_shape(op, target.shape(), shape);
  const bool to_bytes = like.as_bytes() && !target.as_bytes();
  Output output(nb::borrow(out), to_bytes ? byte_view(target.buffer.view) : writable(target.buffer.view));
  output.out_ = nb::borrow(out);
  output.lender_ = std::move(target.lent);
  return output;
}

void Output::copy_out(const char* op) const {
  PyArray_Descr* given = PyArray_DESCR(as_array(out_));
  PyArray_Descr* actual = PyArray_DESCR(as_array(array_));
  const auto native = [](PyArray_Descr* descr) {
    const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(descr));
    return PyArray_ISNBO(descr->byteorder) ? type : nb::object(type.attr("newbyteorder")("="));
  };
  const nb::object result = native(actual);
  const bool is_wide_enough = (actual->type_num == NPY_UNICODE || actual->type_num == NPY_STRING) &&
                              actual->type_num == given->type_num &&
                              PyDataType_ELSIZE(actual) <= PyDataType_ELSIZE(given);
  if (!is_wide_enough && !PyArray_EquivTypes(as_descr(result), as_descr(native(given)))) {
    refuse_type(op, out_, text_of(result));
  }
  const int failed = until_exit([&] { return PyArray_CopyInto(as_array(out_), as_array(array_)); });
  if (failed < 0) throw nb::python_error();
}

nb::object Output::take(const char* op, const Operand& like, const Operand* updates, Reduction reduction) {
  if (like.string_descr.is_valid()) array_ = to_strings(std::move(array_), like, updates, reduction);
  if (is_apart_) copy_out(op);
  if (out_.is_valid()) {
    if (!PyArray_Check(out_.ptr()) && classify_array(out_) == ArrayKind::kTorch) mark_written(out_);
    return std::move(out_);
  }
  // Data of role kRead were copied into the machine's byte order, so the result is converted back.
  if (like.is_swapped && !is_swapped(like.descr)) {
    return until_exit([&]() -> nb::object { return array_.attr("astype")(like.descr.attr("newbyteorder")()); });
  }
  return like.is_foreign && !like.on_device() ? to_foreign(array_, like.given) : std::move(array_);
}

bool is_large(std::int64_t bytes) noexcept { return bytes >= kLargeBytes; }

nb::object ndarray_over(const void* data, nb::object descr, const Shape& shape, const std::int64_t* strides,
                        int flags, nb::object base) {
  nb::object array = steal_or_throw(until_exit([&] {
    return PyArray_NewFromDescr(&PyArray_Type, as_descr(descr.release()), static_cast<int>(shape.rank()),
                                shape.data(), strides, const_cast<void*>(data), flags, nullptr);
  }));
  const bool is_lent = base.is_valid();
  if (is_lent && PyArray_SetBaseObject(as_array(array), base.release().ptr()) < 0) throw nb::python_error();
  return array;
}

nb::object new_ndarray(nb::object descr, const Shape& shape) {
  std::int64_t bytes = PyDataType_ELSIZE(as_descr(descr));
  bool uses_blocks = !PyDataType_REFCHK(as_descr(descr));
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) uses_blocks = false;  // NumPy raises
  }
  std::optional<BlockHandler> handler;
  if (uses_blocks && is_large(bytes)) handler.emplace();
  return ndarray_over(nullptr, std::move(descr), shape, nullptr);
}

nb::object new_ndarray(int type, const Shape& shape) {
  return new_ndarray(nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type))), shape);
}

}  // namespace strew::python
