// Tests Edges: both index tensors are checked and sorted once, and the edges of a target keep their order.
#include "strew/edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "graph/edge_lists.h"
#include "strew/executor.h"
#include "support/random.h"
#include "support/refusal.h"

namespace strew {
namespace {

template <class T = std::int64_t>
std::vector<T> list(const Result<Tensor>& tensor) {
  const auto values = tensor->values<T>();
  return {values.begin(), values.end()};
}

Result<Edges> edges_of(const std::vector<std::int64_t>& sources, const std::vector<std::int64_t>& targets,
                       std::int64_t source_size, std::int64_t target_size, const IndexRules& rules = {}) {
  return make_edges(TensorView(sources, {static_cast<std::int64_t>(sources.size())}),
                    TensorView(targets, {static_cast<std::int64_t>(targets.size())}), source_size, target_size,
                    rules);
}

TEST(Edges, AreSortedByTargetInStableOrder) {
  const auto edges = edges_of({3, 1, 2, 0, 1}, {1, 0, 1, 2, 0}, 4, 3);
  EXPECT_EQ(list(edges->sources()), (std::vector<std::int64_t>{1, 1, 3, 2, 0}));
  EXPECT_EQ(list(edges->targets()), (std::vector<std::int64_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(list(edges->numbers()), (std::vector<std::int64_t>{1, 4, 0, 2, 3}));
  EXPECT_FALSE(edges->sorted());
  const auto back = edges->reversed();
  EXPECT_EQ(back->source_size(), 3);
  EXPECT_EQ(back->target_size(), 4);
  EXPECT_EQ(list(back->targets()), (std::vector<std::int64_t>{0, 1, 1, 2, 3}));
  EXPECT_EQ(list(back->sources()), (std::vector<std::int64_t>{2, 0, 0, 1, 1}));
  EXPECT_EQ(list(back->numbers()), (std::vector<std::int64_t>{3, 1, 4, 2, 0}));
  EXPECT_EQ(list(back->reversed()->numbers()), list(edges->numbers()));
}

TEST(Edges, EqualAStableSortForAnyNumberOfThreads) {
  support::Random random(9);
  for (const std::int64_t targets : {std::int64_t{1}, std::int64_t{511}, std::int64_t{513}, std::int64_t{70000}}) {
    std::vector<std::int64_t> from(100000);
    std::vector<std::int64_t> to(from.size());
    for (auto& value : from) value = random.below(1000);
    for (auto& value : to) value = random.below(targets);
    std::vector<std::int64_t> wanted(from.size());
    std::iota(wanted.begin(), wanted.end(), 0);
    std::ranges::stable_sort(wanted, {}, [&](std::int64_t e) { return to[static_cast<std::size_t>(e)]; });
    for (const int threads : {1, 2, 5}) {
      const auto pool = make_thread_pool(threads);
      Options options{.executor = pool->get()};
      const auto make = [&] {
        return *make_edges(TensorView(from, {100000}), TensorView(to, {100000}), 1000, targets, {}, options);
      };
      const Edges edges = make();
      EXPECT_EQ(list(edges.numbers()), wanted) << targets << " targets, " << threads << " threads";
      const ScopedWideLists wide;
      const Edges wide_edges = make();
      EXPECT_EQ(list(wide_edges.numbers()), wanted) << targets << " targets, " << threads << " threads";
      EXPECT_EQ(list(wide_edges.reversed()->sources()), list(edges.reversed()->sources()));
      EXPECT_EQ(wide_edges.bytes(), 2 * edges.bytes());
    }
  }
}

TEST(Edges, RecognizeSortedTargets) {
  const auto edges = edges_of({3, 1, 2}, {0, 0, 2}, 4, 4);
  EXPECT_TRUE(edges->sorted());
  EXPECT_EQ(list(edges->numbers()), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(list(edges->targets()), (std::vector<std::int64_t>{0, 0, 2}));
}

TEST(Edges, FromCsrEqualTheListedPairs) {
  const std::vector<std::int32_t> start = {0, 2, 2, 3};
  const std::vector<std::int32_t> column = {3, -1, 2};
  const auto edges = make_edges_from_csr(TensorView(start, {4}), TensorView(column, {3}), 4);
  ASSERT_TRUE(edges) << edges.error().message();
  EXPECT_EQ(list(edges->sources()), (std::vector<std::int64_t>{3, 3, 2}));
  EXPECT_EQ(list(edges->targets()), (std::vector<std::int64_t>{0, 0, 2}));
  const auto message = [&](const std::vector<std::int32_t>& rows) {
    return message_of(make_edges_from_csr(TensorView(rows, {static_cast<std::int64_t>(rows.size())}),
                                          TensorView(column, {3}), 4));
  };
  EXPECT_EQ(message({0, 2, 1, 3}), "Edges.from_csr: row_start[2] = 1 is below the value before it, 2");
  EXPECT_EQ(message({0, 2, 2}), "Edges.from_csr: row_start ends at 2; it must end at the length of column, 3");
  EXPECT_EQ(message({1, 2, 3}), "Edges.from_csr: row_start[0] = 1; it must be 0");
  EXPECT_EQ(message({0, 9, 3}), "Edges.from_csr: row_start[1] = 9 is outside [0, 3] for 3 edges");
  EXPECT_EQ(message({}), "Edges.from_csr: row_start is empty; it must begin with 0");
}

TEST(Edges, SupportMoreThanTwoToThe32Rows) {
  constexpr std::int64_t kMany = std::int64_t{1} << 40;
  const auto edges = edges_of({kMany - 1, 5, -1}, {1, 0, 0}, kMany, 2);
  EXPECT_EQ(list(edges->sources()), (std::vector<std::int64_t>{5, kMany - 1, kMany - 1}));
  const std::vector<std::uint64_t> start = {0, 2};
  const std::vector<std::int64_t> column = {kMany - 1, 0};
  EXPECT_EQ(list(make_edges_from_csr(TensorView(start, {2}), TensorView(column, {2}), kMany)->sources()), column);
  const std::vector<std::uint32_t> bounds = {0, 1, 3'000'000'000};
  EXPECT_EQ(make_edges_from_segments(TensorView(bounds, {3}))->count(), 3'000'000'000);
}

TEST(Edges, FromSegmentsReadEachRowInOrder) {
  const std::vector<std::int64_t> start = {0, 2, 2, 3};
  const auto edges = make_edges_from_segments(TensorView(start, {4})).value();
  EXPECT_EQ(list(edges.sources()), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(list(edges.targets()), (std::vector<std::int64_t>{0, 0, 2}));
  EXPECT_EQ(edges.source_size(), 3);
  EXPECT_EQ(list(edges.reversed()->targets()), (std::vector<std::int64_t>{0, 1, 2}));
  const auto message = [](const std::vector<std::int64_t>& rows) {
    return message_of(make_edges_from_segments(TensorView(rows, {static_cast<std::int64_t>(rows.size())})));
  };
  EXPECT_EQ(message({0, 2, 1}), "Edges.from_segments: row_start[2] = 1 is below the value before it, 2");
  EXPECT_EQ(message({0, 3, -1}), "Edges.from_segments: row_start[2] = -1 is below the value before it, 3");
  EXPECT_EQ(message({0, -2, 3}), "Edges.from_segments: row_start[1] = -2 is below the value before it, 0");
  EXPECT_EQ(message({2, 3}), "Edges.from_segments: row_start[0] = 2; it must be 0");
  EXPECT_EQ(message({-2, 3}), "Edges.from_segments: row_start[0] = -2; it must be 0");
}

TEST(Edges, FromSegmentsNameAStartThatDecreasesOrIsTooLarge) {
  constexpr std::int64_t kMany = std::int64_t{1} << 40;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto error = [](const std::vector<std::uint64_t>& rows) {
    return make_edges_from_segments(TensorView(rows, {static_cast<std::int64_t>(rows.size())})).error();
  };
  EXPECT_EQ(error({0, kMany, 5}).message(),
            "Edges.from_segments: row_start[2] = 5 is below the value before it, 1099511627776");
  EXPECT_EQ(error({0, kMany, 5}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error({0, kMost}).message(),
            "Edges.from_segments: row_start[1] = 9223372036854775807; it must be at most 9223372036854775679");
  EXPECT_EQ(error({0, kMost + 7, 1}).message(),
            "Edges.from_segments: row_start[1] = 9223372036854775814; it must be at most 9223372036854775679");
  const std::vector<std::int32_t> backwards = {9, 4, 6, 0};
  EXPECT_EQ(make_edges_from_segments(TensorView(&backwards[3], DType::kInt32, {4}, {-1})).error().message(),
            "Edges.from_segments: row_start[2] = 4 is below the value before it, 6");
  EXPECT_EQ(make_edges_from_segments(TensorView(backwards, {2, 2})).error().message(),
            "Edges.from_segments: row_start has shape [2, 2]; it must be [targets + 1]");
}

TEST(Edges, FollowTheIndexRules) {
  using enum OutOfBounds;
  EXPECT_EQ(list(edges_of({9, -1}, {0, -9}, 4, 2, {kClip})->sources()), (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(list(edges_of({9}, {0}, 4, 2, {kWrap})->sources()), (std::vector<std::int64_t>{1}));
  const auto dropped = edges_of({0, 9, 1, 2}, {1, 0, 5, 0}, 4, 2, {kDrop});
  EXPECT_EQ(dropped->count(), 2);
  EXPECT_EQ(dropped->given_count(), 4);
  EXPECT_EQ(list(dropped->numbers()), (std::vector<std::int64_t>{3, 0}));
  EXPECT_EQ(list(dropped->reversed()->numbers()), (std::vector<std::int64_t>{0, 3}));
}

TEST(Edges, NameTheFirstIndexThatIsOutOfBounds) {
  EXPECT_EQ(message_of(edges_of({0, 4, 7}, {0, 0, 9}, 4, 2)),
            "Edges: gather_index[1] = 4 is outside [-4, 3] for 4 source rows");
  EXPECT_EQ(message_of(edges_of({0, 1}, {0, -3}, 4, 2)),
            "Edges: scatter_index[1] = -3 is outside [-2, 1] for 2 target rows");
  EXPECT_EQ(message_of(edges_of({0}, {0}, 0, 2)), "Edges: gather_index[0] = 0, but there are 0 source rows");
  EXPECT_EQ(message_of(edges_of({0, 1}, {0}, 4, 2)),
            "Edges: scatter_index has shape [1]; it must be that of gather_index, [2]");
  EXPECT_EQ(message_of(edges_of({0}, {0}, -1, 2)), "Edges: source_size is -1; it must not be negative");
  EXPECT_EQ(edges_of({0}, {0}, 1, std::int64_t{1} << 50).error().code, ErrorCode::kOutOfMemory);
  const std::vector<float> floats = {1};
  EXPECT_EQ(message_of(make_edges(TensorView(floats, {1}), TensorView(floats, {1}), 1, 1)),
            "Edges: gather_index is float32; it must be of an integer type");
}

TEST(Edges, SortAndUnsortValues) {
  const std::vector<float> values = {1, 10, 2, 20, 3, 30};
  const auto edges = edges_of({0, 0, 0}, {2, 0, 1}, 1, 3);
  const auto sorted = edges->sort(TensorView(values, {3, 2}));
  EXPECT_EQ(list<float>(sorted), (std::vector<float>{2, 20, 3, 30, 1, 10}));
  EXPECT_EQ(list<float>(edges->unsort(*sorted)), values);
}

TEST(Edges, SortAndUnsortStringsAndPackedTypes) {
  const auto edges = edges_of({0, 0, 9, 0}, {2, 0, 0, 1}, 1, 3, {OutOfBounds::kDrop, NegativeIndices::kFromEnd});
  const std::string far(100, 'x');  // too long to be stored in the string object
  const std::vector<std::string> words = {far, "b", far + "c", "d"};
  const auto sorted = edges->sort(TensorView(words, {4}));
  EXPECT_EQ(list<std::string>(sorted), (std::vector<std::string>{"b", "d", far}));
  EXPECT_EQ(list<std::string>(edges->unsort(*sorted)), (std::vector<std::string>{far, "b", "", "d"}));
  const std::array<std::uint8_t, 2> nibbles = {0x21, 0x43};  // 1, 2, 3, 4
  const auto packed = edges->sort(TensorView(nibbles.data(), DType::kUInt4, {4}));
  const auto bytes = [](const Tensor& tensor) {
    const auto* data = static_cast<const std::uint8_t*>(tensor.data());
    return std::vector<int>(data, data + tensor.size_bytes());
  };
  EXPECT_EQ(bytes(*packed), (std::vector<int>{0x42, 0x01}));
  EXPECT_EQ(bytes(*edges->unsort(*packed)), (std::vector<int>{0x21, 0x40}));
}

TEST(Edges, ThatAreAllDroppedUnsortToZeros) {
  const auto edges = edges_of({5}, {0}, 1, 1, {OutOfBounds::kDrop, NegativeIndices::kFromEnd});
  const std::vector<float> values = {1, 1};
  const auto sorted = edges->sort(TensorView(values, {1, 2}));
  EXPECT_EQ(sorted->shape(), (Shape{0, 2}));
  const auto back = edges->unsort(*sorted);
  EXPECT_EQ(back->shape(), (Shape{1, 2}));
  EXPECT_EQ(list<float>(back), (std::vector<float>{0, 0}));
  EXPECT_EQ(edges->unsort(TensorView(values, {1, 2})).error().message(),
            "Edges.unsort: values have shape [1, 2]; their first axis must have length 0, the number of edges");
}

TEST(Edges, NameTheSizeThatDoesNotFitInMemory) {
  constexpr std::int64_t kMany = std::int64_t{1} << 62;
  const auto targets = edges_of({0}, {0}, 1, kMany);
  EXPECT_EQ(targets.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(targets.error().message(),
            "Edges: target_size is 4611686018427387904; cannot allocate lists for that many rows and "
            "1 edges");
  EXPECT_EQ(targets.error().subject().operand, "target_size");
  EXPECT_EQ(edges_of({0}, {0}, kMany, 1)->reversed().error().subject().operand, "source_size");
}

}  // namespace
}  // namespace strew
