// Compares the routes of random blocks of indices with a plain loop over their positions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "strew/shard.h"
#include "strew/tensor.h"
#include "support/random.h"
#include "support/random_tensor.h"
#include "support/strided_tensor.h"

namespace strew {
namespace {

using support::Random;

struct Problem {
  std::vector<std::vector<std::int64_t>> cuts;
  std::vector<ShardAxis> axes;
  Shards shards;
  Shape positions;                   // shape of the indices without the axis of components
  std::vector<std::int64_t> values;  // of the indices, row-major
  DType dtype = DType::kInt64;
};

struct Lists {
  std::vector<std::int64_t> bounds;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint32_t> positions;
  bool operator==(const Lists&) const = default;
};

// Returns the coordinate of an index value, -1 if the value is dropped, or nothing if the value is an error.
std::optional<std::int64_t> plain_place(std::int64_t value, std::int64_t extent, const IndexRules& rules) {
  const bool from_end = rules.negative_indices == NegativeIndices::kFromEnd;
  if (value >= (from_end ? -extent : 0) && value < extent) return value < 0 ? value + extent : value;
  if (rules.out_of_bounds == OutOfBounds::kDrop || rules.out_of_bounds == OutOfBounds::kFill) return -1;
  if (rules.out_of_bounds == OutOfBounds::kError || extent == 0) return std::nullopt;
  if (rules.out_of_bounds == OutOfBounds::kClip) return value < 0 ? 0 : extent - 1;
  return (value % extent + extent) % extent;
}

// Lists the positions of each owner: the result that the counting sort must have.
std::optional<BadIndex> plain_route(const Problem& problem, Lists& lists) {
  const auto tuple = static_cast<std::int64_t>(problem.shards.tuples ? problem.cuts.size() : 1);
  const std::int64_t count = element_count(problem.positions);
  const std::int64_t owners = owner_count(problem.shards);
  std::vector<std::int64_t> bucket_of, offset_of;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t owner = 0, offset = 0, component = 0;
    bool nowhere = false;
    for (std::size_t axis = 0; axis < problem.axes.size(); ++axis) {
      const ShardAxis& one = problem.axes[axis];
      if (one.cuts.empty()) {
        std::int64_t inner = 1;
        for (auto d = static_cast<std::int64_t>(axis) + 1; d < problem.positions.rank(); ++d)
          inner *= problem.positions[d];
        offset = offset * one.extent + i / inner % problem.positions[static_cast<std::int64_t>(axis)];
        continue;
      }
      const auto coordinate = plain_place(problem.values[static_cast<std::size_t>(i * tuple + component)],
                                          one.cuts.back(), problem.shards.rules);
      if (!coordinate) return BadIndex{i, component};
      nowhere = nowhere || *coordinate < 0;
      ++component;
      if (nowhere) continue;
      std::size_t block = 0;
      while (one.cuts[block + 1] <= *coordinate) ++block;
      owner = owner * (static_cast<std::int64_t>(one.cuts.size()) - 1) + static_cast<std::int64_t>(block);
      offset = offset * (one.cuts[block + 1] - one.cuts[block]) + *coordinate - one.cuts[block];
    }
    bucket_of.push_back(nowhere ? owners : owner);
    offset_of.push_back(offset);
  }
  for (std::int64_t j = 0; j <= owners; ++j) {
    lists.bounds.push_back(static_cast<std::int64_t>(lists.positions.size()));
    for (std::int64_t i = 0; i < count; ++i) {
      if (bucket_of[static_cast<std::size_t>(i)] != j) continue;
      lists.positions.push_back(static_cast<std::uint32_t>(i));
      if (j < owners) lists.offsets.push_back(offset_of[static_cast<std::size_t>(i)]);
    }
  }
  return std::nullopt;
}

std::vector<std::int64_t> random_cuts(Random& random, std::int64_t most) {
  std::vector<std::int64_t> cuts{0};
  const std::int64_t even = random.one_in(3) ? random.between(1, 9) : 0;
  for (std::int64_t i = std::min<std::int64_t>(random.pick({1, 2, 3, 7, 40}), most); i > 0; --i) {
    cuts.push_back(cuts.back() + (even > 0 ? even : random.below(random.pick({2, 9, 60}))));
  }
  return cuts;
}

Problem random_problem(Random& random) {
  Problem problem;
  const bool elements = random.one_in(3);
  problem.shards.tuples = !elements && !random.one_in(4);
  const std::int64_t components = problem.shards.tuples ? random.between(0, 5) : 1;
  const std::int64_t before = elements || problem.shards.tuples ? random.below(3) : 0;
  const std::int64_t behind = elements ? random.below(3) : 0;
  for (std::int64_t c = 0; c < components; ++c)
    problem.cuts.push_back(random_cuts(random, components > 1 ? 4 : 40));
  const auto add_moved = [&] {
    problem.positions.push_back(random.one_in(20) ? 0 : random.between(1, 4));
    problem.axes.push_back({{}, problem.positions[problem.positions.rank() - 1] + random.below(3)});
  };
  for (std::int64_t i = 0; i < before; ++i) add_moved();
  for (const auto& cuts : problem.cuts) problem.axes.push_back({cuts});
  if (elements) {
    problem.positions.push_back(random.between(1, 40));
  } else {
    for (std::int64_t i = random.below(3); i > 0; --i) problem.positions.push_back(random.pick({0, 1, 2, 9}));
    if (random.one_in(50)) problem.positions.push_back(1500);  // more than one chunk
  }
  for (std::int64_t i = 0; i < behind; ++i) add_moved();
  problem.shards.rules = {random.pick({OutOfBounds::kError, OutOfBounds::kError, OutOfBounds::kClip,
                                       OutOfBounds::kWrap, OutOfBounds::kFill, OutOfBounds::kDrop}),
                          random.pick({NegativeIndices::kFromEnd, NegativeIndices::kOutOfBounds})};
  problem.dtype = random.pick({DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8,
                               DType::kUInt16, DType::kUInt32, DType::kUInt64});
  const bool stays_inside = random.one_in(2);
  for (std::int64_t i = element_count(problem.positions); i > 0; --i) {
    for (const auto& cuts : problem.cuts) {
      std::int64_t lowest = stays_inside ? -cuts.back() : -cuts.back() - 2;
      std::int64_t highest = stays_inside ? cuts.back() - 1 : cuts.back() + 1;
      if (problem.shards.rules.negative_indices == NegativeIndices::kOutOfBounds && stays_inside) lowest = 0;
      lowest = std::max(lowest, support::lowest_of(problem.dtype));
      highest = std::min(highest, support::highest_of(problem.dtype));
      problem.values.push_back(lowest > highest ? 0 : random.between(lowest, highest));
    }
  }
  return problem;
}

template <class Offset>
void expect_same(const Problem& problem, const TensorView& indices) {
  Lists wanted;
  const auto plain = plain_route(problem, wanted);
  const auto count = static_cast<std::size_t>(element_count(problem.positions));
  std::vector<std::int64_t> bounds(static_cast<std::size_t>(owner_count(problem.shards)) + 1);
  std::vector<Offset> offsets(count);
  std::vector<std::uint32_t> positions(count);
  const auto bad = route(problem.shards, indices, Routed<Offset>{bounds, offsets, positions}).value();
  ASSERT_EQ(bad.has_value(), plain.has_value());
  if (plain) {
    EXPECT_EQ(bad->position, plain->position);
    EXPECT_EQ(bad->component, plain->component);
    return;
  }
  offsets.resize(static_cast<std::size_t>(bounds.back()));
  EXPECT_EQ((Lists{bounds, {offsets.begin(), offsets.end()}, positions}), wanted);
}

TEST(RandomRoute, EqualsTheListsOfAPlainLoop) {
  Random random(19);
  const char* given = std::getenv("STREW_RANDOM_CASES");
  const int rounds = given == nullptr ? 1000 : std::atoi(given);
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Problem problem = random_problem(random);
    problem.shards.axes = problem.axes;
    Shape shape = problem.positions;
    if (problem.shards.tuples) shape.push_back(static_cast<std::int64_t>(problem.cuts.size()));
    const Tensor dense = support::index_tensor(problem.dtype, problem.values, shape);
    const support::StridedTensor strided(dense, support::random_layout(random, problem.dtype, shape, false));
    expect_same<std::uint32_t>(problem, strided.view());
    expect_same<std::uint64_t>(problem, dense);
  }
}

