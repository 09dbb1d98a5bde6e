// What strew/_graph.py calls.
#include "graph.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "array_memory.h"
#include "call.h"
#include "operand.h"
#include "output.h"
#include "strew/gather_scatter.h"
#include "threads.h"

namespace strew::python {
namespace {

// The executor of a call that is long enough to release the lock; others run on the calling thread.
class CallOptions {
 public:
  explicit CallOptions(bool release) : executor_(release ? current_executor() : nullptr) {
    options_.executor = release ? executor_.get() : &serial_executor();
  }
  const Options& operator*() const noexcept { return options_; }

 private:
  std::shared_ptr<Executor> executor_;
  Options options_;
};

template <class Enum>
Enum named(const char* function, const char* argument, const std::string& name,
           std::optional<Enum> (*from_name)(std::string_view) noexcept, const char* right) {
  if (const auto found = from_name(name)) return *found;
  raise(ErrorCode::kInvalidArgument, {function, argument},
        std::string(argument) + " is '" + name + "'; it must be " + right);
}

Operand cpu_operand(const char* function, const char* name, nb::handle object, Role role) {
  Operand operand = to_operand(function, name, object, role);
  if (operand.on_device()) {
    raise(ErrorCode::kUnsupported, {function, name},
          std::string(name) + " lies on a CUDA device, where this operator does not run; copy it to the CPU");
  }
  return operand;
}

nb::object to_array(Result<Tensor>&& result) {
  const Tensor tensor = unwrap(std::move(result));
  nb::object array = new_ndarray(PyArray_DescrFromType(NPY_INT64), static_cast<int>(tensor.shape().rank()),
                                 tensor.shape().data());
  std::memcpy(PyArray_DATA(as_array(array)), tensor.data(), static_cast<std::size_t>(tensor.size_bytes()));
  return array;
}

IndexRules index_rules(const char* function, const std::string& out_of_bounds,
                       const std::string& negative_indices) {
  return {named(function, "out_of_bounds", out_of_bounds, out_of_bounds_from_name,
                "'error', 'clip', 'wrap' or 'drop'"),
          named(function, "negative_indices", negative_indices, negative_indices_from_name,
                "'from_end' or 'out_of_bounds'")};
}

Edges edges_of_pairs(nb::handle gather_index, nb::handle scatter_index, std::int64_t source_size,
                     std::int64_t target_size, const std::string& out_of_bounds,
                     const std::string& negative_indices) {
  const Operand from = cpu_operand("Edges", "gather_index", gather_index, Role::kIndices);
  const Operand to = cpu_operand("Edges", "scatter_index", scatter_index, Role::kIndices);
  const IndexRules rules = index_rules("Edges", out_of_bounds, negative_indices);
  const bool release = is_long(element_count(from.view().shape()));
  const CallOptions options(release);
  return unwrap(without_lock(
      release, [&] { return make_edges(from.view(), to.view(), source_size, target_size, rules, *options); }));
}

Edges edges_of_csr(nb::handle row_start, nb::handle column, std::int64_t source_size) {
  const Operand start = cpu_operand("Edges", "row_start", row_start, Role::kIndices);
  const Operand from = cpu_operand("Edges", "column", column, Role::kIndices);
  const bool release = is_long(element_count(from.view().shape()));
  const CallOptions options(release);
  return unwrap(without_lock(
      release, [&] { return make_edges_from_csr(start.view(), from.view(), source_size, *options); }));
}

Edges edges_of_segments(nb::handle row_start) {
  const Operand start = cpu_operand("Edges", "row_start", row_start, Role::kIndices);
  const bool release = is_long(element_count(start.view().shape()));
  const CallOptions options(release);
  return unwrap(without_lock(release, [&] { return make_edges_from_segments(start.view(), *options); }));
}

constexpr const char* kFold = "gather_scatter";

// The operands beside data, which lives as long.
class Folded {
 public:
  Folded(const Operand& data, nb::handle weight, nb::handle addend, nb::handle base)
      : weight_(optional("weight", weight, data)),
        addend_(optional("addend", addend, data)),
        base_(optional("base", base, data)) {}

