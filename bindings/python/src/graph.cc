// Fused gather-scatter for strew/_graph.py.
#include "graph.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "call.h"
#include "strew/gather_scatter.h"

namespace strew::python {
namespace {

template <class Enum>
Enum named(const char* function, const char* argument, nb::handle given,
           std::optional<Enum> (*from_name)(std::string_view) noexcept,
           std::initializer_list<std::string_view> words) {
  if (!PyUnicode_Check(given.ptr())) {
    raise(ErrorCode::kInvalidType, {function, argument},
          std::string(argument) + " is " + type_with_article(given) + "; it must be a str");
  }
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
  if (text == nullptr) PyErr_Clear();
  if (const auto found = from_name({text, static_cast<std::size_t>(size)})) return *found;
  refuse_word(function, argument, text_of(given), {words.begin(), words.size()});
}

// Raises TypeError for operands whose view holds bytes or addresses instead of values, such as strings.
const Operand& check_type(const char* function, const char* name, const Operand& operand, const char* wanted) {
  check_on_cpu(function, name, operand);
  if (!operand.is_opaque && !operand.is_moved_type()) return operand;
  raise(ErrorCode::kInvalidType, {function, name},
        with_verb(name, "is") + describe_type(operand) + "; it must be " + wanted);
}

}  // namespace

void check_on_cpu(const char* function, const char* name, const Operand& operand) {
  if (!operand.on_device()) return;
  raise(ErrorCode::kUnsupported, {function, name},
        with_verb(name, "is") + "on a CUDA device, where this operator does not run; pass a copy in CPU memory");
}

const Operand& EdgeOperands::read_index(const char* name, nb::handle object) {
  return check_type(function_, name, read(name, object, Role::kIndices), "of an integer type of 8 to 64 bits");
}

const Operand& EdgeOperands::read_rows(const char* name, nb::handle object) {
  return check_type(function_, name, read(name, object, Role::kRead), "float16, bfloat16, float32 or float64");
}

const Operand* EdgeOperands::read_term(const char* name, nb::handle object, const Operand& data) {
  if (object.is_none()) return nullptr;
  return &check_type(function_, name, read_updates(name, object, data), "of the type of data");
}

IndexRules index_rules(const char* function, nb::handle out_of_bounds, nb::handle negative_indices) {
  return {
      named(function, "out_of_bounds", out_of_bounds, out_of_bounds_from_name, {"error", "clip", "wrap", "drop"}),
      named(function, "negative_indices", negative_indices, negative_indices_from_name,
            {"from_end", "out_of_bounds"})};
}

namespace {

constexpr const char* kFold = "gather_scatter";

std::optional<TensorView> view_of(const Operand* operand, const Unchanged& all) {
  return operand == nullptr ? std::nullopt : std::optional(operand->view(all));
}

GatherScatterParams fold_params(nb::handle reduction, bool relu, nb::handle acc_dtype) {
  return {named(kFold, "reduction", reduction, reduction_from_name, {"add", "mean", "max", "min", "mul"}), relu,
          named(kFold, "acc_dtype", acc_dtype, acc_dtype_from_name, {"data", "float32"})};
}

struct FoldArguments {
  nb::handle weight;
  nb::handle addend;
  nb::handle base;
  nb::handle out;
  bool relu;
  nb::handle reduction;
  nb::handle acc_dtype;
  bool argmax;
  bool sorted;
};

// Uses Python's names of operands in an error: out for output, argmax for winners.
Error in_words_of_python(Error error) {
  for (const auto& [name, argument] :
       {std::pair<std::string_view, const char*>("output", "out"), {"winners", "argmax"}}) {
    if (error.subject().operand != name) continue;
    error.text.replace(error.text.find(name), name.size(), argument);
    error.details().subject.operand = argument;
    break;
  }
  return error;
}

// Reads weight, addend and base, makes the output and calls fold(all, terms, params, output, winners, options).
template <class Fold>
nb::object fold_into_array(EdgeOperands& operands, const Operand& data, std::int64_t target_size,
                           std::int64_t edges, const FoldArguments& arguments, const Fold& fold) {
  const Operand* const weight = operands.read_term("weight", arguments.weight, data);
  const Operand* const addend = operands.read_term("addend", arguments.addend, data);
  const Operand* const base = operands.read_term("base", arguments.base, data);
  const GatherScatterParams params = fold_params(arguments.reduction, arguments.relu, arguments.acc_dtype);
  Shape shape = data.shape();
  if (shape.empty())
    raise(ErrorCode::kInvalidArgument, {kFold, "data"}, "data is a scalar; it must have at least one axis");
  shape[0] = target_size;
  Output output = Output::of(kFold, arguments.out, data, shape);
  nb::object winners;
  std::optional<MutableTensorView> winners_view;
  if (arguments.argmax) {
    winners = new_ndarray(NPY_INT64, shape);
    winners_view.emplace(PyArray_DATA(as_array(winners)), DType::kInt64, shape);
  }
  const Unchanged all = operands.all_unchanged();
  const GatherScatterOperands terms{view_of(weight, all), view_of(addend, all), view_of(base, all),
                                    arguments.sorted};
  const Status status = run_for(element_count(shape) + edges, [&](const Options& options) {
    return fold(all, terms, params, output.view(), winners_view, options);
  });
  if (!status) raise(in_words_of_python(status.error()));
  nb::object result = output.take(kFold, data, nullptr, Reduction::kNone);
  if (!arguments.argmax) return result;
  return nb::make_tuple(result, winners);
}

nb::object fold_edges(nb::handle given_data, const Edges& edges, nb::handle weight, nb::handle addend,
                      nb::handle base, nb::handle out, bool relu, nb::handle reduction, nb::handle acc_dtype,
                      bool argmax, bool sorted) {
  EdgeOperands operands(kFold);
  const Operand& data = operands.read_rows("data", given_data);
  return fold_into_array(operands, data, edges.target_size(), edges.count(),
                         {weight, addend, base, out, relu, reduction, acc_dtype, argmax, sorted},
                         [&](const Unchanged& all, const auto&... rest) {
                           return gather_scatter_into(data.view(all), edges, rest...);
                         });
}

// Replaces each result of -inf (kMax) or inf (kMin) by 0, and its winner by `none`, as for an empty segment.
void leave_out_worst(Reduction reduction, const MutableTensorView& results,
                     const std::optional<MutableTensorView>& winners, std::int64_t none) {
  const std::int64_t count = element_count(results.shape());
  const auto replace = [&]<class Bits>(Bits infinity) {
    const Bits worst = reduction == Reduction::kMax ? infinity | (Bits{1} << (sizeof(Bits) * 8 - 1)) : infinity;
    const std::span<Bits> all(static_cast<Bits*>(results.data()), static_cast<std::size_t>(count));
    for (auto at = std::ranges::find(all, worst); at != all.end(); at = std::find(at, all.end(), worst)) {
      *at = 0;
      if (winners) static_cast<std::int64_t*>(winners->data())[at - all.begin()] = none;
    }
  };
  if (results.dtype() == DType::kFloat16) replace(std::uint16_t{0x7C00});
  if (results.dtype() == DType::kBFloat16) replace(std::uint16_t{0x7F80});
  if (results.dtype() == DType::kFloat32) replace(std::uint32_t{0x7F800000});
  if (results.dtype() == DType::kFloat64) replace(std::uint64_t{0x7FF0000000000000});
}

// Reduces each segment of data's rows; a maximum of -inf or minimum of inf becomes 0. Returns None unless the
// segments cover all rows in order.
nb::object fold_segments(nb::handle given_data, nb::handle row_start, nb::handle reduction, nb::handle acc_dtype,
                         bool argmax) {
  EdgeOperands operands(kFold);
  const Operand& data = operands.read_rows("data", given_data);
  const Result<Edges> edges = read_segments(operands, row_start);
  const nb::none none;
  if (!edges || data.shape().empty() || edges->count() != data.shape()[0]) return nb::none();
  return fold_into_array(
      operands, data, edges->target_size(), edges->count(),
      {none, none, none, none, false, reduction, acc_dtype, argmax, false},
      [&](const Unchanged& all, const auto& terms, const GatherScatterParams& params, const auto& output,
          const auto& winners, const Options& options) {
        Status status = gather_scatter_into(data.view(all), *edges, terms, params, output, winners, options);
        const bool is_extreme = params.reduction == Reduction::kMax || params.reduction == Reduction::kMin;
        if (status && is_extreme) leave_out_worst(params.reduction, output, winners, edges->count());
        return status;
      });
}

nb::object fold_once(nb::handle given_data, nb::handle gather_index, nb::handle scatter_index, std::int64_t size,
                     nb::handle out_of_bounds, nb::handle negative_indices, nb::handle weight, nb::handle addend,
                     nb::handle base, nb::handle out, bool relu, nb::handle reduction, nb::handle acc_dtype,
                     bool argmax, bool sorted) {
  EdgeOperands operands(kFold);
  const Operand& data = operands.read_rows("data", given_data);
  const Operand& from = operands.read_index("gather_index", gather_index);
  const Operand& to = operands.read_index("scatter_index", scatter_index);
  const IndexRules rules = index_rules(kFold, out_of_bounds, negative_indices);
  if (size < 0) {
    raise(ErrorCode::kInvalidArgument, {kFold, "size", size},
          "size is " + std::to_string(size) + "; it must not be negative");
  }
  return fold_into_array(operands, data, size, element_count(from.shape()),
                         {weight, addend, base, out, relu, reduction, acc_dtype, argmax, sorted},
                         [&](const Unchanged& all, const auto& terms, const auto& params, const auto& output,
                             const auto& winners, const Options& options) {
                           return gather_scatter_into(data.view(all), from.view(all), to.view(all), terms, params,
                                                      output, winners, rules, options);
                         });
}

// Returns the gradients of data, weight and addend, or None for each that is not wanted.
nb::object fold_gradients(nb::handle given_gradient, nb::handle given_data, const Edges& edges, nb::handle weight,
                          nb::handle addend, nb::handle result, bool relu, nb::handle reduction,
                          nb::handle acc_dtype, const std::string& ties, const std::array<bool, 3>& wanted) {
  EdgeOperands operands(kFold);
  const Operand& data = operands.read_rows("data", given_data);
  const Operand& gradient = operands.read_rows("gradient", given_gradient);
  const Operand* const weights = operands.read_term("weight", weight, data);
  const Operand* const addends = operands.read_term("addend", addend, data);
  const Operand* const results = operands.read_term("result", result, data);
  const GatherScatterParams params = fold_params(reduction, relu, acc_dtype);
  const Ties rule = ties == "first" ? Ties::kFirst : ties == "share" ? Ties::kShare : Ties::kShareWithZero;
  const Unchanged before = operands.all_unchanged();
  const GatherScatterGradientShapes shapes = unwrap(gather_scatter_gradient_shapes(
      data.view(before), edges, {.weight = view_of(weights, before), .addend = view_of(addends, before)}));
  std::array<std::optional<Output>, 3> gradients;
  std::array<std::optional<MutableTensorView>, 3> views;
  const std::array<std::optional<Shape>, 3> of_each = {shapes.data, shapes.weight, shapes.addend};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (wanted[i] && of_each[i]) views[i] = gradients[i].emplace(Output::make(kFold, data, *of_each[i])).view();
  }
  const Unchanged all = operands.all_unchanged();
  unwrap(run_for(element_count(data.shape()) + edges.count(), [&](const Options& options) {
    return gather_scatter_gradients(gradient.view(all), data.view(all), edges,
                                    {.weight = view_of(weights, all), .addend = view_of(addends, all)}, params,
                                    view_of(results, all), rule, {views[0], views[1], views[2]}, options);
  }));
  const auto take = [&](std::optional<Output>& output) {
    return output ? output->take(kFold, data, nullptr, Reduction::kNone) : nb::object(nb::none());
  };
  return nb::make_tuple(take(gradients[0]), take(gradients[1]), take(gradients[2]));
}

nb::object dot_edges(nb::handle one, nb::handle other, const Edges& edges, std::int64_t heads) {
  constexpr const char* kName = "edge_dot";
  EdgeOperands operands(kName);
  const Operand& first = operands.read_rows("one", one);
  const Operand& second = operands.read_rows("other", other);
  const Unchanged all = operands.all_unchanged();
  const Tensor result = unwrap(run_for(edges.count(), [&](const Options& options) {
    return edge_dot(first.view(all), second.view(all), edges, heads, options);
  }));
  Output output = Output::make(kName, first, result.shape());
  std::memcpy(output.view().data(), result.data(), static_cast<std::size_t>(result.size_bytes()));
  return output.take(kName, first, nullptr, Reduction::kNone);
}

}  // namespace

void add_graph(nb::module_& module) {
  const auto any = [](const char* name) { return nb::arg(name).none(); };
  module.def("_gather_scatter", &fold_edges, any("data"), "edges"_a, any("weight"), any("addend"), any("base"),
             any("out"), "relu"_a, any("reduction"), any("acc_dtype"), "argmax"_a, "sorted"_a);
  module.def("_fold_segments", &fold_segments, "data"_a, "row_start"_a, "reduction"_a, "acc_dtype"_a, "argmax"_a);
  module.def("_gather_scatter_once", &fold_once, any("data"), any("gather_index"), any("scatter_index"), "size"_a,
             any("out_of_bounds"), any("negative_indices"), any("weight"), any("addend"), any("base"), any("out"),
             "relu"_a, any("reduction"), any("acc_dtype"), "argmax"_a, "sorted"_a);
  module.def("_gather_scatter_gradients", &fold_gradients, any("gradient"), any("data"), "edges"_a, any("weight"),
             any("addend"), any("result"), "relu"_a, any("reduction"), any("acc_dtype"), "ties"_a, "wanted"_a);
  module.def("_edge_dot", &dot_edges, any("one"), any("other"), "edges"_a, "heads"_a);
}

}  // namespace strew::python
