// Strided copies, whole and in parts.
#include "core/strided_copy.h"

#include <gtest/gtest.h>

#include <string>

#include "support/compare.h"
#include "support/random.h"
#include "support/random_tensor.h"
#include "support/strided_tensor.h"

namespace strew {
namespace {

using support::Random;
using support::StridedTensor;

TEST(StridedCopy, CopiesEveryLayoutInPartsOfAnyOrder) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    const auto dtype = static_cast<DType>(random.between(kDTypeMin, kDTypeMax));
    const Shape shape = support::random_shape(random, random.below(6), 200);
    const Tensor values = support::random_tensor(random, dtype, shape);
    const StridedTensor source(values, support::random_layout(random, dtype, shape, false));
    const support::Layout layout = support::random_layout(random, dtype, shape, false);
    StridedTensor target(dtype, shape, layout);

    const MutableTensorView to = target.mutable_view();
    const StridedCopy copy(source.view(), to.data(), to);
    const std::int64_t cut = random.between(0, copy.part_count());
    copy.run(cut, copy.part_count());
    copy.run(0, cut);

    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_TRUE(support::same_bits(values, target.view()));
    ASSERT_TRUE(StridedTensor(values, layout).same_buffer(target)) << "wrote between elements";
  }
}

TEST(StridedCopy, RepeatsABroadcastSource) {
  const float value = 7;
  const auto copy = Tensor::copy_of(TensorView(&value, DType::kFloat32, {2, 2}, {0, 0})).value();
  EXPECT_TRUE(support::same_bits(Tensor::of<float>({7, 7, 7, 7}, {2, 2}).value(), copy));
}

}  // namespace
}  // namespace strew
