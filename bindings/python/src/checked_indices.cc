// Index values that are checked once, for many calls.
#include "checked_indices.h"

#include <array>
#include <utility>

#include "cuda_library.h"
#include "wanted.h"

namespace strew::python {
namespace {

CheckedIndices check_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes) {
  std::optional<CheckedIndices> checked;
  call_for({.checked = &checked}, function, arguments, attributes);
  return *std::move(checked);
}

std::int64_t device_bytes(const CheckedIndices& checked) {
  return checked.on_device ? cuda_door("").device_bytes(*checked.on_device) : 0;
}

// What the garbage collector asks: an array may hold the indices that were made of it.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<CheckedIndices>(self)->indices.owner.ptr());
  return 0;
}

int clear(PyObject* self) {
  nb::inst_ptr<CheckedIndices>(self)->indices.owner.reset();
  return 0;
}

std::array<PyType_Slot, 3> slots = {{{Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                                     {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                                     {0, nullptr}}};

}  // namespace

const CheckedIndices* checked_indices_of(nb::handle object) {
  return nb::isinstance<CheckedIndices>(object) ? nb::inst_ptr<CheckedIndices>(object) : nullptr;
}

void add_checked_indices(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<CheckedIndices>(module, "CheckedIndices", nb::type_slots(slots.data()), nb::is_weak_referenceable(),
                             "Indices that `strew.check_indices` has checked: operators take it in the place of "
                             "their indices.\n\n"
                             "Examples\n--------\n"
                             ">>> import strew\n"
                             ">>> kept = strew.check_indices(strew.gather, [5.0, 6.0, 7.0], [2, 0])\n"
                             ">>> strew.gather([1.0, 2.0, 3.0], kept)\n"
                             "array([3., 1.])\n"
                             ">>> kept.shape, kept.device_bytes\n"
                             "((2,), 0)")
      .def_prop_ro(
          "shape",
          [](const CheckedIndices& checked) {
            nb::list sizes;
            for (const std::int64_t size : checked.indices.shape()) sizes.append(size);
            return nb::tuple(sizes);
          },
          "The shape of the indices.")
      .def_prop_ro("device_bytes", &device_bytes,
                   "Bytes of device memory that it holds; 0 for indices in CPU memory.");
  module.def("_check_indices", &check_call, "function"_a, "arguments"_a, "attributes"_a);
}

}  // namespace strew::python
