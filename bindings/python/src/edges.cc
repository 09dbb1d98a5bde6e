// Makes Edges, and moves values between the given and the sorted order of edges, for strew/_edges.py.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "graph.h"

namespace strew::python {
namespace {

nb::object to_array(Result<Tensor>&& result) {
  const Tensor tensor = unwrap(std::move(result));
  nb::object array = new_ndarray(NPY_INT64, tensor.shape());
  std::memcpy(PyArray_DATA(as_array(array)), tensor.data(), static_cast<std::size_t>(tensor.size_bytes()));
  return array;
}

Edges edges_of_pairs(nb::handle gather_index, nb::handle scatter_index, std::int64_t source_size,
                     std::int64_t target_size, nb::handle out_of_bounds, nb::handle negative_indices) {
  EdgeOperands operands("Edges");
  const Operand& from = operands.read_index("gather_index", gather_index);
  const Operand& to = operands.read_index("scatter_index", scatter_index);
  const IndexRules rules = index_rules("Edges", out_of_bounds, negative_indices);
  const Unchanged all = operands.all_unchanged();
  return unwrap(run_for(element_count(from.shape()), [&](const Options& options) {
    return make_edges(from.view(all), to.view(all), source_size, target_size, rules, options);
  }));
}

Edges edges_of_csr(nb::handle row_start, nb::handle column, std::int64_t source_size) {
  EdgeOperands operands("Edges.from_csr");
  const Operand& start = operands.read_index("row_start", row_start);
  const Operand& from = operands.read_index("column", column);
  const Unchanged all = operands.all_unchanged();
  return unwrap(run_for(element_count(from.shape()), [&](const Options& options) {
    return make_edges_from_csr(start.view(all), from.view(all), source_size, options);
  }));
}

}  // namespace

Result<Edges> read_segments(EdgeOperands& operands, nb::handle row_start) {
  const Operand& start = operands.read_index("row_start", row_start);
  const Unchanged all = operands.all_unchanged();
  return run_for(element_count(start.shape()),
                 [&](const Options& options) { return make_edges_from_segments(start.view(all), options); });
}

namespace {

Edges edges_of_segments(nb::handle row_start) {
  EdgeOperands operands("Edges.from_segments");
  return unwrap(read_segments(operands, row_start));
}

// True if two dense lists are equal: `kept`, of int32 or int64, and `index`, of int64. Compares them in one pass.
bool are_equal(nb::handle kept, nb::handle index) {
  EdgeOperands operands("Edges");
  const Operand& first = operands.read_index("kept", kept);
  const Operand& second = operands.read_index("index", index);
  const Unchanged all = operands.all_unchanged();
  if (first.shape() != second.shape()) return false;
  const auto* const wanted = static_cast<const std::int64_t*>(second.view(all).data());
  const auto are_wanted = [&](const auto* values) {
    constexpr std::int64_t kBlock = 1024;  // values that are compared without a branch
    const std::int64_t count = element_count(first.shape());
    std::int64_t differing_bits = 0;
    for (std::int64_t begin = 0; begin < count && differing_bits == 0; begin += kBlock) {
      for (std::int64_t i = begin; i < std::min(count, begin + kBlock); ++i)
        differing_bits |= values[i] ^ wanted[i];
    }
    return differing_bits == 0;
  };
  const void* const values = first.view(all).data();
  return first.dtype == DType::kInt32 ? are_wanted(static_cast<const std::int32_t*>(values))
                                      : are_wanted(static_cast<const std::int64_t*>(values));
}

// Returns a Gather whose error messages call the data `values`.
const OperatorFunction& gather_of_values(const char* function) {
  const auto info = std::ranges::find(operators(), OpKind::kGather, &OperatorInfo::op);
  auto& result = *new OperatorFunction(*info);
  result.signature.function = function;
  result.signature.names[0] = "values";
  result.signature.keywords[0] = interned("values");
  return result;
}

// Returns each input edge's position in the sorted edges, or a position past their end if the edge was dropped.
nb::object compute_positions(const Edges& edges) {
  const Tensor numbers = unwrap(edges.numbers());
  nb::object places = new_ndarray(NPY_INT64, {edges.given_count()});
  auto* const place = static_cast<std::int64_t*>(PyArray_DATA(as_array(places)));
  std::fill_n(place, edges.given_count(), edges.count());
  std::int64_t next = 0;
  for (const std::int64_t edge : numbers.values<std::int64_t>()) place[edge] = next++;
  return places;
}

nb::object move_values(const Edges& edges, nb::handle values, bool back) {
  static const OperatorFunction& sort = gather_of_values("Edges.sort");
  static const OperatorFunction& unsort = gather_of_values("Edges.unsort");
  const OperatorFunction& function = back ? unsort : sort;
  const nb::tuple operands = nb::make_tuple(values, back ? compute_positions(edges) : to_array(edges.numbers()));
  nb::dict rules;
  if (back) rules["out_of_bounds"] = "fill";
  const std::int64_t rows = back ? edges.count() : edges.given_count();
  return call_operator(function, bind_arguments(function, operands, rules), [&](const CallOperands& given) {
    check_on_cpu(given.op(), "values", given.data);
    const Shape shape = given.data.shape();
    if (!shape.empty() && shape[0] == rows) return;
    raise(ErrorCode::kInvalidArgument, {given.op(), "values"},
          "values have shape " + to_string(shape) + "; their first axis must have length " + std::to_string(rows) +
              ", the number of edges");
  });
}

}  // namespace

void add_edges(nb::module_& module) {
  const auto any = [](const char* name) { return nb::arg(name).none(); };
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
      .def(
          "reversed",
          [](const Edges& edges) {
            return unwrap(run_for(edges.count(), [&](const Options& options) { return edges.reversed(options); }));
          })
      .def("move", &move_values, any("values"), "back"_a);
  module.def("_edges", &edges_of_pairs, any("gather_index"), any("scatter_index"), "source_size"_a,
             "target_size"_a, any("out_of_bounds"), any("negative_indices"));
  module.def("_edges_of_csr", &edges_of_csr, any("row_start"), any("column"), "source_size"_a);
  module.def("_edges_of_segments", &edges_of_segments, any("row_start"));
  module.def("_are_equal", &are_equal, "kept"_a, "index"_a);
}

}  // namespace strew::python
