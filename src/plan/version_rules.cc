// Checks inputs, types and attributes against an operator version.
#include "plan/version_rules.h"

#include <algorithm>

#include "core/error.h"
#include "plan/attributes.h"

namespace strew {
namespace {

std::string type_list(const std::vector<DType>& types) {
  std::string text;
  for (DType type : types) {
    if (!text.empty()) text += type == types.back() ? " or " : ", ";
    text += dtype_name(type);
  }
  return text;
}

bool contains(const std::vector<DType>& types, DType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// Returns the first later version for which `accepts` returns true; nullptr if there is none.
template <class Accepts>
const OperatorVersion* later_version(const OperatorVersion& op, Accepts&& accepts) {
  for (const OperatorVersion& later : operator_versions()) {
    if (later.op_type == op.op_type && later.since_version > op.since_version && accepts(later)) return &later;
  }
  return nullptr;
}

// Returns "; it was added in opset 13" if a later version accepts the type, else "".
std::string when_it_came(const OperatorVersion& op, DType type) {
  const auto* later = later_version(op, [&](const auto& version) { return contains(version.types, type); });
  return later == nullptr ? std::string() : concat("; it was added in opset ", later->since_version);
}

const AttributeInfo* find_info(const OperatorVersion& op, std::string_view name) {
  const auto found = std::ranges::find(op.attributes, name, &AttributeInfo::name);
  return found == op.attributes.end() ? nullptr : &*found;
}

bool is_legal(const AttributeInfo& info, std::string_view value) {
  return std::ranges::find(info.legal_strings, value) != info.legal_strings.end();
}

// Returns the newest version of an operator that is not newer than `version`; nullptr if there is none.
const OperatorVersion* find_version(OpKind op, std::int64_t version) {
  const OperatorVersion* found = nullptr;
  for (const OperatorVersion& known : operator_versions()) {
    if (known.op == op && known.since_version <= version) found = &known;
  }
  return found;
}

}  // namespace

std::string versioned_name(const OperatorVersion& op) { return concat(op.op_type, '-', op.since_version); }

const OperatorVersion* table_entry(const OperatorVersion& op) noexcept {
  for (const OperatorVersion& known : operator_versions()) {
    if (known.op_type == op.op_type && known.since_version == op.since_version) return &known;
  }
  return nullptr;
}

const AttributeInfo* recognized(const OperatorVersion& op, std::string_view name, std::vector<Error>& errors) {
  if (const AttributeInfo* info = find_info(op, name)) return info;
  const auto* later = later_version(op, [&](const auto& version) { return find_info(version, name) != nullptr; });
  add_error(errors, ErrorCode::kInvalidModel, {op_name(op.op), name}, "Unrecognized attribute: ", name, " for ",
            versioned_name(op),
            later == nullptr ? std::string() : concat("; ", name, " was added in opset ", later->since_version));
  return nullptr;
}

void check_word(const OperatorVersion& op, const AttributeInfo& info, std::string_view value,
                std::vector<Error>& errors) {
  if (is_legal(info, value)) return;
  const About about{op_name(op.op), info.name, -1, value};
  const auto* later = later_version(op, [&](const auto& version) {
    const AttributeInfo* same = find_info(version, info.name);
    return same != nullptr && is_legal(*same, value);
  });
  if (later != nullptr) {
    add_error(errors, ErrorCode::kInvalidModel, about, info.name, " '", value, "' needs opset ",
              later->since_version, " or newer");
    return;
  }
  std::string legal;
  for (std::string_view text : info.legal_strings) {
    if (!legal.empty()) legal += text == info.legal_strings.back() ? " or " : ", ";
    legal += concat('\'', text, '\'');
  }
  add_error(errors, ErrorCode::kInvalidModel, about, info.name, " '", value, "' is not known; it must be ", legal,
            did_you_mean(value, info.legal_strings));
}

void check_inputs(const OperatorVersion& op, const std::vector<bool>& present, std::vector<Error>& errors) {
  if (present.size() > op.inputs.size()) {
    add_error(errors, ErrorCode::kInvalidModel, {op_name(op.op)}, "it has ", present.size(),
              " inputs; the operator takes ", op.inputs.size());
  }
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const bool there = i < present.size() && present[i];
    if (!there && !op.inputs[i].optional) {
      add_error(errors, ErrorCode::kInvalidModel, {op_name(op.op), op.inputs[i].name}, "input ", i, " (",
                op.inputs[i].name, ") is missing");
    }
  }
}

void check_types(const OperatorVersion& op, std::span<const std::optional<DType>> types,
                 std::vector<Error>& errors) {
  for (std::size_t i = 0; i < std::min(types.size(), op.inputs.size()); ++i) {
    if (!types[i]) continue;
    const InputInfo& input = op.inputs[i];
    const DType type = *types[i];
    if (input.is_index()) {
      if (contains(op.index_types, type)) continue;
      add_error(errors, ErrorCode::kInvalidType, {op_name(op.op), input.name}, Said{input.name, "has"}, " type ",
                dtype_name(type), "; they must have ", type_list(op.index_types));
    } else if (!contains(op.types, type)) {
      add_error(errors, ErrorCode::kInvalidType, {op_name(op.op), input.name}, Said{input.name, "has"}, " type ",
                dtype_name(type), ", which ", versioned_name(op), " does not take", when_it_came(op, type));
    } else if (types[0] && type != *types[0]) {
      add_error(errors, ErrorCode::kInvalidType, {op_name(op.op), input.name}, Said{input.name, "has"}, " type ",
                dtype_name(type), " but ", op.inputs[0].name, " has ", dtype_name(*types[0]),
                "; both must have the same type");
    }
  }
}

Status check_version(const CallParams& params, const TensorSpec& data, const std::optional<TensorSpec>& indices,
                     const std::optional<TensorSpec>& updates) {
  const OperatorVersion* op = find_version(params.op, params.version);
  if (op == nullptr) {
    return fail(ErrorCode::kUnsupported, {op_name(params.op), "", -1, params.version}, "it is not in opset ",
                params.version);
  }
  std::vector<Error> errors;
  std::vector<std::optional<DType>> types;
  for (const InputInfo& input : op->inputs) {
    const auto type_of = [](const auto& spec) { return spec ? std::optional(spec->dtype) : std::nullopt; };
    types.push_back(input.role == Role::kData ? data.dtype
                                              : type_of(input.role == Role::kIndices ? indices : updates));
  }
  check_types(*op, types, errors);
  for (const Attribute& attribute : all_attributes()) {
    if (!attribute.is_given(params)) continue;
    const AttributeInfo* info = recognized(*op, attribute.name, errors);
    if (info != nullptr && info->is_string())
      check_word(*op, *info, attribute.words[static_cast<std::size_t>(attribute.get(params))], errors);
  }
  if (errors.empty()) return {};
  return fail(std::move(errors.front()));
}

}  // namespace strew
