// Edges and fused gather-scatter for C.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "c/boundary.h"
#include "strew/edges.h"
#include "strew/gather_scatter.h"

struct strew_edges {
  strew::Edges edges;
};

namespace strew::c {
namespace {

constexpr std::string_view kEdges = "Edges";
constexpr std::string_view kGatherScatter = "gather_scatter";

Result<IndexRules> read_rules(const strew_attribute* attributes, std::size_t count) {
  IndexRules rules;
  for (std::size_t i = 0; i < count; ++i) {
    STREW_ASSIGN(const auto& attribute, read_attribute(kEdges, attributes, i));
    const std::string_view name = attribute.name;
    constexpr std::array<std::string_view, 2> kNames = {"out_of_bounds", "negative_indices"};
    if (attribute.word == nullptr && std::ranges::count(kNames, name) != 0) {
      return fail(ErrorCode::kInvalidArgument, {kEdges, name}, "attribute '", name, "' must be a word");
    }
    if (name == kNames[0]) {
      STREW_ASSIGN(rules.out_of_bounds,
                   read_word<OutOfBounds>(kEdges, name, attribute.word, detail::kOutOfBoundsNames));
    } else if (name == kNames[1]) {
      STREW_ASSIGN(rules.negative_indices,
                   read_word<NegativeIndices>(kEdges, name, attribute.word, detail::kNegativeIndicesNames));
    } else {
      return fail(ErrorCode::kInvalidArgument, {kEdges, name}, "edges have no attribute '", name, '\'',
                  did_you_mean(name, kNames));
    }
  }
  return rules;
}

Status new_edges(const strew_view* gather_index, const strew_view* scatter_index, std::int64_t source_size,
                 std::int64_t target_size, const strew_attribute* attributes, std::size_t count,
                 const strew_options* options, strew_edges** to) {
  STREW_TRY(need(kEdges, "edges", to));
  STREW_ASSIGN(const auto& rules, read_rules(attributes, count));
  STREW_ASSIGN(const auto& from, read_view(kEdges, "gather_index", gather_index));
  STREW_ASSIGN(const auto& target, read_view(kEdges, "scatter_index", scatter_index));
  STREW_ASSIGN(const auto& how, read_options(kEdges, options));
  STREW_ASSIGN(auto&& edges, make_edges(from, target, source_size, target_size, rules, how));
  *to = std::make_unique<strew_edges>(strew_edges{std::move(edges)}).release();
  return {};
}

Status read_parts(const strew_gather_scatter_params* given, GatherScatterParams& params,
                  GatherScatterOperands& operands) {
  if (given == nullptr) return {};
  STREW_ASSIGN(const auto& known, read_struct(kGatherScatter, "params", "strew_gather_scatter_params", given));
  if (known.reduction != nullptr) {
    STREW_ASSIGN(params.reduction,
                 read_word<Reduction>(kGatherScatter, "reduction", known.reduction, detail::kReductionNames));
  }
  STREW_ASSIGN(params.acc_dtype,
               read_word<AccDType>(kGatherScatter, "acc_dtype", known.acc_dtype, detail::kAccDTypeNames));
  params.relu = known.relu != 0;
  if (known.reserved != 0) {
    return fail(ErrorCode::kInvalidArgument, {kGatherScatter, "reserved", -1, std::int64_t{known.reserved}},
                "reserved = ", known.reserved, "; it must be 0");
  }
  const auto read = [](std::string_view name, const strew_view* view, std::optional<TensorView>& to) -> Status {
    STREW_ASSIGN(to, read_optional_view(kGatherScatter, name, view));
    return {};
  };
  STREW_TRY(read("weight", known.weight, operands.weight));
  STREW_TRY(read("addend", known.addend, operands.addend));
  return read("base", known.base, operands.base);
}

Status fold_edges(const strew_view* data, const strew_edges* edges, const strew_gather_scatter_params* given,
                  const strew_view* output, const strew_view* winners, const strew_options* options) {
  STREW_TRY(need(kGatherScatter, "edges", edges));
  GatherScatterParams params;
  GatherScatterOperands operands;
  STREW_TRY(read_parts(given, params, operands));
  STREW_ASSIGN(const auto& from, read_view(kGatherScatter, "data", data));
  STREW_ASSIGN(const auto& to, read_view(kGatherScatter, "output", output));
  std::optional<MutableTensorView> first;
  if (winners != nullptr) {
    STREW_ASSIGN(first, read_view(kGatherScatter, "winners", winners));
  }
  STREW_ASSIGN(const auto& how, read_options(kGatherScatter, options));
  return gather_scatter_into(from, edges->edges, operands, params, to, first, how);
}

}  // namespace
}  // namespace strew::c

int strew_edges_new(const strew_view* gather_index, const strew_view* scatter_index, std::int64_t source_size,
                    std::int64_t target_size, const strew_attribute* attributes, std::size_t attribute_count,
                    const strew_options* options, strew_edges** edges, strew_error** error) {
  return strew::c::enter(error, [&] {
    return strew::c::new_edges(gather_index, scatter_index, source_size, target_size, attributes, attribute_count,
                               options, edges);
  });
}

void strew_edges_free(strew_edges* edges) { delete edges; }

int strew_gather_scatter(const strew_view* data, const strew_edges* edges,
                         const strew_gather_scatter_params* params, const strew_view* output,
                         const strew_view* winners, const strew_options* options, strew_error** error) {
  return strew::c::enter(error,
                         [&] { return strew::c::fold_edges(data, edges, params, output, winners, options); });
}
