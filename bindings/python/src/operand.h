// Operands: what a caller gave, as a view for the library. Nothing is copied that can be read in place.
#pragma once

#include <nanobind/ndarray.h>

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "array_kind.h"
#include "numpy_api.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew::python {

/// What an operand is for. It decides which arrays can be used as they lie.
enum class Role : unsigned char {
  kMoved,    ///< only moved, never computed with (the data of a gather): any byte order and strides will do
  kRead,     ///< data of a scatter, updates
  kModel,    ///< an input of a model: as kRead, but only of types that ONNX has
  kIndices,  ///< an empty sequence is an empty index list, as in NumPy
  kOutput,   ///< must be writable as it is
};

/// What an ndarray says beside its elements.
struct NdArray {
  nb::object descr{};         ///< the dtype of the array that the view was made of, as it was then
  bool is_swapped = false;    ///< the caller's array has another byte order
  bool is_converted = false;  ///< made by the `__array__` of an array that lends nothing
};

/// An ndarray, read where it lies or through a copy; also what sequences and scalars become.
struct NumPyArray : NdArray {};

/// An ndarray whose elements are bytes to the library: strings of fixed width, strides between elements, dates.
/// The view has one axis more, over the bytes of an element.
struct ByteRows : NdArray {
  bool is_opaque = false;  ///< of a type that the library does not know, such as a date: only moved
};

/// An array of type 'S', 'U' or StringDType, whose strings became objects.
struct PackedStrings : NdArray {
  nb::object string_descr{};  ///< its dtype
};

struct TorchTensor {};

/// An array of another library, and what it lends.
struct DLPackArray {
  nb::ndarray<nb::ro> lent{};
};

/// An array on a device that says by `__cuda_array_interface__` where it lies.
struct CudaInterfaceArray {};

using Source = std::variant<NumPyArray, ByteRows, PackedStrings, TorchTensor, DLPackArray, CudaInterfaceArray>;

/// Where elements lie: which device, and the pointer, shape and strides there.
struct Buffer {
  TensorView view;            ///< as it was when it was read
  int device = -1;            ///< the CUDA device; -1: in CPU memory
  void* stream = nullptr;     ///< of that device: where the elements are as they should be
  bool knows_stream = false;  ///< whether its library told that stream

  bool on_device() const noexcept { return device >= 0; }
};

struct Operand;

struct NamedOperand {
  const char* name;        ///< as messages say it
  const Operand* operand;  ///< null where it was left out
};

/// Vouches that the operands of a call are as they were when they were read. What converts one (an `__array__`, a
/// sequence) may run any code, which may move, resize or retype the memory of another; so nobody looks at elements
/// without an Unchanged, which is made when all are read.
class Unchanged {
 public:
  /// ValueError for the first operand that was changed.
  Unchanged(const char* op, std::span<const NamedOperand> operands);
};

/// An operand of a call. It keeps alive what its view looks at.
struct Operand {
  nb::handle given;  ///< what the caller gave, borrowed for the time of the call
  nb::object owner;  ///< the array that the view looks at
  Buffer buffer;
  DType dtype;  ///< the element type; uint8 where it is opaque
  Source source;

  /// Its type is `moved_as(dtype)`; uint8 for byte rows.
  const TensorView& view(const Unchanged&) const noexcept { return buffer.view; }
  /// The shape as the caller sees it.
  Shape shape() const {
    const std::span dims(buffer.view.shape().begin(), buffer.view.shape().end());
    return as_bytes() ? Shape(dims.first(dims.size() - 1)) : buffer.view.shape();
  }
  TensorSpec spec() const { return {dtype, shape()}; }
  bool on_device() const noexcept { return buffer.on_device(); }
  bool is_moved_type() const noexcept { return dtype != buffer.view.dtype(); }
  bool as_bytes() const noexcept { return std::holds_alternative<ByteRows>(source); }
  bool is_opaque() const noexcept { return as_bytes() && std::get<ByteRows>(source).is_opaque; }
  bool is_tensor() const noexcept { return std::holds_alternative<TorchTensor>(source); }
  /// nullptr for what is no ndarray.
  const NdArray* ndarray() const noexcept;
  bool is_swapped() const noexcept;
  /// The dtype of an ndarray; null for others.
  nb::handle descr() const noexcept;
  /// The dtype of packed strings; null for others.
  nb::handle string_descr() const noexcept;
  /// Whether strings of fixed or variable width are bytes, or str; nothing for others.
  std::optional<bool> holds_bytes() const noexcept;
  /// Whether the caller's array is one of another library that takes ndarrays over.
  bool is_foreign() const noexcept;
  /// The ndarray was made by the `__array__` of what the caller gave.
  void mark_converted() noexcept;
};

/// Makes an operand where it is kept, without a move: `slot.emplace(InPlace{[&] { return to_operand(...); }})`.
template <class Make>
struct InPlace {
  operator Operand() const { return make(); }
  Make make;
};
template <class Make>
InPlace(Make) -> InPlace<Make>;

/// Reads `object` as an operand of `op` named `name`. An ndarray, a tensor or an array with `__dlpack__` is looked
/// at where it lies, be it on a CUDA device; one that cannot (StringDType; unless it is only moved also another
/// byte order, strides between elements, strings of fixed width) and a sequence are copied, broadcast axes left
/// out.
Operand to_operand(const char* op, const char* name, nb::handle object, Role role);

/// TypeError for an array of Dask, or what holds one; by what Dask itself asks of objects.
void check_no_dask(const char* op, const char* name, nb::handle object);

bool have_one_type(const Operand& one, const Operand& other);

/// The name of the element type, as messages say it.
std::string type_of(const Operand& operand);

/// Reads updates: as `to_operand`, but sequences and scalars, which are no arrays, take the type of the data where
/// that loses no kind (TypeError otherwise). With `same_kind` arrays take it too, where NumPy's casting
/// "same_kind" allows that.
Operand to_updates(const char* op, const char* name, nb::handle object, const Operand& data,
                   bool same_kind = false);

/// Reads the operands of one call, at most six, and keeps them where they are.
class OperandReader {
 public:
  explicit OperandReader(const char* op) noexcept : op_(op) {}
  OperandReader(const OperandReader&) = delete;
  OperandReader& operator=(const OperandReader&) = delete;

  const Operand& read(const char* name, nb::handle object, Role role) {
    return keep(name, [&] { return to_operand(op_, name, object, role); });
  }
  const Operand& read_updates(const char* name, nb::handle object, const Operand& data) {
    return keep(name, [&] { return to_updates(op_, name, object, data); });
  }
  /// ValueError for the first operand that was changed since it was read.
  Unchanged all_unchanged() const { return {op_, std::span(named_).first(count_)}; }

 private:
  template <class Read>
  const Operand& keep(const char* name, const Read& read) {
    const Operand& kept = operands_.at(count_).emplace(InPlace{read});
    named_[count_++] = {name, &kept};
    return kept;
  }

  const char* op_;
  std::size_t count_ = 0;
  std::array<std::optional<Operand>, 6> operands_;
  std::array<NamedOperand, 6> named_{};
};

/// Has a scalar, also an array of rank 0, stand for an operand of this shape.
void repeat_scalar(Operand& scalar, const Shape& shape);

/// "; use .astype('float64')": what a refusal of updates of another type adds.
std::string how_to_cast(const Operand& updates, const Operand& data);

}  // namespace strew::python
