// A memory handler for NumPy, which then owns the memory as it does its own: arrays can be resized and traced.
#include "array_memory.h"

#include <cstring>
#include <utility>

#include "call.h"
#include "strew/memory.h"

namespace strew::python {
namespace {

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

// While it lives, arrays that this thread makes take their memory from the library; a handler that the user chose
// stays.
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
  // Keeps the error set by a failed array creation, so that the interpreter still sees it afterwards.
  void restore() noexcept {
    const nb::object before = std::move(before_);
    if (!before.is_valid()) return;
    const nb::error_scope error;
    Py_XDECREF(PyDataMem_SetHandler(before.ptr()));
  }

  nb::object before_;
};

}  // namespace

bool is_large(std::int64_t bytes) noexcept { return bytes >= kLargeBytes; }

nb::object new_ndarray(PyArray_Descr* descr, int rank, const std::int64_t* dims) {
  const auto make = [&] {
    nb::object array = nb::steal(until_exit(
        [&] { return PyArray_NewFromDescr(&PyArray_Type, descr, rank, dims, nullptr, nullptr, 0, nullptr); }));
    if (!array.is_valid()) throw nb::python_error();
    return array;
  };
  std::int64_t bytes = PyDataType_ELSIZE(descr);
  for (int axis = 0; axis < rank; ++axis) {
    if (__builtin_mul_overflow(bytes, dims[axis], &bytes)) return make();  // NumPy refuses it
  }
  if (!is_large(bytes) || PyDataType_REFCHK(descr)) return make();
  const BlockHandler handler;
  return make();
}

}  // namespace strew::python
