// Draws random calls, whose sizes are uniform in their logarithms.
#include "regret_draw.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace strew::bench {
namespace {

using app::Random;

constexpr std::int64_t kMaxUpdates = 8 << 20;

double unit(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

/// A random integer between two bounds, uniform in its logarithm.
std::int64_t log_uniform(Random& random, std::int64_t low, std::int64_t high) {
  const double span = std::log(static_cast<double>(high) / static_cast<double>(low));
  const auto found = static_cast<std::int64_t>(static_cast<double>(low) * std::exp(unit(random) * span));
  return std::clamp(found, low, std::max(low, high));
}

template <class T, std::size_t kCount>
T pick(Random& random, const std::array<T, kCount>& of) {
  return of[static_cast<std::size_t>(random.below(kCount))];
}

// An entry that occurs twice is drawn twice as often.
constexpr std::array kOps = {OpKind::kGather,          OpKind::kGatherElements,  OpKind::kGatherND,
                             OpKind::kScatterElements, OpKind::kScatterElements, OpKind::kScatterND,
                             OpKind::kScatterND,       OpKind::kScatterND,       OpKind::kTensorScatter};
constexpr std::array kTypes = {DType::kFloat32, DType::kFloat32, DType::kFloat32, DType::kFloat64,
                               DType::kInt64,   DType::kInt32,   DType::kUInt8,   DType::kFloat16};
constexpr std::array kReductions = {Reduction::kNone, Reduction::kNone, Reduction::kAdd, Reduction::kAdd,
                                    Reduction::kAdd,  Reduction::kMul,  Reduction::kMax, Reduction::kMin};
constexpr std::array<std::string_view, 7> kPatterns = {"uniform", "uniform", "sorted", "zipf",
                                                       "hot",     "all",     "blocks"};
constexpr std::array<std::int64_t, 4> kOffsets = {0, 0, 16, 48};

bool by_elements(OpKind op) { return op == OpKind::kGatherElements || op == OpKind::kScatterElements; }
bool scatters(OpKind op) { return op >= OpKind::kScatterElements; }

// Fills memory with floats in [1, 2), or with integers that are not zero.
void fill(std::byte* to, std::int64_t bytes, DType dtype, Random& random) {
  std::uint64_t keep = ~std::uint64_t{0};
  std::uint64_t set = 0x0101010101010101;
  if (dtype == DType::kFloat32) keep = 0x007FFFFF007FFFFF, set = 0x3F8000003F800000;
  if (dtype == DType::kFloat64) keep = 0x000FFFFFFFFFFFFF, set = 0x3FF0000000000000;
  if (dtype == DType::kFloat16) keep = 0x03FF03FF03FF03FF, set = 0x3C003C003C003C00;
  for (std::int64_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = (random.next() & keep) | set;
    std::memcpy(to + at, &word, static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - at)));
  }
}

// Random index values in [0, extent).
std::vector<std::int64_t> values(std::string_view pattern, std::int64_t count, std::int64_t extent,
                                 Random& random) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  const auto power = static_cast<double>(extent);
  for (auto& value : all) value = random.below(extent);
  if (pattern == "sorted") std::ranges::sort(all);
  if (pattern == "hot") std::ranges::fill(all, all.front());
  if (pattern == "zipf") {  // the inverse of the integral of rank^-1; the ranks are spread over the table
    for (auto& value : all) {
      const auto rank = std::min(static_cast<std::int64_t>(std::pow(power + 1, unit(random))) - 1, extent - 1);
      value = static_cast<std::int64_t>(static_cast<std::uint64_t>(rank) * 0x9E3779B1 %
                                        static_cast<std::uint64_t>(extent));
    }
  }
  if (pattern == "all") {  // a random permutation, repeated
    std::vector<std::int64_t> order(static_cast<std::size_t>(std::min(extent, count)));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = order[i % order.size()];
  }
  if (pattern == "blocks") {  // runs of neighbours
    const std::int64_t run = 16 + random.below(1009);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (static_cast<std::int64_t>(i) % run != 0) all[i] = (all[i - 1] + 1) % extent;
    }
  }
  return all;
}

struct Shapes {
  Shape data, indices, updates;
  std::int64_t extent;  ///< number of different index values or index tuples
};

Shapes shapes_of(const Draw& d) {
  switch (d.op) {
    case OpKind::kGather:
      return {{d.outer, d.rows, d.row}, {d.picked}, {}, d.rows};
    case OpKind::kGatherND:
    case OpKind::kScatterND: {
      Shape data = d.outer > 1 ? Shape{d.outer, d.rows, d.row} : Shape{d.rows, d.row};
      return {data, {d.picked, d.outer > 1 ? 2 : 1}, {d.picked, d.row}, d.outer * d.rows};
    }
    case OpKind::kTensorScatter:
      return {{d.outer, d.rows, d.row}, {d.outer}, {d.outer, d.picked, d.row}, d.rows - d.picked + 1};
    default:
      if (d.last_axis) return {{d.rows, d.row}, {d.rows, d.picked}, {d.rows, d.picked}, d.row};
      return {{d.rows, d.row}, {d.picked, d.row}, {d.picked, d.row}, d.rows};
  }
}

CallParams params_of(const Draw& d) {
  CallParams params{.op = d.op, .reduction = d.reduction};
  if (d.op == OpKind::kGather) params.axis = 1;
  if (by_elements(d.op)) params.axis = d.last_axis ? 1 : 0;
  return params;
}

