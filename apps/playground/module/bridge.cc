// What the page calls: JSON in, JSON out, over the library's public functions.
#include "bridge.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "elements.h"
#include "report_json.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "strew/picture.h"
#include "strew/plan.h"
#include "strew/tensor_file.h"

namespace strew::page {
namespace {

using app::error_json;
using app::Json;

// The elements of larger tensors are not handed out.
constexpr std::int64_t kMostListed = 4096;

Json failure(const Error& error) { return {{"error", error_json(error)}}; }

Json names_of(std::span<const DType> types) {
  Json names = Json::array();
  for (const DType type : types) names.push_back(dtype_name(type));
  return names;
}

// Whether a version of the operator has the type.
bool in_onnx(std::string_view op_type, DType dtype, bool is_index) {
  return std::ranges::any_of(operator_versions(), [&](const OperatorVersion& op) {
    const auto& types = is_index ? op.index_types : op.types;
    return op.op_type == op_type && std::ranges::count(types, dtype) != 0;
  });
}

// Those that the functions take and no version has.
Json more_types(std::string_view op_type, bool is_index) {
  Json names = Json::array();
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if ((is_index_type(dtype) || !is_index) && !in_onnx(op_type, dtype, is_index))
      names.push_back(dtype_name(dtype));
  }
  return names;
}

Json own_attribute(std::string_view name, std::initializer_list<std::string_view> legal, std::string_view usual) {
  return {{"name", name}, {"legal", legal}, {"default", usual}, {"own", true}};
}

// What ONNX has no word for: how index values are read, and more about reductions.
void add_own(const OperatorVersion& op, Json& attributes) {
  if (op.op_type == "TensorScatter") return;
  const bool gathers = op.op_type.starts_with("Gather");
  attributes.push_back(
      own_attribute("out_of_bounds", {"error", "clip", "wrap", gathers ? "fill" : "drop"}, "error"));
  attributes.push_back(own_attribute("negative_indices", {"from_end", "outside"}, "from_end"));
  if (gathers) attributes.push_back(own_attribute("fill_value", {}, ""));
  for (Json& attribute : attributes) {
    if (attribute["name"] != "reduction") continue;
    Json& more = attribute["more"] = Json::array();
    for (auto reduction = Reduction::kNone; reduction <= Reduction::kMean;
         reduction = static_cast<Reduction>(static_cast<int>(reduction) + 1)) {
      const auto& legal = attribute["legal"];
      if (std::find(legal.begin(), legal.end(), reduction_name(reduction)) == legal.end()) {
        more.push_back(reduction_name(reduction));
      }
    }
    attributes.push_back(own_attribute("include_self", {"true", "false"}, "true"));
    attributes.push_back(own_attribute("accumulate", {"data", "float32"}, "data"));
    attributes.push_back(own_attribute("alpha", {}, ""));
    break;  // the list has grown
  }
}

// Every operator version as the standard lists it: what the page offers.
Json catalogue() {
  Json versions = Json::array();
  for (const OperatorVersion& op : operator_versions()) {
    Json json = {{"operator", op.op_type},
                 {"version", op.since_version},
                 {"deprecated", op.deprecated},
                 {"output", op.output},
                 {"types", names_of(op.types)},
                 {"index_types", names_of(op.index_types)},
                 {"more_types", more_types(op.op_type, false)},
                 {"more_index_types", more_types(op.op_type, true)},
                 {"inputs", Json::array()},
                 {"attributes", Json::array()}};
    for (const InputInfo& input : op.inputs) {
      json["inputs"].push_back({{"name", input.name}, {"optional", input.optional}, {"is_index", input.is_index}});
    }
    for (const AttributeInfo& attribute : op.attributes) {
      Json entry = {{"name", attribute.name}, {"legal", attribute.legal_strings}};
      entry["default"] = attribute.is_string ? Json(attribute.default_string) : Json(attribute.default_int);
      json["attributes"].push_back(std::move(entry));
    }
    add_own(op, json["attributes"]);
    versions.push_back(std::move(json));
  }
  return {{"versions", std::move(versions)}, {"newest_opset", kNewestOpset}};
}

// A call as the page asks for it.
struct Call {
  const OperatorVersion* op = nullptr;
  NodeAttributes attributes;
  std::vector<std::optional<Tensor>> inputs;
  // What the standard has no word for.
  IndexRules rules;
  bool include_self = true;
  Accumulate accumulate = Accumulate::kData;
  std::optional<Tensor> scalar;  // the fill_value of a gather, the alpha of a scatter

