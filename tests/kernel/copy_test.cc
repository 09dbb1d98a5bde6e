// Copies by width, strings, packed elements.
#include <string>

#include "kernel/run_kernel.h"

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

TEST(CopyKernel, LetsTheLastOfSeveralWritesStay) {
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
  // Four-bit elements 1 2 3 4; element 1 of the source (0xB) goes to place 2.
  std::vector<std::uint8_t> target{0x21, 0x43};
  const std::vector<std::uint8_t> source{0xBA};
  const std::int64_t to = 2;
  const std::int64_t from = 1;
  copy_kernel(DType::kInt4)(target.data(), source.data(), &to, &from, 1, 1);
  EXPECT_EQ(target, (std::vector<std::uint8_t>{0x21, 0x4B}));

  // Two-bit elements 0 1 2 3 | 0; elements 1, 2 of the source (1, 2) go to places 3, 4.
  target = {0xE4, 0x00};
  const std::int64_t to2 = 3;
  copy_kernel(DType::kUInt2)(target.data(), std::vector<std::uint8_t>{0xE4}.data(), &to2, &from, 1, 2);
  EXPECT_EQ(target, (std::vector<std::uint8_t>{0x64, 0x02}));
}

}  // namespace
}  // namespace strew
