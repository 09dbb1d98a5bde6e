// Routes indices to shards, and scatters updates in parts.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <vector>

#include "call.h"
#include "operand.h"
#include "operator_call.h"
#include "strew/shard.h"

namespace strew::python {
namespace {

using Cuts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Converts Python's description of shards: for each axis, an array of ShardAxis::cuts or a length.
class GivenShards {
 public:
  GivenShards(const nb::sequence& axes, bool tuples, const std::string& out_of_bounds,
              const std::string& negative_indices) {
    for (nb::handle axis : axes) {
      if (nb::isinstance<nb::int_>(axis)) {
        axes_.push_back({{}, nb::cast<std::int64_t>(axis)});
      } else {
        cuts_.push_back(nb::cast<Cuts>(axis));
        axes_.push_back({{cuts_.back().data(), cuts_.back().size()}});
      }
    }
    shards_.axes = axes_;
    shards_.tuples = tuples;
    const auto rule = out_of_bounds_from_name(out_of_bounds);
    const auto negative = negative_indices_from_name(negative_indices);
    if (!rule || !negative) raise(ErrorCode::kInvalidArgument, {"route"}, "no such rule for index values");
    shards_.rules = {*rule, *negative};
  }
  GivenShards(const GivenShards&) = delete;
  GivenShards& operator=(const GivenShards&) = delete;

  const Shards& operator*() const noexcept { return shards_; }

 private:
  std::vector<Cuts> cuts_;
  std::vector<ShardAxis> axes_;
  Shards shards_;
};

template <class T>
std::span<T> list_values(nb::handle array) {
  return {static_cast<T*>(PyArray_DATA(as_array(array))), static_cast<std::size_t>(PyArray_SIZE(as_array(array)))};
}

nb::object as_object(const std::optional<BadIndex>& bad) {
  if (!bad) return nb::none();
  return nb::make_tuple(bad->position, bad->component);
}

nb::tuple route_indices(nb::handle given, const nb::sequence& axes, bool tuples, const std::string& out_of_bounds,
                        const std::string& negative_indices) {
  const GivenShards shards(axes, tuples, out_of_bounds, negative_indices);
  OperandReader reader("route");
  const Operand& indices = reader.read("indices", given, Role::kIndices);
  const Unchanged all = reader.all_unchanged();
  Shape shape;
  for (std::int64_t axis = 0; axis < indices.shape().rank() - (tuples ? 1 : 0); ++axis) {
    shape.push_back(indices.shape()[axis]);
  }
  const std::int64_t count = element_count(shape);
  const bool narrow = largest_block(*shards) <= std::int64_t{UINT32_MAX} + 1;
  const nb::object bounds = new_ndarray(NPY_INT64, {owner_count(*shards) + 1});
  const nb::object offsets = new_ndarray(narrow ? NPY_UINT32 : NPY_UINT64, {count});
  const nb::object positions = new_ndarray(NPY_UINT32, {count});
  const auto bad = unwrap(without_lock(is_long(count), [&] {
    const auto lists = [&]<class Offset>(Offset) {
      return Routed<Offset>{list_values<std::int64_t>(bounds), list_values<Offset>(offsets),
                            list_values<std::uint32_t>(positions)};
    };
    return narrow ? route(*shards, indices.view(all), lists(std::uint32_t{}))
                  : route(*shards, indices.view(all), lists(std::uint64_t{}));
  }));
  return nb::make_tuple(bounds, offsets, positions, as_object(bad));
}

nb::object find_bad(nb::handle given, const nb::sequence& axes, bool tuples, const std::string& out_of_bounds,
                    const std::string& negative_indices) {
  const GivenShards shards(axes, tuples, out_of_bounds, negative_indices);
  OperandReader reader("route");
  const Operand& indices = reader.read("indices", given, Role::kIndices);
  const Unchanged all = reader.all_unchanged();
  const bool release = is_long(element_count(indices.shape()));
  return as_object(unwrap(without_lock(release, [&] { return find_bad_index(*shards, indices.view(all)); })));
}

nb::tuple shape_of_call(nb::handle callable, const nb::tuple& positional, const nb::dict& attributes) {
  const OperatorFunction& function = find_operator_function(callable);
  const Arguments arguments = bind_arguments(function, positional, attributes);
  const CallParams params = read_params(function, arguments);
  return to_tuple(legal_plan(params, read_operands(function, arguments, params))->output_shape());
}

void scatter_into(nb::handle into, const nb::sequence& parts, const std::string& reduction) {
  const auto how = reduction_from_name(reduction);
  if (!how)
    raise(ErrorCode::kInvalidArgument, {"scatter_parts", "reduction", reduction},
          "there is no reduction '" + reduction + "'");
  const Operand rows = to_operand("scatter_parts", "rows", into, Role::kOutput);
  std::vector<std::pair<Operand, Operand>> operands;
  for (nb::handle part : parts) {
    const auto [offsets, values] = nb::cast<std::pair<nb::object, nb::object>>(part);
    operands.emplace_back(to_operand("scatter_parts", "offsets", offsets, Role::kIndices),
                          to_operand("scatter_parts", "values", values, Role::kRead));
  }
  std::vector<NamedOperand> read{{"rows", &rows}};
  for (const auto& [offsets, values] : operands) {
    read.push_back({"offsets", &offsets});
    read.push_back({"values", &values});
  }
  const Unchanged all("scatter_parts", read);
  std::vector<ScatterPart> views;
  views.reserve(operands.size());
  for (const auto& [offsets, values] : operands) views.push_back({offsets.view(all), values.view(all)});
  const MutableTensorView output = writable(rows.view(all));
  const std::shared_ptr<Executor> executor = current_executor();
  Options options;
  options.executor = executor.get();
  unwrap(without_lock(true, [&] { return scatter_parts(views, output, {.reduction = *how}, options); }));
}

}  // namespace

void add_shards(nb::module_& module) {
  module.def("_route", &route_indices, "indices"_a.none(), "axes"_a, "tuples"_a = false,
             "out_of_bounds"_a = "error", "negative_indices"_a = "from_end");
  module.def("_find_bad_index", &find_bad, "indices"_a.none(), "axes"_a, "tuples"_a = false,
             "out_of_bounds"_a = "error", "negative_indices"_a = "from_end");
  module.def("_output_shape", &shape_of_call, "function"_a, "arguments"_a, "attributes"_a);
  module.def("_scatter_parts", &scatter_into, "rows"_a, "parts"_a, "reduction"_a = "none");
}

}  // namespace strew::python