  // Whether the standard has a word for all of it.
  bool is_node() const {
    if (rules != IndexRules{} || !include_self || accumulate != Accumulate::kData || scalar) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] && !in_onnx(op->op_type, inputs[i]->dtype(), op->inputs[i].is_index)) return false;
    }
    return std::ranges::all_of(op->attributes, [&](const AttributeInfo& attribute) {
      const auto& legal = attribute.legal_strings;
      return attribute.name != "reduction" || text("reduction").empty() ||
             std::ranges::count(legal, text("reduction")) != 0;
    });
  }
  std::optional<TensorView> view(std::size_t i) const {
    if (i >= inputs.size() || !inputs[i]) return std::nullopt;
    return inputs[i]->view();
  }
  std::int64_t number(std::string_view name, std::int64_t usual) const {
    for (const auto& [key, value] : attributes.ints) {
      if (key == name) return value;
    }
    return usual;
  }
  std::string text(std::string_view name) const {
    for (const auto& [key, value] : attributes.strings) {
      if (key == name) return value;
    }
    return "";
  }
};

Result<Call> read_call(const Json& request) {
  Call call;
  auto op = find_operator(request.at("operator").get<std::string>(), request.at("version").get<std::int64_t>());
  if (!op) return tl::unexpected<Error>(std::move(op).error());
  call.op = *op;
  std::string scalar;
  std::string scalar_name;
  for (const auto& [name, value] : request.at("attributes").items()) {
    if (!value.is_string()) {
      call.attributes.ints.emplace_back(name, value.get<std::int64_t>());
      continue;
    }
    const auto& word = value.get_ref<const std::string&>();
    if (name == "out_of_bounds") {
      call.rules.out_of_bounds = out_of_bounds_from_name(word).value_or(OutOfBounds::kError);
    } else if (name == "negative_indices") {
      call.rules.negative_indices = negative_indices_from_name(word).value_or(NegativeIndices::kFromEnd);
    } else if (name == "include_self") {
      call.include_self = word != "false";
    } else if (name == "accumulate") {
      call.accumulate = accumulate_from_name(word).value_or(Accumulate::kData);
    } else if (name == "fill_value" || name == "alpha") {
      scalar_name = name;
      scalar = word;
    } else {
      call.attributes.strings.emplace_back(name, word);
    }
  }
  const Json& inputs = request.at("inputs");
  for (std::size_t i = 0; i < inputs.size() && i < call.op->inputs.size(); ++i) {
    if (inputs[i].is_null()) {
      call.inputs.emplace_back();
      continue;
    }
    auto tensor = tensor_from_json(call.op->inputs[i].name, inputs[i]);
    if (!tensor) return tl::unexpected<Error>(std::move(tensor).error());
    call.inputs.emplace_back(std::move(*tensor));
  }
  if (!scalar.empty() && call.view(0)) {
    const Json element = {
        {"dtype", dtype_name(call.view(0)->dtype())}, {"shape", Json::array()}, {"values", Json::array({scalar})}};
    auto tensor = tensor_from_json(scalar_name, element);
    if (!tensor) return tl::unexpected<Error>(std::move(tensor).error());
    call.scalar = std::move(*tensor);
  }
  return call;
}

OpKind kind_of(const OperatorVersion& op) {
  if (op.op_type == "Gather") return OpKind::kGather;
  if (op.op_type == "GatherElements") return OpKind::kGatherElements;
  if (op.op_type == "GatherND") return OpKind::kGatherND;
  if (op.op_type == "ScatterND") return OpKind::kScatterND;
  if (op.op_type == "TensorScatter") return OpKind::kTensorScatter;
  return OpKind::kScatterElements;
}

Result<Plan> plan_of(const Call& call, const Operands& operands) {
  const std::int64_t axis = call.number("axis", 0);
  const Reduction reduction = reduction_from_name(call.text("reduction")).value_or(Reduction::kNone);
  switch (kind_of(*call.op)) {
    case OpKind::kGather:
      return make_gather_plan(operands.data, *operands.indices, {axis, call.rules, operands.fill_value});
    case OpKind::kGatherElements:
      return make_gather_elements_plan(operands.data, *operands.indices, {axis, call.rules, operands.fill_value});
    case OpKind::kGatherND:
      return make_gather_nd_plan(operands.data, *operands.indices,
                                 {call.number("batch_dims", 0), call.rules, operands.fill_value});
    case OpKind::kScatterElements:
      return make_scatter_elements_plan(
          operands.data, *operands.indices, *operands.updates,
          {axis, reduction, call.rules, call.include_self, call.accumulate, operands.alpha});
    case OpKind::kScatterND:
      return make_scatter_nd_plan(operands.data, *operands.indices, *operands.updates,
                                  {reduction, call.rules, call.include_self, call.accumulate, operands.alpha});
    case OpKind::kTensorScatter: {
      std::optional<TensorSpec> write_indices;
      if (operands.indices) write_indices = *operands.indices;
      const WriteMode mode = write_mode_from_name(call.text("mode")).value_or(WriteMode::kLinear);
      return make_tensor_scatter_plan(operands.data, *operands.updates, write_indices,
                                      {.axis = call.number("axis", -2), .mode = mode});
    }
  }
  return tl::unexpected<Error>(Error{ErrorCode::kUnsupported, "no such operator"});
}

