// Loads, checks and runs ONNX models, infers their types and shapes, and runs single nodes.
#include <nanobind/stl/string.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "call.h"
#include "model_tensors.h"
#include "operator_call.h"
#include "strew/model.h"

namespace strew::python {
namespace {

CheckReport make_report(const Model& model) {
  return without_lock(true, [&] { return model.check(); });
}

// Returns a copy: reading an input may run Python code that changes the caller's dict.
nb::dict as_dict(nb::handle inputs) {
  if (!nb::hasattr(inputs, "keys")) {
    raise(ErrorCode::kInvalidType, {"run", "inputs"},
          "inputs must be a dict of arrays, with the names of the model's inputs as keys; got " +
              type_name_of(inputs));
  }
  nb::dict copy;
  if (PyDict_Update(copy.ptr(), inputs.ptr()) < 0) throw nb::python_error();
  return copy;
}

std::string input_name(nb::handle key) {
  if (!nb::isinstance<nb::str>(key)) {
    raise(ErrorCode::kInvalidType, {"run", "inputs"},
          "the keys of inputs must be str, the names of inputs; got " + type_name_of(key));
  }
  return encode_name(nb::borrow<nb::str>(key));
}

std::optional<DType> declared_type(const Model& model, const std::string& name) {
  for (const ValueInfo& input : model.inputs()) {
    if (input.name == name) return input.dtype;
  }
  return std::nullopt;
}

nb::dict run_model(const Model& model, nb::handle inputs) {
  std::vector<std::pair<std::string, TensorInput>> held;
  for (const auto& [key, value] : as_dict(inputs)) {
    std::string name = input_name(key);
    TensorInput input = to_tensor_input("run", name.c_str(), value, declared_type(model, name));
    held.emplace_back(std::move(name), std::move(input));
  }
  std::vector<NamedOperand> operands;
  operands.reserve(held.size());
  for (const auto& [name, input] : held) operands.push_back({name.c_str(), &input.operand});
  const Unchanged all("run", operands);
  std::vector<std::pair<std::string, TensorView>> views;
  views.reserve(held.size());
  for (const auto& [name, input] : held) views.emplace_back(name, input.view(all));
  const std::shared_ptr<Executor> executor = current_executor();
  const Options options{.executor = executor.get(), .limits = {.scratch_bytes = scratch_limit()}};
  std::vector<NamedTensor> outputs = unwrap(without_lock(true, [&] { return model.run(views, options); }));
  nb::dict arrays;
  for (auto& [name, tensor] : outputs) arrays[text(name)] = to_ndarray(std::move(tensor));
  return arrays;
}

bool is_path(nb::handle object) { return nb::isinstance<nb::str>(object) || nb::hasattr(object, "__fspath__"); }

std::filesystem::path to_path(nb::handle object) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(object.ptr(), &bytes) == 0) throw nb::python_error();
  return nb::steal<nb::bytes>(bytes).c_str();
}

// Locks the buffer of an object, so that its bytes can neither move nor be freed.
class ReadBuffer {
 public:
  explicit ReadBuffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) < 0) throw nb::python_error();
  }
  ReadBuffer(const ReadBuffer&) = delete;
  ReadBuffer& operator=(const ReadBuffer&) = delete;
  ~ReadBuffer() { PyBuffer_Release(&view_); }

  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

Model load_file(nb::handle source, const LoadOptions& options) {
  if (options.external_data_dir) {
    raise(ErrorCode::kInvalidArgument, {"load_model", "external_data_dir"},
          "external_data_dir is for a model in memory; the external data of a model file lie beside the file");
  }
  const std::filesystem::path path = to_path(source);
  auto model = without_lock(true, [&] { return Model::load(path, options); });
  std::error_code ignored;
  if (!model && model.error().code == ErrorCode::kIo && !std::filesystem::exists(path, ignored)) {
    raise_as(PyExc_FileNotFoundError, model.error());
  }
  return unwrap(std::move(model));
}

// Implements `strew.load_model`. Raises TypeError unless `source` is a path, an object with a buffer or a proto.
Model load(nb::handle source, bool allow_deprecated, nb::handle external_data_dir, nb::handle links_within) {
  LoadOptions options;
  options.allow_deprecated = allow_deprecated;
  if (!external_data_dir.is_none()) options.external_data_dir = to_path(external_data_dir);
  if (!links_within.is_none()) options.links_within = to_path(links_within);
  if (is_path(source)) return load_file(source, options);
  nb::object image = nb::borrow(source);
  if (nb::hasattr(source, "SerializeToString")) image = source.attr("SerializeToString")();
  if (PyObject_CheckBuffer(image.ptr()) == 0) {
    raise(ErrorCode::kInvalidType, {"load_model", "path_or_bytes"},
          "a model must be a path (str or os.PathLike), bytes or an onnx.ModelProto; got " + type_name_of(source));
  }
  const ReadBuffer buffer(image);
  return unwrap(without_lock(true, [&] { return Model::parse(buffer.bytes(), options); }));
}