  static std::optional<Operand> optional(const char* name, nb::handle object, const Operand& data) {
    if (object.is_none()) return std::nullopt;
    return to_updates(kFold, name, object, data);
  }
  static std::optional<TensorView> view_of(const std::optional<Operand>& operand) {
    return operand ? std::optional<TensorView>(operand->view()) : std::nullopt;
  }
  GatherScatterOperands operands(bool sorted) const {
    return {view_of(weight_), view_of(addend_), view_of(base_), sorted};
  }
  void check_all_unchanged() const {
    for (const auto& [name, operand] : {std::pair("weight", &weight_), {"addend", &addend_}, {"base", &base_}}) {
      if (*operand) check_unchanged(kFold, name, **operand);
    }
  }

 private:
  std::optional<Operand> weight_;
  std::optional<Operand> addend_;
  std::optional<Operand> base_;
};

GatherScatterParams fold_params(const std::string& reduction, bool relu, const std::string& acc_dtype) {
  return {named(kFold, "reduction", reduction, reduction_from_name, "'add', 'mean', 'max', 'min' or 'mul'"), relu,
          named(kFold, "acc_dtype", acc_dtype, acc_dtype_from_name, "'data' or 'float32'")};
}

struct FoldArguments {
  nb::handle weight;
  nb::handle addend;
  nb::handle base;
  nb::handle out;
  bool relu;
  const std::string& reduction;
  const std::string& acc_dtype;
  bool argmax;
  bool sorted;
};

// The argument that asks for winners is argmax in Python.
Error in_words_of_python(Error error) {
  constexpr std::string_view kWinners = "winners";
  if (error.subject().operand != kWinners) return error;
  error.text.replace(error.text.find(kWinners), kWinners.size(), "argmax");
  error.details().subject.operand = "argmax";
  return error;
}

// Calls fold(operands, params, output, winners, options).
template <class Fold>
nb::object fold_into_array(const Operand& data, std::int64_t target_size, std::int64_t edges,
                           const FoldArguments& arguments, const Fold& fold) {
  const Folded given(data, arguments.weight, arguments.addend, arguments.base);
  const GatherScatterParams params = fold_params(arguments.reduction, arguments.relu, arguments.acc_dtype);
  if (data.view().rank() < 1)
    raise(ErrorCode::kInvalidArgument, {kFold, "data"}, "data is a scalar; it must have a first axis");
  Shape shape = data.view().shape();
  shape[0] = target_size;
  Output output = Output::of(kFold, arguments.out, data, shape);
  nb::object winners;
  std::optional<MutableTensorView> winners_view;
  if (arguments.argmax) {
    winners = new_ndarray(PyArray_DescrFromType(NPY_INT64), static_cast<int>(shape.rank()), shape.data());
    winners_view.emplace(PyArray_DATA(as_array(winners)), DType::kInt64, shape);
  }
  check_unchanged(kFold, "data", data);
  given.check_all_unchanged();
  const bool release = is_long(element_count(shape) + edges);
  const CallOptions options(release);
  const Status status = without_lock(release, [&] {
    return fold(given.operands(arguments.sorted), params, output.view(), winners_view, *options);
  });
  if (!status) raise(in_words_of_python(status.error()));
  nb::object result = output.take(kFold, data, nullptr, Reduction::kNone);
  if (!arguments.argmax) return result;
  return nb::make_tuple(result, winners);
}

nb::object fold_edges(nb::handle given_data, const Edges& edges, nb::handle weight, nb::handle addend,
                      nb::handle base, nb::handle out, bool relu, const std::string& reduction,
                      const std::string& acc_dtype, bool argmax, bool sorted) {
  const Operand data = cpu_operand(kFold, "data", given_data, Role::kRead);
  return fold_into_array(data, edges.target_size(), edges.count(),
                         {weight, addend, base, out, relu, reduction, acc_dtype, argmax, sorted},
                         [&](const auto&... rest) { return gather_scatter_into(data.view(), edges, rest...); });
}

nb::object fold_once(nb::handle given_data, nb::handle gather_index, nb::handle scatter_index, std::int64_t size,
                     const std::string& out_of_bounds, const std::string& negative_indices, nb::handle weight,
                     nb::handle addend, nb::handle base, nb::handle out, bool relu, const std::string& reduction,
                     const std::string& acc_dtype, bool argmax, bool sorted) {
  const Operand data = cpu_operand(kFold, "data", given_data, Role::kRead);
  const Operand from = cpu_operand(kFold, "gather_index", gather_index, Role::kIndices);
  const Operand to = cpu_operand(kFold, "scatter_index", scatter_index, Role::kIndices);
  const IndexRules rules = index_rules(kFold, out_of_bounds, negative_indices);
  if (size < 0) {
    raise(ErrorCode::kInvalidArgument, {kFold, "size"},
          "size is " + std::to_string(size) + "; it must not be negative");
  }
  return fold_into_array(data, size, element_count(from.view().shape()),
                         {weight, addend, base, out, relu, reduction, acc_dtype, argmax, sorted},
                         [&](const GatherScatterOperands& operands, const GatherScatterParams& params,
                             const MutableTensorView& output, const std::optional<MutableTensorView>& winners,
                             const Options& options) {
                           return gather_scatter_into(data.view(), from.view(), to.view(), operands, params,
                                                      output, winners, rules, options);
                         });
}

// The gradients of data, weight and addend that are wanted, None for the others; the library chooses their shapes.
nb::object fold_gradients(nb::handle given_gradient, nb::handle given_data, const Edges& edges, nb::handle weight,
                          nb::handle addend, nb::handle result, bool relu, const std::string& reduction,
                          const std::string& acc_dtype, const std::string& ties,
                          const std::array<bool, 3>& wanted) {
  const Operand data = cpu_operand(kFold, "data", given_data, Role::kRead);
  const Operand gradient = cpu_operand(kFold, "gradient", given_gradient, Role::kRead);
  const Folded given(data, weight, addend, nb::none());
  const std::optional<Operand> results = given.optional("result", result, data);
  const GatherScatterParams params = fold_params(reduction, relu, acc_dtype);
  const Ties rule = ties == "first" ? Ties::kFirst : ties == "share" ? Ties::kShare : Ties::kShareWithZero;
  const GatherScatterGradientShapes shapes =
      unwrap(gather_scatter_gradient_shapes(data.view(), edges, given.operands(false)));
  std::array<std::optional<Output>, 3> made;
  std::array<std::optional<MutableTensorView>, 3> views;
  const std::array<std::optional<Shape>, 3> of_each = {shapes.data, shapes.weight, shapes.addend};
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (wanted[i] && of_each[i]) views[i] = made[i].emplace(Output::make(kFold, data, *of_each[i])).view();
  }
  const bool release = is_long(element_count(data.view().shape()) + edges.count());
  const CallOptions options(release);
  unwrap(without_lock(release, [&] {
    return gather_scatter_gradients(gradient.view(), data.view(), edges, given.operands(false), params,
                                    Folded::view_of(results), rule, {views[0], views[1], views[2]}, *options);
  }));
  const auto take = [&](std::optional<Output>& output) {
    return output ? output->take(kFold, data, nullptr, Reduction::kNone) : nb::object(nb::none());
  };
  return nb::make_tuple(take(made[0]), take(made[1]), take(made[2]));
}

nb::object dot_edges(nb::handle one, nb::handle other, const Edges& edges, std::int64_t heads) {
  constexpr const char* kName = "edge_dot";
  const Operand first = cpu_operand(kName, "one", one, Role::kRead);
  const Operand second = cpu_operand(kName, "other", other, Role::kRead);
  check_unchanged(kName, "one", first);
  const bool release = is_long(edges.count());
  const CallOptions options(release);
  const Tensor made =
      unwrap(without_lock(release, [&] { return edge_dot(first.view(), second.view(), edges, heads, *options); }));
  Output output = Output::make(kName, first, made.shape());
  std::memcpy(output.view().data(), made.data(), static_cast<std::size_t>(made.size_bytes()));
  return output.take(kName, first, nullptr, Reduction::kNone);
}

nb::object move_values(const Edges& edges, nb::handle values, bool back) {
  const Operand operand = cpu_operand("Edges", "values", values, Role::kRead);
  const Tensor made = unwrap(back ? edges.unsort(operand.view()) : edges.sort(operand.view()));
  Output output = Output::make("Edges", operand, made.shape());
  std::memcpy(output.view().data(), made.data(), static_cast<std::size_t>(made.size_bytes()));
  return output.take("Edges", operand, nullptr, Reduction::kNone);
}

bool is_aligned(const void* data, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

// Whether int32 [n] and int64 [n], without strides, are the same numbers. In blocks, so that a compiler makes
// vectors of it; other arrays are for NumPy to compare.
bool equal_indices(nb::handle narrow, nb::handle wide) {
  const Operand one = cpu_operand("Edges", "narrow", narrow, Role::kIndices);
  const Operand other = cpu_operand("Edges", "wide", wide, Role::kIndices);
  check_unchanged("Edges", "narrow", one);
  const TensorView& first = one.view();
  const TensorView& second = other.view();
  if (first.dtype() != DType::kInt32 || second.dtype() != DType::kInt64 || first.shape() != second.shape() ||
      !first.dense() || !second.dense() || !is_aligned(first.data(), 4) || !is_aligned(second.data(), 8)) {
    return false;
  }
  const auto* a = static_cast<const std::int32_t*>(first.data());
  const auto* b = static_cast<const std::int64_t*>(second.data());
  const std::int64_t count = element_count(first.shape());
  constexpr std::int64_t kBlock = 512;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, count);
    std::int64_t differs = 0;
    for (std::int64_t i = begin; i < end; ++i) differs |= a[i] ^ b[i];
    if (differs != 0) return false;
  }
  return true;
}

}  // namespace

