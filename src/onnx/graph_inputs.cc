// Binds tensors of a caller to graph inputs.
#include <algorithm>

#include "core/error.h"
#include "onnx/dims.h"
#include "onnx/graph.h"

namespace strew {
namespace {

// Value of each symbol, and the input that set it.
using Symbols = std::unordered_map<std::string, std::pair<std::int64_t, std::string>>;

Status check_input(const ValueInfo& declared, const TensorView& view, Symbols& symbols) {
  const std::string& name = declared.name;
  const ValueInfo given{name, view.dtype(), to_dims(view.shape())};
  if (contradiction(declared, given)) {
    const ErrorCode code =
        declared.dtype && *declared.dtype != view.dtype() ? ErrorCode::kInvalidType : ErrorCode::kInvalidArgument;
    return fail(code, "input '", name, "' is ", to_string(given), "; the model declares ", to_string(declared));
  }
  if (!declared.shape) return {};
  for (std::int64_t axis = 0; axis < view.rank(); ++axis) {
    const std::string& symbol = (*declared.shape)[static_cast<std::size_t>(axis)].symbol;
    if (symbol.empty()) continue;
    const auto& [value, source] = symbols.try_emplace(symbol, view.shape()[axis], name).first->second;
    if (value != view.shape()[axis]) {
      return fail(ErrorCode::kInvalidArgument, "input '", name, "' has shape ", view.shape(),
                  " where the model has ", to_string(*declared.shape), ": ", symbol, " is ", value, " in input '",
                  source, "'");
    }
  }
  return {};
}

Status add_given(const Graph& graph, const std::string& name, const TensorView& view, Views& views) {
  const auto found = std::ranges::find(graph.inputs, name, &ValueInfo::name);
  if (found == graph.inputs.end()) {
    std::string names;
    for (const ValueInfo& input : graph.inputs) {
      if (is_callers_input(graph, input)) names += concat(names.empty() ? "" : ", ", '\'', input.name, '\'');
    }
    return fail(ErrorCode::kInvalidArgument, "the model has no input '", name, "'; ",
                names.empty() ? std::string("it has no inputs") : concat("its inputs are ", names));
  }
  if (!is_callers_input(graph, *found)) {
    return fail(ErrorCode::kInvalidArgument, "input '", name, "' is fixed by an initializer (ir_version ",
                graph.ir_version, ")");
  }
  if (!views.emplace(name, view).second) {
    return fail(ErrorCode::kInvalidArgument, "input '", name, "' is given twice");
  }
  return {};
}

}  // namespace

bool is_callers_input(const Graph& graph, const ValueInfo& input) {
  return graph.initializers_are_defaults() || graph.initializer(input.name) == nullptr;
}

Result<Views> bind_inputs(const Graph& graph, std::span<const std::pair<std::string, TensorView>> inputs) {
  Views views;
  for (const auto& [name, view] : inputs) STREW_TRY(add_given(graph, name, view, views));
  Symbols symbols;
  for (const ValueInfo& input : graph.inputs) {
    if (!views.contains(input.name)) {
      const Tensor* value = graph.initializer(input.name);
      if (value == nullptr) return fail(ErrorCode::kInvalidArgument, "input '", input.name, "' is missing");
      views.emplace(input.name, value->view());
    }
    STREW_TRY(check_input(input, views.at(input.name), symbols));
  }
  return views;
}

}  // namespace strew