Operands operands_of(const Call& call) {
  const bool indices_last = kind_of(*call.op) == OpKind::kTensorScatter;
  Operands operands{.data = *call.view(0),
                    .indices = call.view(indices_last ? 2 : 1),
                    .updates = call.view(indices_last ? 1 : 2)};
  if (call.scalar) (operands.updates ? operands.alpha : operands.fill_value) = call.scalar->view();
  return operands;
}

bool has_all_inputs(const Call& call) {
  for (std::size_t i = 0; i < call.op->inputs.size(); ++i) {
    if (!call.op->inputs[i].optional && !call.view(i)) return false;
  }
  return true;
}

Result<Tensor> result_of(const Call& call) {
  if (!call.is_node() && has_all_inputs(call)) {
    const Operands operands = operands_of(call);
    const auto plan = plan_of(call, operands);
    if (!plan) return tl::unexpected<Error>(plan.error());
    auto output = Tensor::uninitialized(plan->dtype(), plan->output_shape());
    if (!output) return output;
    if (const auto done = run(*plan, operands, output->mutable_view()); !done) {
      return tl::unexpected<Error>(done.error());
    }
    return output;
  }
  std::vector<std::optional<TensorView>> views;
  for (std::size_t i = 0; i < call.op->inputs.size(); ++i) views.push_back(call.view(i));
  std::vector<const TensorView*> inputs;
  inputs.reserve(views.size());
  for (const auto& view : views) inputs.push_back(view ? &*view : nullptr);
  return run_node(*call.op, inputs, call.attributes);
}

// The result of a call, or why there is none; and its picture either way.
Json run_call(const Json& request) {
  const auto call = read_call(request);
  if (!call) return failure(call.error());
  const auto output = result_of(*call);
  Json answer = output ? Json{{"output", tensor_to_json(*output, kMostListed)}} : failure(output.error());
  if (!has_all_inputs(*call)) return answer;

  const Operands operands = operands_of(*call);
  const Result<Plan> plan = output ? plan_of(*call, operands) : tl::unexpected<Error>(output.error());
  const std::string title = std::string(call->op->op_type) + "-" + std::to_string(call->op->since_version);
  PictureOptions options{.title = title};
  if (request.contains("applied")) options.applied = request.at("applied").get<std::int64_t>();
  answer["svg"] = draw(kind_of(*call->op), plan, operands, options);
  if (!output) return answer;
  if (const auto arrows = trace(*plan, operands, 0)) answer["arrows"] = arrows->count;
  return answer;
}

// What `strew check --json` prints of the model.
Json check(const std::string& name, std::span<const std::byte> bytes) {
  const auto model = Model::parse(bytes);
  if (!model) return failure(model.error());
  return app::report_json(name, *model, model->check());
}

// A .npy file, or a TensorProto.
Json read_tensor(const std::string& name, std::span<const std::byte> bytes) {
  const auto npy = [&]() -> Result<NamedTensor> {
    auto tensor = parse_npy(bytes);
    if (!tensor) return tl::unexpected<Error>(std::move(tensor).error());
    return NamedTensor{"", std::move(*tensor)};
  };
  const auto named = name.ends_with(".npy") ? npy() : parse_tensor_pb(bytes);
  if (!named) return failure(named.error());
  return {{"name", named->name}, {"tensor", tensor_to_json(named->tensor, kMostListed)}};
}

Json answer_to(const Json& request, std::span<const std::byte> bytes) {
  const auto what = request.at("do").get<std::string>();
  if (what == "catalogue") return catalogue();
  if (what == "run") return run_call(request);
  if (what == "check") return check(request.at("name").get<std::string>(), bytes);
  if (what == "tensor") return read_tensor(request.at("name").get<std::string>(), bytes);
  return failure({ErrorCode::kInvalidArgument, "the module does not know '" + one_line(what) + "'"});
}

}  // namespace

std::string answer_to(const char* request, std::span<const std::byte> bytes) {
  return answer_to(Json::parse(request), bytes).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string fault(const char* what) {
  Json answer = failure({ErrorCode::kUnsupported, what});
  answer["error"]["code"] = "fault";
  answer["restart"] = true;
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace strew::page
