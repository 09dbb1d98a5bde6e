// Reduces bags of rows of an embedding table to sums, means or maxima.
#include <algorithm>
#include <vector>

#include "operators.h"
#include "thresholds.h"

namespace strew::aten {
namespace {

enum Mode : std::int64_t { kSum, kMean, kMax };  // torch's values

bool is_vector(const Tensor& tensor) { return tensor.dim() == 1 && tensor.is_contiguous(); }

Outcome fits(const Tensor& table, const Tensor& indices, const Tensor& offsets, std::int64_t mode,
             const std::optional<Tensor>& weights, std::int64_t padding) {
  if (padding >= 0) return Outcome::kPadding;
  if (const Outcome seen = readable(table); seen != Outcome::kTaken) return seen;
  if (table.scalar_type() != at::kFloat && table.scalar_type() != at::kDouble) return Outcome::kDType;
  if (!holds_indices(indices) || indices.scalar_type() != offsets.scalar_type()) return Outcome::kIndexDType;
  if (table.dim() != 2 || !is_vector(indices) || !is_vector(offsets) || mode < kSum || mode > kMax) {
    return Outcome::kShapes;
  }
  if (weights && weights->defined()) {
    if (!settings.weighted_bags) return Outcome::kWeights;
    if (weights->scalar_type() != table.scalar_type()) return Outcome::kDType;
    if (mode != kSum || !is_vector(*weights) || weights->numel() != indices.numel()) return Outcome::kShapes;
  }
  const std::int64_t columns = table.size(1);
  const Bounds& bounds = mode == kSum ? kBagSumBounds : mode == kMean ? kBagMeanBounds : kBagMaxBounds;
  if (const Outcome seen = worth(bounds, indices.numel() * columns, columns); seen != Outcome::kTaken) return seen;
  if (has_negative(indices)) return Outcome::kIndexRange;
  return rows_together(table, 1);
}

/// Returns the start of each bag, and the end of the last one.
template <class Index>
std::vector<Index> make_starts(const Tensor& offsets, std::int64_t bags, std::int64_t end) {
  const auto* const given = static_cast<const Index*>(offsets.const_data_ptr());
  std::vector<Index> starts(given, given + bags);
  starts.push_back(static_cast<Index>(end));
  return starts;
}

template <class Index>
Index* elements(Tensor& tensor) {
  return static_cast<Index*>(tensor.mutable_data_ptr());
}

/// Writes all results but the first: torch's backward pass reads them.
template <class Index>
void describe_bags(Bags& results, const std::vector<Index>& starts, const Tensor& table, const Tensor& indices,
                   std::int64_t mode, std::int64_t sizes, const Tensor& winners) {
  auto& [result, bag_of, bag_sizes, largest] = results;
  const at::ScalarType type = indices.scalar_type();
  const auto bags = static_cast<std::int64_t>(starts.size()) - 1;
  const bool is_left_out = mode == kSum && table.scalar_type() != at::kDouble;  // torch computes bag_of on demand
  bag_of = new_tensor({is_left_out ? 0 : indices.numel()}, type);
  bag_sizes = new_tensor({mode == kSum ? sizes : bags}, type);
  std::fill_n(elements<Index>(bag_sizes), bag_sizes.numel(), Index{0});
  for (std::int64_t bag = 0; bag < bags; ++bag) {
    const Index begin = starts[static_cast<std::size_t>(bag)], end = starts[static_cast<std::size_t>(bag) + 1];
    if (!is_left_out) std::fill(elements<Index>(bag_of) + begin, elements<Index>(bag_of) + end, Index(bag));
    if (mode != kSum) elements<Index>(bag_sizes)[bag] = end - begin;
  }
  if (mode != kMax) {
    largest = bag_sizes.clone();
    return;
  }
  largest = new_tensor(result.sizes(), type);
  const auto* const won = static_cast<const std::int64_t*>(winners.const_data_ptr());
  const auto* const row = static_cast<const Index*>(indices.const_data_ptr());
  std::transform(won, won + winners.numel(), elements<Index>(largest),
                 [&](std::int64_t at) { return at < indices.numel() ? row[at] : Index{0}; });
}

template <class Index>
Outcome reduce_bags(Bags& results, const Tensor& table, const Tensor& indices, const Tensor& offsets,
                    std::int64_t mode, const std::optional<Tensor>& weights, bool include_last_offset,
                    bool in_training) {
  const std::int64_t bags = offsets.numel() - (include_last_offset ? 1 : 0);
  if (bags <= 0) return Outcome::kShapes;
  const std::vector<Index> starts = make_starts<Index>(offsets, bags, indices.numel());
  const bool ends =
      !include_last_offset || static_cast<const Index*>(offsets.const_data_ptr())[bags] == indices.numel();
  if (!ends) return Outcome::kShapes;
  const TensorView rows(starts.data(), *dtype_of(offsets), Shape{bags + 1});
  const auto edges = make_edges_from_csr(rows, view(indices), table.size(0), options_for(indices.numel()));
  if (!edges) return outcome_of(edges.error());
  GatherScatterOperands operands;
  if (weights && weights->defined()) operands.weight = view(*weights);
  constexpr Reduction kReductions[] = {Reduction::kAdd, Reduction::kMean, Reduction::kMax};
  Tensor winners;
  Tensor& result = std::get<0>(results);
  const Outcome seen = fold(result, table, *edges, operands, kReductions[mode], mode == kMax ? &winners : nullptr);
  if (seen != Outcome::kTaken) return seen;
  if (mode == kMax && has_nan(result)) return Outcome::kNotFinite;
  describe_bags<Index>(results, starts, table, indices, mode, in_training ? bags : offsets.numel(), winners);
  return Outcome::kTaken;
}

}  // namespace

template <bool kInTraining>
Outcome embedding_bag(Bags& bags, const Tensor& table, const Tensor& indices, const Tensor& offsets, bool,
                      std::int64_t mode, bool, const std::optional<Tensor>& weights, bool include_last_offset,
                      std::int64_t padding) {
  const Outcome seen = fits(table, indices, offsets, mode, weights, padding);
  if (seen != Outcome::kTaken) return seen;
  const auto run = indices.scalar_type() == at::kInt ? reduce_bags<std::int32_t> : reduce_bags<std::int64_t>;
  return run(bags, table, indices, offsets, mode, weights, include_last_offset, kInTraining);
}
template decltype(embedding_bag<true>) embedding_bag<true>;
template decltype(embedding_bag<false>) embedding_bag<false>;

}  // namespace strew::aten
