// Tests copy kernels, also with tables in registers and non-temporal stores, and the search for progressions.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/run_kernel.h"
#include "kernel/stream.h"
#include "support/instruction_sets.h"

namespace strew {
namespace {

template <class T>
void expect_copies(DType dtype) {
  const Kernel kernel = copy_kernel(dtype);
  EXPECT_EQ(run_kernel<T>(kernel, {T(1), T(2), T(3), T(4)}, {T(8), T(9)}, {3, 0}),
            (std::vector<T>{T(9), T(2), T(3), T(8)}));
  EXPECT_EQ(run_kernel<T>(kernel, {T(1), T(2), T(3), T(4)}, {T(8), T(9), T(6), T(7)}, {2, 0}, 2),
            (std::vector<T>{T(6), T(7), T(8), T(9)}));
}

TEST(CopyKernel, MovesElementsAndRowsOfEveryWidth) {
  expect_copies<std::uint8_t>(DType::kFloat8E5M2);
  expect_copies<std::uint16_t>(DType::kBFloat16);
  expect_copies<std::uint32_t>(DType::kFloat32);
  expect_copies<std::uint64_t>(DType::kComplex64);
  expect_copies<std::complex<double>>(DType::kComplex128);
}

TEST(CopyKernel, KeepsTheLastOfSeveralWrites) {
  EXPECT_EQ(run_kernel<float>(copy_kernel(DType::kFloat32), {0, 0}, {1, 2, 3}, {1, 1, 1}),
            (std::vector<float>{0, 3}));
}

TEST(CopyKernel, CopiesStringsWithTheirBytes) {
  std::vector<std::string> target{"a", "b"};
  const std::vector<std::string> source{std::string("x\0", 2)};
  const std::int64_t to = 1;
  const std::int64_t from = 0;
  copy_kernel(DType::kString)(target.data(), source.data(), &to, &from, 1, 1);
  EXPECT_EQ(target, (std::vector<std::string>{"a", std::string("x\0", 2)}));
}

TEST(CopyKernel, LeavesTheNeighboursOfAPackedElement) {
  // Four-bit elements 1 2 3 4: element 1 of the source (0xB) is copied to element 2.
  std::vector<std::uint8_t> target{0x21, 0x43};
  const std::vector<std::uint8_t> source{0xBA};
  const std::int64_t to = 2;
  const std::int64_t from = 1;
  copy_kernel(DType::kInt4)(target.data(), source.data(), &to, &from, 1, 1);
  EXPECT_EQ(target, (std::vector<std::uint8_t>{0x21, 0x4B}));

  // Two-bit elements 0 1 2 3 | 0: elements 1 and 2 of the source (1, 2) are copied to elements 3 and 4.
  target = {0xE4, 0x00};
  const std::int64_t to2 = 3;
  copy_kernel(DType::kUInt2)(target.data(), std::vector<std::uint8_t>{0xE4}.data(), &to2, &from, 1, 2);
  EXPECT_EQ(target, (std::vector<std::uint8_t>{0x64, 0x02}));
}

TEST(CompactInRange, KeepsPairsInOrderForEveryInstructionSetAndLength) {
  std::mt19937_64 random(5);
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<std::int64_t> offset(count + 1, 77);
      std::vector<std::int64_t> position(count + 1, 77);
      std::vector<std::int64_t> expected;
      for (std::size_t i = 0; i < count; ++i) {
        offset[i] = static_cast<std::int64_t>(random() % 9) - 4;
        position[i] = static_cast<std::int64_t>(i) * 10 + offset[i] + 4;
        if (offset[i] >= -2 && offset[i] < 3) expected.push_back(position[i]);
      }
      const std::int64_t kept =
          compact_in_range()(-2, 3, offset.data(), position.data(), static_cast<std::int64_t>(count));
      EXPECT_EQ(offset[count], 77) << "a write after the end";
      EXPECT_EQ(position[count], 77) << "a write after the end";
      ASSERT_EQ(kept, static_cast<std::int64_t>(expected.size()));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(position[i], expected[i]);
        EXPECT_EQ(offset[i], expected[i] % 10 - 4);
      }
    }
  }
}

