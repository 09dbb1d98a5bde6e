// Tests destinations with very many updates, which many threads fold, with values chosen to expose wrong rounding.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "cuda/choose.h"
#include "cuda/exact_sum.h"
#include "cuda/host_device.h"
#include "strew/experimental/cuda.h"
#include "strew/half.h"
#include "strew/ops.h"
#include "support/random.h"

namespace strew::cuda {
namespace {

using support::Random;

double unit(Random& random) { return std::ldexp(static_cast<double>(random.bits() >> 11), -53); }
double sign(Random& random) { return random.one_in(2) ? 1.0 : -1.0; }

// Random values for a type with `digits` binary digits, such as ties, values near powers of two, or extremes.
struct Family {
  const char* name;
  std::function<double(Random&, int digits)> draw;
};
const std::vector<Family> kFamilies = {
    {"ones", [](Random&, int) { return 1.0; }},
    {"uniform", [](Random& r, int) { return unit(r); }},
    {"noise", [](Random& r, int) { return unit(r) + unit(r) + unit(r) - 1.5; }},
    {"halves", [](Random& r, int) { return static_cast<double>(r.between(-3, 5)) * 0.5; }},
    {"halves of the last digit",
     [](Random& r, int digits) {
       return r.one_in(5) ? std::ldexp(1.0, digits - 1) - 1 : static_cast<double>(r.below(4)) * 0.5;
     }},
    {"one down from a power of two",
     [](Random& r, int digits) { return r.one_in(9) ? std::ldexp(1.0, digits) : -std::ldexp(unit(r), -1); }},
    {"powers of two of both signs",
     [](Random& r, int) { return sign(r) * std::ldexp(1.0, static_cast<int>(r.below(40)) - 20); }},
    {"growing", [](Random& r, int) { return std::ldexp(unit(r), static_cast<int>(r.below(14))); }},
    {"zeros of both signs", [](Random& r, int) { return r.one_in(8) ? sign(r) * unit(r) : sign(r) * 0.0; }},
};

struct Type {
  DType dtype;
  int bytes;
  int digits;
};
constexpr std::array kTypes = {Type{DType::kFloat32, 4, 24}, Type{DType::kFloat64, 8, 53},
                               Type{DType::kFloat16, 2, 11}, Type{DType::kBFloat16, 2, 8}};

void put(std::vector<std::byte>& to, std::int64_t i, const Type& type, double value) {
  const auto write = [&](auto element) { std::memcpy(to.data() + i * type.bytes, &element, sizeof element); };
  if (type.dtype == DType::kFloat32) write(static_cast<float>(value));
  if (type.dtype == DType::kFloat64) write(value);
  if (type.dtype == DType::kFloat16) write(to_float16(static_cast<float>(value)).bits);
  if (type.dtype == DType::kBFloat16) write(to_bfloat16(static_cast<float>(value)).bits);
}

std::vector<std::byte> values(Random& random, const Type& type, std::int64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * type.bytes));
  const std::int64_t kind = random.below(static_cast<std::int64_t>(kFamilies.size()) + 2);
  if (kind >= static_cast<std::int64_t>(kFamilies.size())) {
    // Any bits, including infinities and NaN, or only subnormals and small numbers.
    const bool small = kind > static_cast<std::int64_t>(kFamilies.size());
    const int shift = small ? type.digits / 2 + 3 : 0;
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint64_t bits = random.bits();
      const std::uint64_t sign_bit = bits & std::uint64_t{1} << (8 * type.bytes - 1);
      if (type.bytes < 8) bits &= (std::uint64_t{1} << (8 * type.bytes)) - 1;
      const std::uint64_t low = bits & ((std::uint64_t{1} << (type.digits + 1)) - 1);
      if (small) bits = sign_bit | low >> (i % 3 == 0 ? shift : 0);
      std::memcpy(bytes.data() + i * type.bytes, &bits, static_cast<std::size_t>(type.bytes));
    }
    return bytes;
  }
  const Family& family = kFamilies[static_cast<std::size_t>(kind)];
  for (std::int64_t i = 0; i < count; ++i) put(bytes, i, type, family.draw(random, type.digits));
  return bytes;
}

// A scatter of many rows into three rows, or into one row.
struct Case {
  Type type = kTypes[0];
  std::int64_t count = 0;
  std::int64_t columns = 1;
  Plan plan;
  std::vector<std::int64_t> indices = {};
  std::vector<std::byte> data = {}, updates = {};

