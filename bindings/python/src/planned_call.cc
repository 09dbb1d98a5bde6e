// Implements strew.plan: calls that are planned once and run many times.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrays.h"
#include "call.h"
#include "operator_call.h"
#include "strew/run.h"

namespace strew::python {
namespace {

// The result of strew.plan. Immutable, so threads may share it.
struct PlannedCall {
  const OperatorFunction* function;
  Signature signature;                             // of `run`: the operands, and `out`
  std::array<std::optional<TensorSpec>, 3> specs;  // of the operands, in that order
  std::array<nb::object, 3> opaque;                // the dtype of an operand whose type only NumPy knows
  nb::dict attributes;                             // values by name, immutable or copied
  Plan plan;
  // For run_by_address:
  nb::object descr;  // the dtype of a new output; null if run_by_address cannot run any call
  bool rejects_duplicates;
};

std::string describe_operand(const PlannedCall& planned, std::size_t operand) {
  const TensorSpec& spec = *planned.specs[operand];
  const nb::object& opaque = planned.opaque[operand];
  return (opaque.is_valid() ? text_of(opaque) : std::string(dtype_name(spec.dtype))) + " " + to_string(spec.shape);
}

// True for a contiguous ndarray of this type and shape.
bool is_dense(nb::handle object, DType dtype, const Shape& shape) {
  if (!object.is_valid() || !PyArray_CheckExact(object.ptr())) return false;
  PyArrayObject* const array = as_array(object);
  if (PyArray_NDIM(array) != shape.rank() || !PyArray_IS_C_CONTIGUOUS(array)) return false;
  if (!std::equal(shape.begin(), shape.end(), PyArray_DIMS(array))) return false;
  return !PyArray_ISBYTESWAPPED(array) && dtype_of(PyArray_DESCR(array)) == dtype;
}

// Returns the addresses of the operands; nullopt unless all are dense ndarrays of the planned types and shapes.
std::optional<DenseOperands> dense_operands(const PlannedCall& planned, const Arguments& given) {
  std::array<const void*, 3> addresses{};
  for (std::size_t i = 0; i < planned.signature.positional; ++i) {
    const std::optional<TensorSpec>& spec = planned.specs[i];
    if (!spec && given.or_none(i).is_none()) continue;
    if (!spec) return std::nullopt;
    if (!is_dense(given[i], spec->dtype, spec->shape)) return std::nullopt;
    addresses[i] = PyArray_DATA(as_array(given[i]));
  }
  const OperatorFunction& function = *planned.function;
  DenseOperands operands{addresses[0], addresses[function.indices]};
  if (planned.plan.is_scatter()) operands.updates = addresses[function.updates];
  return operands;
}

// Runs a call whose operands are all dense ndarrays; returns null for any other call.
nb::object run_by_address(const PlannedCall& planned, const Arguments& given) {
  const Plan& plan = planned.plan;
  const Shape& shape = plan.output_shape();
  const nb::handle out = given.or_none(planned.signature.positional);
  if (!planned.descr.is_valid()) return {};
  if (!out.is_none() && !(is_dense(out, plan.dtype(), shape) && PyArray_ISWRITEABLE(as_array(out)))) return {};
  const std::optional<DenseOperands> operands = dense_operands(planned, given);
  if (!operands) return {};
  nb::object output = nb::borrow(out);
  if (out.is_none()) output = new_ndarray(planned.descr, shape);
  void* const to = PyArray_DATA(as_array(output));
  const bool in_place = to == operands->data;
  const bool release =
      is_long((in_place || !plan.is_scatter() ? plan.position_count() : plan.data_count()) + plan.index_count());
  const std::shared_ptr<Executor> executor = release ? current_executor() : nullptr;
  const Options options{.executor = release ? executor.get() : &calling_thread,
                        .reject_duplicates = planned.rejects_duplicates,
                        .limits = {scratch_limit()},
                        .promises = {.output_is_new = out.is_none()}};
  check_done(without_lock(release, [&] { return run_dense(plan, *operands, to, options); }), out);
  return output;
}

void check_planned(const PlannedCall& planned, std::size_t operand, const Operand& given) {
  const std::string_view name = planned.signature.names[operand];
  if (!planned.specs[operand]) {
    raise(ErrorCode::kInvalidArgument, {planned.signature.function, name},
          with_verb(name, "was") + "not passed to strew.plan; pass None, or make another plan");
  }
  const TensorSpec& wanted = *planned.specs[operand];
  const TensorSpec found = given.spec();
  const nb::object& opaque = planned.opaque[operand];
  const bool same_type = found.dtype == wanted.dtype && given.is_opaque == opaque.is_valid() &&
                         (!given.is_opaque || PyArray_EquivTypes(as_descr(given.descr), as_descr(opaque)));
  if (same_type && found.shape == wanted.shape) return;
  raise(same_type ? ErrorCode::kInvalidArgument : ErrorCode::kInvalidType, {planned.signature.function, name},
        with_verb(name, "is") + describe_type(given) + " " + to_string(found.shape) + "; the plan is for " +
            describe_operand(planned, operand));
}

nb::dict copy_of(const nb::dict& named) { return nb::steal<nb::dict>(PyDict_Copy(named.ptr())); }

// Calls the operator, and checks that the operands have the planned types and shapes.
nb::object run_as_operator(const PlannedCall& planned, const Arguments& given) {
  const OperatorFunction& function = *planned.function;
  nb::dict named = copy_of(planned.attributes);
  for (std::size_t i = 0; i < planned.signature.count; ++i) {
    if (given[i].is_valid()) named[planned.signature.keywords[i]] = given[i];
  }
  return call_operator(function, bind_arguments(function, nb::tuple(), named), [&](const CallOperands& operands) {
    check_planned(planned, 0, operands.data);
    if (operands.indices) check_planned(planned, function.indices, *operands.indices);
    if (operands.updates) check_planned(planned, function.updates, *operands.updates);
  });
}

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) noexcept {
  return call_from_python(
      []() -> nb::object { raise(ErrorCode::kInvalidType, {"Plan"}, "only strew.plan makes a Plan"); });
}

PyObject* run(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) noexcept {
  return call_from_python([&] {
    const PlannedCall& planned = *nb::inst_ptr<PlannedCall>(self);
    const Arguments given(planned.signature, values, positional, keywords);
    nb::object result = run_by_address(planned, given);
    return result.is_valid() ? result : run_as_operator(planned, given);
  });
}

// Copies an element, such as `alpha`, since the caller may change the array or sequence later.
nb::object copied_element(const char* op, const char* name, nb::handle value) {
  if (value.is_none() || is_scalar(value)) return nb::borrow(value);
  const ArrayKind kind = PyArray_Check(value.ptr()) ? ArrayKind::kNumPy : classify_array(value);
  if (kind == ArrayKind::kTorch) return value.attr("clone")();
  if (kind == ArrayKind::kForeign || !(PyArray_Check(value.ptr()) || is_array_like(value))) {
    return attribute("copy", "deepcopy")(value);
  }
  check_no_mask(op, name, value);
  return as_described_ndarray(op, name, value).attr("copy")();
}

// Returns the arguments other than the operands. Reads them once, so that each run uses the same values.
nb::dict attributes_in(const OperatorFunction& function, const Arguments& given) {
  nb::dict attributes;
  for (std::size_t i = function.info.inputs.size(); i < given.end(); ++i) {
    if (!given[i].is_valid()) continue;
    const Parameter& parameter = function.parameters[i];
    nb::object value = nb::borrow(given[i]);  // unchanged unless it is an attribute
    if (parameter.attribute != nullptr) {
      const AttributeType type = parameter.attribute->type;
      const auto word = [&] { return static_cast<std::size_t>(given.word(i, parameter.words)); };
      if (type == AttributeType::kInt) value = nb::int_(given.integer(i));
      if (type == AttributeType::kString) value = nb::borrow(parameter.words.keywords[word()]);
      if (type == AttributeType::kBool) value = nb::bool_(given.flag(i));
      if (type == AttributeType::kElement) {
        value = copied_element(function.signature.function, function.name(i), given[i]);
      }
    }
    attributes[function.signature.keywords[i]] = value;
  }
  return attributes;
}

// Returns the dtype of a new output for run_by_address; null if run_by_address cannot run any call.
nb::object descr_for_addresses(const CallOperands& operands) {
  const auto is_plain = [](const Operand& operand) { return !operand.as_bytes() && !operand.is_moved_type(); };
  const Operand& data = operands.data;
  if (operands.on_device() || !is_plain(data) || (operands.updates && !is_plain(*operands.updates))) return {};
  const bool is_native = data.descr.is_valid() && PyArray_ISNBO(as_descr(data.descr)->byteorder);
  if (is_native) return nb::borrow(data.descr);
  return dtype_info(data.dtype).in_numpy ? make_descr(data.dtype) : nb::object();
}

PlannedCall plan_call(nb::handle callable, const nb::tuple& arguments, const nb::dict& named) {
  const OperatorFunction& function = find_operator_function(callable);
  const Arguments given = bind_arguments(function, arguments, named);
  const nb::dict attributes = attributes_in(function, given);
  nb::dict all = copy_of(attributes);
  for (std::size_t i = 0; i < function.info.inputs.size(); ++i) {
    if (given[i].is_valid()) all[function.signature.keywords[i]] = given[i];
  }
  const Arguments bound = bind_arguments(function, nb::tuple(), all);
  const CallParams params = read_params(function, bound);
  const CallOperands operands = read_operands(function, bound, params);
  if (!operands.out.is_none()) {
    raise(ErrorCode::kInvalidArgument, {operands.op(), "out"},
          "out was passed to strew.plan; pass it to run instead");
  }
  PlannedCall planned{.function = &function,
                      .signature = {operands.op()},
                      .specs = {},
                      .opaque = {},
                      .attributes = attributes,
                      .plan = *legal_plan(params, operands),
                      .descr = descr_for_addresses(operands),
                      .rejects_duplicates = operands.rejects_duplicates};
  Signature& signature = planned.signature;
  const auto add = [&](std::size_t parameter) {
    signature.names[signature.count] = function.signature.names[parameter];
    signature.keywords[signature.count++] = function.signature.keywords[parameter];
  };
  const auto keep = [&](std::size_t parameter, const Operand& operand) {
    planned.specs[parameter] = operand.spec();
    if (operand.is_opaque) planned.opaque[parameter] = nb::borrow(operand.descr);
  };
  keep(0, operands.data);
  if (operands.indices) keep(function.indices, *operands.indices);
  if (operands.updates) keep(function.updates, *operands.updates);
  for (std::size_t i = 0; i < function.info.inputs.size(); ++i) add(i);
  signature.required = signature.positional = signature.count;
  if (!planned.specs[signature.count - 1]) --signature.required;  // TensorScatter without write_indices
  add(function.out);
  return planned;
}

nb::tuple output_shape(const PlannedCall& planned) { return to_tuple(planned.plan.output_shape()); }

std::string make_repr(const PlannedCall& planned) {
  std::string words = std::string("Plan(") + planned.signature.function;
  for (std::size_t i = 0; i < planned.signature.required; ++i) {
    words += i == 0 ? ": " : ", ";
    words.append(planned.signature.names[i]).append(" ").append(describe_operand(planned, i));
  }
  for (const auto& [name, value] : planned.attributes) {
    words += ", " + text_of(name) + "=" + text_of(nb::repr(value));
  }
  return words + ")";
}

// Visits references for the garbage collector: an attribute may be an object that refers to the plan.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  Py_VISIT(nb::inst_ptr<PlannedCall>(self)->attributes.ptr());
  return 0;
}