void write_values(std::byte* to, const std::vector<std::int64_t>& all, const Draw& d) {
  const bool two = (d.op == OpKind::kGatherND || d.op == OpKind::kScatterND) && d.outer > 1;
  std::int64_t at = 0;
  const auto put = [&](std::int64_t value) {
    if (d.index_dtype == DType::kInt32) {
      reinterpret_cast<std::int32_t*>(to)[at++] = static_cast<std::int32_t>(value);
    } else {
      reinterpret_cast<std::int64_t*>(to)[at++] = value;
    }
  };
  for (const std::int64_t value : all) {
    if (two) put(value / d.rows);
    put(two ? value % d.rows : value);
  }
}

Plan plan_of(const Draw& d) {
  const Shapes shapes = shapes_of(d);
  std::optional<TensorSpec> updates;
  if (scatters(d.op)) updates.emplace(d.dtype, shapes.updates);
  return make_plan(params_of(d), {d.dtype, shapes.data}, TensorSpec(d.index_dtype, shapes.indices), updates)
      .value();
}

}  // namespace

Draw draw_call(std::uint64_t seed, std::int64_t number, std::int64_t largest) {
  Random random((seed + 1) * 0x9E3779B97F4A7C15u ^ (static_cast<std::uint64_t>(number) + 1) * 0xD1B54A32D192ED03u);
  for (int i = 0; i < 8; ++i) random.next();
  Draw d;
  d.op = pick(random, kOps);
  d.dtype = pick(random, kTypes);
  d.index_dtype = random.below(4) == 0 ? DType::kInt32 : DType::kInt64;
  d.pattern = pick(random, kPatterns);
  d.offset = pick(random, kOffsets);
  const std::int64_t width = bit_width(d.dtype) / 8;
  const std::int64_t table = log_uniform(random, 1024, largest) / width;  // elements
  d.row = random.below(5) < 2 ? 1 : log_uniform(random, 1, std::min<std::int64_t>(4096 / width, table));
  const std::int64_t moved = log_uniform(random, 256, largest / 2) / width;
  d.rows = std::max<std::int64_t>(table / d.row, 1);
  d.picked = std::clamp<std::int64_t>(moved / d.row, 1, kMaxUpdates / (by_elements(d.op) ? d.row : 1));
  if (by_elements(d.op)) d.last_axis = d.row > 1 && random.below(2) == 0;
  if (d.last_axis) d.picked = std::clamp<std::int64_t>(moved / d.rows, 1, std::max<std::int64_t>(d.row, 1));
  if (d.op == OpKind::kGather || d.op == OpKind::kGatherND || d.op == OpKind::kScatterND) {
    d.outer = random.below(4) == 0 ? std::min<std::int64_t>(2 + random.below(15), d.rows) : 1;
    d.rows = std::max<std::int64_t>(d.rows / d.outer, 1);
    if (d.op == OpKind::kGather) d.picked = std::max<std::int64_t>(d.picked / d.outer, 1);
  }
  if (d.op == OpKind::kTensorScatter) {
    d.outer = std::min(log_uniform(random, 1, 64), d.rows);
    d.rows /= d.outer;
    d.picked = std::clamp<std::int64_t>(d.picked / d.outer, 1, d.rows);
  } else if (scatters(d.op)) {
    d.reduction = pick(random, kReductions);
  }
  if (d.pattern == "all" && !by_elements(d.op) && d.op != OpKind::kTensorScatter) {
    d.picked = std::min(d.picked, d.outer * d.rows);
  }
  d.mode = random.below(2) == 0 ? "kept" : "new";
  if (scatters(d.op) && random.below(2) == 0) d.mode = "in_place";
  return d;
}

DrawnCall::DrawnCall(const Draw& draw, std::uint64_t seed)
    : plan_(plan_of(draw)),
      operands_{TensorView(nullptr, draw.dtype, plan_.data().shape)},
      output_(nullptr, draw.dtype, plan_.output_shape()),
      is_new_(draw.mode == "new") {
  Random random(seed * 2 + 1);
  const std::int64_t width = bit_width(draw.dtype) / 8;
  const auto placed = [&](std::size_t i, std::int64_t bytes) {
    std::byte* at = memory_[i].emplace(bytes, draw.offset).data();
    fill(at, bytes, draw.dtype, random);
    return at;
  };
  std::byte* data = placed(0, plan_.data_count() * width);
  operands_.data = TensorView(data, draw.dtype, plan_.data().shape);
  const std::int64_t count = plan_.index_count() / (plan_.tuples() && draw.outer > 1 ? 2 : 1);
  std::byte* indices = placed(1, plan_.index_count() * 8);
  write_values(indices, values(draw.pattern, count, shapes_of(draw).extent, random), draw);
  operands_.indices = TensorView(indices, draw.index_dtype, plan_.indices().shape);
  if (plan_.is_scatter()) {
    operands_.updates = TensorView(placed(2, plan_.position_count() * width), draw.dtype, plan_.position_shape());
  }
  const std::int64_t outputs = plan_.is_scatter() ? plan_.data_count() : plan_.position_count();
  std::byte* output = draw.mode == "in_place" ? data : placed(3, outputs * width);
  output_ = MutableTensorView(output, draw.dtype, plan_.output_shape());
}

}  // namespace strew::bench