  static Case draw(Random& random) {
    const Type type = kTypes[static_cast<std::size_t>(random.below(kTypes.size()))];
    const std::int64_t count = random.between(1, 1500);
    const std::int64_t columns = random.one_in(2) ? 1 : random.between(2, 5);
    CallParams params;
    params.reduction = random.pick({Reduction::kAdd, Reduction::kAdd, Reduction::kSub, Reduction::kMean});
    params.include_self = !random.one_in(3);
    if (type.bytes == 2 && random.one_in(2)) params.acc_dtype = AccDType::kFloat32;
    std::vector<std::byte> alpha;
    if (random.one_in(4)) alpha = values(random, type, 1);
    if (!alpha.empty()) params.alpha.emplace(alpha.data(), type.dtype, Shape{});
    Case made{type, count, columns,
              make_scatter_nd_plan({type.dtype, {4, columns}}, {DType::kInt64, {count, 1}},
                                   {type.dtype, {count, columns}}, params)
                  .value()};
    const std::int64_t destinations = random.one_in(2) ? 1 : 3;
    for (std::int64_t i = 0; i < count; ++i) made.indices.push_back(random.below(destinations));
    made.data = values(random, type, 4 * columns);
    made.updates = values(random, type, count * columns);
    return made;
  }
};

TEST(HotPlaces, HaveTheBitsOfTheLibrary) {
  Random random(20261123);
  DeviceOptions options{.force_strategy = DeviceStrategy::kSortFold};
  for (int i = 0; i < 4000 && !testing::Test::HasFailure(); ++i) {
    Case call = Case::draw(random);
    SCOPED_TRACE(i);
    const ScopedThresholds scoped({random.one_in(4), random.between(2, 200), random.between(1, 40)});
    host_device().seed = random.bits() | 1;
    const Shape shape{4, call.columns};
    std::vector<std::byte> on_host = call.data;
    std::vector<std::byte> on_device = call.data;
    strew::Operands host{TensorView(on_host.data(), call.type.dtype, shape),
                         TensorView(call.indices, {call.count, 1}),
                         TensorView(call.updates.data(), call.type.dtype, {call.count, call.columns})};
    ASSERT_TRUE(strew::run(call.plan, host, MutableTensorView(on_host.data(), call.type.dtype, shape)));
    Operands device{{on_device.data(), call.type.dtype, shape},
                    DeviceView(call.indices.data(), DType::kInt64, {call.count, 1}),
                    DeviceView(call.updates.data(), call.type.dtype, {call.count, call.columns})};
    ASSERT_TRUE(run(call.plan, device, {on_device.data(), call.type.dtype, shape}, options));
    EXPECT_EQ(on_host, on_device) << dtype_name(call.type.dtype) << " " << call.count << " x " << call.columns;
  }
  host_device() = {};
}

// Expects that summaries give the bits of single additions. Returns the number of summaries that applied.
template <class T, class Draw>
std::int64_t used_summaries(T sum, std::int64_t chunks, const Draw& draw) {
  std::int64_t used = 0;
  for (std::int64_t c = 0; c < chunks; ++c) {
    std::vector<T> updates(64);
    for (T& update : updates) update = draw();
    SumSummary<T> summary(binade_of(sum));
    for (const T update : updates) summary.add(update);
    T jumped = sum;
    for (const T update : updates) sum += update;
    if (!summary.apply(jumped)) continue;
    ++used;
    EXPECT_EQ(std::bit_cast<typename FloatFormat<T>::Bits>(jumped),
              std::bit_cast<typename FloatFormat<T>::Bits>(sum));
  }
  return used;
}

TEST(SumSummary, ReplacesNearlyAllStepsOfSumsOfOneSign) {
  Random random(7);
  EXPECT_GE(used_summaries(1.0f, 1000, [&] { return static_cast<float>(unit(random)); }), 980);
  EXPECT_GE(used_summaries(-1.0, 1000, [&] { return -unit(random); }), 980);
  EXPECT_GE(used_summaries(0x1p24f, 1000, [&] { return 1.0f; }), 1000) << "a sum that no longer grows";
}

TEST(SumSummary, ReplacesMostStepsOfNoise) {
  Random random(8);
  EXPECT_GE(used_summaries(1000.0f, 1000, [&] { return static_cast<float>(unit(random) - unit(random)); }), 800);
}

TEST(SumSummary, AppliesToNoSumWithoutABinade) {
  for (const float sum :
       {0.0f, -0.0f, 0x1p-140f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(binade_of(sum), 0u);
    float value = sum;
    EXPECT_FALSE(SumSummary<float>(binade_of(sum)).apply(value));
  }
}

// One thread folds a shorter run while the device folds all other updates: an H100 reads a thousand rows in that
// time.
TEST(HotPlaces, HaveAThousandthOfAllUpdatesAtMost) {
  for (const std::int64_t updates : {std::int64_t{1} << 22, std::int64_t{1} << 24, std::int64_t{1} << 30}) {
    EXPECT_LE(choose_hot_runs(updates).from, updates / 1000);
  }
  EXPECT_EQ(choose_hot_runs(1000).from, 0);
}

}  // namespace
}  // namespace strew::cuda