int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<PlannedCall>(self)->attributes.clear();
  return 0;
}

// A plain C method: a method call through nanobind takes as long as a small call of an operator.
std::array<PyMethodDef, 2> methods = {
    {{"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&run)), METH_FASTCALL | METH_KEYWORDS,
      "run($self, /, *operands, out=None)\n--\n\n"
      "Run the call with operands of the planned types and shapes.\n\n"
      "Parameters\n----------\n"
      "*operands : array_like\n"
      "    The inputs of the operator, in its order. Calls with contiguous ndarrays are fastest; any other call\n"
      "    takes as long as a call of the operator.\n"
      "out : array, optional\n"
      "    The array to write, as for the operator.\n\n"
      "Returns\n-------\n"
      "array\n"
      "    The result of the operator; `out` if given.\n\n"
      "Raises\n------\n"
      "TypeError, ValueError\n"
      "    If an operand has a different type or shape.\n"
      "IndexError\n"
      "    If an index is outside its axis.\n\n"
      "Examples\n--------\n"
      ">>> import numpy as np, strew\n"
      ">>> table, rows = np.arange(3.0), np.array([2, 0])\n"
      ">>> strew.plan(strew.gather, table, rows).run(table, rows)\n"
      "array([2., 0.])\n"},
     {nullptr, nullptr, 0, nullptr}}};

std::array<PyType_Slot, 5> slots = {{{Py_tp_new, reinterpret_cast<void*>(&refuse_new)},
                                     {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                                     {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                                     {Py_tp_methods, methods.data()},
                                     {0, nullptr}}};

}  // namespace

void add_planned_calls(nb::module_& module) {
  nb::class_<PlannedCall>(
      module, "Plan", nb::type_slots(slots.data()), nb::is_weak_referenceable(),
      "A planned call of an operator, which can run many times (experimental). `strew.plan` makes it.")
      .def_prop_ro("output_shape", &output_shape, "The shape of the result.")
      .def("__repr__", &make_repr);
  module.def("_plan", &plan_call, "function"_a.none(), "arguments"_a, "attributes"_a);
}

}  // namespace strew::python