template <class T>
bool expect_found(std::int64_t entries, std::int64_t count) {
  std::vector<T> table(static_cast<std::size_t>(entries));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<T>(0x9E3779B1u * (i + 1) >> 7);
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) offsets.push_back((i * i + entries - 1) % entries);
  const Kernel kernel = lookup_kernel(sizeof(T), entries);
  if (kernel == nullptr) return false;
  const LookupTable words(table.data(), entries, sizeof(T));
  std::vector<std::byte> target(static_cast<std::size_t>(count) * sizeof(T) + 2, std::byte{7});
  kernel(target.data() + 1, words.data(), nullptr, offsets.data(), count, 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    T found;
    std::memcpy(&found, target.data() + 1 + i * sizeof(T), sizeof(T));
    EXPECT_EQ(found, table[static_cast<std::size_t>(offsets[i])]) << i;
  }
  EXPECT_EQ(target.front(), std::byte{7});
  EXPECT_EQ(target.back(), std::byte{7});
  return true;
}

// Returns all instruction sets, including AVX3_DL, for which only lookup.cc is compiled.
std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> sets = support::instruction_sets();
#if HWY_ARCH_X86
  if ((hwy::SupportedTargets() & HWY_AVX3_DL) != 0) sets.push_back(HWY_AVX3_DL);
#endif
  return sets;
}

TEST(LookupKernel, FindsElementsOfEveryWidth) {
  for (const support::ForcedInstructionSet forced : instruction_sets()) {
    SCOPED_TRACE(forced.set());
    for (const std::int64_t entries : {1, 7, 31, 32, 33, 64, 65, 127, 128, 129, 200, 255, 256}) {
      for (const std::int64_t count : {0, 1, 15, 16, 33, 63, 64, 100, 511, 1000}) {
        const bool bytes = expect_found<std::uint8_t>(entries, count);
        const bool halves = expect_found<std::uint16_t>(entries, count);
        EXPECT_EQ(expect_found<std::uint32_t>(entries, count), halves);
#if HWY_ARCH_X86
        EXPECT_EQ(halves, forced.set() <= HWY_AVX2 && entries <= LookupTable::kMostWords) << entries;
        const std::int64_t most = forced.set() <= HWY_AVX3   ? 256
                                  : forced.set() == HWY_AVX2 ? 128
                                  : forced.set() == HWY_SSE4 ? 64
                                                             : 0;
        EXPECT_EQ(bytes, entries <= most) << entries;
#else
        EXPECT_TRUE(bytes || !halves);
#endif
      }
    }
  }
}

TEST(LookupKernel, IsUndefinedForOtherTables) {
  EXPECT_EQ(lookup_kernel(8, 4), nullptr);
  EXPECT_EQ(lookup_kernel(1, LookupTable::kMostBytes + 1), nullptr);
  EXPECT_EQ(lookup_kernel(2, LookupTable::kMostWords + 1), nullptr);
}

TEST(ProgressionLoops, AddAndWriteEveryRunForEveryInstructionSetAndLength) {
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    for (const std::int64_t runs : {0, 1, 3}) {
      for (std::int64_t run = 1; run < 40; ++run) {
        const auto count = static_cast<std::size_t>(runs * run);
        std::vector<std::int64_t> numbers(count + 1);
        std::iota(numbers.begin(), numbers.end(), std::int64_t{1} << 33);
        std::vector<std::int64_t> added = numbers;
        std::vector<std::int64_t> written = numbers;
        for (std::size_t i = 0; i < count; ++i) {
          const auto at = static_cast<std::int64_t>(i);
          written[i] = 5 + at / run * (std::int64_t{1} << 34) + at % run * -7;
          added[i] += written[i];
        }
        const Progression progression{5, -7, std::int64_t{1} << 34};
        progression_loops().add(numbers.data(), runs, run, progression);
        EXPECT_EQ(numbers, added) << runs << " of " << run;
        progression_loops().write(numbers.data(), runs, run, progression);
        EXPECT_EQ(numbers, written) << runs << " of " << run;
      }
    }
  }
}

TEST(StreamCopy, CopiesExactlyItsBytesAtAnyAlignment) {
  for (std::size_t to = 0; to < 65; to += 7) {
    for (std::size_t from = 0; from < 65; from += 9) {
      for (std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 500u}) {
        std::vector<std::byte> source(700);
        std::vector<std::byte> target(700, std::byte{0xEE});
        for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + 1);
        std::vector<std::byte> expected = target;
        std::copy_n(source.begin() + from, bytes, expected.begin() + to);
        stream_copy()(target.data() + to, source.data() + from, static_cast<std::int64_t>(bytes));
        stream_fence();
        ASSERT_EQ(target, expected) << "to " << to << " from " << from << " bytes " << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace strew