template <class Offset>
void expect_all_brought(const Problem& problem) {
  const std::size_t count = problem.values.size();
  const std::vector<std::int64_t>& cuts = problem.cuts[0];
  std::vector<std::int64_t> bounds(cuts.size());
  std::vector<Offset> offsets(count);
  std::vector<std::uint32_t> positions(count);
  const auto bad = route(problem.shards, TensorView(problem.values, problem.positions),
                         Routed<Offset>{bounds, offsets, positions});
  ASSERT_TRUE(bad && !*bad);
  for (std::size_t j = 0; j + 1 < cuts.size(); ++j) {
    for (auto e = static_cast<std::size_t>(bounds[j]); e < static_cast<std::size_t>(bounds[j + 1]); ++e) {
      const std::int64_t value = problem.values[positions[e]];
      ASSERT_LT(static_cast<std::int64_t>(offsets[e]), cuts[j + 1] - cuts[j]);
      ASSERT_EQ(cuts[j] + static_cast<std::int64_t>(offsets[e]), value < 0 ? value + cuts.back() : value);
      ASSERT_TRUE(e == static_cast<std::size_t>(bounds[j]) || positions[e - 1] < positions[e]);
    }
  }
  EXPECT_EQ(bounds.back(), static_cast<std::int64_t>(count));
}

TEST(RandomRoute, SupportsTensOfThousandsOfOwners) {
  Random random(21);
  for (const std::int64_t owners : {1, 2, 254, 255, 256, 257, 4095, 65'536, 65'537}) {
    for (const bool even : {true, false}) {
      SCOPED_TRACE(owners);
      Problem problem;
      problem.cuts.push_back({0});
      for (std::int64_t j = 0; j < owners; ++j)
        problem.cuts[0].push_back(problem.cuts[0].back() + (even ? 37 : random.below(40)));
      problem.axes.push_back({problem.cuts[0]});
      problem.shards.axes = problem.axes;
      problem.positions = {3000};
      const std::int64_t extent = problem.cuts[0].back();
      for (int i = 0; i < 3000; ++i) problem.values.push_back(random.between(-extent, extent - 1));
      expect_all_brought<std::uint32_t>(problem);
      expect_all_brought<std::uint64_t>(problem);
    }
  }
}

}  // namespace
}  // namespace strew
