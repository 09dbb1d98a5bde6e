// Tests copies of strided views, prefetches, and the check of sizes in bytes.
#include "core/strided_copy.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "core/machine.h"
#include "core/prefetch.h"
#include "core/scratch.h"
#include "support/compare.h"
#include "support/instruction_sets.h"
#include "support/random.h"
#include "support/random_tensor.h"
#include "support/strided_tensor.h"

namespace strew {
namespace {

using support::Random;
using support::StridedTensor;

// Copies a tensor of about `most` elements between two layouts, in two parts.
void expect_copied(Random& random, std::int64_t most) {
  const auto dtype = static_cast<DType>(random.between(kDTypeMin, kDTypeMax));
  const Shape shape = support::random_shape(random, random.below(6), most);
  const Tensor values = support::random_tensor(random, dtype, shape);
  const StridedTensor source(values, support::random_layout(random, dtype, shape, false));
  const support::Layout layout = support::random_layout(random, dtype, shape, false);
  StridedTensor target(dtype, shape, layout);

  const MutableTensorView to = target.mutable_view();
  const StridedCopy copy(source.view(), to.data(), to);
  const std::int64_t cut = random.between(0, copy.part_count());
  copy.run(cut, copy.part_count());
  copy.run(0, cut);

  ASSERT_TRUE(support::same_bits(values, target.view())) << dtype_name(dtype) << ' ' << to_string(shape);
  ASSERT_TRUE(StridedTensor(values, layout).same_buffer(target)) << "wrote between elements";
}

TEST(StridedCopy, CopiesEveryLayoutInPartsOfAnyOrder) {
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    SCOPED_TRACE(hwy::TargetName(forced.set()));
    Random random(5);
    for (int round = 0; round < 2000 && !HasFailure(); ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      expect_copied(random, round % 40 == 0 ? 20'000 : 200);  // the larger copies have several tiles
    }
  }
}

// Compares copies from sources with various strides, for each element width, with copies of single elements.
TEST(StridedCopy, CopiesReversedTransposedSkippingAndRepeatedSourcesOfSeveralTiles) {
  struct Source {
    Shape shape;
    Shape strides;
    std::int64_t first;
  };
  const std::vector<Source> sources = {{{9000}, {-1}, 8999},
                                       {{9000}, {2}, 0},
                                       {{5000}, {-3}, 14997},
                                       {{3, 7000}, {7000, -1}, 6999},
                                       {{130, 150}, {1, 130}, 0},
                                       {{130, 150}, {-1, -130}, 19499},
                                       {{9000, 2}, {1, 9000}, 0},
                                       {{2, 9000}, {1, 2}, 0},
                                       {{70, 3, 80}, {1, 5600, 70}, 0},
                                       {{70, 3, 80}, {3, 1, 210}, 0},
                                       {{70, 80, 2}, {2, 140, 1}, 0},
                                       {{90, 100}, {0, 1}, 0},
                                       {{90, 100}, {1, 0}, 0}};
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    for (const DType dtype : {DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64, DType::kComplex128}) {
      Random random(6);
      const Tensor values = support::random_tensor(random, dtype, {21'000});
      const auto* first = static_cast<const std::byte*>(values.data());
      const std::int64_t width = bit_width(dtype) / 8;
      for (const Source& source : sources) {
        const TensorView view(first + source.first * width, dtype, source.shape, source.strides);
        const Tensor copy = Tensor::copy_of(view).value();
        ASSERT_TRUE(support::same_bits(view, copy.view()))
            << dtype_name(dtype) << ' ' << to_string(source.shape) << ' ' << to_string(source.strides);
      }
    }
  }
}

TEST(Prefetch, ReachesEveryCacheLineTheSameNumberOfTimes) {
  alignas(kCacheLineBytes) static std::array<std::byte, 8 * kCacheLineBytes> memory;
  const auto line_of = [](std::int64_t at) { return at / kCacheLineBytes; };
  for (std::int64_t bytes = 1; bytes <= 5 * kCacheLineBytes; ++bytes) {
    std::set<std::size_t> times;
    for (std::int64_t begin = 0; begin < 2 * kCacheLineBytes; ++begin) {
      std::multiset<std::int64_t> asked;
      for_each_cache_line(memory.data() + begin, bytes,
                          [&](const std::byte* address) { asked.insert(line_of(address - memory.data())); });
      std::set<std::int64_t> expected;
      for (std::int64_t line = line_of(begin); line <= line_of(begin + bytes - 1); ++line) expected.insert(line);
      ASSERT_EQ(std::set(asked.begin(), asked.end()), expected) << bytes << " bytes at " << begin;
      times.insert(asked.size());
    }
    ASSERT_EQ(times.size(), 1) << bytes << " bytes";
  }
}

constexpr std::int64_t kMax32 = 0x7FFFFFFF;
constexpr std::int64_t kWraps32 = (std::int64_t{1} << 32) + 16;  // 16 in a size of 32 bits

TEST(ArraySize, CountsBytesAndRejectsUnaddressableSizes) {
  EXPECT_EQ(array_size(kMax32, 1, kMax32), 0x7FFFFFFFu);
  EXPECT_THROW(array_size(kMax32 + 1, 1, kMax32), std::bad_alloc);
  EXPECT_THROW(array_size(kWraps32, 1, kMax32), std::bad_alloc);
  EXPECT_EQ(array_size(kMax32 / 8, 8, kMax32), 0xFFFFFFFu);
  EXPECT_THROW(array_size(kMax32 / 8 + 1, 8, kMax32), std::bad_alloc);
  EXPECT_THROW(array_size(std::int64_t{1} << 61, 8), std::bad_alloc);
}

TEST(Machine, HasNoMoreMemoryThanAddresses) {
  EXPECT_LE(machine().max_memory_bytes, std::numeric_limits<std::ptrdiff_t>::max());
}

}  // namespace
}  // namespace strew
