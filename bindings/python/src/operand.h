// Operands: what a caller gave, as a view for the library. Nothing is copied that can be read in place.
#pragma once

#include <nanobind/ndarray.h>

#include <span>
#include <utility>

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

using Imported = nb::ndarray<nb::ro>;

struct CheckedIndices;

/// An operand of a call. It keeps alive what its view looks at.
struct Operand {
  Operand(nb::handle what, nb::object array, TensorView&& seen, DType type, ArrayKind of)
      : given(what), owner(std::move(array)), view(std::move(seen)), dtype(type), kind(of) {}

  nb::handle given;  ///< what the caller gave, borrowed for the time of the call
  nb::object owner;  ///< the array that the view looks at
  TensorView view;   ///< its type is `moved_as(dtype)`; uint8 where `as_bytes`
  DType dtype;       ///< the element type; uint8 where `is_opaque`
  ArrayKind kind;
  nb::object string_descr{};  ///< the dtype of an 'S', 'U' or StringDType array, whose strings became objects
  Imported imported{};        ///< what DLPack lent, or empty
  nb::object descr{};         ///< the dtype of the array that `view` was made of, as it was then; of ndarrays only
  bool is_swapped = false;    ///< the caller's array has another byte order
  bool as_bytes = false;      ///< the view has one axis more: over the bytes of an element
  int device = -1;            ///< the CUDA device that it lies on; -1: in CPU memory
  void* stream = nullptr;     ///< of that device: where its elements are as they should be
  bool knows_stream = false;  ///< whether its library told that stream
  bool is_opaque = false;     ///< of a type that the library does not know, such as a date: only moved, as bytes
  const CheckedIndices* checked = nullptr;  ///< of indices that were checked before: what is known of them

  /// The shape as the caller sees it.
  Shape shape() const {
    const std::span dims(view.shape().begin(), view.shape().size());
    return as_bytes ? Shape(dims.first(dims.size() - 1)) : view.shape();
  }
  TensorSpec spec() const { return {dtype, shape()}; }
  bool on_device() const noexcept { return device >= 0; }
  bool is_moved_type() const noexcept { return dtype != view.dtype(); }
};

/// Reads `object` as an operand of `op` named `name`. An ndarray, a tensor or an array with `__dlpack__` is looked
/// at where it lies, be it on a CUDA device; one that cannot (StringDType; unless it is only moved also another
/// byte order, strides between elements, strings of fixed width) and a sequence are copied, broadcast axes left
/// out.
Operand to_operand(const char* op, const char* name, nb::handle object, Role role);

/// ValueError where the memory of the operand was moved, resized or seen as another type since it was read: what
/// converts another operand (an `__array__`, a sequence) may have done so. To be asked when all are read.
void check_unchanged(const char* op, const char* name, const Operand& operand);

/// ValueError where an ndarray cannot be written as it lies: it is read-only, of another byte order, or (where
/// elements count) has strides between elements.
void check_output(const char* op, nb::handle array, bool counts_elements);

/// TypeError for a masked array.
void check_no_mask(const char* op, const char* name, nb::handle array);

/// TypeError for an array of Dask, or what holds one; by what Dask itself asks of objects.
void check_no_dask(const char* op, const char* name, nb::handle object);

/// As `to_operand` for an array that is read, cast to this dtype, broadcast axes left out.
Operand to_cast_operand(const char* op, const char* name, nb::handle array, nb::handle descr);

bool have_one_type(const Operand& one, const Operand& other);

/// The name of the element type, as messages say it.
std::string type_of(const Operand& operand);

/// Reads updates: as `to_operand`, but sequences and scalars take the type of the data where that loses no kind
/// (TypeError otherwise). With `promote` arrays take it too, where NumPy casts of the same kind allow that.
Operand to_updates(const char* op, const char* name, nb::handle object, const Operand& data, bool promote = false);

/// Has a scalar, also an array of rank 0, stand for an operand of this shape.
void repeat_scalar(Operand& scalar, const Shape& shape);

/// "; use .astype('float64')": what a refusal of updates of another type adds.
std::string how_to_cast(const Operand& updates, const Operand& data);

}  // namespace strew::python
