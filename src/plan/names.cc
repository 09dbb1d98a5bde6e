// Names of operators, reductions, modes and strategies, and the way back.
#include <array>
#include <utility>

#include "strew/plan.h"

namespace strew {
namespace {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<Reduction, 11> kReductions = {{{Reduction::kNone, "none"},
                                               {Reduction::kAdd, "add"},
                                               {Reduction::kMul, "mul"},
                                               {Reduction::kMax, "max"},
                                               {Reduction::kMin, "min"},
                                               {Reduction::kSub, "sub"},
                                               {Reduction::kDiv, "div"},
                                               {Reduction::kAnd, "and"},
                                               {Reduction::kOr, "or"},
                                               {Reduction::kXor, "xor"},
                                               {Reduction::kMean, "mean"}}};
constexpr Names<Accumulate, 2> kAccumulates = {{{Accumulate::kData, "data"}, {Accumulate::kFloat32, "float32"}}};
constexpr Names<OutOfBounds, 5> kOutOfBounds = {{{OutOfBounds::kError, "error"},
                                                 {OutOfBounds::kClip, "clip"},
                                                 {OutOfBounds::kWrap, "wrap"},
                                                 {OutOfBounds::kFill, "fill"},
                                                 {OutOfBounds::kDrop, "drop"}}};
constexpr Names<NegativeIndices, 2> kNegativeIndices = {
    {{NegativeIndices::kFromEnd, "from_end"}, {NegativeIndices::kOutside, "outside"}}};
constexpr Names<WriteMode, 2> kModes = {{{WriteMode::kLinear, "linear"}, {WriteMode::kCircular, "circular"}}};
constexpr Names<StrategyKind, 5> kStrategies = {{{StrategyKind::kSerial, "serial"},
                                                 {StrategyKind::kSplitPositions, "split_positions"},
                                                 {StrategyKind::kPrivateCopy, "private_copy"},
                                                 {StrategyKind::kCopyBlocks, "copy_blocks"},
                                                 {StrategyKind::kPartition, "partition"}}};
constexpr Names<OpKind, 6> kOps = {{{OpKind::kGather, "gather"},
                                    {OpKind::kGatherElements, "gather_elements"},
                                    {OpKind::kGatherND, "gather_nd"},
                                    {OpKind::kScatterElements, "scatter_elements"},
                                    {OpKind::kScatterND, "scatter_nd"},
                                    {OpKind::kTensorScatter, "tensor_scatter"}}};

template <class Enum, std::size_t N>
std::string_view name_of(const Names<Enum, N>& names, Enum value) noexcept {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "unknown";
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const Names<Enum, N>& names, std::string_view text) noexcept {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view op_name(OpKind op) noexcept { return name_of(kOps, op); }

std::string_view reduction_name(Reduction reduction) noexcept { return name_of(kReductions, reduction); }
std::optional<Reduction> reduction_from_name(std::string_view name) noexcept {
  return value_of(kReductions, name);
}

std::string_view accumulate_name(Accumulate accumulate) noexcept { return name_of(kAccumulates, accumulate); }
std::optional<Accumulate> accumulate_from_name(std::string_view name) noexcept {
  return value_of(kAccumulates, name);
}

std::string_view out_of_bounds_name(OutOfBounds rule) noexcept { return name_of(kOutOfBounds, rule); }
std::optional<OutOfBounds> out_of_bounds_from_name(std::string_view name) noexcept {
  return value_of(kOutOfBounds, name);
}

std::string_view negative_indices_name(NegativeIndices rule) noexcept { return name_of(kNegativeIndices, rule); }
std::optional<NegativeIndices> negative_indices_from_name(std::string_view name) noexcept {
  return value_of(kNegativeIndices, name);
}

std::string_view write_mode_name(WriteMode mode) noexcept { return name_of(kModes, mode); }
std::optional<WriteMode> write_mode_from_name(std::string_view name) noexcept { return value_of(kModes, name); }

std::string_view strategy_name(StrategyKind kind) noexcept { return name_of(kStrategies, kind); }
std::optional<StrategyKind> strategy_from_name(std::string_view name) noexcept {
  return value_of(kStrategies, name);
}

}  // namespace strew
