// Reads a caller's array as a view for the library; copies only arrays that cannot be read in place. Makes
// outputs: new arrays of the caller's kind, or `out`. Large new arrays use the library's caching allocator.
#pragma once

#include <nanobind/ndarray.h>

#include <array>
#include <optional>
#include <span>
#include <utility>

#include "call.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew::python {

/// The use of an operand. It decides which arrays need no copy.
enum class Role : unsigned char {
  kMoved,    ///< data of a gather, which is only moved: no byte order or strides require a copy
  kRead,     ///< data of a scatter, updates
  kModel,    ///< an input of a model: like kRead, but only of types that ONNX has
  kIndices,  ///< an empty sequence is an empty index list, as in NumPy
  kOutput,   ///< must be writable in place
};

/// The kind of array that an operand was read from.
enum class Source : unsigned char {
  kNumPy,  ///< an ndarray: the caller's, a copy of it, or one made from a sequence or scalar
  /// An ndarray whose elements the library moves as bytes: fixed-width strings, dates, or elements at strides that
  /// are not multiples of the element size. The view has a last axis over the bytes of an element.
  kByteRows,
  kPackedStrings,  ///< an array of type 'S', 'U' or StringDType, whose strings became objects
  kTorch,
  kDLPack,
  kCudaInterface,  ///< an array with `__cuda_array_interface__`, on a device
};

/// The memory of an operand: device, address, shape and strides.
struct Buffer {
  TensorView view;            ///< made when the operand was read
  int device = -1;            ///< the CUDA device; -1: in CPU memory
  void* stream = nullptr;     ///< a stream in which later work sees valid elements
  bool knows_stream = false;  ///< true if the array's library reported the stream

  bool on_device() const noexcept { return device >= 0; }
};

/// Returns a view of an array. Omits row-major strides, so that the library takes the fast path.
TensorView make_view(const void* data, DType dtype, const Shape& shape, const Shape& strides);
/// Returns a mutable view of the same memory, which must be writable.
MutableTensorView writable(const TensorView& view);

struct Operand;

struct NamedOperand {
  const char* name;        ///< for messages
  const Operand* operand;  ///< null if omitted
};

/// Proves that no operand has changed since it was read. Converting an operand (by `__array__` or from a sequence)
/// may run any code, which may move, resize or retype the memory of another operand. So access to elements needs
/// an Unchanged, constructed after all operands are read.
class Unchanged {
 public:
  /// Raises ValueError for the first operand that changed.
  Unchanged(const char* op, std::span<const NamedOperand> operands);
};

/// An operand of a call. Keeps the memory of its view alive.
struct Operand {
  nb::handle given;  ///< the caller's object, borrowed during the call
  nb::object owner;  ///< the array that owns the view's memory
  Buffer buffer;
  DType dtype;  ///< the element type; uint8 if opaque
  Source source = Source::kNumPy;
  nb::object descr = {};          ///< the dtype that an ndarray had when its view was created; null for others
  nb::object string_descr = {};   ///< the dtype of packed strings; null for others
  nb::ndarray<nb::ro> lent = {};  ///< the export of an array through DLPack
  bool is_swapped = false;        ///< the caller's ndarray does not have the machine's byte order
  bool is_opaque = false;         ///< byte rows of a type that the library can only move, such as a date
  bool is_foreign = false;        ///< the caller's array comes from a library other than NumPy and torch

  /// Returns a view of type `moved_as(dtype)`, or uint8 for byte rows.
  const TensorView& view(const Unchanged&) const noexcept { return buffer.view; }
  /// The shape as the caller sees it.
  Shape shape() const {
    const std::span dims(buffer.view.shape().begin(), buffer.view.shape().end());
    return as_bytes() ? Shape(dims.first(dims.size() - 1)) : buffer.view.shape();
  }
  TensorSpec spec() const { return {dtype, shape()}; }
  bool on_device() const noexcept { return buffer.on_device(); }
  bool is_moved_type() const noexcept { return dtype != buffer.view.dtype(); }
  bool as_bytes() const noexcept { return source == Source::kByteRows; }
  bool is_tensor() const noexcept { return source == Source::kTorch; }
  /// True if strings of an 'S', 'U' or StringDType array are bytes, false if they are str; nullopt for others.
  std::optional<bool> holds_bytes() const noexcept;
};

/// Constructs an operand in its storage, without a move: `slot.emplace(InPlace{[&] { return to_operand(...); }})`.
template <class Make>
struct InPlace {
  operator Operand() const { return make(); }
  Make make;
};
template <class Make>
InPlace(Make) -> InPlace<Make>;

