// Names of reductions, modes and strategies, their lookup, and the description of a plan.
#include "plan/names.h"

#include <algorithm>

#include "core/error.h"
#include "plan/attributes.h"
#include "strew/explain.h"
#include "strew/plan.h"
#include "strew/testing.h"

namespace strew {
namespace {

constexpr std::array<std::string_view, 5> kStrategyNames = {"serial", "split_positions", "copy_blocks",
                                                            "partition", "private_copy"};

template <class Enum, std::size_t N>
std::string_view name_of(const std::array<std::string_view, N>& names, Enum value) noexcept {
  const auto number = static_cast<std::size_t>(value);
  return number < N ? names[number] : "unknown";
}

template <class Enum, std::size_t N>
std::optional<Enum> parse_name(const std::array<std::string_view, N>& names, std::string_view text) noexcept {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view reduction_name(Reduction reduction) noexcept { return name_of(kReductionNames, reduction); }
std::optional<Reduction> reduction_from_name(std::string_view name) noexcept {
  return parse_name<Reduction>(kReductionNames, name);
}

std::string_view acc_dtype_name(AccDType acc_dtype) noexcept { return name_of(kAccDTypeNames, acc_dtype); }
std::optional<AccDType> acc_dtype_from_name(std::string_view name) noexcept {
  return parse_name<AccDType>(kAccDTypeNames, name);
}

std::string_view out_of_bounds_name(OutOfBounds rule) noexcept { return name_of(kOutOfBoundsNames, rule); }
std::optional<OutOfBounds> out_of_bounds_from_name(std::string_view name) noexcept {
  return parse_name<OutOfBounds>(kOutOfBoundsNames, name);
}

std::string_view negative_indices_name(NegativeIndices rule) noexcept {
  return name_of(kNegativeIndicesNames, rule);
}
std::optional<NegativeIndices> negative_indices_from_name(std::string_view name) noexcept {
  return parse_name<NegativeIndices>(kNegativeIndicesNames, name);
}

std::string_view write_mode_name(WriteMode mode) noexcept { return name_of(kWriteModeNames, mode); }
std::optional<WriteMode> write_mode_from_name(std::string_view name) noexcept {
  return parse_name<WriteMode>(kWriteModeNames, name);
}

std::string_view strategy_name(StrategyKind kind) noexcept { return name_of(kStrategyNames, kind); }
const Overrides* force_strategy(std::optional<StrategyKind> strategy) noexcept {
  static constexpr auto kEach = [] {
    std::array<Overrides, kStrategyNames.size()> each{};
    for (std::size_t i = 0; i < each.size(); ++i) each[i].strategy = static_cast<StrategyKind>(i);
    return each;
  }();
  return strategy ? &kEach[static_cast<std::size_t>(*strategy)] : nullptr;
}
std::optional<StrategyKind> strategy_from_name(std::string_view name) noexcept {
  return parse_name<StrategyKind>(kStrategyNames, name);
}

std::string describe(const Plan& plan) {
  std::string text = concat(op_name(plan.op()), ": ", dtype_name(plan.dtype()), ' ', plan.data().shape);
  const auto add = [&text](bool told, const auto&... parts) {
    if (told) text += concat(", ", parts...);
  };
  add(plan.has_indices(), "indices ", dtype_name(plan.indices().dtype), ' ', plan.indices().shape);
  for (const Attribute& one : all_attributes()) {
    if (!one.is_given(plan.params())) continue;
    const auto value = static_cast<std::size_t>(one.get(plan.params()));
    if (one.type == AttributeType::kString) add(true, one.name, '=', one.words[value]);
    if (one.type == AttributeType::kBool) add(true, one.name, '=', value != 0 ? "true" : "false");
  }
  add(plan.has_alpha(), "alpha");
  return text;
}

}  // namespace strew