void add_graph(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<Edges>(module, "_Edges")
      .def_prop_ro("count", &Edges::count)
      .def_prop_ro("given_count", &Edges::given_count)
      .def_prop_ro("source_size", &Edges::source_size)
      .def_prop_ro("target_size", &Edges::target_size)
      .def_prop_ro("sorted", &Edges::sorted)
      .def_prop_ro("nbytes", &Edges::bytes)
      .def("sources", [](const Edges& edges) { return to_array(edges.sources()); })
      .def("targets", [](const Edges& edges) { return to_array(edges.targets()); })
      .def("numbers", [](const Edges& edges) { return to_array(edges.numbers()); })
      .def("reversed",
           [](const Edges& edges) {
             const CallOptions options(true);
             return unwrap(without_lock(true, [&] { return edges.reversed(*options); }));
           })
      .def("move", &move_values, "values"_a, "back"_a);
  module.def("_edges", &edges_of_pairs, "gather_index"_a, "scatter_index"_a, "source_size"_a, "target_size"_a,
             "out_of_bounds"_a, "negative_indices"_a);
  module.def("_edges_of_csr", &edges_of_csr, "row_start"_a, "column"_a, "source_size"_a);
  module.def("_edges_of_segments", &edges_of_segments, "row_start"_a);
  module.def("_gather_scatter", &fold_edges, "data"_a, "edges"_a, "weight"_a.none(), "addend"_a.none(),
             "base"_a.none(), "out"_a.none(), "relu"_a, "reduction"_a, "acc_dtype"_a, "argmax"_a, "sorted"_a);
  module.def("_gather_scatter_once", &fold_once, "data"_a, "gather_index"_a, "scatter_index"_a, "size"_a,
             "out_of_bounds"_a, "negative_indices"_a, "weight"_a.none(), "addend"_a.none(), "base"_a.none(),
             "out"_a.none(), "relu"_a, "reduction"_a, "acc_dtype"_a, "argmax"_a, "sorted"_a);
  module.def("_gather_scatter_gradients", &fold_gradients, "gradient"_a, "data"_a, "edges"_a, "weight"_a.none(),
             "addend"_a.none(), "result"_a.none(), "relu"_a, "reduction"_a, "acc_dtype"_a, "ties"_a, "wanted"_a);
  module.def("_equal_indices", &equal_indices, "narrow"_a, "wide"_a);
  module.def("_edge_dot", &dot_edges, "one"_a, "other"_a, "edges"_a, "heads"_a);
}

}  // namespace strew::python