/// Reads `object` as an operand of `op` named `name`. Reads an ndarray, a tensor or an array with `__dlpack__` in
/// place, also on a CUDA device. Copies sequences and StringDType arrays. Unless the operand is only moved, also
/// copies fixed-width strings, and arrays in a different byte order or with strides that are not multiples of the
/// element size. A copy holds broadcast elements once.
Operand to_operand(const char* op, const char* name, nb::handle object, Role role);

/// Raises TypeError for a Dask array or an object that holds one (detected by `__dask_graph__`).
void check_no_dask(const char* op, const char* name, nb::handle object);

bool have_one_type(const Operand& one, const Operand& other);

std::string describe_type(const Operand& operand);

/// Reads updates as `to_operand` does, but converts sequences and scalars to the type of the data. Raises
/// TypeError for a conversion to a lesser kind, such as float to integer. If `same_kind` is true, also converts
/// arrays that NumPy's "same_kind" casting can convert.
Operand to_updates(const char* op, const char* name, nb::handle object, const Operand& data,
                   bool same_kind = false);
/// The part of `to_updates` for data that are strings, and for updates that are not an ndarray of the data's type.
Operand to_converted_updates(const char* op, const char* name, nb::handle object, const Operand& data,
                             bool same_kind);

/// Reads and owns the operands of one call, at most six, at stable addresses.
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

/// Reads the operands of calls that make or use edges. Raises TypeError if the library would see the elements as
/// bytes or addresses, and NotImplementedError for CUDA memory.
class EdgeOperands : public OperandReader {
 public:
  explicit EdgeOperands(const char* function) noexcept : OperandReader(function), function_(function) {}

  const Operand& read_index(const char* name, nb::handle object);
  const Operand& read_rows(const char* name, nb::handle object);
  /// Returns nullptr for None.
  const Operand* read_term(const char* name, nb::handle object, const Operand& data);

 private:
  const char* function_;
};

/// Broadcasts a scalar, or an array of rank 0, to this shape without a copy.
void repeat_scalar(Operand& scalar, const Shape& shape);

/// Returns the end of the message for updates of a different type. If the updates can be converted to the type of
/// data without a lesser kind, it is "; use .astype('float64') or casting='same_kind'". If only data can be
/// converted, it advises that. Otherwise it is empty.
std::string how_to_cast(const Operand& updates, const Operand& data);

/// The array that a call writes and returns.
class Output {
 public:
  /// Returns `out`, or a new array if `out` is None. Either has this shape.
  static Output of(const char* op, nb::handle out, const Operand& like, const Shape& shape) {
    return out.is_none() ? make(op, like, shape) : given(op, out, like, shape);
  }
  /// Allocates an array of this shape, with the library, element type and device of `like`.
  static Output make(const char* op, const Operand& like, const Shape& shape);
  /// Wraps the caller's `out`. Raises TypeError if its type differs from `like`'s, ValueError if it is on a
  /// different device, has a different shape or is read-only.
  static Output given(const char* op, nb::handle out, const Operand& like, const Shape& shape);

  const MutableTensorView& view() const noexcept { return view_; }
  /// The array to write: a new object array for strings.
  nb::handle array() const noexcept { return array_; }
  /// Returns the finished array. Call it once, after the operator has run without an error.
  nb::object take(const char* op, const Operand& like, const Operand* updates, Reduction reduction);

 private:
  static Output make_separate(const char* op, nb::handle out, const Operand& like, const Shape& shape);
  void copy_out(const char* op) const;
  Output(nb::object array, MutableTensorView&& view) : array_(std::move(array)), view_(std::move(view)) {}

  nb::object array_;            // the array to write
  nb::object out_;              // the caller's `out`; empty if None
  bool is_apart_ = false;       // `array_` is copied into the caller's array at the end
  nb::ndarray<nb::ro> lender_;  // keeps an exported buffer alive
  MutableTensorView view_;
};

/// Returns an ndarray over `data`, which `base` keeps alive, or over memory of its own if `data` is null. Strides
/// are in bytes; null: row-major.
nb::object ndarray_over(const void* data, nb::object descr, const Shape& shape, const std::int64_t* strides,
                        int flags = 0, nb::object base = {});
/// Allocates an ndarray. The elements of an object array are null pointers.
nb::object new_ndarray(nb::object descr, const Shape& shape);
/// As above for a NumPy type, such as NPY_INT64.
nb::object new_ndarray(int type, const Shape& shape);

/// True if arrays of this size use the caching allocator.
bool is_large(std::int64_t bytes) noexcept;

}  // namespace strew::python
