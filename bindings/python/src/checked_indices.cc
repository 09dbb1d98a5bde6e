#include <nanobind/stl/string.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "arrays.h"
#include "call.h"
#include "device_call.h"
#include "operator_call.h"

namespace strew::python {
namespace {

CheckedIndices check_call(nb::handle callable, const nb::tuple& positional, const nb::dict& attributes) {
  const OperatorFunction& function = find_operator_function(callable);
  const Arguments arguments = bind_arguments(function, positional, attributes);
  const CallParams params = read_params(function, arguments);
  const CallOperands operands = read_operands(function, arguments, params);
  const Result<Plan> plan = legal_plan(params, operands);
  if (operands.on_device()) return check_on_device(operands, *plan);
  const Unchanged all = all_unchanged(operands);
  const std::shared_ptr<Executor> executor = current_executor();
  const Options options{.executor = executor.get()};
  const Operand& indices = operands.indices.value();
  auto checked = unwrap(without_lock(true, [&] { return check_indices(*plan, indices.view(all), options); }));
  return {indices, std::move(checked), std::nullopt, indexed_axis_sizes(*plan)};
}

std::int64_t device_bytes(const CheckedIndices& checked) {
  return checked.on_device ? cuda_door("").device_bytes(*checked.on_device) : 0;
}

nb::tuple shape_in(const CheckedIndices& checked) { return to_tuple(checked.indices.shape()); }
nb::tuple axis_sizes(const CheckedIndices& checked) { return to_tuple(checked.axis_sizes); }
nb::object descr_in(const CheckedIndices& checked) { return make_descr(checked.indices.dtype); }

std::string device_in(const CheckedIndices& checked) {
  return checked.indices.on_device() ? "cuda:" + std::to_string(checked.indices.buffer.device) : "cpu";
}

std::int64_t get_length(const CheckedIndices& checked) {
  const Shape shape = checked.indices.shape();
  if (shape.empty()) raise(ErrorCode::kInvalidType, {}, "len() of CheckedIndices of shape ()");
  return shape[0];
}

std::string describe_checked(const CheckedIndices& checked) {
  std::string words = "CheckedIndices(shape=" + text_of(shape_in(checked)) +
                      ", dtype=" + std::string(dtype_name(checked.indices.dtype)) + ", device='" +
                      device_in(checked) + "', axis_sizes=" + text_of(axis_sizes(checked));
  if (checked.on_device) words += ", device_bytes=" + std::to_string(device_bytes(checked));
  return words + ")";
}

// Without `__array__`, NumPy would wrap the object in an array of one element.
void refuse_array(const nb::args&, const nb::kwargs&) {
  raise(ErrorCode::kInvalidType, {},
        "CheckedIndices are not an array: they serve only as the indices of operators such as strew.gather; pass "
        "the array that they were made from");
}

void refuse_pickle(const CheckedIndices&) {
  raise(ErrorCode::kInvalidType, {},
        "CheckedIndices can be neither copied nor pickled: they vouch for indices in the memory of this process; "
        "copy or send the array that they were made from, and call strew.check_indices there");
}

bool are_checked_indices(nb::handle object) { return nb::isinstance<CheckedIndices>(object); }

// Visits references for the garbage collector: an array may refer to the checked indices made from it.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<CheckedIndices>(self)->indices.owner.ptr());
  return 0;
}

int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<CheckedIndices>(self)->indices.owner.reset();
  return 0;
}

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) noexcept {
  return call_from_python([]() -> nb::object {
    raise(ErrorCode::kInvalidType, {"CheckedIndices"}, "only strew.check_indices makes CheckedIndices");
  });
}

std::array<PyType_Slot, 4> slots = {{{Py_tp_new, reinterpret_cast<void*>(&refuse_new)},
                                     {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                                     {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                                     {0, nullptr}}};

}  // namespace

const CheckedIndices* as_checked_indices(nb::handle object) {
  return are_checked_indices(object) ? nb::inst_ptr<CheckedIndices>(object) : nullptr;
}

void check_no_checked_indices(const char* op, const char* name, nb::handle object) {
  const bool are_checked = are_checked_indices(object);
  if (!are_checked && !find_element(object, are_checked_indices).is_valid()) return;
  raise(ErrorCode::kInvalidType, {op, name},
        are_checked ? with_verb(name, "is") + "a CheckedIndices, which serves only as indices; pass an array"
                    : with_verb(name, "holds") +
                          "CheckedIndices, which stand for all indices of a call; join the arrays that they were "
                          "made from, and check the result");
}

Shape indexed_axis_sizes(const Plan& plan) {
  Shape sizes;
  for (const std::int64_t axis : plan.indexed_axes()) sizes.push_back(plan.data().shape[axis]);
  return sizes;
}

void add_checked_indices(nb::module_& module) {
  nb::class_<CheckedIndices>(
      module, "CheckedIndices", nb::type_slots(slots.data()), nb::is_weak_referenceable(),
      "Indices that `strew.check_indices` has checked; operators accept them as indices.\n\n"
      "Examples\n--------\n"
      ">>> import strew\n"
      ">>> kept = strew.check_indices(strew.gather, [5.0, 6.0, 7.0], [2, 0])\n"
      ">>> strew.gather([1.0, 2.0, 3.0], kept)\n"
      "array([3., 1.])\n"
      ">>> kept\n"
      "CheckedIndices(shape=(2,), dtype=int64, device='cpu', axis_sizes=(3,))")
      .def_prop_ro("shape", &shape_in, "The shape of the indices.")
      .def_prop_ro("dtype", &descr_in, "The NumPy type of the indices.")
      .def_prop_ro("device", &device_in, "The device of the indices, such as 'cpu' or 'cuda:0'.")
      .def_prop_ro(
          "axis_sizes", &axis_sizes,
          "The lengths of the axes of data that the indices address. A call whose data have other lengths checks "
          "the indices again.")
      .def_prop_ro("device_bytes", &device_bytes,
                   "Bytes of device memory that the object uses; 0 for indices in CPU memory.")
      .def("__len__", &get_length)
      .def("__bool__", [](const CheckedIndices&) { return true; })  // even if __len__ is 0 or raises
      .def("__repr__", &describe_checked)
      .def("__array__", &refuse_array)
      .def("__reduce__", &refuse_pickle);
  module.def("_check_indices", &check_call, "function"_a.none(), "arguments"_a, "attributes"_a);
}

}  // namespace strew::python