nb::dict infer_shapes(nb::handle source) {
  if (nb::isinstance<Model>(source)) {
    const Model& model = nb::cast<const Model&>(source);
    return list_values(model, make_report(model));
  }
  const Model model = load(source, false, nb::none(), nb::none());
  return list_values(model, make_report(model));
}

NodeAttributes read_attributes(const std::string& op_type, const nb::dict& attributes) {
  NodeAttributes values;
  for (const auto& [key, value] : attributes) {
    std::string name = nb::cast<std::string>(key);
    if (nb::isinstance<nb::int_>(value)) {
      values.ints.emplace_back(std::move(name), nb::cast<std::int64_t>(value));
    } else if (nb::isinstance<nb::str>(value)) {
      values.strings.emplace_back(std::move(name), nb::cast<std::string>(value));
    } else {
      raise(ErrorCode::kInvalidModel, {op_type, name},
            "attribute " + name + " is " + type_with_article(value) + "; it must be an int or a str");
    }
  }
  return values;
}

const OperatorVersion& current_operator(const std::string& op_type, std::int64_t opset) {
  const OperatorVersion& op = *unwrap(find_operator(op_type, opset));
  if (op.deprecated) {
    raise(ErrorCode::kInvalidModel, {},
          op_type + " has been deprecated since opset " + std::to_string(op.since_version) +
              " (the model imports opset " + std::to_string(opset) +
              "); use ScatterElements, which computes the same result");
  }
  return op;
}

nb::object run_one_node(const std::string& op_type, std::int64_t opset, const nb::sequence& inputs,
                        const nb::dict& attributes) {
  const OperatorVersion& op = current_operator(op_type, opset);
  const NodeAttributes values = read_attributes(op_type, attributes);
  std::vector<std::optional<TensorInput>> held;
  for (nb::handle input : inputs) {
    const std::size_t at = held.size();
    const std::string name = at < op.inputs.size() ? std::string(op.inputs[at].name) : "input";
    held.emplace_back();
    if (!input.is_none()) held.back() = to_tensor_input(op_type.c_str(), name.c_str(), input, std::nullopt);
  }
  std::vector<NamedOperand> operands;
  operands.reserve(held.size());
  for (const auto& input : held) operands.push_back({"an input", input ? &input->operand : nullptr});
  const Unchanged all(op_type.c_str(), operands);
  std::vector<std::optional<TensorView>> seen;
  seen.reserve(held.size());
  for (const auto& input : held) seen.push_back(input ? std::optional(input->view(all)) : std::nullopt);
  std::vector<const TensorView*> views;
  views.reserve(held.size());
  for (const auto& input : seen) views.push_back(input ? &*input : nullptr);
  const std::shared_ptr<Executor> executor = current_executor();
  const Options options{.executor = executor.get(), .limits = {.scratch_bytes = scratch_limit()}};
  return to_ndarray(unwrap(without_lock(true, [&] { return run_node(op, views, values, options); })));
}

// Returns ONNX's number for the element type of an array, or for a type name; 0 for an unknown name.
int element_type(nb::handle array_or_name) {
  if (!nb::isinstance<nb::str>(array_or_name)) {
    return static_cast<int>(to_operand("run_node", "input", array_or_name, Role::kModel).dtype);
  }
  const auto dtype = dtype_from_name(nb::cast<std::string>(array_or_name));
  return dtype ? static_cast<int>(*dtype) : 0;
}

}  // namespace

void add_models(nb::module_& module) {
  nb::class_<Model>(module, "Model")
      .def_prop_ro("inputs", &list_inputs)
      .def_prop_ro("outputs", &list_outputs)
      .def_prop_ro("nodes", &list_nodes)
      .def_prop_ro("ir_version", &Model::ir_version)
      .def_prop_ro("opset", &Model::opset)
      .def_prop_ro("unchecked", [](const Model& model) { return count_unchecked(make_report(model)); })
      .def_prop_ro("sparse", [](const Model& model) { return list_sparse(make_report(model)); })
      .def("check", [](const Model& model) { return list_violations(make_report(model)); })
      .def("run", &run_model, "inputs"_a.none())
      .def("_require_legal", [](const Model& model) { unwrap(model.runnable()); })
      .def("__repr__", &describe);
  module.def("_load", &load, "path_or_bytes"_a.none(), "allow_deprecated"_a, "external_data_dir"_a.none(),
             "links_within"_a.none());
  module.def("_infer_shapes", &infer_shapes, "model"_a.none());
  module.def("_run_node", &run_one_node, "op_type"_a, "opset"_a, "inputs"_a, "attributes"_a);
  module.def("_element_type", &element_type, "array_or_name"_a.none());
  module.attr("_NEWEST_OPSET") = kNewestOpset;
}

}  // namespace strew::python
