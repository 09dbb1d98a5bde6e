// Finds and sets attributes by name, and describes plans.
#include "plan/attributes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "core/error.h"

namespace strew {
namespace {

using enum AttributeType;

void assign(std::int64_t& member, std::int64_t value) { member = value; }
void assign(std::optional<std::int64_t>& member, std::int64_t value) { member = value; }
void assign(bool& member, std::int64_t value) { member = value != 0; }
template <class Enum>
requires std::is_enum_v<Enum>
void assign(Enum& member, std::int64_t value) { member = static_cast<Enum>(value); }
void assign(std::optional<TensorView>&, std::int64_t) {}

template <class T>
std::int64_t number(const T& member) {
  return static_cast<std::int64_t>(member);
}
std::int64_t number(const std::optional<std::int64_t>& member) { return member.value_or(0); }
std::int64_t number(const std::optional<TensorView>& member) { return member.has_value() ? 1 : 0; }

void assign_element(std::optional<TensorView>& member, const TensorView& element) { member = element; }
template <class T>
void assign_element(T&, const TensorView&) {}

// The functions of an Attribute that read and set a member of CallParams.
#define STREW_MEMBER(member, otherwise)                                             \
  [](const CallParams& params) { return params.member != (otherwise); },            \
      [](const CallParams& params) { return number(params.member); },               \
      [](CallParams& params, std::int64_t value) { assign(params.member, value); }, \
      [](CallParams& params, const TensorView& element) { assign_element(params.member, element); }

constexpr std::span<const std::string_view> kNoWords{};
constexpr std::array kAttributes = {
    Attribute{"axis", kInt, 0, kNoWords,
              "the axis of data that index values address; negative values count from the end",
              STREW_MEMBER(axis, std::nullopt)},
    Attribute{"batch_dims", kInt, 0, kNoWords, "the number of leading axes that data and indices share",
              STREW_MEMBER(batch_dims, 0)},
    Attribute{"reduction", kString, 0, detail::kReductionNames, "how an update is combined with the current value",
              STREW_MEMBER(reduction, Reduction::kNone)},
    Attribute{"mode", kString, 0, detail::kWriteModeNames,
              "whether writing continues at position 0 after the last position",
              STREW_MEMBER(mode, WriteMode::kLinear)},
    Attribute{"out_of_bounds", kString, 0, detail::kOutOfBoundsNames,
              "what an index value outside its axis stands for",
              STREW_MEMBER(rules.out_of_bounds, OutOfBounds::kError)},
    Attribute{"negative_indices", kString, 0, detail::kNegativeIndicesNames,
              "whether negative values count from the end",
              STREW_MEMBER(rules.negative_indices, NegativeIndices::kFromEnd)},
    Attribute{"fill_value", kElement, 0, kNoWords, "the element that out_of_bounds 'fill' writes",
              STREW_MEMBER(fill_value, std::nullopt), "out_of_bounds"},
    Attribute{"include_self", kBool, 1, kNoWords, "whether a reduction starts with the value in data",
              STREW_MEMBER(include_self, true), "reduction"},
    Attribute{"acc_dtype", kString, 0, detail::kAccDTypeNames, "the type in which a reduction is computed",
              STREW_MEMBER(acc_dtype, AccDType::kData), "reduction"},
    Attribute{"alpha", kElement, 0, kNoWords,
              "the element by which the updates of a reduction are multiplied first",
              STREW_MEMBER(alpha, std::nullopt), "reduction"},
};
#undef STREW_MEMBER

const AttributeInfo* find_info(const OperatorInfo& op, std::string_view name) {
  for (const auto* list : {&op.attributes, &op.own}) {
    const auto found = std::ranges::find(*list, name, &AttributeInfo::name);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

tl::unexpected<Error> unknown(const OperatorInfo& op, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto* list : {&op.attributes, &op.own}) {
    for (const AttributeInfo& info : *list) names.push_back(info.name);
  }
  return fail(ErrorCode::kInvalidArgument, {op.name, name}, "it has no attribute '", name, "'; it has ",
              join(names, ", "), did_you_mean(name, names));
}

// Returns an attribute's row. Rejects attributes that the operator lacks or whose type is not in `types`.
Result<const Attribute*> find_row(const CallParams& params, std::string_view name,
                                  std::initializer_list<AttributeType> types) {
  const OperatorInfo& op = operator_info(params.op);
  const AttributeInfo* info = find_info(op, name);
  if (info == nullptr) return unknown(op, name);
  if (std::ranges::count(types, info->type) == 0) {
    constexpr std::array<std::string_view, 4> kWhat = {"an integer", "a word", "0 or 1", "an element"};
    return fail(ErrorCode::kInvalidArgument, {op.name, name}, "attribute '", name, "' must be ",
                kWhat[static_cast<std::size_t>(info->type)]);
  }
  return find_attribute(name);
}

// For each operator, a bit set of its attributes: bit i stands for kAttributes[i].
using Masks = std::array<std::uint32_t, kOperatorCount>;
const Masks& masks() {
  static const Masks all = [] {
    Masks masks{};
    for (const OperatorInfo& op : operators()) {
      for (std::size_t i = 0; i < kAttributes.size(); ++i) {
        if (find_info(op, kAttributes[i].name) != nullptr)
          masks[static_cast<std::size_t>(op.op)] |= std::uint32_t{1} << i;
      }
    }
    return masks;
  }();
  return all;
}

// Constants, so that the compiler inlines the functions `is_given`. Each creation of a plan calls all of them.
template <std::size_t i>
constexpr auto kIsGiven = kAttributes[i].is_given;

template <std::size_t... i>
std::uint32_t given_mask(const CallParams& params, std::index_sequence<i...>) {
  return ((kIsGiven<i>(params) ? std::uint32_t{1} << i : 0u) | ...);
}

std::uint32_t wrong_mask(const CallParams& params) {
  return given_mask(params, std::make_index_sequence<kAttributes.size()>()) &
         ~masks()[static_cast<std::size_t>(params.op)];
}

}  // namespace

// Makes the masks at load time, for the reason given in operator_table.cc.
[[maybe_unused]] static const Masks& made_masks = masks();

std::span<const Attribute> all_attributes() noexcept { return kAttributes; }

const Attribute* find_attribute(std::string_view name) noexcept {
  const auto found = std::ranges::find(kAttributes, name, &Attribute::name);
  return found == kAttributes.end() ? nullptr : &*found;
}

bool has_own_attributes(const CallParams& params) noexcept { return wrong_mask(params) == 0; }

tl::unexpected<Error> fail_for_attributes(const CallParams& params) {
  const auto first = static_cast<std::size_t>(std::countr_zero(wrong_mask(params)));
  return unknown(operator_info(params.op), kAttributes[first].name);
}

Status set_attribute(CallParams& params, std::string_view name, std::int64_t value) {
  STREW_ASSIGN(const auto& row, find_row(params, name, {kInt, kBool}));
  row->set(params, value);
  return {};
}

Status set_attribute(CallParams& params, std::string_view name, std::string_view word) {
  STREW_ASSIGN(const auto& row, find_row(params, name, {kString}));
  const auto words = row->words;
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) {
    return fail(ErrorCode::kInvalidArgument, {op_name(params.op), name, -1, word}, name, " '", word,
                "' is not known", did_you_mean(word, words));
  }
  row->set(params, found - words.begin());
  return {};
}

Status set_attribute(CallParams& params, std::string_view name, const TensorView& element) {
  STREW_ASSIGN(const auto& row, find_row(params, name, {kElement}));
  row->set_element(params, element);
  return {};
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
